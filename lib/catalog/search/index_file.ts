/**
 * The index file (spec 04 §2.11): one line of JSON, then three binary sections without padding:
 * terms (UTF-8, newline between), posting-list lengths (LEB128), postings, in that order.
 */

import { GumError } from "../../errors/mod.ts";
import { type ByteCursor, concatenate, readVarint, writeVarint } from "./postings.ts";
import {
  FIELD_NAMES,
  type FieldName,
  type IndexedOperation,
  type IndexParams,
  type SearchIndex,
  type SearchTables,
} from "./types.ts";

/** Retrieval identity of the file; a reader refuses every other one. */
const INDEX_VERSION = "bm25-only-v1";
/** Layout of the file. */
const INDEX_FORMAT = "bm25f-1";

interface Header {
  version: string;
  format: string;
  catalog_sha256: string;
  params: IndexParams;
  docs: HeaderOperation[];
  tables: SearchTables;
  /** Byte lengths of the binary sections. */
  sections: { terms: number; lengths: number; postings: number };
  /** FNV-1a of all section bytes, four at a time. */
  sum: number;
}

type HeaderOperation = Omit<IndexedOperation, "len"> & {
  /** In the order of {@link FIELD_NAMES}. */
  len: number[];
};

const NEWLINE = 0x0a;

/** Bytes of the index file. The same index always gives the same bytes. */
export function encodeIndex(index: SearchIndex): Uint8Array<ArrayBuffer> {
  const terms = new TextEncoder().encode(index.terms.join("\n"));
  const lengthBytes: number[] = [];
  for (let at = 0; at < index.terms.length; at++) {
    writeVarint(lengthBytes, (index.offsets[at + 1] ?? 0) - (index.offsets[at] ?? 0));
  }
  const sections = [terms, Uint8Array.from(lengthBytes), index.postings];
  const header: Header = {
    version: INDEX_VERSION,
    format: INDEX_FORMAT,
    catalog_sha256: index.catalogSha256,
    params: index.params,
    docs: index.docs.map(headerOperation),
    tables: sortedTables(index.tables),
    sections: {
      terms: terms.length,
      lengths: lengthBytes.length,
      postings: index.postings.length,
    },
    sum: checksum(concatenate(sections)),
  };
  return concatenate([new TextEncoder().encode(JSON.stringify(header) + "\n"), ...sections]);
}

/** What {@link decodeIndex} checks beside the layout. */
export interface DecodeIndexOptions {
  /** Digest of the catalog this index must belong to. */
  catalogSha256?: string;
}

/**
 * Reads an index file. Postings stay packed and share memory with `bytes`.
 *
 * @throws GumError `BM25_INDEX_CORRUPT` for anything but a complete file of this version and, when
 * given, of this catalog.
 */
export function decodeIndex(bytes: Uint8Array, options: DecodeIndexOptions = {}): SearchIndex {
  try {
    return readIndex(bytes, options);
  } catch (error) {
    if (error instanceof GumError) throw error;
    throw corrupt("the search index cannot be read", { cause: error });
  }
}

/** The tables of a file whose postings may be unusable; undefined when its header is, too. */
export function salvageTables(bytes: Uint8Array): SearchTables | undefined {
  try {
    return readHeader(bytes).header.tables;
  } catch {
    // The caller is already reporting this file as corrupt; there is nothing more to say.
    return undefined;
  }
}

function readIndex(bytes: Uint8Array, options: DecodeIndexOptions): SearchIndex {
  const { header, end } = readHeader(bytes);
  if (header.version !== INDEX_VERSION || header.format !== INDEX_FORMAT) {
    throw corrupt("the search index has another version", { version: String(header.version) });
  }
  if (options.catalogSha256 !== undefined && header.catalog_sha256 !== options.catalogSha256) {
    throw corrupt("the search index belongs to another catalog");
  }
  const { terms, lengths, postings } = header.sections;
  if (bytes.length !== end + terms + lengths + postings) {
    throw corrupt("the search index is cut short or has extra bytes");
  }
  if (checksum(bytes.subarray(end)) !== header.sum) {
    throw corrupt("the search index was changed after it was built");
  }
  const termList = new TextDecoder("utf-8", { fatal: true })
    .decode(bytes.subarray(end, end + terms)).split("\n");
  return {
    catalogSha256: header.catalog_sha256,
    params: header.params,
    docs: header.docs.map(indexedOperation),
    terms: termList,
    offsets: readOffsets(bytes.subarray(end + terms, end + terms + lengths), termList.length),
    postings: bytes.subarray(end + terms + lengths),
    tables: header.tables,
  };
}

function readHeader(bytes: Uint8Array): { header: Header; end: number } {
  const newline = bytes.indexOf(NEWLINE);
  if (newline < 0) throw corrupt("the search index has no header");
  const header: unknown = JSON.parse(new TextDecoder().decode(bytes.subarray(0, newline)));
  if (!isHeader(header)) throw corrupt("the search index header lacks a part");
  return { header, end: newline + 1 };
}

function isHeader(value: unknown): value is Header {
  const header = value as Partial<Header> | null;
  return typeof header === "object" && header !== null && Array.isArray(header.docs) &&
    header.docs.length > 0 && typeof header.params?.n === "number" &&
    typeof header.sections?.postings === "number" &&
    typeof header.tables?.service_aliases === "object" &&
    typeof header.tables.synonyms === "object";
}

function readOffsets(lengths: Uint8Array, count: number): Uint32Array {
  const cursor: ByteCursor = { bytes: lengths, at: 0 };
  const offsets = new Uint32Array(count + 1);
  let at = 0;
  for (let term = 0; term < count; term++) {
    offsets[term] = at;
    at += readVarint(cursor);
  }
  offsets[count] = at;
  return offsets;
}

function headerOperation(operation: IndexedOperation): HeaderOperation {
  const { op_id, summary, risk_class, auth_strategy, verb, tier } = operation;
  const len = FIELD_NAMES.map((field) => operation.len[field]);
  return { op_id, summary, risk_class, auth_strategy, verb, tier, len };
}

function indexedOperation(operation: HeaderOperation): IndexedOperation {
  const len = {} as Record<FieldName, number>;
  FIELD_NAMES.forEach((field, at) => len[field] = operation.len[at] ?? 0);
  return { ...operation, len };
}

function sortedTables(tables: SearchTables): SearchTables {
  return {
    service_aliases: sortedRecord(tables.service_aliases),
    synonyms: sortedRecord(tables.synonyms),
  };
}

function sortedRecord(record: Record<string, string[]>): Record<string, string[]> {
  return Object.fromEntries(Object.keys(record).sort().map((key) => [key, record[key] ?? []]));
}

/** A byte at a time would be among the costliest steps of a search in a fresh process. */
function checksum(bytes: Uint8Array): number {
  const padded = new Uint8Array(4 * Math.ceil(bytes.length / 4));
  padded.set(bytes);
  const view = new DataView(padded.buffer);
  let state = 0x811c9dc5;
  for (let at = 0; at < padded.length; at += 4) {
    state = Math.imul(state ^ view.getUint32(at, true), 0x01000193);
  }
  return state >>> 0;
}

function corrupt(message: string, more: { version?: string; cause?: unknown } = {}): GumError {
  return new GumError("BM25_INDEX_CORRUPT", {
    message,
    details: more.version === undefined ? {} : { version: more.version },
    userMessage: "The search index that came with this build is unusable.",
    suggestion: "Search still works, more slowly; install GUM again to repair it.",
    cause: more.cause,
  });
}
