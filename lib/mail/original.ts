/** Reading the message that is answered or forwarded (spec 11 §3). */

import { GumError } from "../errors/mod.ts";
import { isJsonObject, type JsonObject, type JsonValue, parseJson } from "../json/mod.ts";
import type { MailFile } from "./attachments.ts";
import { MAX_REFERENCES } from "./limits.ts";
import { tooLarge } from "./refusals.ts";

/** Runs one read operation of the same account and gives the service's own answer. */
export type ReadOperation = (
  opId: string,
  args: JsonObject,
) => Promise<Uint8Array>;

/** An existing message, as far as a new one refers to it. */
export interface OriginalMessage {
  threadId: string;
  /** Sent by this account. */
  sent: boolean;
  /** First value of each header, by lower-case name, free of control characters. */
  headers: ReadonlyMap<string, string>;
  payload: JsonObject;
}

const HEADERS = ["Message-ID", "References", "In-Reply-To", "Subject", "From", "To", "Reply-To"];

/** Headers of a message. */
export async function readHeaders(
  read: ReadOperation,
  message: { userId: JsonValue; id: string; field: string },
): Promise<OriginalMessage> {
  const args = { format: "metadata", metadataHeaders: HEADERS };
  return await readOriginal(read, { ...message, args });
}

/** A message with its bodies. */
export async function readWhole(
  read: ReadOperation,
  message: { userId: JsonValue; id: string; field: string },
): Promise<OriginalMessage> {
  return await readOriginal(read, { ...message, args: { format: "full" } });
}

async function readOriginal(
  read: ReadOperation,
  wanted: { userId: JsonValue; id: string; field: string; args: JsonObject },
): Promise<OriginalMessage> {
  const { userId, id, field, args } = wanted;
  let resource: JsonObject;
  try {
    resource = jsonObject(await read("gmail.users.messages.get", { userId, id, ...args }));
  } catch (error) {
    throw error instanceof GumError ? error.with({ field }) : error;
  }
  const payload = isJsonObject(resource.payload) ? resource.payload : {};
  const labels = Array.isArray(resource.labelIds) ? resource.labelIds : [];
  return {
    threadId: typeof resource.threadId === "string" ? resource.threadId : "",
    sent: labels.includes("SENT"),
    headers: headerMap(payload),
    payload,
  };
}

function jsonObject(bytes: Uint8Array): JsonObject {
  const value = parseJson(new TextDecoder().decode(bytes));
  return isJsonObject(value) ? value : {};
}

function headerMap(part: JsonObject): Map<string, string> {
  const found = new Map<string, string>();
  for (const header of Array.isArray(part.headers) ? part.headers : []) {
    if (!isJsonObject(header)) continue;
    const { name, value } = header;
    if (typeof name !== "string" || typeof value !== "string") continue;
    const key = name.toLowerCase();
    if (!found.has(key)) found.set(key, oneLine(value));
  }
  return found;
}

/** What strangers wrote into a header must not end it. */
function oneLine(value: string): string {
  // deno-lint-ignore no-control-regex -- control characters are what must go
  return value.toWellFormed().replace(/[\u0000-\u001f\u007f-\u009f\u2028\u2029]+/g, " ").trim();
}

/** Message ids of a header, with their brackets; anything else in it is left out. */
function messageIds(text: string | undefined): string[] {
  return (text ?? "").match(/<[^<>\s]{1,900}>/g) ?? [];
}

/** `References` of an answer: the chain so far and the message itself. */
export function referenceChain(original: OriginalMessage): {
  inReplyTo: string | undefined;
  references: string[];
} {
  const { headers } = original;
  const [inReplyTo] = messageIds(headers.get("message-id"));
  const earlier = messageIds(headers.get("references"));
  const chain = earlier.length > 0 ? earlier : messageIds(headers.get("in-reply-to")).slice(0, 1);
  const all = [...new Set([...chain, ...(inReplyTo === undefined ? [] : [inReplyTo])])];
  const references = all.length > MAX_REFERENCES
    ? [...all.slice(0, 1), ...all.slice(1 - MAX_REFERENCES)]
    : all;
  return { inReplyTo, references };
}

/** A subject with `Re:` or `Fwd:` in front, once. */
export function prefixedSubject(prefix: "Re" | "Fwd", subject: string | undefined): string {
  const text = subject ?? "";
  const present = prefix === "Re" ? /^\s*re(\[\d+\])?\s*:/i : /^\s*fwd?\s*:/i;
  return present.test(text) ? text.trim() : `${prefix}: ${text}`.trim();
}

/** The readable bodies of a message and its files. */
export interface OriginalContent {
  text?: string;
  html?: string;
  files: MailFile[];
}

/** Bodies and attachments of a message read with {@link readWhole}. */
export async function originalContent(
  read: ReadOperation,
  message: { userId: JsonValue; id: string; original: OriginalMessage; limit: number },
): Promise<OriginalContent> {
  const content: OriginalContent = { files: [] };
  let size = 0;
  for (const part of leaves(message.original.payload)) {
    const body = isJsonObject(part.body) ? part.body : {};
    const filename = typeof part.filename === "string" ? oneLine(part.filename) : "";
    const mimeType = typeof part.mimeType === "string" ? part.mimeType.toLowerCase() : "";
    const isFile = filename !== "" || typeof body.attachmentId === "string";
    if (!isFile && mimeType === "text/plain" && content.text === undefined) {
      content.text = bodyText(body);
    } else if (!isFile && mimeType === "text/html" && content.html === undefined) {
      content.html = bodyText(body);
    } else if (isFile) {
      size += typeof body.size === "number" ? body.size : 0;
      if (size > message.limit) throw tooLarge(size, message.limit);
      content.files.push({
        filename: filename === "" ? "attachment" : filename,
        contentType: fileType(mimeType),
        bytes: await fileBytes(read, { ...message, body }),
        contentId: contentIdOf(part),
      });
    }
  }
  if (content.html === undefined) { for (const file of content.files) delete file.contentId; }
  return content;
}

function leaves(part: JsonObject): JsonObject[] {
  const parts = Array.isArray(part.parts) ? part.parts.filter(isJsonObject) : [];
  // A message inside the message is one file of it.
  const isFile = typeof part.filename === "string" && part.filename !== "";
  return parts.length === 0 || isFile ? [part] : parts.flatMap(leaves);
}

async function fileBytes(
  read: ReadOperation,
  file: { userId: JsonValue; id: string; body: JsonObject },
): Promise<Uint8Array> {
  const { userId, id, body } = file;
  if (typeof body.attachmentId !== "string") return decodedBody(body);
  return decodedBody(jsonObject(
    await read("gmail.users.messages.attachments.get", {
      userId,
      messageId: id,
      id: body.attachmentId,
    }),
  ));
}

function bodyText(body: JsonObject): string | undefined {
  const bytes = decodedBody(body);
  return bytes.length === 0 ? undefined : new TextDecoder().decode(bytes);
}

function decodedBody(body: JsonObject): Uint8Array {
  if (typeof body.data !== "string") return new Uint8Array();
  const text = body.data.replaceAll("+", "-").replaceAll("/", "_");
  return Uint8Array.fromBase64(text, { alphabet: "base64url" });
}

/** A type that cannot change how the new message is taken apart. */
function fileType(mimeType: string): string {
  const plain = /^[a-z0-9][a-z0-9.+_-]*\/[a-z0-9][a-z0-9.+_-]*$/.test(mimeType);
  return plain && !/^(multipart|message)\//.test(mimeType) ? mimeType : "application/octet-stream";
}

function contentIdOf(part: JsonObject): string | undefined {
  const id = headerMap(part).get("content-id")?.replace(/^<|>$/g, "");
  return id !== undefined && /^[^\s<>]{1,200}$/.test(id) ? id : undefined;
}
