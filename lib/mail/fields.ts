/** From loose JSON to the fields of one message; every problem names its field. Pure. */

import { nearestWords } from "../spelling/mod.ts";
import { isJsonObject, type JsonObject, type JsonValue } from "../json/mod.ts";
import {
  MAIL_FIELDS,
  type MailField,
  type MailOperation,
  MESSAGE_RESOURCE_KEYS,
  type MessageParts,
} from "./operations.ts";
import { fieldError, typeError } from "./refusals.ts";

/** An attachment as it was asked for. */
export type AttachmentRequest =
  | { kind: "path"; path: string }
  | { kind: "inline"; filename: string; contentType?: string; bytes: Uint8Array };

/** A message as it was asked for; addresses are not parsed yet. */
export interface MailRequest {
  to?: string[];
  cc?: string[];
  bcc?: string[];
  reply_to?: string[];
  from?: string;
  subject?: string;
  text?: string;
  html?: string;
  inReplyTo?: string;
  forward?: string;
  attachments: AttachmentRequest[];
  /** The thread the caller named. */
  threadId?: string;
}

// deno-lint-ignore no-control-regex -- control characters are what must be found
const CONTROL = /[\u0000-\u001f\u007f-\u009f\u2028\u2029]/;

/** Reads the plain fields. @throws GumError `INVALID_ARGS` naming the field. */
export function readMailRequest(parts: MessageParts): MailRequest {
  refuseUnknown(parts);
  const { fields, resource, path } = parts;
  if (typeof resource.raw === "string" && resource.raw !== "") {
    throw fieldError(named(path, "raw"), {
      message: "cannot be combined with plain fields",
      reason: "raw_and_plain_fields",
      suggestion: "Give either raw or to, subject, text and so on, not both.",
    });
  }
  const inReplyTo = line(fields, "in_reply_to_message_id");
  const forward = line(fields, "forward_message_id");
  if (inReplyTo !== undefined && forward !== undefined) {
    throw fieldError("forward_message_id", {
      message: "cannot be combined with in_reply_to_message_id",
      suggestion: "Reply to a message or forward one, not both.",
    });
  }
  const { threadId } = resource;
  if (threadId !== undefined && threadId !== null && typeof threadId !== "string") {
    throw typeError(named(path, "threadId"), "a string");
  }
  return {
    to: addresses(fields, "to"),
    cc: addresses(fields, "cc"),
    bcc: addresses(fields, "bcc"),
    reply_to: addresses(fields, "reply_to"),
    from: line(fields, "from"),
    subject: line(fields, "subject"),
    text: body(fields, "text"),
    html: body(fields, "html"),
    inReplyTo,
    forward,
    attachments: attachments(fields.attachments),
    threadId: threadId || undefined,
  };
}

/** Names of other tools for the same thing, which edit distance cannot find. */
const SYNONYMS: Readonly<Record<string, MailField>> = {
  attachment: "attachments",
  body: "text",
  content: "text",
  files: "attachments",
  inReplyTo: "in_reply_to_message_id",
  plain: "text",
  recipient: "to",
  recipients: "to",
  title: "subject",
};

/** The plain field that a mistyped name most likely means. */
function nearestField(name: string): MailField | undefined {
  if (Object.hasOwn(SYNONYMS, name)) return SYNONYMS[name];
  const snake = name.replace(/[A-Z]/g, (capital) => `_${capital.toLowerCase()}`);
  const [nearest] = nearestWords(snake, MAIL_FIELDS);
  return MAIL_FIELDS.find((field) => field === nearest);
}

function refuseUnknown(parts: MessageParts): void {
  const { resource, rest, path } = parts;
  const unknown = Object.keys(resource).filter((key) => !MESSAGE_RESOURCE_KEYS.has(key));
  const wrongBody = typeof rest.body === "string" ? ["body"] : [];
  const names = [
    ...unknown.map((key) => ({ key, at: named(path, key) })),
    ...wrongBody.map((key) => ({ key, at: key })),
  ];
  const [first] = names;
  if (first === undefined) return;
  const nearest = nearestField(first.key);
  throw fieldError(first.at, {
    message: "is not a field of a message" +
      (nearest === undefined ? "" : ` (did you mean ${nearest}?)`),
    suggestion: `A message has raw, or ${MAIL_FIELDS.join(", ")}.`,
    details: {
      unknown: names.map(({ at }) => at).sort(),
      ...(nearest === undefined ? {} : { nearest }),
    },
  });
}

/**
 * Refuses argument names beside the message that are most likely mistyped plain fields; the rest is
 * for the kernel to judge.
 */
export function refuseMistyped(parts: MessageParts, declared: ReadonlySet<string>): void {
  for (const key of Object.keys(parts.rest)) {
    if (declared.has(key) || key === "body") continue;
    const nearest = nearestField(key);
    if (nearest === undefined) continue;
    throw fieldError(key, {
      message: `is not an argument (did you mean ${nearest}?)`,
      details: { unknown: [key], nearest },
    });
  }
}

/** Refuses a message that would go to nobody. */
export function requireRecipient(operation: MailOperation, request: MailRequest): void {
  const { to = [], cc = [], bcc = [] } = request;
  if (!operation.sends || to.length + cc.length + bcc.length > 0) return;
  throw fieldError("to", {
    message: "is required",
    suggestion: "Name at least one recipient in to, cc or bcc.",
    details: { missing: ["to"] },
  });
}

function named(path: string, key: string): string {
  return path === "" ? key : `${path}.${key}`;
}

type Fields = MessageParts["fields"];

function addresses(fields: Fields, name: MailField): string[] | undefined {
  const value = fields[name];
  if (value === undefined) return undefined;
  const list = Array.isArray(value) ? value : [value];
  return list.flatMap((entry) => {
    if (typeof entry !== "string") throw typeError(name, "a string or an array of strings");
    return oneLine(name, entry).trim() === "" ? [] : [entry.trim()];
  });
}

function line(fields: Fields, name: MailField): string | undefined {
  const value = fields[name];
  if (value === undefined) return undefined;
  if (typeof value !== "string") throw typeError(name, "a string");
  const text = oneLine(name, value).trim();
  return text === "" ? undefined : text;
}

function body(fields: Fields, name: MailField): string | undefined {
  const value = fields[name];
  if (value === undefined) return undefined;
  if (typeof value !== "string") throw typeError(name, "a string");
  return wellFormed(name, value).replace(/\r\n?|\n/g, "\r\n");
}

/** A value that becomes part of a header: a line break in it would start another header. */
function oneLine(name: string, value: string): string {
  if (CONTROL.test(value)) {
    throw fieldError(name, {
      message: "must not hold line breaks or control characters",
      reason: "control_character",
    });
  }
  return wellFormed(name, value);
}

function wellFormed(name: string, value: string): string {
  if (value.isWellFormed()) return value;
  throw fieldError(name, { message: "is not well-formed Unicode text" });
}

function attachments(value: JsonValue | undefined): AttachmentRequest[] {
  if (value === undefined) return [];
  const list = Array.isArray(value) ? value : [value];
  return list.map((entry, index) => attachment(entry, `attachments[${index}]`));
}

const ATTACHMENT_KEYS = ["filename", "content_type", "data_base64"];

const ATTACHMENT_SYNONYMS: Readonly<Record<string, string>> = {
  content: "data_base64",
  data: "data_base64",
  mime_type: "content_type",
  mimeType: "content_type",
  name: "filename",
  type: "content_type",
};

function attachment(entry: JsonValue, at: string): AttachmentRequest {
  if (typeof entry === "string") {
    if (entry === "" || entry.includes("\0")) throw typeError(at, "a file path");
    return { kind: "path", path: entry };
  }
  if (!isJsonObject(entry)) {
    throw typeError(at, "a file path or {filename, content_type, data_base64}");
  }
  const unknown = Object.keys(entry).find((key) => !ATTACHMENT_KEYS.includes(key));
  if (unknown !== undefined) {
    const nearest = Object.hasOwn(ATTACHMENT_SYNONYMS, unknown)
      ? ATTACHMENT_SYNONYMS[unknown]
      : nearestWords(unknown, ATTACHMENT_KEYS)[0];
    throw fieldError(`${at}.${unknown}`, {
      message: "is not a field of an attachment" +
        (nearest === undefined ? "" : ` (did you mean ${nearest}?)`),
      suggestion: "An attachment is a file path or {filename, content_type, data_base64}.",
      details: { unknown: [`${at}.${unknown}`], ...(nearest === undefined ? {} : { nearest }) },
    });
  }
  return inlineAttachment(entry, at);
}

function inlineAttachment(entry: JsonObject, at: string): AttachmentRequest {
  const { filename, content_type: contentType, data_base64: encoded } = entry;
  if (typeof filename !== "string" || filename.trim() === "") {
    throw typeError(`${at}.filename`, "a file name");
  }
  if (typeof encoded !== "string") throw typeError(`${at}.data_base64`, "base64 text");
  if (contentType !== undefined && contentType !== null && typeof contentType !== "string") {
    throw typeError(`${at}.content_type`, "a string");
  }
  return {
    kind: "inline",
    filename: oneLine(`${at}.filename`, filename),
    contentType: contentType ? checkedType(contentType, `${at}.content_type`) : undefined,
    bytes: decoded(encoded, `${at}.data_base64`),
  };
}

/** A media type without parameters that would change how the message is taken apart. */
function checkedType(text: string, at: string): string {
  const type = oneLine(at, text).trim();
  const shape =
    /^[a-z0-9][a-z0-9!#$&^_.+-]*\/[a-z0-9][a-z0-9!#$&^_.+-]*(\s*;\s*charset="?[\w.:-]+"?)?$/i;
  if (shape.test(type) && !/^multipart\//i.test(type)) return type;
  throw fieldError(at, { message: "is not the media type of a file", reason: "content_type" });
}

function decoded(text: string, at: string): Uint8Array {
  const compact = text.replace(/\s+/g, "");
  try {
    const alphabet = /[-_]/.test(compact) ? "base64url" : "base64";
    return Uint8Array.fromBase64(compact, { alphabet });
  } catch (cause) {
    if (!(cause instanceof SyntaxError)) throw cause;
    throw fieldError(at, { message: "is not base64", reason: "base64" });
  }
}
