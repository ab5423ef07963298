/** Reading a ledger from its newest line to its oldest, in bounded memory (spec 07 §3.14). */

import type { CacheStatus, FieldMaskStatus } from "./entry.ts";

/** What aggregation needs of an entry. */
export interface LedgerRow {
  session: string;
  opId: string;
  opFamily: string;
  requestTokens: number;
  responseTokens: number;
  rawTokens: number;
  shapedTokens: number;
  cacheStatus: CacheStatus;
  fieldMaskStatus: FieldMaskStatus;
  isRetry: boolean;
  fromFixture: boolean;
  /** As written; "" when the entry has none. */
  ts: string;
}

const CHUNK = 128 * 1024;
const NEWLINE = 10;

/** Every finished line of the files, last file and last line first. A last line without its end is skipped. */
export function* linesBackwards(paths: readonly string[]): Generator<string> {
  for (const path of paths.toReversed()) yield* fileBackwards(path);
}

function* fileBackwards(path: string): Generator<string> {
  using file = Deno.openSync(path, { read: true });
  const decoder = new TextDecoder();
  let end = lastLineEnd(file);
  let tail: Uint8Array = new Uint8Array();
  while (end > 0) {
    const start = Math.max(0, end - CHUNK);
    const bytes = new Uint8Array(end - start + tail.length);
    readFully(file, { start, into: bytes.subarray(0, end - start) });
    bytes.set(tail, end - start);
    end = start;
    // Bytes before the first newline may belong to a line that begins earlier.
    const cut = start === 0 ? 0 : bytes.indexOf(NEWLINE) + 1;
    if (start > 0 && cut === 0) {
      tail = bytes;
      continue;
    }
    yield* piecesBackwards(decoder.decode(bytes.subarray(cut)));
    tail = bytes.slice(0, cut);
  }
}

/** Lines of a text that ends with a newline, the last one first. */
function* piecesBackwards(text: string): Generator<string> {
  for (let end = text.length - 1; end > 0;) {
    const start = text.lastIndexOf("\n", end - 1) + 1;
    if (start < end) yield text.slice(start, end);
    end = start - 1;
  }
}

/** Where the last finished line ends: what comes after is still being written, or never will be. */
function lastLineEnd(file: Deno.FsFile): number {
  let end = file.statSync().size;
  while (end > 0) {
    const start = Math.max(0, end - CHUNK);
    const bytes = new Uint8Array(end - start);
    readFully(file, { start, into: bytes });
    const newline = bytes.lastIndexOf(NEWLINE);
    if (newline >= 0) return start + newline + 1;
    end = start;
  }
  return 0;
}

function readFully(file: Deno.FsFile, place: { start: number; into: Uint8Array }): void {
  file.seekSync(place.start, Deno.SeekMode.Start);
  for (let at = 0; at < place.into.length;) {
    const count = file.readSync(place.into.subarray(at));
    if (count === null) break;
    at += count;
  }
}

const TEXT = '"([^"\\\\]*)"';
const SKIPPED = '(?:null|"[^"\\\\]*")';

/**
 * An entry in the form this program writes. Reading it this way is several times faster than
 * JSON.parse, which any other line goes through.
 */
const WRITTEN = new RegExp(
  `^\\{"record_type":"entry","session":"([0-9a-f]{8})","op_id":${TEXT},"variant_id":${SKIPPED},` +
    `"output_profile":${SKIPPED},"args_hash":"[^"\\\\]*","auth_subject_fingerprint":"[^"\\\\]*",` +
    `"request_tokens":([0-9]{1,15}),"response_tokens":([0-9]{1,15}),"raw_tokens":([0-9]{1,15}),` +
    `"shaped_tokens":([0-9]{1,15}),"cache_status":"(hit|miss|etag_304|not_applicable)",` +
    `"field_mask_status":"(applied|skipped|not_applicable)","served_from_cache":(?:true|false),` +
    `"is_retry":(true|false),"op_family":${TEXT},"baseline_method":"(fixture_replay|estimated)",` +
    `(?:"benchmark_fixture_id":${SKIPPED},)?(?:"batch_id":"[0-9a-f]{8}",)?` +
    `(?:"batch_index":[0-9]+,)?(?:"element_count":[0-9]+,)?(?:"error_code":"[A-Z0-9_]+",)?` +
    `(?:"cancelled":true,)?"ts":${TEXT}\\}$`,
);

const ENTRY_START = '{"record_type":"entry","session":"';

/** The session of a line, without reading the rest; undefined when the line has another form. */
export function sessionOf(line: string): string | undefined {
  return line.startsWith(ENTRY_START)
    ? line.slice(ENTRY_START.length, ENTRY_START.length + 8)
    : undefined;
}

/** Reads a line; undefined for anything that is no entry. */
export function ledgerRow(line: string): LedgerRow | undefined {
  const match = WRITTEN.exec(line);
  if (match === null) return foreignRow(line);
  return {
    session: match[1] ?? "",
    opId: match[2] ?? "",
    requestTokens: Number(match[3]),
    responseTokens: Number(match[4]),
    rawTokens: Number(match[5]),
    shapedTokens: Number(match[6]),
    cacheStatus: match[7] as CacheStatus,
    fieldMaskStatus: match[8] as FieldMaskStatus,
    isRetry: match[9] === "true",
    opFamily: match[10] ?? "",
    fromFixture: match[11] === "fixture_replay",
    ts: match[12] ?? "",
  };
}

const STATUSES: ReadonlySet<unknown> = new Set(["hit", "miss", "etag_304", "not_applicable"]);
const MASKS: ReadonlySet<unknown> = new Set(["applied", "skipped", "not_applicable"]);

/** Another order of keys, or unknown keys: a later version of the same entry. */
function foreignRow(line: string): LedgerRow | undefined {
  let entry: Record<string, unknown>;
  try {
    const value: unknown = JSON.parse(line);
    if (typeof value !== "object" || value === null || Array.isArray(value)) return undefined;
    entry = { ...value };
  } catch {
    return undefined; // half a line, or foreign text
  }
  const { session, op_id: opId, op_family: opFamily, ts } = entry;
  const tokens = [
    entry.request_tokens,
    entry.response_tokens,
    entry.raw_tokens,
    entry.shaped_tokens,
  ];
  if (
    entry.record_type !== "entry" || typeof session !== "string" ||
    !/^[0-9a-f]{8}$/.test(session) || typeof opId !== "string" || typeof opFamily !== "string" ||
    !tokens.every((count) => Number.isSafeInteger(count) && Number(count) >= 0) ||
    !STATUSES.has(entry.cache_status) || !MASKS.has(entry.field_mask_status)
  ) return undefined;
  const [requestTokens = 0, responseTokens = 0, rawTokens = 0, shapedTokens = 0] = tokens.map(
    Number,
  );
  return {
    session,
    opId,
    opFamily,
    requestTokens,
    responseTokens,
    rawTokens,
    shapedTokens,
    cacheStatus: entry.cache_status as CacheStatus,
    fieldMaskStatus: entry.field_mask_status as FieldMaskStatus,
    isRetry: entry.is_retry === true,
    fromFixture: entry.baseline_method === "fixture_replay",
    ts: typeof ts === "string" ? ts : "",
  };
}
