/**
 * From fields to RFC 5322 bytes, through nodemailer's composer. Loaded only when a message is
 * written.
 *
 * The same fields always give the same bytes, because a confirmation binds them: boundaries come
 * from the content, and `Date` and `Message-ID` are left to Gmail, which adds them when it takes
 * the message. (A message id made from the content would let a mailbox drop the second of two equal
 * mails.)
 */

import { sha256Hex } from "../digest/mod.ts";
import addressparser from "nodemailer/lib/addressparser";
import MailComposer from "nodemailer/lib/mail-composer";
import { jcs } from "../format/jcs.ts";
import type { JsonObject } from "../json/mod.ts";
import type { MailFile } from "./attachments.ts";
import { MAX_ADDRESSES } from "./limits.ts";
import { fieldError } from "./refusals.ts";

/** One address and the name beside it. */
export interface MailAddress {
  name: string;
  address: string;
}

/** A message with nothing left to look up. */
export interface MailContent {
  from?: MailAddress;
  to: MailAddress[];
  cc: MailAddress[];
  bcc: MailAddress[];
  replyTo: MailAddress[];
  subject?: string;
  text?: string;
  html?: string;
  /** Message ids with their angle brackets. */
  inReplyTo?: string;
  references: string[];
  files: MailFile[];
}

/** A file as it ended up in a message. */
export interface PackedFile {
  filename: string;
  contentType: string;
  sizeBytes: number;
}

/** Builds the message. */
export async function composeMessage(
  content: MailContent,
): Promise<{ bytes: Uint8Array<ArrayBuffer>; files: PackedFile[] }> {
  const seed = await fingerprint(content);
  const composer = new MailComposer({
    from: content.from,
    to: content.to,
    cc: content.cc,
    bcc: content.bcc,
    replyTo: content.replyTo,
    subject: content.subject,
    text: content.text,
    html: content.html,
    inReplyTo: content.inReplyTo,
    references: content.references.join(" ") || undefined,
    attachments: content.files.map((file) => ({
      filename: file.filename,
      content: asBuffer(file.bytes),
      contentDisposition: file.contentId === undefined ? "attachment" : "inline",
      ...(file.contentType === undefined ? {} : { contentType: file.contentType }),
      ...(file.contentId === undefined ? {} : { cid: file.contentId }),
    })),
    // A fixed pair, taken out below: the composer insists on having one.
    messageId: "<composed@gum.invalid>",
    date: new Date(0),
    baseBoundary: seed,
    boundaryPrefix: "gum",
    newline: "windows",
    // Nothing but what is given here goes into a message.
    disableFileAccess: true,
    disableUrlAccess: true,
  });
  const root = composer.compile();
  // Gmail reads the hidden recipients from the message and takes the header out itself.
  root.keepBcc = true;
  const bytes = withoutHeaders(new Uint8Array(await root.build()), ["message-id", "date"]);
  // In the order they were given, with the types that the composer settled on.
  const { attached } = composer.getAttachments(false);
  const packed = content.files.map((file, index): PackedFile => ({
    filename: file.filename,
    contentType: attached[index]?.contentType ?? "application/octet-stream",
    sizeBytes: file.bytes.length,
  }));
  return { bytes, files: packed };
}

/** nodemailer tells bytes from text by Node's own class. */
function asBuffer(bytes: Uint8Array): Buffer {
  return Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);
}

/** 24 hex digits over everything in the message; also keeps boundaries out of the content. */
async function fingerprint(content: MailContent): Promise<string> {
  const files = await Promise.all(content.files.map(async ({ bytes, ...file }) => ({
    ...file,
    sha256: await sha256Hex(bytes),
  })));
  const text = jcs(JSON.parse(JSON.stringify({ ...content, files })) as JsonObject, {
    loneSurrogates: "escape",
  });
  return (await sha256Hex(text)).slice(0, 24);
}

/** Takes header fields, with their folded lines, out of the outermost header block. */
function withoutHeaders(
  message: Uint8Array,
  names: readonly string[],
): Uint8Array<ArrayBuffer> {
  const end = headerEnd(message);
  const head = Array.from(message.subarray(0, end), (byte) => String.fromCharCode(byte)).join("");
  const kept = head.split(/\r\n(?![ \t])/).filter((field) =>
    !names.includes(field.slice(0, field.indexOf(":")).toLowerCase())
  ).join("\r\n");
  const result = new Uint8Array(kept.length + message.length - end);
  result.set(Uint8Array.from(kept, (char) => char.charCodeAt(0)));
  result.set(message.subarray(end), kept.length);
  return result;
}

function headerEnd(message: Uint8Array): number {
  for (let index = 0; index + 3 < message.length; index++) {
    if (
      message[index] === 13 && message[index + 1] === 10 && message[index + 2] === 13 &&
      message[index + 3] === 10
    ) return index;
  }
  return message.length;
}

/**
 * Parses address texts; groups are flattened.
 *
 * @throws GumError `INVALID_ARGS` for anything that is no address.
 */
export function parseAddresses(field: string, texts: readonly string[]): MailAddress[] {
  const parsed = texts.flatMap((text) => {
    const found = addressparser(text, { flatten: true });
    if (found.length === 0) throw notAnAddress(field, text);
    return found.map((entry) => checked(field, { entry, text }));
  });
  if (parsed.length > MAX_ADDRESSES) {
    throw fieldError(field, { message: `names more than ${MAX_ADDRESSES} addresses` });
  }
  return parsed;
}

// One @, no spaces, none of the characters that structure an address list.
const ADDRESS = /^[^\s@<>(),;:\\"[\]]+@[^\s@<>(),;:\\"[\]]+$/;

function checked(
  field: string,
  given: { entry: { name?: string; address?: string }; text: string },
): MailAddress {
  const { name = "", address = "" } = given.entry;
  if (!ADDRESS.test(address)) throw notAnAddress(field, given.text);
  return { name, address };
}

function notAnAddress(field: string, text: string): Error {
  return fieldError(field, {
    message: `holds no mail address: ${JSON.stringify(text.slice(0, 80))}`,
    reason: "address",
    suggestion: "Write addresses as ann@example.com or Ann Lee <ann@example.com>.",
  });
}

/** One address as people write it. */
export function addressText({ name, address }: MailAddress): string {
  if (name === "") return address;
  const quoted = /[",;:<>@()\\[\]]/.test(name) ? JSON.stringify(name) : name;
  return `${quoted} <${address}>`;
}
