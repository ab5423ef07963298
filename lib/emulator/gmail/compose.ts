/** Turns what a client hands in (`raw`, or an uploaded message) into what is stored. */

import { isJsonObject, type JsonObject, type JsonValue } from "../../json/mod.ts";
import { concatBytes, fromBase64, utf8 } from "../encoding.ts";
import { hashHex } from "../random.ts";
import { type EmulatedCall, EmulatedError } from "../service.ts";
import { invalidArgument, type Mailbox } from "./mailbox.ts";
import { headerOf, readMessage } from "./mime_read.ts";

/** A message as the client wants it stored. */
export interface ComposedMessage {
  raw: Uint8Array<ArrayBuffer>;
  threadId?: string;
  labelIds: string[];
}

/**
 * Reads a `Message` resource: `raw` (base64url) with an optional `threadId`.
 *
 * @throws EmulatedError 400 when there is no message in it.
 */
export function composedFromJson(value: JsonValue | undefined): ComposedMessage {
  const message: JsonObject = isJsonObject(value ?? null) ? value as JsonObject : {};
  if (typeof message.raw !== "string" || message.raw === "") {
    throw invalidArgument(
      "'raw' RFC822 payload message string or uploading message via /upload/* URL required",
    );
  }
  let raw: Uint8Array<ArrayBuffer>;
  try {
    raw = fromBase64(message.raw);
  } catch (error) {
    if (!(error instanceof SyntaxError)) throw error;
    throw invalidArgument(
      "Invalid value at 'message.raw' (TYPE_BYTES), Base64 decoding failed for the value",
    );
  }
  return {
    raw,
    labelIds: Array.isArray(message.labelIds)
      ? message.labelIds.filter((label) => typeof label === "string")
      : [],
    ...(typeof message.threadId === "string" ? { threadId: message.threadId } : {}),
  };
}

/** Bytes that a message may have on the way out, encoded attachments included. */
const LARGEST_MESSAGE = 35 * 1024 * 1024;

/** Refuses a message that could not be delivered. @throws EmulatedError 400 or 413. */
export function checkRecipients(composed: ComposedMessage): void {
  if (composed.raw.length > LARGEST_MESSAGE) {
    throw new EmulatedError(413, "Message exceeds the maximum size.", { reason: "uploadTooLarge" });
  }
  const root = readMessage(composed.raw);
  const recipients = ["To", "Cc", "Bcc"].map((name) => headerOf(root, name) ?? "").join(",");
  if (recipients.replace(/[,\s]/g, "") === "") throw invalidArgument("Recipient address required");
  if (!/[^\s@<>,]+@[^\s@<>,]+/.test(recipients)) throw invalidArgument("Invalid To header");
}

/** Adds what Gmail adds on its way where it is missing: `From`, `Date`, `Message-ID`. */
export function completeHeaders(
  raw: Uint8Array<ArrayBuffer>,
  context: { mailbox: Mailbox; call: EmulatedCall; salt: string },
): Uint8Array<ArrayBuffer> {
  const root = readMessage(raw);
  const { owner } = context.mailbox;
  const added: string[] = [];
  if (headerOf(root, "From") === undefined) {
    added.push(`From: ${owner.displayName} <${owner.email}>`);
  }
  if (headerOf(root, "Date") === undefined) {
    added.push(`Date: ${new Date(context.call.now).toUTCString().replace("GMT", "+0000")}`);
  }
  if (headerOf(root, "Message-ID") === undefined) {
    added.push(`Message-ID: <CA${hashHex(`mid ${context.salt}`, 40)}@mail.example.com>`);
  }
  if (added.length === 0) return raw;
  return concatBytes([utf8(`${added.join("\r\n")}\r\n`), raw]);
}

/** The thread that was asked for; undefined = a thread of its own. @throws EmulatedError 400. */
export function threadFor(mailbox: Mailbox, composed: ComposedMessage): string | undefined {
  if (composed.threadId !== undefined && composed.threadId !== "") {
    if (!mailbox.hasThread(composed.threadId)) throw invalidArgument("Invalid thread_id value");
    return composed.threadId;
  }
  return undefined;
}
