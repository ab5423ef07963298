/** Reads RFC 5322 bytes the way Gmail shows them: a tree of parts with decoded bodies. */

import { fromBase64, indexOfBytes, utf8 } from "../encoding.ts";
import { decodeCharset } from "./charset.ts";

/** A header as it is shown: name as sent, value unfolded and with encoded words decoded. */
export interface MailHeader {
  name: string;
  value: string;
}

/** One part of a parsed message. */
export interface MailPart {
  partId: string;
  mimeType: string;
  fileName: string;
  headers: MailHeader[];
  /** Decoded body; text is UTF-8 whatever its own character set was. Empty for a container. */
  body: Uint8Array;
  parts: MailPart[];
}

/** Parses a message; broken MIME never throws, what cannot be split stays one text. */
export function readMessage(raw: Uint8Array): MailPart {
  return readPart(raw, "");
}

/** Value of the first header of that name; undefined when there is none. */
export function headerOf(part: MailPart, name: string): string | undefined {
  const wanted = name.toLowerCase();
  return part.headers.find((header) => header.name.toLowerCase() === wanted)?.value;
}

/** Every part, depth first, the root included. */
export function allParts(root: MailPart): MailPart[] {
  return [root, ...root.parts.flatMap(allParts)];
}

/** True for a part that is a file rather than the message's text. */
export function isAttachment(part: MailPart): boolean {
  return part.fileName !== "" && part.parts.length === 0;
}

function readPart(bytes: Uint8Array, partId: string): MailPart {
  const { head, body } = splitHead(bytes);
  const headers = readHeaders(head);
  const part: MailPart = { partId, mimeType: "text/plain", fileName: "", headers, body, parts: [] };
  const contentType = headerOf(part, "Content-Type") ?? "text/plain";
  const disposition = headerOf(part, "Content-Disposition") ?? "";
  part.mimeType = /^\s*([\w.+-]+\/[\w.+-]+)/.exec(contentType)?.[1]?.toLowerCase() ?? "text/plain";
  part.fileName = parameter(disposition, "filename") ?? parameter(contentType, "name") ?? "";
  const boundary = parameter(contentType, "boundary");
  if (part.mimeType.startsWith("multipart/") && boundary !== undefined) {
    const pieces = splitMultipart(body, boundary);
    if (pieces.length > 0) {
      part.body = new Uint8Array();
      part.parts = pieces.map((piece, index) =>
        readPart(piece, partId === "" ? String(index) : `${partId}.${index}`)
      );
      return part;
    }
  }
  part.body = decodeTransfer(body, headerOf(part, "Content-Transfer-Encoding") ?? "7bit");
  if (part.mimeType.startsWith("text/") && part.fileName === "") {
    const charset = parameter(contentType, "charset") ?? "utf-8";
    if (!/^(utf-8|us-ascii)$/i.test(charset)) part.body = utf8(decodeCharset(part.body, charset));
  }
  return part;
}

function splitHead(bytes: Uint8Array): { head: string; body: Uint8Array } {
  for (const blank of ["\r\n\r\n", "\n\n"]) {
    const at = indexOfBytes(bytes, utf8(blank));
    if (at !== -1) {
      return {
        head: new TextDecoder().decode(bytes.subarray(0, at)),
        body: bytes.subarray(at + blank.length),
      };
    }
  }
  return { head: new TextDecoder().decode(bytes), body: new Uint8Array() };
}

function readHeaders(head: string): MailHeader[] {
  const headers: MailHeader[] = [];
  for (const line of head.replace(/\r?\n[ \t]+/g, " ").split(/\r?\n/)) {
    const colon = line.indexOf(":");
    if (colon <= 0) continue;
    headers.push({ name: line.slice(0, colon), value: decodeWords(line.slice(colon + 1).trim()) });
  }
  return headers;
}

/** Decodes RFC 2047 encoded words; adjacent ones join without a blank. */
export function decodeWords(value: string): string {
  return value
    .replace(/(=\?[^?\s]+\?[bqBQ]\?[^?]*\?=)\s+(?==\?[^?\s]+\?[bqBQ]\?)/g, "$1")
    .replace(/=\?([^?\s]+)\?([bqBQ])\?([^?]*)\?=/g, (whole, charset, kind, text) => {
      try {
        const bytes = kind.toUpperCase() === "B"
          ? fromBase64(text)
          : decodeQuotedPrintable(utf8(text.replaceAll("_", " ")));
        return decodeCharset(bytes, charset);
      } catch (error) {
        // A damaged encoded word is shown as it came.
        if (error instanceof SyntaxError) return whole;
        throw error;
      }
    });
}

function parameter(header: string, name: string): string | undefined {
  const extended = new RegExp(`;\\s*${name}\\*\\s*=\\s*([^']*)'[^']*'([^;\\s]+)`, "i").exec(header);
  if (extended) {
    const percent = (extended[2] as string).replace(/%([0-9a-f]{2})/gi, "=$1");
    return decodeCharset(decodeQuotedPrintable(utf8(percent)), extended[1] || "utf-8");
  }
  const found = new RegExp(`;\\s*${name}\\s*=\\s*(?:"((?:[^"\\\\]|\\\\.)*)"|([^;\\s]+))`, "i")
    .exec(header);
  return found === null ? undefined : decodeWords(found[1] ?? found[2] ?? "");
}

function splitMultipart(body: Uint8Array, boundary: string): Uint8Array[] {
  const delimiter = utf8(`--${boundary}`);
  const pieces: Uint8Array[] = [];
  let start = -1;
  for (
    let at = indexOfBytes(body, delimiter);
    at !== -1;
    at = indexOfBytes(body, delimiter, at + delimiter.length)
  ) {
    if (at !== 0 && body[at - 1] !== 0x0a) continue;
    if (!endsDelimiter(body, at + delimiter.length)) continue;
    if (start !== -1) pieces.push(trimEnd(body.subarray(start, at)));
    const after = at + delimiter.length;
    if (body[after] === 0x2d && body[after + 1] === 0x2d) return pieces;
    const lineEnd = body.indexOf(0x0a, after);
    start = lineEnd === -1 ? body.length : lineEnd + 1;
  }
  // No closing delimiter: the last part runs to the end, as lenient readers do.
  if (start !== -1) pieces.push(trimEnd(body.subarray(start)));
  return pieces;
}

/** A boundary may be the beginning of another one; only a whole line counts. */
function endsDelimiter(body: Uint8Array, after: number): boolean {
  const next = body[after];
  return next === undefined || next === 0x0d || next === 0x0a || next === 0x20 || next === 0x09 ||
    (next === 0x2d && body[after + 1] === 0x2d);
}

function trimEnd(piece: Uint8Array): Uint8Array {
  let end = piece.length;
  if (end > 0 && piece[end - 1] === 0x0a) end--;
  if (end > 0 && piece[end - 1] === 0x0d) end--;
  return piece.subarray(0, end);
}

function decodeTransfer(body: Uint8Array, encoding: string): Uint8Array {
  switch (encoding.trim().toLowerCase()) {
    case "base64":
      try {
        return fromBase64(new TextDecoder().decode(body).replace(/[^A-Za-z0-9+/_-]/g, ""));
      } catch (error) {
        // Damaged base64: the bytes as they came, like a mail client's source view.
        if (error instanceof SyntaxError) return body;
        throw error;
      }
    case "quoted-printable":
      return decodeQuotedPrintable(body);
    default:
      return body;
  }
}

/** Decodes quoted-printable; a malformed escape stays as it is. */
export function decodeQuotedPrintable(body: Uint8Array): Uint8Array {
  const out = new Uint8Array(body.length);
  let length = 0;
  for (let index = 0; index < body.length; index++) {
    const byte = body[index] as number;
    if (byte !== 0x3d) {
      out[length++] = byte;
      continue;
    }
    if (body[index + 1] === 0x0a) {
      index++;
    } else if (body[index + 1] === 0x0d && body[index + 2] === 0x0a) {
      index += 2;
    } else {
      const pair = String.fromCharCode(body[index + 1] ?? 0, body[index + 2] ?? 0);
      if (/^[0-9a-fA-F]{2}$/.test(pair)) {
        out[length++] = parseInt(pair, 16);
        index += 2;
      } else out[length++] = byte;
    }
  }
  return out.subarray(0, length);
}
