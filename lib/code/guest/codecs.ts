/** `encode` and `decode` (spec 09 §11.6). */

import { asString } from "./arguments.ts";
import { wellFormed } from "./json.ts";
import { stepBy } from "./runtime.ts";
import { jsonOf, valueOfJson } from "./script_json.ts";
import { utf8 } from "./sprintf.ts";
import { type Value, valueError } from "./values.ts";

const ALPHABET = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";

function textOfBytes(bytes: readonly number[]): string {
  let escaped = "";
  for (const byte of bytes) escaped += "%" + byte.toString(16).padStart(2, "0");
  try {
    return decodeURIComponent(escaped);
  } catch {
    throw valueError("the decoded bytes are not UTF-8 text");
  }
}

function encodeBase64(text: string): string {
  const bytes = utf8(text);
  let encoded = "";
  for (let index = 0; index < bytes.length; index += 3) {
    const [a = 0, b, c] = bytes.slice(index, index + 3);
    const bits = a << 16 | (b ?? 0) << 8 | (c ?? 0);
    encoded += (ALPHABET[bits >> 18] ?? "") + (ALPHABET[bits >> 12 & 63] ?? "") +
      (b === undefined ? "=" : ALPHABET[bits >> 6 & 63] ?? "") +
      (c === undefined ? "=" : ALPHABET[bits & 63] ?? "");
  }
  return encoded;
}

/** Standard and URL-safe alphabets, padded or not: mail bodies come in both. */
function decodeBase64(text: string): string {
  const plain = text.replaceAll("-", "+").replaceAll("_", "/").replace(/=+$/, "");
  if (!/^[A-Za-z0-9+/]*$/.test(plain) || plain.length % 4 === 1) throw valueError("invalid base64");
  const bytes: number[] = [];
  let bits = 0;
  let count = 0;
  for (const char of plain) {
    bits = (bits << 6 | ALPHABET.indexOf(char)) & 0xffffff;
    count += 6;
    if (count >= 8) {
      count -= 8;
      bytes.push(bits >> count & 255);
    }
  }
  return textOfBytes(bytes);
}

function decodeHex(text: string): string {
  if (!/^(?:[0-9A-Fa-f]{2})*$/.test(text)) throw valueError("invalid hex");
  const bytes: number[] = [];
  for (let index = 0; index < text.length; index += 2) {
    bytes.push(Number.parseInt(text.slice(index, index + 2), 16));
  }
  return textOfBytes(bytes);
}

function decodeQuery(text: string): string {
  try {
    return decodeURIComponent(text.replaceAll("+", " "));
  } catch {
    throw valueError("invalid URL encoding");
  }
}

/** Encodes a value. @throws ErrorValue for an unknown codec. */
export function encoded(value: Value, codec: string): Value {
  if (codec === "json") return jsonOf(value);
  const text = wellFormed(asString(value));
  stepBy(text.length >> 2);
  switch (codec) {
    case "base64":
      return encodeBase64(text);
    case "hex":
      return utf8(text).map((byte) => byte.toString(16).padStart(2, "0")).join("");
    case "urlquery":
      return encodeURIComponent(text).replaceAll("%20", "+");
    default:
      throw valueError(`unknown codec ${JSON.stringify(codec)}`);
  }
}

/** Decodes a text. @throws ErrorValue for an unknown codec or a malformed text. */
export function decoded(text: string, codec: string): Value {
  stepBy(text.length >> 2);
  switch (codec) {
    case "json":
      return valueOfJson(text);
    case "base64":
      return decodeBase64(text);
    case "hex":
      return decodeHex(text);
    case "urlquery":
      return decodeQuery(text);
    default:
      throw valueError(`unknown codec ${JSON.stringify(codec)}`);
  }
}
