/** Packing of posting lists: LEB128 counts and distances, one byte of weight. */

import type { Posting, SearchIndex } from "./types.ts";

/** Appends a non-negative integer as LEB128. */
export function writeVarint(target: number[], value: number): void {
  let rest = value;
  while (rest >= 0x80) {
    target.push((rest & 0x7f) | 0x80);
    rest = Math.floor(rest / 128);
  }
  target.push(rest);
}

/** Cursor over packed bytes. Reading past the end throws `RangeError`. */
export interface ByteCursor {
  readonly bytes: Uint8Array;
  at: number;
}

/** Reads one LEB128 integer of at most five bytes. */
export function readVarint(cursor: ByteCursor): number {
  let value = 0;
  for (let scale = 1; scale <= 2 ** 28; scale *= 128) {
    const byte = readByte(cursor);
    value += (byte & 0x7f) * scale;
    if (byte < 0x80) return value;
  }
  throw new RangeError("integer is longer than five bytes");
}

/** Reads one byte. */
export function readByte(cursor: ByteCursor): number {
  const byte = cursor.bytes[cursor.at];
  if (byte === undefined) throw new RangeError("posting list ends early");
  cursor.at++;
  return byte;
}

/** Packs one term's documents, ascending by `doc`. */
export function packPostings(target: number[], postings: readonly Posting[]): void {
  writeVarint(target, postings.length);
  let previous = -1;
  for (const { doc, wtf } of postings) {
    writeVarint(target, doc - previous - 1);
    target.push(wtf);
    previous = doc;
  }
}

/** Documents of the term at `termIndex`, ascending. */
export function unpackPostings(
  index: Pick<SearchIndex, "offsets" | "postings">,
  termIndex: number,
): Posting[] {
  const cursor: ByteCursor = { bytes: index.postings, at: index.offsets[termIndex] ?? 0 };
  const count = readVarint(cursor);
  const postings: Posting[] = [];
  let doc = -1;
  for (let left = count; left > 0; left--) {
    doc += readVarint(cursor) + 1;
    postings.push({ doc, wtf: readByte(cursor) });
  }
  return postings;
}

/** The parts, one after the other. */
export function concatenate(parts: readonly Uint8Array[]): Uint8Array<ArrayBuffer> {
  const whole = new Uint8Array(parts.reduce((sum, part) => sum + part.length, 0));
  let at = 0;
  for (const part of parts) {
    whole.set(part, at);
    at += part.length;
  }
  return whole;
}
