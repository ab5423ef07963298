/**
 * The long tail's search index: columns instead of objects, read where they lie, because a process
 * that searches once should neither build fifteen thousand objects nor decompress megabytes.
 *
 * `bm25.bin` is one JSON line and then, little-endian: terms in blocks of 16 (a block is its terms
 * joined by newlines, another newline, and the LEB128 length of each posting list); where each
 * block and its postings start (4 + 4 bytes, one more row at the end); postings; two bytes a
 * document; where each block of 16 lines starts in `strings.bin` and how long it is unpacked
 * (4 + 4 bytes, one more row at the end). `strings.bin` is a dictionary and the blocks of lines
 * `<op id>\t<summary>`, compressed with it one by one.
 */

import { GumError } from "../../errors/mod.ts";
import { type ByteCursor, concatenate, readVarint, writeVarint } from "../search/postings.ts";
import type { IndexedOperation, IndexParams, SearchIndex } from "../search/types.ts";
import { BROWSE_FACTORS, browsePrior, leadingVerb, type VerbClass } from "../search/verbs.ts";
import type { AuthStrategy, RiskClass } from "../types.ts";
import { inflate } from "./inflate.ts";
import type { PackSource } from "./types.ts";

const VERSION = "bm25-only-v1";
const FORMAT = "columns-2";
const RISKS: readonly RiskClass[] = ["read", "write", "destructive"];
const AUTHS: readonly AuthStrategy[] = ["adc", "byo_oauth", "api_key"];
/** Verb classes by their code. */
export const VERB_CLASSES: readonly (VerbClass | "")[] = ["", "create", "read", "update", "delete"];
const NEWLINE = 0x0a;
/** Terms, and lines, that are looked at together. */
const BLOCK = 16;
/** Bytes of a row of a block table. */
const ROW_BYTES = 8;
/** Unpacked blocks of lines kept; the oldest goes first. */
const BLOCKS_KEPT = 256;

interface Header {
  version: string;
  format: string;
  params: IndexParams;
  synonyms: Record<string, string[]>;
  /** Rows of the class `read`. */
  reads: number;
  /** Bytes, and the number of terms. */
  sections: { terms: number; termCount: number; postings: number; dictionary: number };
}

/** The index in columns; rows are numbered in op-id order. */
export interface ColumnIndex {
  params: IndexParams;
  /** Query word to further words, beside those of the curated tier. */
  synonyms: Record<string, string[]>;
  /** Rows of the class `read`. */
  reads: number;
  terms: TermBlocks;
  postings: Uint8Array;
  /** Two bytes a row: see {@link rowFacts}. */
  facts: Uint8Array;
  lines: LineBlocks;
}

interface TermBlocks {
  bytes: Uint8Array;
  table: BlockTable;
}

interface LineBlocks {
  dictionary: Uint8Array;
  packed: Uint8Array;
  table: BlockTable;
  unpacked: Map<number, string[]>;
}

/** Pairs of numbers, one for each block and one that ends the last. */
interface BlockTable {
  view: DataView;
  count: number;
}

function firstOf(table: BlockTable, block: number): number {
  return table.view.getUint32(ROW_BYTES * block, true);
}

function secondOf(table: BlockTable, block: number): number {
  return table.view.getUint32(ROW_BYTES * block + 4, true);
}

/** What a row shows. */
export interface RowFacts {
  riskClass: RiskClass;
  authStrategy: AuthStrategy;
  verb: VerbClass | "";
}

/** Facts of a row, from its bytes. */
export function rowFacts(index: ColumnIndex, row: number): RowFacts {
  const code = index.facts[2 * row] ?? 0;
  return {
    riskClass: RISKS[code % 3] ?? "destructive",
    authStrategy: AUTHS[Math.floor(code / 3) % 3] ?? "none",
    verb: VERB_CLASSES[Math.floor(code / 9)] ?? "",
  };
}

/** Code of a row's verb class, an index into {@link VERB_CLASSES}. */
export function rowVerbClass(index: ColumnIndex, row: number): number {
  return Math.floor((index.facts[2 * row] ?? 0) / 9);
}

/** True for rows of the class `read`, without unpacking anything. */
export function isReadRow(index: ColumnIndex, row: number): boolean {
  return (index.facts[2 * row] ?? 1) % 3 === 0;
}

/** Segments of a row's op id; from fifteen on they count alike. */
export function rowSegments(index: ColumnIndex, row: number): number {
  return (index.facts[2 * row + 1] ?? 0) & 0x0f;
}

/** Factor of a row's own verb when a query names none. */
export function rowBrowsePrior(index: ColumnIndex, row: number): number {
  return BROWSE_FACTORS[(index.facts[2 * row + 1] ?? 0) >> 4] ?? 1;
}

const decoder = new TextDecoder();

/** Op id and summary of a row. @throws RangeError when its bytes are damaged */
export function rowText(index: ColumnIndex, row: number): { opId: string; summary: string } {
  const line = blockLines(index.lines, Math.floor(row / BLOCK))[row % BLOCK] ?? "";
  const tab = line.indexOf("\t");
  return { opId: line.slice(0, tab), summary: line.slice(tab + 1) };
}

/** Row of an operation, -1 when it is not there. @throws RangeError when bytes are damaged */
export function rowOf(index: ColumnIndex, opId: string): number {
  const row = firstRowFrom(index, opId);
  return row < index.params.n && rowText(index, row).opId === opId ? row : -1;
}

/** First row whose op id does not come before a text; the number of rows when all do. */
export function firstRowFrom(index: ColumnIndex, text: string): number {
  let low = 0;
  let high = index.params.n;
  while (low < high) {
    const middle = (low + high) >> 1;
    if (rowText(index, middle).opId < text) low = middle + 1;
    else high = middle;
  }
  return low;
}

function blockLines(lines: LineBlocks, block: number): string[] {
  const { dictionary, packed, table, unpacked } = lines;
  const known = unpacked.get(block);
  if (known !== undefined) return known;
  const bytes = packed.subarray(firstOf(table, block), firstOf(table, block + 1));
  const size = secondOf(table, block);
  const fresh = decoder.decode(inflate(bytes, { size, dictionary })).split("\n");
  if (unpacked.size >= BLOCKS_KEPT) {
    for (const oldest of unpacked.keys()) {
      unpacked.delete(oldest);
      break;
    }
  }
  unpacked.set(block, fresh);
  return fresh;
}

/** Where a term's postings start, -1 for an unknown term. */
export function findPostings(index: ColumnIndex, term: string): number {
  const { bytes, table } = index.terms;
  let low = 0;
  let high = table.count - 1;
  while (low < high) {
    const middle = (low + high + 1) >> 1;
    if (textOf(bytes, firstOf(table, middle)) <= term) low = middle;
    else high = middle - 1;
  }
  if (table.count === 0) return -1;
  const block = bytes.subarray(firstOf(table, low), firstOf(table, low + 1));
  const names: string[] = [];
  const cursor: ByteCursor = { bytes: block, at: 0 };
  while (block[cursor.at] !== NEWLINE) {
    const name = textOf(block, cursor.at);
    names.push(name);
    cursor.at = block.indexOf(NEWLINE, cursor.at) + 1;
    if (cursor.at === 0) throw new RangeError("a block of terms does not end");
  }
  cursor.at++;
  let start = secondOf(table, low);
  for (const name of names) {
    if (name === term) return start;
    start += readVarint(cursor);
  }
  return -1;
}

function textOf(bytes: Uint8Array, start: number): string {
  return decoder.decode(bytes.subarray(start, bytes.indexOf(NEWLINE, start)));
}

/** A row's line before it is compressed. */
export function indexLine({ op_id, summary }: IndexedOperation): string {
  return `${op_id}\t${summary}`;
}

/** Bytes of both files. */
export function encodeColumns(
  index: SearchIndex,
  options: {
    synonyms?: Readonly<Record<string, string[]>>;
    dictionary: Uint8Array;
    compress: (plain: Uint8Array, dictionary: Uint8Array) => Uint8Array;
  },
): { bm25: Uint8Array<ArrayBuffer>; strings: Uint8Array<ArrayBuffer> } {
  const encoder = new TextEncoder();
  const terms = blocksOf(index.terms).map((names, block) => {
    const lengths: number[] = [];
    names.forEach((_, at) => {
      const term = block * BLOCK + at;
      writeVarint(lengths, (index.offsets[term + 1] ?? 0) - (index.offsets[term] ?? 0));
    });
    return {
      bytes: concatenate([encoder.encode(names.join("\n") + "\n\n"), Uint8Array.from(lengths)]),
      second: index.offsets[block * BLOCK] ?? 0,
    };
  });
  const lines = blocksOf(index.docs).map((docs) => {
    const plain = encoder.encode(docs.map(indexLine).join("\n"));
    return { bytes: options.compress(plain, options.dictionary), second: plain.length };
  });
  const termBytes = concatenate(terms.map(({ bytes }) => bytes));
  const header: Header = {
    version: VERSION,
    format: FORMAT,
    params: index.params,
    synonyms: options.synonyms ?? {},
    reads: index.docs.filter(({ risk_class }) => risk_class === "read").length,
    sections: {
      terms: termBytes.length,
      termCount: index.terms.length,
      postings: index.postings.length,
      dictionary: options.dictionary.length,
    },
  };
  return {
    bm25: concatenate([
      encoder.encode(JSON.stringify(header) + "\n"),
      termBytes,
      blockTable(terms),
      index.postings,
      factsOf(index.docs),
      blockTable(lines),
    ]),
    strings: concatenate([options.dictionary, ...lines.map(({ bytes }) => bytes)]),
  };
}

function blocksOf<T>(list: readonly T[]): T[][] {
  return Array.from(
    { length: Math.ceil(list.length / BLOCK) },
    (_, block) => list.slice(block * BLOCK, (block + 1) * BLOCK),
  );
}

function blockTable(blocks: readonly { bytes: Uint8Array; second: number }[]): Uint8Array {
  const view = new DataView(new ArrayBuffer(ROW_BYTES * (blocks.length + 1)));
  let start = 0;
  blocks.forEach(({ bytes, second }, block) => {
    view.setUint32(ROW_BYTES * block, start, true);
    view.setUint32(ROW_BYTES * block + 4, second, true);
    start += bytes.length;
  });
  view.setUint32(ROW_BYTES * blocks.length, start, true);
  return new Uint8Array(view.buffer);
}

function factsOf(docs: readonly IndexedOperation[]): Uint8Array {
  const facts = new Uint8Array(2 * docs.length);
  docs.forEach((doc, row) => {
    const auth = AUTHS.indexOf(doc.auth_strategy);
    if (auth < 0) throw new TypeError(`${doc.op_id}: ${doc.auth_strategy} has no code`);
    const browse = BROWSE_FACTORS.indexOf(browsePrior(leadingVerb(doc.op_id)));
    facts[2 * row] = RISKS.indexOf(doc.risk_class) + 3 * auth + 9 * VERB_CLASSES.indexOf(doc.verb);
    facts[2 * row + 1] = Math.min(15, doc.op_id.split(".").length) + 16 * browse;
  });
  return facts;
}

/** Reads the index of a pack. @throws GumError `BM25_INDEX_CORRUPT` */
export function openColumns(source: PackSource): ColumnIndex {
  try {
    return readColumns(source.read("bm25.bin"), source.read("strings.bin"));
  } catch (cause) {
    throw new GumError("BM25_INDEX_CORRUPT", {
      message: "the long tail's search index cannot be read",
      userMessage: "The search over further Google APIs is not possible with this build.",
      suggestion: "Install GUM again, or set catalog.long_tail = off.",
      cause,
    });
  }
}

function readColumns(bm25: Uint8Array, strings: Uint8Array): ColumnIndex {
  let at = bm25.indexOf(NEWLINE) + 1;
  const header: Header = JSON.parse(decoder.decode(bm25.subarray(0, at)));
  if (header.version !== VERSION || header.format !== FORMAT) throw new RangeError("other version");
  const { params, synonyms, reads, sections } = header;
  const section = (length: number): Uint8Array => bm25.subarray(at, at += length);
  const table = (entries: number): BlockTable => {
    const count = Math.ceil(entries / BLOCK);
    const { buffer, byteOffset, length } = section(ROW_BYTES * (count + 1));
    return { view: new DataView(buffer, byteOffset, length), count };
  };
  const index: ColumnIndex = {
    params,
    synonyms,
    reads,
    terms: { bytes: section(sections.terms), table: table(sections.termCount) },
    postings: section(sections.postings),
    facts: section(2 * params.n),
    lines: {
      dictionary: strings.subarray(0, sections.dictionary),
      packed: strings.subarray(sections.dictionary),
      table: table(params.n),
      unpacked: new Map(),
    },
  };
  if (at !== bm25.length) throw new RangeError("cut short");
  const { packed, table: lines } = index.lines;
  if (firstOf(lines, lines.count) !== packed.length) {
    throw new RangeError("strings and index differ");
  }
  return index;
}
