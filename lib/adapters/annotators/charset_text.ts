/** Bytes of mail as text, whatever their declaration says. Never throws. */

/**
 * Decodes the body of a text part.
 *
 * The service usually hands bodies over as UTF-8 and leaves the old charset in the header, so bytes
 * that are valid UTF-8 count as UTF-8; else the declared charset, else windows-1252, which every
 * byte sequence is valid in.
 */
export function decodeText(bytes: Uint8Array, charset: string | undefined): string {
  const declared = (charset ?? "utf-8").trim().toLowerCase();
  // Seven-bit charsets with escapes look like ASCII, which is UTF-8.
  if (/^(iso-2022|utf-7|hz-)/.test(declared)) {
    const text = decodedAs(bytes, declared);
    if (text !== undefined) return text;
  }
  return decodedAs(bytes, "utf-8") ?? decodedAs(bytes, declared) ??
    new TextDecoder("windows-1252").decode(bytes);
}

function decodedAs(bytes: Uint8Array, charset: string): string | undefined {
  let decoder: TextDecoder;
  try {
    decoder = new TextDecoder(charset, { fatal: true });
  } catch (error) {
    if (error instanceof RangeError) return undefined; // a charset nobody knows
    throw error;
  }
  try {
    return decoder.decode(bytes);
  } catch (error) {
    if (error instanceof TypeError) return undefined; // bytes of another charset
    throw error;
  }
}

/** Bytes of base64 or base64url text; letters that do not belong are skipped. */
export function decodeBase64(text: string): Uint8Array {
  const letters = text.replaceAll("-", "+").replaceAll("_", "/").replace(/[^A-Za-z0-9+/]/g, "");
  // One letter past a group of four holds no byte.
  const whole = letters.length % 4 === 1 ? letters.slice(0, -1) : letters;
  return Uint8Array.fromBase64(whole);
}

/** A header value with its encoded words (RFC 2047) resolved. */
export function decodeWords(value: string): string {
  if (!value.includes("=?")) return value;
  return value
    .replace(/\?=\s+=\?/g, "?==?")
    .replace(
      /=\?([^?\s*]+)(?:\*[^?\s]*)?\?([bBqQ])\?([^?\s]*)\?=/g,
      (_whole, charset: string, encoding: string, text: string) =>
        decodeText(
          encoding.toLowerCase() === "b" ? decodeBase64(text) : decodeQ(text),
          charset,
        ),
    );
}

function decodeQ(text: string): Uint8Array {
  const bytes: number[] = [];
  for (let index = 0; index < text.length; index++) {
    const hex = text[index] === "=" ? text.slice(index + 1, index + 3) : "";
    if (/^[0-9A-Fa-f]{2}$/.test(hex)) {
      bytes.push(parseInt(hex, 16));
      index += 2;
    } else bytes.push(text[index] === "_" ? 0x20 : text.charCodeAt(index) & 0xff);
  }
  return Uint8Array.from(bytes);
}
