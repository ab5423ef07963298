/**
 * Mail as fields: headers by name, the decoded text, the list of files. The MIME tree itself stays
 * where it is; a profile drops it.
 */

import { isJsonObject, type JsonObject, type JsonValue } from "../../json/mod.ts";
import { decodeWords } from "./charset_text.ts";
import {
  type AnnotatedBody,
  annotateObject,
  annotateRows,
  type Derived,
  joined,
  objectOf,
  objectsOf,
  textOf,
} from "./derive.ts";
import { decodeEntities } from "./html_entities.ts";
import { mailContent } from "./mail_text.ts";

/** Headers that become fields. */
const FIELDS: Readonly<Record<string, string>> = {
  from: "from",
  to: "to",
  cc: "cc",
  bcc: "bcc",
  "reply-to": "reply_to",
  subject: "subject",
  "message-id": "message_id",
  "in-reply-to": "in_reply_to",
};

/** Headers that hold addresses beside names. */
const ADDRESSES: ReadonlySet<string> = new Set([
  ...["from", "to", "cc", "bcc", "reply-to", "sender", "delivered-to", "return-path"],
  ...["resent-from", "resent-sender", "resent-to", "resent-cc", "resent-bcc"],
  "disposition-notification-to",
]);

/** `messages.get`. */
export function annotateMessage(body: JsonObject, args: JsonObject): AnnotatedBody | undefined {
  return annotateObject(body, (message) => messageFields(message, args));
}

/** `drafts.get`: the fields stand in the draft's message. */
export function annotateDraft(body: JsonObject, args: JsonObject): AnnotatedBody | undefined {
  if (!isJsonObject(body.message)) return undefined;
  const annotated = annotateMessage(body.message, args);
  return annotated && {
    body: { ...body, message: annotated.body },
    addedPaths: annotated.addedPaths.map((path) => `message.${path}`),
  };
}

/** `threads.get`: every message, and history that is quoted from another message only once. */
export function annotateThread(body: JsonObject, args: JsonObject): AnnotatedBody | undefined {
  const earlier: { id: string; text: string }[] = [];
  return annotateRows(body, {
    rows: "messages",
    derive: (message) => {
      const fields = messageFields(message, args);
      const text = fields.text;
      if (typeof text !== "string") return fields;
      const shown = withoutQuotedHistory(text, earlier);
      const id = textOf(message.id);
      if (id !== undefined) earlier.push({ id, text: plainWords(text) });
      return { ...fields, text: shown };
    },
  });
}

function messageFields(message: JsonObject, args: JsonObject): Derived {
  const payload = objectOf(message.payload);
  const headers = objectsOf(payload.headers);
  if (headers.length === 0 && payload.body === undefined && payload.parts === undefined) {
    return { labels: labelsOf(message), preview: previewOf(message) };
  }
  const values = new Map<string, string[]>();
  for (const header of headers) {
    const name = textOf(header.name)?.toLowerCase();
    const value = textOf(header.value);
    if (name === undefined || value === undefined) continue;
    const list = values.get(name) ?? [];
    list.push(decodeWords(value, { addresses: ADDRESSES.has(name) }));
    values.set(name, list);
  }
  const fields: Derived = {};
  for (const [header, field] of Object.entries(FIELDS)) {
    fields[field] = joined(values.get(header) ?? [], ", ");
  }
  const date = values.get("date")?.[0];
  fields.date = date === undefined ? undefined : instantOf(date) ?? date;
  fields.list_unsubscribe = values.get("list-unsubscribe")?.[0];
  fields.requested_headers = requestedHeaders(values, args);
  fields.labels = labelsOf(message);
  const { text, attachments } = mailContent(payload);
  fields.text = text;
  if (text === undefined) fields.preview = previewOf(message);
  if (attachments.length > 0) fields.attachments = attachments;
  return fields;
}

/** The service's own summary, which it writes as HTML; what there is when the text was not sent. */
function previewOf(message: JsonObject): string | undefined {
  const snippet = textOf(message.snippet);
  return snippet === undefined ? undefined : decodeEntities(snippet);
}

/** Label ids hold no spaces, so one line carries them all. */
function labelsOf(message: JsonObject): JsonValue | undefined {
  if (!Array.isArray(message.labelIds)) return undefined;
  return joined(message.labelIds.filter((label) => typeof label === "string"), " ");
}

/** Headers that the caller asked for by name and that are no field of their own. */
function requestedHeaders(
  values: ReadonlyMap<string, string[]>,
  args: JsonObject,
): JsonObject | undefined {
  const names = [args.metadataHeaders ?? []].flat().filter((name) => typeof name === "string");
  const found = names.flatMap((name): [string, string][] => {
    const lower = name.toLowerCase();
    const value = values.get(lower);
    return value === undefined || Object.hasOwn(FIELDS, lower) || lower === "date"
      ? []
      : [[name, value.join("\n")]];
  });
  return found.length === 0 ? undefined : Object.fromEntries(found);
}

const MONTHS = "jan feb mar apr may jun jul aug sep oct nov dec".split(" ");

/** A mail date as RFC 3339 with the sender's own offset; undefined when it is none. */
export function instantOf(date: string): string | undefined {
  const parts =
    /^(?:[A-Za-z]{3},?\s+)?(\d{1,2})\s+([A-Za-z]{3})[a-z]*\s+(\d{4})\s+(\d{1,2}):(\d{2})(?::(\d{2}))?\s*(?:([+-]\d{2})(\d{2})|GMT|UTC?|Z)(?=$|[\s(])/
      .exec(date.trim());
  if (parts === null) return undefined;
  const [, day, monthName, year, hour, minute, second, offsetHour, offsetMinute] = parts;
  const month = MONTHS.indexOf((monthName as string).toLowerCase()) + 1;
  if (month === 0) return undefined;
  // A day or an hour that no calendar has stays as it was written.
  const daysOfMonth = new Date(Date.UTC(Number(year), month, 0)).getUTCDate();
  if (Number(day) < 1 || Number(day) > daysOfMonth) return undefined;
  if (Number(hour) > 23 || Number(minute) > 59 || Number(second ?? 0) > 60) return undefined;
  if (Math.abs(Number(offsetHour ?? 0)) > 23 || Number(offsetMinute ?? 0) > 59) return undefined;
  const two = (text: string | number | undefined) => String(text ?? "0").padStart(2, "0");
  const zone = offsetHour === undefined ? "Z" : `${offsetHour}:${offsetMinute}`;
  return `${year}-${two(month)}-${two(day)}T${two(hour)}:${two(minute)}:${two(second)}${zone}`;
}

/** Quoted text shorter than this is left: it may be the point of the answer. */
const SHORTEST_HISTORY = 80;

/**
 * Replaces quoted lines at the end of a message by the id of the message they are from, when that
 * message stands in the same thread with every quoted word in it.
 */
function withoutQuotedHistory(
  text: string,
  earlier: readonly { id: string; text: string }[],
): string {
  const lines = text.split("\n");
  let start = lines.length;
  while (start > 0 && /^(>|\s*$)/.test(lines[start - 1] as string)) start--;
  const quoted = plainWords(
    lines.slice(start).map((line) => line.replace(/^(>\s?)+/, "")).join("\n"),
  );
  if (quoted.length < SHORTEST_HISTORY) return text;
  const source = earlier.findLast((message) => message.text.includes(quoted));
  if (source === undefined) return text;
  return `${lines.slice(0, start).join("\n")}\n[quoted: ${source.id}]`;
}

function plainWords(text: string): string {
  return text.replace(/(^|\n)(>\s?)+/g, "$1").replace(/\s+/g, " ").trim();
}
