/** Reading an entry straight from its bytes, without making strings of them. */

import type { CacheStatus, FieldMaskStatus } from "./entry.ts";
import type { NameTable } from "./names.ts";

/** What the last line that {@link LineScanner.scan} understood says; overwritten by the next one. */
export interface ScannedRow {
  /** The session's eight hex digits as a signed 32-bit number. */
  session: number;
  /** Numbers of the name table. */
  op: number;
  family: number;
  requestTokens: number;
  responseTokens: number;
  rawTokens: number;
  shapedTokens: number;
  /** Indexes of {@link CACHE_STATUSES} and {@link MASK_STATUSES}. */
  cacheStatus: number;
  maskStatus: number;
  isRetry: boolean;
  fromFixture: boolean;
  /** Milliseconds since the epoch; NaN without a readable time, or when nobody asked for it. */
  time: number;
}

/** All cache statuses. */
export const CACHE_STATUSES: readonly CacheStatus[] = ["hit", "miss", "etag_304", "not_applicable"];
/** All states of a field mask. */
export const MASK_STATUSES: readonly FieldMaskStatus[] = ["applied", "skipped", "not_applicable"];

/** Reads lines one after the other. */
export interface LineScanner {
  readonly row: ScannedRow;
  /** The session of a line that begins as entries do; undefined for any other. */
  sessionAt(bytes: Uint8Array, start: number): number | undefined;
  /** False for anything that is no entry. The line's newline is not part of it. */
  scan(bytes: Uint8Array, line: { start: number; end: number }): boolean;
}

const encoder = new TextEncoder();
const decoder = new TextDecoder();
const literal = (text: string): Uint8Array => encoder.encode(text);

const START = literal('{"record_type":"entry","session":"');
const OP = literal('","op_id":"');
const VARIANT = literal('","variant_id":');
const PROFILE = literal(',"output_profile":');
const ARGS = literal(',"args_hash":"');
const FINGERPRINT = literal('","auth_subject_fingerprint":"');
const REQUEST = literal('","request_tokens":');
const RESPONSE = literal(',"response_tokens":');
const RAW = literal(',"raw_tokens":');
const SHAPED = literal(',"shaped_tokens":');
const CACHE = literal(',"cache_status":"');
const MASK = literal('","field_mask_status":"');
const SERVED = literal('","served_from_cache":');
const RETRY = literal(',"is_retry":');
const FAMILY = literal(',"op_family":"');
const METHOD = literal('","baseline_method":"');
const TS = literal(',"ts":"');
const END = literal('"}');
const [NULL, TRUE, FALSE] = [literal("null"), literal("true"), literal("false")];
const [REPLAY, ESTIMATED] = [literal('fixture_replay"'), literal('estimated"')];
const CACHE_BYTES = CACHE_STATUSES.map(literal);
const MASK_BYTES = MASK_STATUSES.map(literal);
/** Keys that may stand before the time, in the order in which they are written. */
const OPTIONAL_TEXTS = ["benchmark_fixture_id", "batch_id"].map((key) => literal(`,"${key}":"`));
const OPTIONAL_NUMBERS = ["batch_index", "element_count"].map((key) => literal(`,"${key}":`));
const ERROR_CODE = literal(',"error_code":"');
const CANCELLED = literal(',"cancelled":true');

const [QUOTE, BACKSLASH, SPACE, ZERO] = [0x22, 0x5c, 0x20, 0x30];
/** More digits than this might not be exact. */
const MOST_DIGITS = 15;

/**
 * A scanner for lines in the form that this program writes, which is nearly all of them; any other
 * line goes through JSON.parse.
 *
 * @param wanted `time`: whether rows should say when they were written, which costs a little.
 */
export function createLineScanner(names: NameTable, wanted: { time: boolean }): LineScanner {
  const row: ScannedRow = {
    session: 0,
    op: 0,
    family: 0,
    requestTokens: 0,
    responseTokens: 0,
    rawTokens: 0,
    shapedTokens: 0,
    cacheStatus: 0,
    maskStatus: 0,
    isRetry: false,
    fromFixture: false,
    time: NaN,
  };
  const place = { start: 0, end: 0 };
  const timeOf = createTimeReader();
  const nameOf = (bytes: Uint8Array, start: number, end: number): number => {
    place.start = start;
    place.end = end;
    return names.idOf(bytes, place);
  };

  const scanWritten = (bytes: Uint8Array, start: number, end: number): boolean => {
    const session = sessionAt(bytes, start);
    if (session === undefined) return false;
    row.session = session;
    let at = start + START.length + 8;
    if ((at = after(bytes, at, OP)) < 0) return false;
    let stop = textEnd(bytes, at, end);
    if (stop < 0) return false;
    row.op = nameOf(bytes, at, stop);
    if ((at = after(bytes, stop, VARIANT)) < 0) return false;
    if ((at = afterNullOrText(bytes, at, end)) < 0) return false;
    if ((at = after(bytes, at, PROFILE)) < 0) return false;
    if ((at = afterNullOrText(bytes, at, end)) < 0) return false;
    if ((at = after(bytes, at, ARGS)) < 0) return false;
    if ((at = textEnd(bytes, at, end)) < 0) return false;
    if ((at = after(bytes, at, FINGERPRINT)) < 0) return false;
    if ((at = textEnd(bytes, at, end)) < 0) return false;
    if ((at = after(bytes, at, REQUEST)) < 0) return false;
    if ((stop = digitsEnd(bytes, at)) < 0) return false;
    row.requestTokens = numberAt(bytes, at, stop);
    if ((at = after(bytes, stop, RESPONSE)) < 0) return false;
    if ((stop = digitsEnd(bytes, at)) < 0) return false;
    row.responseTokens = numberAt(bytes, at, stop);
    if ((at = after(bytes, stop, RAW)) < 0) return false;
    if ((stop = digitsEnd(bytes, at)) < 0) return false;
    row.rawTokens = numberAt(bytes, at, stop);
    if ((at = after(bytes, stop, SHAPED)) < 0) return false;
    if ((stop = digitsEnd(bytes, at)) < 0) return false;
    row.shapedTokens = numberAt(bytes, at, stop);
    if ((at = after(bytes, stop, CACHE)) < 0) return false;
    if ((stop = textEnd(bytes, at, end)) < 0) return false;
    if ((row.cacheStatus = indexAt(bytes, at, CACHE_BYTES)) < 0) return false;
    if (stop - at !== CACHE_BYTES[row.cacheStatus]?.length) return false;
    if ((at = after(bytes, stop, MASK)) < 0) return false;
    if ((stop = textEnd(bytes, at, end)) < 0) return false;
    if ((row.maskStatus = indexAt(bytes, at, MASK_BYTES)) < 0) return false;
    if (stop - at !== MASK_BYTES[row.maskStatus]?.length) return false;
    if ((at = after(bytes, stop, SERVED)) < 0) return false;
    if ((at = afterBoolean(bytes, at)) < 0) return false;
    if ((at = after(bytes, at, RETRY)) < 0) return false;
    row.isRetry = after(bytes, at, TRUE) >= 0;
    if ((at = afterBoolean(bytes, at)) < 0) return false;
    if ((at = after(bytes, at, FAMILY)) < 0) return false;
    if ((stop = textEnd(bytes, at, end)) < 0) return false;
    row.family = nameOf(bytes, at, stop);
    if ((at = after(bytes, stop, METHOD)) < 0) return false;
    const replayed = after(bytes, at, REPLAY);
    row.fromFixture = replayed >= 0;
    if ((at = row.fromFixture ? replayed : after(bytes, at, ESTIMATED)) < 0) return false;
    stop = after(bytes, at, TS);
    if (stop < 0) {
      if ((at = afterOptional(bytes, at, end)) < 0) return false;
      if ((stop = after(bytes, at, TS)) < 0) return false;
    }
    if ((at = textEnd(bytes, stop, end)) < 0) return false;
    row.time = wanted.time ? timeOf(bytes, stop, at) : NaN;
    return after(bytes, at, END) === end;
  };

  return {
    row,
    sessionAt,
    scan: (bytes, { start, end }) =>
      scanWritten(bytes, start, end) ||
      scanForeign(decoder.decode(bytes.subarray(start, end)), { row, names }),
  };
}

// The functions below run a dozen times a line, so their arguments stay plain numbers. Each answers
// with the position behind what it read, or -1.

function after(bytes: Uint8Array, at: number, expected: Uint8Array): number {
  for (let index = 0; index < expected.length; index++) {
    if (bytes[at + index] !== expected[index]) return -1;
  }
  return at + expected.length;
}

/** Where the quote is that ends a text without escapes. */
function textEnd(bytes: Uint8Array, start: number, end: number): number {
  for (let at = start; at < end; at++) {
    const byte = bytes[at] ?? 0;
    if (byte === QUOTE) return at;
    if (byte === BACKSLASH || byte < SPACE) return -1;
  }
  return -1;
}

function afterNullOrText(bytes: Uint8Array, at: number, end: number): number {
  if (bytes[at] !== QUOTE) return after(bytes, at, NULL);
  const stop = textEnd(bytes, at + 1, end);
  return stop < 0 ? -1 : stop + 1;
}

function afterBoolean(bytes: Uint8Array, at: number): number {
  const behind = after(bytes, at, FALSE);
  return behind < 0 ? after(bytes, at, TRUE) : behind;
}

function digitsEnd(bytes: Uint8Array, start: number): number {
  let at = start;
  while (isDigit(bytes[at])) at++;
  const isNumber = at > start && at - start <= MOST_DIGITS &&
    (bytes[start] !== ZERO || at === start + 1);
  return isNumber ? at : -1;
}

function isDigit(byte: number | undefined): boolean {
  return byte !== undefined && byte >= ZERO && byte <= ZERO + 9;
}

function numberAt(bytes: Uint8Array, start: number, end: number): number {
  let value = 0;
  for (let at = start; at < end; at++) value = 10 * value + (bytes[at] ?? 0) - ZERO;
  return value;
}

function indexAt(bytes: Uint8Array, at: number, choices: readonly Uint8Array[]): number {
  for (let index = 0; index < choices.length; index++) {
    const choice = choices[index];
    if (choice !== undefined && after(bytes, at, choice) >= 0) return index;
  }
  return -1;
}

function afterOptional(bytes: Uint8Array, start: number, end: number): number {
  let at = start;
  for (const key of OPTIONAL_TEXTS) {
    const value = after(bytes, at, key);
    if (value < 0) continue;
    const stop = textEnd(bytes, value, end);
    if (stop < 0) return -1;
    at = stop + 1;
  }
  for (const key of OPTIONAL_NUMBERS) {
    const value = after(bytes, at, key);
    if (value >= 0 && (at = digitsEnd(bytes, value)) < 0) return -1;
  }
  const code = after(bytes, at, ERROR_CODE);
  if (code >= 0) {
    const stop = textEnd(bytes, code, end);
    if (stop < 0) return -1;
    at = stop + 1;
  }
  const cancelled = after(bytes, at, CANCELLED);
  return cancelled < 0 ? at : cancelled;
}

function sessionAt(bytes: Uint8Array, start: number): number | undefined {
  const from = after(bytes, start, START);
  if (from < 0) return undefined;
  let value = 0;
  for (let at = from; at < from + 8; at++) {
    const byte = bytes[at] ?? 0;
    const digit = isDigit(byte) ? byte - ZERO : byte >= 0x61 && byte <= 0x66 ? byte - 0x57 : -1;
    if (digit < 0) return undefined;
    value = (value << 4) | digit;
  }
  return value;
}

/** Eight hex digits for a session's number. */
export function sessionText(session: number): string {
  return (session >>> 0).toString(16).padStart(8, "0");
}

/** The number that stands for eight hex digits. */
export function sessionNumber(text: string): number {
  return Number.parseInt(text, 16) | 0;
}

/** `YYYY-MM-DDTHH:MM:SS.mmmZ`, the form this program writes. */
const WRITTEN_TIME_LENGTH = 24;
const DAY_LENGTH = 10;

/** Reads times; those of one day after the other cost no Date each. */
function createTimeReader(): (bytes: Uint8Array, start: number, end: number) => number {
  let day = 0;
  let dayBegins = NaN;
  return (bytes, start, end) => {
    if (end - start === WRITTEN_TIME_LENGTH && isWrittenTime(bytes, start)) {
      const number = numberAt(bytes, start, start + 4) * 10_000 +
        numberAt(bytes, start + 5, start + 7) * 100 +
        numberAt(bytes, start + 8, start + DAY_LENGTH);
      if (number !== day) {
        day = number;
        const text = decoder.decode(bytes.subarray(start, start + DAY_LENGTH));
        dayBegins = Date.parse(`${text}T00:00:00.000Z`);
      }
      const hours = numberAt(bytes, start + 11, start + 13);
      const minutes = numberAt(bytes, start + 14, start + 16);
      const seconds = numberAt(bytes, start + 17, start + 19);
      if (hours < 24 && minutes < 60 && seconds < 60) {
        const within = ((hours * 60 + minutes) * 60 + seconds) * 1000;
        return dayBegins + within + numberAt(bytes, start + 20, start + 23);
      }
    }
    return timeIn(decoder.decode(bytes.subarray(start, end)));
  };
}

const WRITTEN_TIME_FORM = literal("0000-00-00T00:00:00.000Z");

function isWrittenTime(bytes: Uint8Array, start: number): boolean {
  for (let index = 0; index < WRITTEN_TIME_LENGTH; index++) {
    const form = WRITTEN_TIME_FORM[index];
    const byte = bytes[start + index];
    if (form === ZERO ? !isDigit(byte) : byte !== form) return false;
  }
  return true;
}

/** Only a time with its zone is readable; Date.parse would take others as local. */
function timeIn(text: string): number {
  return /T.*(Z|[+-][0-9]{2}:[0-9]{2})$/.test(text) ? Date.parse(text) : NaN;
}

/** Another order of keys, escapes, or unknown keys: a later version of the same entry. */
function scanForeign(line: string, into: { row: ScannedRow; names: NameTable }): boolean {
  let entry: Record<string, unknown>;
  try {
    const value: unknown = JSON.parse(line);
    if (typeof value !== "object" || value === null || Array.isArray(value)) return false;
    entry = { ...value };
  } catch {
    return false; // half a line, or foreign text
  }
  const { row, names } = into;
  const { session, op_id: op, op_family: family, ts } = entry;
  const tokens = [
    entry.request_tokens,
    entry.response_tokens,
    entry.raw_tokens,
    entry.shaped_tokens,
  ];
  const cacheStatus = CACHE_STATUSES.findIndex((status) => status === entry.cache_status);
  const maskStatus = MASK_STATUSES.findIndex((status) => status === entry.field_mask_status);
  if (
    entry.record_type !== "entry" || typeof session !== "string" ||
    !/^[0-9a-f]{8}$/.test(session) || typeof op !== "string" || typeof family !== "string" ||
    !tokens.every((count) => Number.isSafeInteger(count) && Number(count) >= 0) ||
    cacheStatus < 0 || maskStatus < 0
  ) return false;
  [row.requestTokens = 0, row.responseTokens = 0, row.rawTokens = 0, row.shapedTokens = 0] = tokens
    .map(Number);
  row.session = sessionNumber(session);
  row.op = names.idOfText(op);
  row.family = names.idOfText(family);
  row.cacheStatus = cacheStatus;
  row.maskStatus = maskStatus;
  row.isRetry = entry.is_retry === true;
  row.fromFixture = entry.baseline_method === "fixture_replay";
  row.time = typeof ts === "string" ? timeIn(ts) : NaN;
  return true;
}
