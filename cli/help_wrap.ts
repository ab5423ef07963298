/** Help texts fitted to a terminal. */

import { stylesFor, terminalWidth } from "./terminal_text.ts";
import { wrapText } from "./terminal_wrap.ts";
import type { CommandHost } from "./types.ts";

/** Lines longer than this are hard to read, however wide the terminal is. */
const WIDEST = 100;
/** A column of explanations narrower than this goes below what it explains. */
const NARROWEST = 24;
/** The least that is left to a text that stands below its name. */
const NARROWEST_TEXT = 12;

/** The text as it is printed: wrapped and with titles that stand out, for a person only. */
export function helpFor(host: CommandHost, text: string): string {
  if (!host.isTerminal("stdout")) return text;
  const { bold } = stylesFor(host, "stdout");
  return wrapHelp(text, helpWidth(host) ?? WIDEST)
    .replaceAll(/^[A-Z][A-Za-z &]*:$/gm, (title) => bold(title))
    .replaceAll(/^Usage:/gm, (title) => bold(title));
}

/** Columns of help for a person; undefined where nobody looks. */
export function helpWidth(host: CommandHost): number | undefined {
  return host.isTerminal("stdout") ? Math.min(WIDEST, terminalWidth(host)) : undefined;
}

/** Breaks long lines at blanks; an explanation hangs below itself, an example stays whole. */
export function wrapHelp(text: string, width: number): string {
  let examples = false;
  return text.split("\n").flatMap((line) => {
    if (/^\S/.test(line)) examples = line === "Examples:";
    // There to be copied.
    if (line.length <= width || examples || line.startsWith("Usage:")) return [line];
    const [, label = ""] = /^(\s*\S.*? {2,})(?=\S)/.exec(line) ?? [];
    const margin = /^ */.exec(line)?.[0] ?? "";
    if (label === "" || label.length === margin.length) {
      return indented(line.trim(), { margin, width });
    }
    const rest = line.slice(label.length);
    if (width - label.length >= NARROWEST) {
      const [first = "", ...more] = wrapText(rest, width - label.length);
      return [label + first, ...more.map((part) => " ".repeat(label.length) + part)];
    }
    return [label.trimEnd(), ...indented(rest, { margin: `${margin}    `, width })];
  }).join("\n");
}

function indented(text: string, { margin, width }: { margin: string; width: number }): string[] {
  return wrapText(text, Math.max(NARROWEST_TEXT, width - margin.length)).map((part) =>
    margin + part
  );
}

/** A topic as it is printed: markdown whose prose is wrapped, for a person only. */
export function topicFor(host: CommandHost, markdown: string): string {
  const width = helpWidth(host);
  if (width === undefined) return markdown;
  const { bold } = stylesFor(host, "stdout");
  return wrapMarkdown(markdown, width).replaceAll(/^#+ .*$/gm, (title) => bold(title));
}

/** Breaks long lines of prose and list items; code, tables and titles stay whole. */
export function wrapMarkdown(markdown: string, width: number): string {
  let code = false;
  return markdown.split("\n").flatMap((line) => {
    if (/^\s*```/.test(line)) code = !code;
    if (code || line.length <= width || /^(#|\s*\||\s*```)/.test(line)) return [line];
    const bullet = /^\s*(?:(?:[-*]|\d+\.) +)?/.exec(line)?.[0] ?? "";
    const room = Math.max(NARROWEST_TEXT, width - bullet.length);
    return wrapText(line.slice(bullet.length), room)
      .map((part, index) => (index === 0 ? bullet : " ".repeat(bullet.length)) + part);
  }).join("\n");
}
