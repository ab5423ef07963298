/** RFC 5322 messages with MIME parts, written as bytes. */

import { concatBytes, utf8 } from "../encoding.ts";
import { encodeCharset } from "./charset.ts";

/** A header line; names may repeat. */
export type HeaderLine = readonly [name: string, value: string];

/** A part to write. */
export type WritePart =
  | {
    kind: "text";
    subtype: "plain" | "html" | "calendar";
    charset: string;
    encoding: "7bit" | "8bit" | "quoted-printable" | "base64";
    text: string;
    /** Further parameters of `Content-Type`, e.g. `; method=REQUEST`. */
    parameters?: string;
  }
  | { kind: "file"; contentType: string; fileName: string; bytes: Uint8Array; contentId?: string }
  | { kind: "container"; subtype: string; boundary: string; parts: readonly WritePart[] };

/** Writes a whole message. Header values that are not ASCII become encoded words. */
export function writeMessage(
  headers: readonly HeaderLine[],
  root: WritePart,
): Uint8Array<ArrayBuffer> {
  const head = headers.map(([name, value]) => `${name}: ${encodeHeader(value)}\r\n`).join("");
  return concatBytes([utf8(`${head}MIME-Version: 1.0\r\n`), writePart(root)]);
}

function writePart(part: WritePart): Uint8Array<ArrayBuffer> {
  if (part.kind === "container") {
    const chunks: Uint8Array[] = [
      utf8(`Content-Type: multipart/${part.subtype}; boundary="${part.boundary}"\r\n\r\n`),
    ];
    for (const child of part.parts) {
      chunks.push(utf8(`--${part.boundary}\r\n`), writePart(child), utf8("\r\n"));
    }
    chunks.push(utf8(`--${part.boundary}--\r\n`));
    return concatBytes(chunks);
  }
  if (part.kind === "file") {
    const id = part.contentId;
    const name = encodeHeader(part.fileName);
    const head = `Content-Type: ${part.contentType}; name="${name}"\r\n` +
      `Content-Disposition: ${id === undefined ? "attachment" : "inline"}; filename="${name}"\r\n` +
      "Content-Transfer-Encoding: base64\r\n" +
      (id === undefined ? "" : `Content-ID: <${id}>\r\nX-Attachment-Id: ${id}\r\n`);
    return concatBytes([utf8(`${head}\r\n`), utf8(`${wrapBase64(part.bytes)}\r\n`)]);
  }
  const charset = /[\s;]/.test(part.charset) ? `"${part.charset}"` : part.charset;
  const head =
    `Content-Type: text/${part.subtype}; charset=${charset}${part.parameters ?? ""}\r\n` +
    (part.encoding === "7bit" ? "" : `Content-Transfer-Encoding: ${part.encoding}\r\n`);
  const bytes = encodeCharset(part.text.replace(/\r?\n/g, "\r\n"), part.charset);
  const body = part.encoding === "base64"
    ? utf8(wrapBase64(bytes))
    : part.encoding === "quoted-printable"
    ? utf8(quotedPrintable(bytes))
    : bytes;
  return concatBytes([utf8(`${head}\r\n`), body]);
}

function wrapBase64(bytes: Uint8Array): string {
  return bytes.toBase64().replace(/.{76}(?=.)/g, "$&\r\n");
}

/** Quoted-printable, lines of at most 76 characters. */
export function quotedPrintable(bytes: Uint8Array): string {
  let out = "";
  let column = 0;
  for (let index = 0; index < bytes.length; index++) {
    const byte = bytes[index] as number;
    if (byte === 0x0d && bytes[index + 1] === 0x0a) {
      out += "\r\n";
      column = 0;
      index++;
      continue;
    }
    const beforeBreak = bytes[index + 1] === 0x0d || index === bytes.length - 1;
    const plain = (byte > 0x20 && byte < 0x7f && byte !== 0x3d) ||
      ((byte === 0x20 || byte === 0x09) && !beforeBreak);
    const text = plain
      ? String.fromCharCode(byte)
      : `=${byte.toString(16).toUpperCase().padStart(2, "0")}`;
    if (column + text.length > 75) {
      out += "=\r\n";
      column = 0;
    }
    out += text;
    column += text.length;
  }
  return out;
}

/** Encoded words (UTF-8, base64) where a value is not ASCII; addresses stay readable. */
export function encodeHeader(value: string): string {
  // deno-lint-ignore no-control-regex -- the test is for ASCII itself
  if (/^[\x00-\x7f]*$/.test(value)) return value;
  const address = /^(.*)\s(<[^<>]+>)$/s.exec(value);
  if (address !== null && !value.includes(",")) {
    return `${encodeHeader(address[1] as string)} ${address[2]}`;
  }
  if (value.includes(", ") && value.includes("<")) {
    return value.split(/(?<=>),\s*/).map(encodeHeader).join(", ");
  }
  const encoded: string[] = [];
  let chunk = "";
  for (const character of value) {
    if (utf8(chunk + character).length > 42) {
      encoded.push(chunk);
      chunk = "";
    }
    chunk += character;
  }
  encoded.push(chunk);
  return encoded.map((text) => `=?UTF-8?B?${utf8(text).toBase64()}?=`).join("\r\n ");
}
