/** Text in the character sets that old mail still uses. */

import { utf8 } from "../encoding.ts";

const reverseTables = new Map<string, Map<string, readonly number[]>>();

/** Bytes of a text in a character set; characters it lacks become `?`. */
export function encodeCharset(text: string, charset: string): Uint8Array<ArrayBuffer> {
  const name = charset.toLowerCase();
  if (name === "utf-8" || name === "us-ascii") return utf8(text);
  const table = reverseTable(name);
  const bytes: number[] = [];
  for (const character of text) {
    if (character < "\u0080") bytes.push(character.charCodeAt(0));
    else bytes.push(...(table.get(character) ?? [0x3f]));
  }
  return new Uint8Array(bytes);
}

/** Text of bytes in a character set; an unknown set is read as UTF-8. */
export function decodeCharset(bytes: Uint8Array, charset: string): string {
  try {
    return new TextDecoder(charset).decode(bytes);
  } catch (error) {
    if (error instanceof RangeError) return new TextDecoder().decode(bytes);
    throw error;
  }
}

/** The platform only decodes, so the encoder is the decoder turned round. */
function reverseTable(charset: string): Map<string, readonly number[]> {
  let table = reverseTables.get(charset);
  if (table !== undefined) return table;
  table = new Map();
  const decoder = new TextDecoder(charset);
  for (let byte = 0x80; byte < 0x100; byte++) {
    const text = decoder.decode(new Uint8Array([byte]));
    if (text.length > 0 && text !== "\ufffd") table.set(text, [byte]);
  }
  if (charset === "shift_jis") {
    for (let lead = 0x81; lead <= 0xea; lead++) {
      if (lead >= 0xa0 && lead <= 0xdf) continue;
      for (let trail = 0x40; trail <= 0xfc; trail++) {
        const text = decoder.decode(new Uint8Array([lead, trail]));
        if ([...text].length === 1 && text !== "\ufffd" && !table.has(text)) {
          table.set(text, [lead, trail]);
        }
      }
    }
  }
  reverseTables.set(charset, table);
  return table;
}
