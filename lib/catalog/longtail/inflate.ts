/**
 * Raw DEFLATE (RFC 1951), synchronously.
 *
 * Catalog lookups are synchronous, the platform's `DecompressionStream` is not, and loading
 * `node:zlib` costs more than a whole search. Chunks are small, so a plain decoder is fast enough.
 *
 * @module
 */

/** What a chunk was compressed with and to. */
export interface InflateOptions {
  /** Bytes that come out. */
  size: number;
  /** Text that references may reach back into, as if it had come out before. */
  dictionary?: Uint8Array;
}

/** Decodes one chunk of known size. @throws RangeError for anything but a complete stream. */
export function inflate(source: Uint8Array, options: InflateOptions): Uint8Array<ArrayBuffer> {
  const before = options.dictionary?.length ?? 0;
  const output = new Uint8Array(before + options.size);
  if (options.dictionary !== undefined) output.set(options.dictionary);
  const reader: BitReader = { source, at: 0, bits: 0, count: 0 };
  let written = before;
  for (let last = false; !last;) {
    last = take(reader, 1) === 1;
    const kind = take(reader, 2);
    if (kind === 0) written = copyStored(reader, output, written);
    else if (kind === 1) written = decodeBlock(reader, { output, written, ...fixedTables() });
    else if (kind === 2) {
      written = decodeBlock(reader, { output, written, ...dynamicTables(reader) });
    } else throw broken("unknown block type");
  }
  if (written !== output.length) throw broken("another size");
  return output.subarray(before);
}

interface BitReader {
  readonly source: Uint8Array;
  at: number;
  bits: number;
  count: number;
}

/** A lookup by the next `width` bits: symbol in the low 16 bits, code length above. */
interface Huffman {
  table: Uint32Array;
  width: number;
}

function broken(reason: string): RangeError {
  return new RangeError(`compressed data is damaged: ${reason}`);
}

function fill(reader: BitReader, wanted: number): void {
  while (reader.count < wanted) {
    // Bits past the end read as zero; the size check at the end catches a short stream.
    const byte = reader.source[reader.at] ?? 0;
    if (reader.at > reader.source.length + 8) throw broken("ends early");
    reader.at++;
    reader.bits |= byte << reader.count;
    reader.count += 8;
  }
}

function take(reader: BitReader, width: number): number {
  if (width === 0) return 0;
  fill(reader, width);
  const value = reader.bits & ((1 << width) - 1);
  reader.bits >>>= width;
  reader.count -= width;
  return value;
}

function copyStored(reader: BitReader, output: Uint8Array, written: number): number {
  take(reader, reader.count % 8);
  const length = take(reader, 16);
  if ((take(reader, 16) ^ 0xffff) !== length) throw broken("stored length");
  if (written + length > output.length) throw broken("longer than declared");
  for (let left = length; left > 0; left--) output[written++] = take(reader, 8);
  return written;
}

/** Canonical Huffman codes as one table lookup of the longest code's width. */
function huffman(lengths: Uint8Array): Huffman {
  let width = 1;
  for (const length of lengths) if (length > width) width = length;
  const counts = new Uint16Array(width + 2);
  for (const length of lengths) if (length > 0) counts[length] = (counts[length] ?? 0) + 1;
  const next = new Uint16Array(width + 2);
  for (let length = 1, code = 0; length <= width; length++) {
    code = (code + (length === 1 ? 0 : counts[length - 1] ?? 0)) << 1;
    next[length] = code;
  }
  const table = new Uint32Array(1 << width);
  for (let symbol = 0; symbol < lengths.length; symbol++) {
    const length = lengths[symbol] ?? 0;
    if (length === 0) continue;
    const code = next[length] ?? 0;
    next[length] = code + 1;
    let reversed = 0;
    for (let bit = 0; bit < length; bit++) if (code & (1 << bit)) reversed |= 1 << length - 1 - bit;
    const entry = (length << 16) | symbol;
    for (let slot = reversed; slot < table.length; slot += 1 << length) table[slot] = entry;
  }
  return { table, width };
}

function symbolOf(reader: BitReader, code: Huffman): number {
  fill(reader, code.width);
  const entry = code.table[reader.bits & (code.table.length - 1)] ?? 0;
  const length = entry >>> 16;
  if (length === 0) throw broken("unknown code");
  reader.bits >>>= length;
  reader.count -= length;
  return entry & 0xffff;
}

interface Tables {
  literals: Huffman;
  distances: Huffman;
}

let fixed: Tables | undefined;

function fixedTables(): Tables {
  if (fixed === undefined) {
    const lengths = new Uint8Array(288).fill(8);
    lengths.fill(9, 144, 256).fill(7, 256, 280);
    fixed = { literals: huffman(lengths), distances: huffman(new Uint8Array(30).fill(5)) };
  }
  return fixed;
}

const LENGTH_ORDER = [16, 17, 18, 0, 8, 7, 9, 6, 10, 5, 11, 4, 12, 3, 13, 2, 14, 1, 15];

function dynamicTables(reader: BitReader): Tables {
  const literalCount = take(reader, 5) + 257;
  const distanceCount = take(reader, 5) + 1;
  const codeCount = take(reader, 4) + 4;
  const codeLengths = new Uint8Array(19);
  for (let at = 0; at < codeCount; at++) codeLengths[LENGTH_ORDER[at] ?? 0] = take(reader, 3);
  const codes = huffman(codeLengths);
  const lengths = new Uint8Array(literalCount + distanceCount);
  for (let at = 0; at < lengths.length;) {
    const symbol = symbolOf(reader, codes);
    if (symbol < 16) {
      lengths[at++] = symbol;
      continue;
    }
    if (symbol === 16 && at === 0) throw broken("nothing to repeat");
    const value = symbol === 16 ? lengths[at - 1] ?? 0 : 0;
    const repeat = symbol === 16
      ? 3 + take(reader, 2)
      : symbol === 17
      ? 3 + take(reader, 3)
      : 11 + take(reader, 7);
    if (at + repeat > lengths.length) throw broken("too many code lengths");
    lengths.fill(value, at, at + repeat);
    at += repeat;
  }
  return {
    literals: huffman(lengths.subarray(0, literalCount)),
    distances: huffman(lengths.subarray(literalCount)),
  };
}

const EXTRA_LENGTH = [
  ...[0, 0, 0, 0, 0, 0, 0, 0, 1, 1, 1, 1, 2, 2, 2, 2, 3, 3, 3, 3, 4, 4, 4, 4, 5, 5, 5, 5, 0],
];
const BASE_LENGTH = bases(EXTRA_LENGTH, 3);
// The last length code stands for 258 itself.
BASE_LENGTH[28] = 258;
const EXTRA_DISTANCE = Array.from({ length: 30 }, (_, at) => at < 2 ? 0 : (at >> 1) - 1);
const BASE_DISTANCE = bases(EXTRA_DISTANCE, 1);

function bases(extra: readonly number[], first: number): number[] {
  let base = first;
  return extra.map((bits) => {
    const here = base;
    base += 1 << bits;
    return here;
  });
}

function decodeBlock(
  reader: BitReader,
  block: Tables & { output: Uint8Array; written: number },
): number {
  const { output, literals, distances } = block;
  let { written } = block;
  for (;;) {
    const symbol = symbolOf(reader, literals);
    if (symbol === 256) return written;
    if (symbol < 256) {
      if (written >= output.length) throw broken("longer than declared");
      output[written++] = symbol;
      continue;
    }
    const row = symbol - 257;
    const length = (BASE_LENGTH[row] ?? 0) + take(reader, EXTRA_LENGTH[row] ?? 0);
    const column = symbolOf(reader, distances);
    const distance = (BASE_DISTANCE[column] ?? 0) + take(reader, EXTRA_DISTANCE[column] ?? 0);
    if (length === 0 || distance === 0 || distance > written) throw broken("bad reference");
    if (written + length > output.length) throw broken("longer than declared");
    if (distance >= length) {
      output.copyWithin(written, written - distance, written - distance + length);
      written += length;
    } else {for (let left = length; left > 0; left--, written++) {
        output[written] = output[written - distance] ?? 0;
      }}
  }
}
