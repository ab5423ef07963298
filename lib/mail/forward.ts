/** A forwarded message as part of the new one: quoted under its own header lines. Pure. */

import { innerHtml, textOfHtml } from "./html_text.ts";
import type { OriginalContent, OriginalMessage } from "./original.ts";

/** The header lines a reader of a forward expects. */
const SHOWN_HEADERS = ["From", "Date", "Subject", "To", "Cc"];

/** Bodies of a forward: the sender's own words above the quoted original. */
export function forwardedBodies(
  own: { text?: string; html?: string },
  quoted: { original: OriginalMessage; content: OriginalContent },
): { text: string; html?: string } {
  const { content } = quoted;
  const lines = SHOWN_HEADERS.flatMap((name) => {
    const value = quoted.original.headers.get(name.toLowerCase());
    return value === undefined || value === "" ? [] : [`${name}: ${value}`];
  });
  const head = ["---------- Forwarded message ----------", ...lines];
  const originalText = content.text ?? textOfHtml(content.html ?? "");
  const ownText = own.text ?? (own.html === undefined ? "" : textOfHtml(own.html));
  const text = [...(ownText === "" ? [] : [ownText, ""]), ...head, "", originalText].join("\r\n")
    .replace(/\r\n?|\n/g, "\r\n");
  if (own.html === undefined && content.html === undefined) return { text };
  const ownHtml = own.html ?? paragraphs(own.text ?? "");
  const originalHtml = content.html === undefined
    ? paragraphs(originalText)
    : innerHtml(content.html);
  const html = `${ownHtml}<div class="gmail_quote">${
    head.map(escaped).join("<br>\r\n")
  }<br><br>\r\n${originalHtml}</div>`;
  return { text, html };
}

function paragraphs(text: string): string {
  return text === "" ? "" : `<div>${escaped(text).replace(/\r\n?|\n/g, "<br>\r\n")}</div>`;
}

function escaped(text: string): string {
  return text.replaceAll("&", "&amp;").replaceAll("<", "&lt;").replaceAll(">", "&gt;");
}
