/** Byte and text encodings that the emulated wire uses. */

const encoder = new TextEncoder();

/** UTF-8 bytes of a text. */
export function utf8(text: string): Uint8Array<ArrayBuffer> {
  return encoder.encode(text);
}

/** Unpadded base64url, as tokens and Gmail ids use it. */
export function base64Url(bytes: Uint8Array): string {
  return bytes.toBase64({ alphabet: "base64url", omitPadding: true });
}

/** Padded base64url, as Gmail sends `body.data` and `raw`. */
export function paddedBase64Url(bytes: Uint8Array): string {
  return bytes.toBase64({ alphabet: "base64url" });
}

/** Decodes base64 or base64url, padded or not. @throws SyntaxError on anything else. */
export function fromBase64(text: string): Uint8Array<ArrayBuffer> {
  const plain = text.replace(/[\s=]/g, "").replaceAll("+", "-").replaceAll("/", "_");
  return Uint8Array.fromBase64(plain, { alphabet: "base64url" });
}

/** Joins byte arrays. */
export function concatBytes(chunks: readonly Uint8Array[]): Uint8Array<ArrayBuffer> {
  const joined = new Uint8Array(chunks.reduce((sum, chunk) => sum + chunk.length, 0));
  let offset = 0;
  for (const chunk of chunks) {
    joined.set(chunk, offset);
    offset += chunk.length;
  }
  return joined;
}

/** Index of `needle` in `haystack` at or after `from`; −1 when absent. */
export function indexOfBytes(haystack: Uint8Array, needle: Uint8Array, from = 0): number {
  const first = needle[0];
  if (first === undefined) return from;
  for (
    let at = haystack.indexOf(first, from);
    at !== -1 && at + needle.length <= haystack.length;
    at = haystack.indexOf(first, at + 1)
  ) {
    let matched = 1;
    while (matched < needle.length && haystack[at + matched] === needle[matched]) matched++;
    if (matched === needle.length) return at;
  }
  return -1;
}
