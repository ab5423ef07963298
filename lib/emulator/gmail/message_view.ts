/** Stored messages as `messages.get` shows them. */

import type { JsonObject, JsonValue } from "../../json/mod.ts";
import { paddedBase64Url } from "../encoding.ts";
import { hashHex } from "../random.ts";
import { base64Url } from "../encoding.ts";
import type { Mailbox, StoredMessage } from "./mailbox.ts";
import { invalidArgument } from "./mailbox.ts";
import { allParts, headerOf, isAttachment, type MailPart } from "./mime_read.ts";

/** The `format` parameter. */
export type MessageFormat = "minimal" | "full" | "raw" | "metadata";

/** Reads `format`; either case is accepted. @throws EmulatedError 400. */
export function messageFormat(text: string | null): MessageFormat {
  const format = (text ?? "full").toLowerCase();
  if (format === "minimal" || format === "full" || format === "raw" || format === "metadata") {
    return format;
  }
  throw invalidArgument(
    `Invalid value at 'format' (type.googleapis.com/caribou.api.proto.MessageFormat), "${text}"`,
  );
}

/** The message resource. */
export function messageView(
  message: StoredMessage,
  options: { format: MessageFormat; metadataHeaders?: readonly string[] },
): JsonObject {
  const view: JsonObject = {
    id: message.id,
    threadId: message.threadId,
    labelIds: [...message.labelIds],
    snippet: snippetOf(message),
  };
  if (options.format === "full") view.payload = partView(message, message.root());
  if (options.format === "metadata") {
    view.payload = metadataPayload(message.root(), options.metadataHeaders ?? []);
  }
  view.sizeEstimate = message.raw().length;
  view.historyId = String(message.historyId);
  view.internalDate = String(message.internalDate);
  if (options.format === "raw") view.raw = paddedBase64Url(message.raw());
  return view;
}

/** `{id, threadId}` with labels, as writes answer. */
export function messageReference(message: StoredMessage): JsonObject {
  return { id: message.id, threadId: message.threadId, labelIds: [...message.labelIds] };
}

function metadataPayload(root: MailPart, wanted: readonly string[]): JsonObject {
  const names = new Set(wanted.map((name) => name.toLowerCase()));
  const headers = root.headers.filter((header) =>
    names.size === 0 || names.has(header.name.toLowerCase())
  );
  const payload: JsonObject = { partId: "", mimeType: root.mimeType, filename: root.fileName };
  if (headers.length > 0) payload.headers = headers.map(({ name, value }) => ({ name, value }));
  return payload;
}

function partView(message: StoredMessage, part: MailPart): JsonObject {
  const body: JsonObject = isAttachment(part)
    ? { attachmentId: attachmentId(message, part), size: part.body.length }
    : { size: part.body.length };
  if (!isAttachment(part) && part.body.length > 0) body.data = paddedBase64Url(part.body);
  const view: JsonObject = {
    partId: part.partId,
    mimeType: part.mimeType,
    filename: part.fileName,
    headers: part.headers.map(({ name, value }): JsonValue => ({ name, value })),
    body,
  };
  if (part.parts.length > 0) view.parts = part.parts.map((child) => partView(message, child));
  return view;
}

/** The long opaque id of a file part. */
export function attachmentId(message: StoredMessage, part: MailPart): string {
  const seed = `${message.id}/${part.partId}/${part.fileName}`;
  const bytes = Uint8Array.fromHex(hashHex(seed, 420));
  return `ANGjdJ8${base64Url(bytes)}`;
}

/** The part that an attachment id names; undefined when none does. */
export function attachmentOf(message: StoredMessage, id: string): MailPart | undefined {
  return allParts(message.root()).find((part) =>
    isAttachment(part) && attachmentId(message, part) === id
  );
}

const snippets = new WeakMap<StoredMessage, string>();

/** First words of the message, HTML-escaped as Gmail sends them. */
function snippetOf(message: StoredMessage): string {
  let snippet = snippets.get(message);
  if (snippet === undefined) {
    const text = plainText(message.root()).replace(/\s+/g, " ").trim();
    const cut = text.length <= 200 ? text : text.slice(0, 200).replace(/\s+\S*$/, "");
    snippet = cut.replace(/[&<>"']/g, (sign) => ESCAPES[sign] as string).toWellFormed();
    snippets.set(message, snippet);
  }
  return snippet;
}

const ESCAPES: Record<string, string> = {
  "&": "&amp;",
  "<": "&lt;",
  ">": "&gt;",
  '"': "&quot;",
  "'": "&#39;",
};

/** Readable text of a message: its plain part, else its HTML without tags. */
export function plainText(root: MailPart): string {
  const parts = allParts(root).filter((part) => part.parts.length === 0 && !isAttachment(part));
  const plain = parts.find((part) => part.mimeType === "text/plain" && part.body.length > 0);
  if (plain) return new TextDecoder().decode(plain.body);
  const html = parts.find((part) => part.mimeType === "text/html");
  if (!html) return "";
  return new TextDecoder().decode(html.body)
    .replace(/<(style|script|head)\b[\s\S]*?<\/\1>/gi, " ")
    .replace(/<[^>]*>/g, " ")
    .replaceAll("&nbsp;", " ").replaceAll("&lt;", "<").replaceAll("&gt;", ">")
    .replaceAll("&quot;", '"').replaceAll("&#39;", "'").replaceAll("&amp;", "&");
}

/** Text that search looks through: addresses, subject, readable text, file names. */
export function searchText(message: StoredMessage): string {
  const root = message.root();
  const names = ["From", "To", "Cc", "Subject"].map((name) => headerOf(root, name) ?? "");
  const files = allParts(root).filter(isAttachment).map((part) => part.fileName);
  return [...names, plainText(root), ...files].join("\n").toLowerCase();
}

/** The thread resource without its messages. */
export function threadSummary(mailbox: Mailbox, threadId: string): JsonObject {
  const messages = mailbox.thread(threadId);
  const newest = messages[messages.length - 1] as StoredMessage;
  return {
    id: threadId,
    snippet: snippetOf(newest),
    historyId: String(Math.max(...messages.map((message) => message.historyId))),
  };
}
