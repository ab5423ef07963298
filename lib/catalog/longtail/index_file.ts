/**
 * The long tail's search index: columns instead of objects, because a process that searches once
 * should not build fifteen thousand of them.
 *
 * `bm25.bin` (compressed whole) is one JSON line, then terms, posting-list lengths, postings, two
 * bytes a document, and where every 32nd line of the strings starts (four bytes, little-endian); `strings.bin` (compressed whole) is one line `<op id>\t<summary>` for each.
 */

import { GumError } from "../../errors/mod.ts";
import { leadingVerb } from "../search/verbs.ts";
import { type ByteCursor, readVarint, writeVarint } from "../search/postings.ts";
import type { IndexParams, SearchIndex } from "../search/types.ts";
import type { AuthStrategy, RiskClass } from "../types.ts";
import type { VerbClass } from "../search/verbs.ts";
import type { PackFile, PackSource } from "./types.ts";

const VERSION = "bm25-only-v1";
const FORMAT = "columns-1";
const RISKS: readonly RiskClass[] = ["read", "write", "destructive"];
const AUTHS: readonly AuthStrategy[] = ["adc", "byo_oauth", "api_key"];
/** Verb classes by their code. */
export const VERB_CLASSES: readonly (VerbClass | "")[] = ["", "create", "read", "update", "delete"];
const NEWLINE = 0x0a;
const TAB = 0x09;

interface Header {
  version: string;
  format: string;
  params: IndexParams;
  synonyms: Record<string, string[]>;
  sections: { terms: number; lengths: number; postings: number };
}

/** The index in columns; rows are numbered in op-id order. */
export interface ColumnIndex {
  params: IndexParams;
  /** Query word to further words, beside those of the curated tier. */
  synonyms: Record<string, string[]>;
  terms: string[];
  offsets: Uint32Array;
  postings: Uint8Array;
  /** Two bytes a row: see {@link rowFacts}. */
  facts: Uint8Array;
  /** Lines of op id, tab, summary. */
  strings: Uint8Array;
  /** Start of every {@link BLOCK}th line. */
  blocks: Uint32Array;
}

/** Lines that are searched one by one. */
const BLOCK = 32;

function lineStart(index: ColumnIndex, row: number): number {
  let start = index.blocks[Math.floor(row / BLOCK)] ?? 0;
  for (let left = row % BLOCK; left > 0; left--) start = index.strings.indexOf(NEWLINE, start) + 1;
  return start;
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

/** Segments of a row's op id. */
export function rowSegments(index: ColumnIndex, row: number): number {
  return index.facts[2 * row + 1] ?? 0;
}

const decoder = new TextDecoder();

/** Op id of a row. */
export function rowOpId(index: ColumnIndex, row: number): string {
  const start = lineStart(index, row);
  return decoder.decode(index.strings.subarray(start, index.strings.indexOf(TAB, start)));
}

/** Summary of a row. */
export function rowSummary(index: ColumnIndex, row: number): string {
  const start = index.strings.indexOf(TAB, lineStart(index, row)) + 1;
  return decoder.decode(index.strings.subarray(start, index.strings.indexOf(NEWLINE, start)));
}

/** Plain bytes of both files, still to be compressed. */
export function encodeColumns(
  index: SearchIndex,
  synonyms: Readonly<Record<string, string[]>> = {},
): { bm25: Uint8Array<ArrayBuffer>; strings: Uint8Array<ArrayBuffer> } {
  const encoder = new TextEncoder();
  const terms = encoder.encode(index.terms.join("\n"));
  const lengths: number[] = [];
  for (let at = 0; at < index.terms.length; at++) {
    writeVarint(lengths, (index.offsets[at + 1] ?? 0) - (index.offsets[at] ?? 0));
  }
  const facts = new Uint8Array(2 * index.docs.length);
  index.docs.forEach((doc, row) => {
    const auth = AUTHS.indexOf(doc.auth_strategy);
    if (auth < 0) throw new TypeError(`${doc.op_id}: ${doc.auth_strategy} has no code`);
    facts[2 * row] = RISKS.indexOf(doc.risk_class) + 3 * auth + 9 * VERB_CLASSES.indexOf(doc.verb);
    facts[2 * row + 1] = doc.op_id.split(".").length;
  });
  const header: Header = {
    version: VERSION,
    format: FORMAT,
    params: index.params,
    synonyms,
    sections: { terms: terms.length, lengths: lengths.length, postings: index.postings.length },
  };
  const parts = [
    encoder.encode(JSON.stringify(header) + "\n"),
    terms,
    Uint8Array.from(lengths),
    index.postings,
    facts,
  ];
  const lines = index.docs.map(({ op_id, summary }) => encoder.encode(`${op_id}\t${summary}\n`));
  const starts = new DataView(new ArrayBuffer(4 * Math.ceil(lines.length / BLOCK)));
  lines.reduce((start, line, row) => {
    if (row % BLOCK === 0) starts.setUint32(4 * (row / BLOCK), start, true);
    return start + line.length;
  }, 0);
  return {
    bm25: joined([...parts, new Uint8Array(starts.buffer)]),
    strings: joined(lines),
  };
}

function joined(parts: readonly Uint8Array[]): Uint8Array<ArrayBuffer> {
  const whole = new Uint8Array(parts.reduce((sum, part) => sum + part.length, 0));
  let at = 0;
  for (const part of parts) {
    whole.set(part, at);
    at += part.length;
  }
  return whole;
}

/** Reads the index of a pack. @throws GumError `BM25_INDEX_CORRUPT` */
export async function openColumns(source: PackSource): Promise<ColumnIndex> {
  try {
    const [bm25, strings] = await Promise.all([
      decompress(source, "bm25.bin"),
      decompress(source, "strings.bin"),
    ]);
    return readColumns(bm25, strings);
  } catch (cause) {
    throw new GumError("BM25_INDEX_CORRUPT", {
      message: "the long tail's search index cannot be read",
      userMessage: "The search over further Google APIs is not possible with this build.",
      suggestion: "Install GUM again, or set catalog.long_tail = off.",
      cause,
    });
  }
}

/** By hand, because wrapping bytes into a Blob and a Response costs three times as much. */
async function decompress(source: PackSource, file: PackFile): Promise<Uint8Array<ArrayBuffer>> {
  const stream = new DecompressionStream("deflate");
  const writer = stream.writable.getWriter();
  const feeding = writer.write(source.read(file)).then(() => writer.close());
  // Damaged data fails the reading side as well, which is awaited first.
  feeding.catch(() => undefined);
  const parts: Uint8Array[] = [];
  for await (const part of stream.readable) parts.push(part);
  await feeding;
  const [only] = parts;
  return parts.length === 1 && only !== undefined ? only.slice() : joined(parts);
}

function readColumns(bm25: Uint8Array, strings: Uint8Array): ColumnIndex {
  const end = bm25.indexOf(NEWLINE) + 1;
  const header: Header = JSON.parse(decoder.decode(bm25.subarray(0, end)));
  if (header.version !== VERSION || header.format !== FORMAT) throw new RangeError("other version");
  const { terms, lengths, postings } = header.sections;
  const { n } = header.params;
  const blockCount = Math.ceil(n / BLOCK);
  const whole = end + terms + lengths + postings + 2 * n + 4 * blockCount;
  if (bm25.length !== whole) throw new RangeError("cut short");
  const termList = decoder.decode(bm25.subarray(end, end + terms)).split("\n");
  const cursor: ByteCursor = { bytes: bm25.subarray(end + terms, end + terms + lengths), at: 0 };
  const offsets = new Uint32Array(termList.length + 1);
  for (let at = 0, sum = 0; at <= termList.length; at++) {
    offsets[at] = sum;
    if (at < termList.length) sum += readVarint(cursor);
  }
  const view = new DataView(bm25.buffer, bm25.byteOffset + whole - 4 * blockCount);
  const blocks = Uint32Array.from({ length: blockCount }, (_, at) => view.getUint32(4 * at, true));
  const base = end + terms + lengths;
  const index: ColumnIndex = {
    params: header.params,
    synonyms: header.synonyms,
    terms: termList,
    offsets,
    postings: bm25.subarray(base, base + postings),
    facts: bm25.subarray(base + postings, base + postings + 2 * n),
    strings,
    blocks,
  };
  const last = strings.indexOf(NEWLINE, lineStart(index, n - 1));
  if (last !== strings.length - 1) {
    throw new RangeError("strings and index differ");
  }
  return index;
}

/** Leading verb of a row's op id. */
export function rowVerb(index: ColumnIndex, row: number): string {
  return leadingVerb(rowOpId(index, row));
}
