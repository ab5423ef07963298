/** Writing the TOON document, GUM's table format for callers (spec 03 §3.12.1). */

import { isJsonObject, type JsonObject, type JsonValue } from "../../json/mod.ts";
import { jsonText } from "../cell_text.ts";
import { type GrowingText, growingText, settle, wholeBytes, wholeText } from "../growing_text.ts";
import { recordKey } from "../record_array.ts";
import { jsonCell, quoteCell, scalarCell } from "./cells.ts";

/** A body that the document can show, before it is text. */
export interface ToonDocumentSource {
  op: string;
  variant: string;
  columns: string[];
  records: JsonObject[];
  /** Name of the record array when the body was an object. */
  recordsKey?: string;
  nextPageToken?: string;
  /** Every other top-level member. */
  meta: [string, JsonValue][];
  /** Columns whose cells are JSON text. */
  jsonColumns: ReadonlySet<string>;
  /** Tag that encloses untrusted text, see `markUntrusted`. */
  untrustedMark?: string;
}

/** What a document needs beside the value. */
export interface ToonDocumentOptions {
  op: string;
  variant: string;
  /** A fixed column list, kept in this order; default is the sorted union of the record keys. */
  columns?: string[];
  /** Drop members that are the number 0 before the columns are collected. */
  omitZeroCounts?: boolean;
  untrustedMark?: string;
}

const HEADER_KEY = /^[A-Za-z0-9_$.-]+$/;

/**
 * A sparse table grows with columns × records while its body does not; past this many cells, and
 * with fewer than one in {@link SPARSE_RATIO} filled, JSON is the honest answer.
 */
const SPARSE_CELLS = 1_000_000;
const SPARSE_RATIO = 20;

/** Whether a table of this size would be mostly empty cells. */
export function isTooSparse(size: { columns: number; rows: number; filled: number }): boolean {
  const cells = size.columns * size.rows;
  return cells > SPARSE_CELLS && cells > SPARSE_RATIO * size.filled;
}

/** The document form of a value; undefined when it is not a uniform list of records. */
export function toonDocumentFrom(
  value: JsonValue,
  options: ToonDocumentOptions,
): ToonDocumentSource | undefined {
  let rows: JsonValue[];
  let recordsKey: string | undefined;
  const meta: [string, JsonValue][] = [];
  let nextPageToken: string | undefined;
  if (Array.isArray(value)) rows = value;
  else if (isJsonObject(value)) {
    recordsKey = recordKey(value);
    if (recordsKey === undefined || !HEADER_KEY.test(recordsKey)) return undefined;
    rows = value[recordsKey] as JsonValue[];
    for (const key of Object.keys(value).sort()) {
      if (key === recordsKey) continue;
      if (!HEADER_KEY.test(key)) return undefined;
      const member = value[key] as JsonValue;
      if (key === "nextPageToken" && isHeaderText(member)) nextPageToken = member;
      else meta.push([key, member]);
    }
  } else return undefined;

  const union = new Set<string>();
  const jsonColumns = new Set<string>();
  const records: JsonObject[] = [];
  let filled = 0;
  for (const row of rows) {
    if (!isJsonObject(row)) return undefined;
    const record = options.omitZeroCounts ? withoutZeros(row) : row;
    records.push(record);
    for (const key in record) {
      filled++;
      const cell = record[key];
      union.add(key);
      if (typeof cell === "string") {
        // Half of a surrogate pair has no bytes of its own; JSON text can name it.
        if (!cell.isWellFormed()) jsonColumns.add(key);
      } else if (
        typeof cell === "object" && cell !== null && (Array.isArray(cell) || isJsonObject(cell))
      ) {
        jsonColumns.add(key);
      }
    }
  }
  const columns = options.columns ?? [...union].sort();
  if (records.length > 0 && columns.length === 0) return undefined;
  if (columns.some((name) => /[\r\n]/.test(name) || !name.isWellFormed())) return undefined;
  if (isTooSparse({ columns: columns.length, rows: records.length, filled })) return undefined;
  return {
    op: options.op,
    variant: options.variant,
    columns,
    records,
    recordsKey,
    nextPageToken,
    meta,
    jsonColumns,
    untrustedMark: options.untrustedMark,
  };
}

/** The text of a document. */
export function encodeDocument(source: ToonDocumentSource): string {
  return wholeText(writeDocument(source));
}

function writeDocument(source: ToonDocumentSource): GrowingText {
  const jsonNames = source.columns.filter((name) => source.jsonColumns.has(name));
  const header = [
    `op: ${source.op}`,
    `variant: ${source.variant}`,
    "format_version: 1",
    `count: ${source.records.length}`,
    `fields: ${source.columns.map(nameCell).join(",")}`,
  ];
  if (source.nextPageToken !== undefined) header.push(`next_page_token: ${source.nextPageToken}`);
  if (source.recordsKey !== undefined) header.push(`records: ${source.recordsKey}`);
  if (jsonNames.length > 0) header.push(`json_fields: ${jsonNames.map(nameCell).join(",")}`);
  if (source.untrustedMark !== undefined) header.push(`untrusted_mark: ${source.untrustedMark}`);
  for (const [key, value] of source.meta) header.push(`meta.${key}: ${jsonText(value)}`);
  const out = header.join("\n") + "\n\n";
  if (source.records.length === 0) return growingText(out + "{}\n");
  const columns = source.columns.map((name) => ({ name, json: source.jsonColumns.has(name) }));
  const text = growingText(out);
  for (const record of source.records) {
    let separator = "";
    for (const { name, json } of columns) {
      text.tail += separator;
      separator = ",";
      if (!Object.hasOwn(record, name)) continue;
      text.tail += json ? jsonCell(record[name]) : scalarCell(record[name]);
    }
    text.tail += "\n";
    settle(text);
  }
  return text;
}

/** The document text of a value; undefined when the value is not representable. */
export function encodeToonDocument(
  value: JsonValue,
  options: ToonDocumentOptions,
): string | undefined {
  const source = toonDocumentFrom(value, options);
  return source === undefined ? undefined : encodeDocument(source);
}

/** The UTF-8 bytes of {@link encodeDocument}. */
export function documentBytes(source: ToonDocumentSource): Uint8Array {
  return wholeBytes(writeDocument(source));
}

/** A field name in a header list: quoted when it would not survive trimming and splitting. */
function nameCell(name: string): string {
  return name === "" || name !== name.trim() || /[",]/.test(name) ? quoteCell(name) : name;
}

function isHeaderText(value: JsonValue): value is string {
  return typeof value === "string" && value !== "" && value === value.trim() &&
    !/[\r\n]/.test(value) && value.isWellFormed();
}

function withoutZeros(record: JsonObject): JsonObject {
  return Object.fromEntries(Object.entries(record).filter(([, value]) => value !== 0));
}
