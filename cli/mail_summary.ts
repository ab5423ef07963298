/** A mail as a person reads it before saying yes (spec 11 §3). */

import { isJsonObject, type JsonObject, type JsonValue } from "../lib/json/mod.ts";

const HEAD = ["from", "to", "cc", "bcc", "reply_to", "subject"];

/** The lines that describe a pending mail; undefined when the pending request holds none. */
export function mailSummary(pending: JsonValue | undefined): string[] | undefined {
  const message = isJsonObject(pending) ? pending.message : undefined;
  if (!isJsonObject(message)) return undefined;
  return [
    ...HEAD.flatMap((name) => headLine(name, message[name])),
    ...attachmentLines(message.attachments),
    ...bodyLines(message),
  ];
}

function headLine(name: string, value: JsonValue | undefined): string[] {
  const text = Array.isArray(value) ? value.join(", ") : value;
  return typeof text === "string" ? [`    ${`${name}:`.padEnd(10)}${oneLine(text)}`] : [];
}

function attachmentLines(value: JsonValue | undefined): string[] {
  if (!Array.isArray(value)) return [];
  return value.filter(isJsonObject).map((file) =>
    `    ${"attached:".padEnd(10)}${oneLine(String(file.filename))} (${file.content_type}, ` +
    `${sizeText(Number(file.size_bytes))})`
  );
}

// A bar before every line, so that no line of a body passes for one of ours.
function bodyLines(message: JsonObject): string[] {
  const text = typeof message.first_lines === "string" ? message.first_lines : "";
  if (text === "") return [];
  return text.split(/\r\n|[\r\n\u2028\u2029]/).map((line) => `    | ${line}`);
}

function oneLine(text: string): string {
  return text.replace(/[\r\n\u2028\u2029]+/g, " ");
}

function sizeText(bytes: number): string {
  if (bytes < 1024) return `${bytes} B`;
  const kilobytes = bytes / 1024;
  return kilobytes < 1024 ? `${Math.round(kilobytes)} KB` : `${(kilobytes / 1024).toFixed(1)} MB`;
}
