/** A composed message as the person who confirms it reads it. Pure. */

import type { CallPreview } from "../dispatch/types.ts";
import type { JsonObject } from "../json/mod.ts";
import { textOfHtml } from "./html_text.ts";
import { addressText, type MailAddress, type MailContent, type PackedFile } from "./compose.ts";

/** Lines and characters shown of a body. */
const SHOWN_LINES = 12;
const SHOWN_CHARS = 600;

/** Addresses named in the sentence before it only counts. */
const NAMED_ADDRESSES = 5;

/** What a confirmation and a dry run show of a message. */
export function describeMessage(
  content: MailContent,
  composed: {
    files: readonly PackedFile[];
    sizeBytes: number;
    threadId?: string;
    /** Whether it leaves the account now; a draft only waits. */
    sends: boolean;
  },
): CallPreview {
  const { to, cc, bcc, replyTo, from, subject } = content;
  const facts: JsonObject = {};
  if (from !== undefined) facts.from = addressText(from);
  for (const [name, list] of Object.entries({ to, cc, bcc, reply_to: replyTo })) {
    if (list.length > 0) facts[name] = list.map(addressText);
  }
  facts.subject = subject ?? "";
  facts.first_lines = firstLines(content);
  if (content.html !== undefined) facts.html = true;
  if (composed.files.length > 0) {
    facts.attachments = composed.files.map((file) => ({
      filename: file.filename,
      content_type: file.contentType,
      size_bytes: file.sizeBytes,
    }));
  }
  if (composed.threadId !== undefined) facts.thread_id = composed.threadId;
  facts.size_bytes = composed.sizeBytes;
  return { sentence: sentence(content, composed), facts: { message: facts } };
}

function sentence(
  content: MailContent,
  { files, sends }: { files: readonly PackedFile[]; sends: boolean },
): string {
  const recipients = [
    ["to", content.to],
    ["cc", content.cc],
    ["bcc", content.bcc],
  ] as const;
  const named = recipients.filter(([, list]) => list.length > 0)
    .map(([label, list]) => `${label} ${addressList(list)}`).join(", ");
  const subject = content.subject === undefined
    ? "without a subject"
    : JSON.stringify(cut(content.subject, 120));
  const attached = files.length === 0
    ? ""
    : ` with ${files.length === 1 ? "1 attachment" : `${files.length} attachments`}`;
  return `${sends ? "Mail" : "Draft"} ${
    named === "" ? "to nobody yet" : named
  }: ${subject}${attached}.`;
}

function addressList(list: readonly MailAddress[]): string {
  const shown = list.slice(0, NAMED_ADDRESSES).map(({ address }) => address).join(", ");
  return list.length > NAMED_ADDRESSES
    ? `${shown} and ${list.length - NAMED_ADDRESSES} more`
    : shown;
}

function firstLines(content: MailContent): string {
  const text = content.text ?? (content.html === undefined ? "" : textOfHtml(content.html));
  const lines = text.replaceAll("\r\n", "\n").trim().split("\n");
  const shown = lines.slice(0, SHOWN_LINES).join("\n");
  const short = cut(shown, SHOWN_CHARS);
  return short === shown && lines.length > SHOWN_LINES ? `${shown}\n…` : short;
}

function cut(text: string, limit: number): string {
  const chars = [...text];
  return chars.length > limit ? `${chars.slice(0, limit).join("")}…` : text;
}
