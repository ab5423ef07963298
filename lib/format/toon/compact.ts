/** Compact TOON values (spec 03 §3.12.2): the savings baseline, not the response path. */

import {
  isJsonObject,
  isRawNumber,
  type JsonObject,
  type JsonValue,
  readJson,
  setOwn,
} from "../../json/mod.ts";
import { jsonText, plainNumber } from "../cell_text.ts";
import { looksNumeric, quoteCell, scanQuoted, scanRows, untypedCell } from "./cells.ts";
import { ToonDecodeError } from "./errors.ts";

const BARE = /^[A-Za-z0-9_\-./]+$/;
const KEYWORDS: ReadonlySet<string> = new Set(["null", "true", "false"]);
const HETEROGENEOUS = "# heterogeneous";
const LEGACY_HEADER = "# headers:";

/** How to write. */
export interface CompactOptions {
  /** Drop members that are the number 0. */
  omitZeroCounts?: boolean;
}

/** The compact text of a value. */
export function encodeCompact(value: JsonValue, options: CompactOptions = {}): string {
  if (Array.isArray(value)) return encodeArray(value, options);
  if (isJsonObject(value)) return encodeMap(value, options);
  return scalar(value);
}

function encodeMap(value: JsonObject, options: CompactOptions): string {
  const keys = memberKeys(value, options);
  if (keys.length === 0) return "{}\n";
  return keys.map((key) => {
    const member = value[key] as JsonValue;
    const nested = Array.isArray(member) || isJsonObject(member);
    return `${stringToken(key)}=${nested ? jsonText(member) : scalar(member)}\n`;
  }).join("");
}

function encodeArray(value: JsonValue[], options: CompactOptions): string {
  if (value.length === 0) return "[]\n";
  const columns = uniformColumns(value, options);
  if (columns === undefined) return `${HETEROGENEOUS}\n${jsonText(value)}\n`;
  const lines = [columns.map(stringToken).join(",")];
  for (const record of value as JsonObject[]) {
    lines.push(columns.map((key) => tableCell(record[key] as JsonValue)).join(","));
  }
  return lines.join("\n") + "\n";
}

/** The sorted keys when every element is an object with the same, non-empty ones. */
function uniformColumns(value: JsonValue[], options: CompactOptions): string[] | undefined {
  let columns: string[] | undefined;
  for (const element of value) {
    if (!isJsonObject(element)) return undefined;
    const keys = memberKeys(element, options);
    if (columns === undefined) columns = keys;
    const same = keys.length === columns.length &&
      keys.every((key, index) => key === columns?.[index]);
    if (!same || keys.length === 0) return undefined;
  }
  return columns;
}

function memberKeys(value: JsonObject, options: CompactOptions): string[] {
  const keys = Object.keys(value).sort();
  return options.omitZeroCounts ? keys.filter((key) => value[key] !== 0) : keys;
}

function tableCell(value: JsonValue): string {
  if (value === null) return "";
  return Array.isArray(value) || isJsonObject(value) ? quoteCell(jsonText(value)) : scalar(value);
}

function scalar(value: JsonValue): string {
  if (typeof value === "string") return stringToken(value);
  if (typeof value === "number" || isRawNumber(value)) return plainNumber(value);
  return String(value);
}

function stringToken(text: string): string {
  return BARE.test(text) && !KEYWORDS.has(text) && !looksNumeric(text) ? text : quoteCell(text);
}

/**
 * Reads compact text back.
 *
 * @throws ToonDecodeError for an open quote and for malformed JSON after `# heterogeneous`.
 */
export function decodeCompact(encoded: string): JsonValue {
  const text = encoded.endsWith("\r\n")
    ? encoded.slice(0, -2)
    : encoded.endsWith("\n")
    ? encoded.slice(0, -1)
    : encoded;
  if (text === "") return null;
  if (text === "{}") return {};
  if (text === "[]") return [];
  if (text.startsWith(HETEROGENEOUS)) return decodeHeterogeneous(text);
  if (text.startsWith(LEGACY_HEADER)) {
    return decodeTable(text.slice(LEGACY_HEADER.length).trimStart());
  }
  if (isMap(text)) return decodeMap(text);
  if (isTable(text)) return decodeTable(text);
  const only = scanRows(text)[0]?.[0];
  return only === undefined ? null : untypedCell(only);
}

function decodeHeterogeneous(text: string): JsonValue {
  const start = text.indexOf("\n");
  try {
    return readJson(start === -1 ? "" : text.slice(start + 1)).value;
  } catch (cause) {
    throw new ToonDecodeError("bad_json", `no JSON after ${HETEROGENEOUS}`, { cause });
  }
}

/** The key that a map line starts with, undefined when it starts with none. */
function keyAt(text: string, start: number): { key: string; valueStart: number } | undefined {
  if (text[start] === '"') {
    let scanned;
    try {
      scanned = scanQuoted(text, start);
    } catch (error) {
      if (error instanceof ToonDecodeError) return undefined;
      throw error;
    }
    return text[scanned.end] === "="
      ? { key: scanned.text, valueStart: scanned.end + 1 }
      : undefined;
  }
  const bare = /[A-Za-z0-9_\-./]+=/y;
  bare.lastIndex = start;
  const match = bare.exec(text);
  if (match === null) return undefined;
  return { key: match[0].slice(0, -1), valueStart: bare.lastIndex };
}

function firstLineStart(text: string): number {
  return /^(?:[ \t]*\r?\n)*/.exec(text)?.[0].length ?? 0;
}

function isMap(text: string): boolean {
  return keyAt(text, firstLineStart(text)) !== undefined;
}

function decodeMap(text: string): JsonObject {
  const map: JsonObject = {};
  let position = firstLineStart(text);
  while (position < text.length) {
    const key = keyAt(text, position);
    if (key === undefined) {
      const next = text.indexOf("\n", position);
      position = next === -1 ? text.length : next + 1;
      continue;
    }
    const { value, end } = mapValue(text, key.valueStart);
    setOwn(map, key.key, value);
    const next = text.indexOf("\n", end);
    position = next === -1 ? text.length : next + 1;
  }
  return map;
}

function mapValue(text: string, start: number): { value: JsonValue; end: number } {
  if (text[start] === '"') {
    const scanned = scanQuoted(text, start);
    return { value: scanned.text, end: scanned.end };
  }
  const lineFeed = text.indexOf("\n", start);
  const end = lineFeed === -1 ? text.length : lineFeed;
  const line = text.slice(start, end).replace(/\r$/, "");
  return { value: jsonWhenNested(line) ?? untypedCell({ text: line, quoted: false }), end };
}

function isTable(text: string): boolean {
  let position = 0;
  while (position < text.length) {
    const character = text[position];
    if (character === "," || character === "\n") return true;
    position = character === '"' ? scanQuoted(text, position).end : position + 1;
  }
  return false;
}

function decodeTable(text: string): JsonObject[] {
  const [header = [], ...rows] = scanRows(text);
  return rows.map((row) => {
    const record: JsonObject = {};
    header.forEach((name, index) => {
      const cell = row[index];
      const nested = cell?.quoted ? jsonWhenNested(cell.text) : undefined;
      setOwn(record, name.text, nested ?? (cell === undefined ? null : untypedCell(cell)));
    });
    return record;
  });
}

/** Text that starts like an object or array, as that; undefined when it does not parse. */
function jsonWhenNested(text: string): JsonValue | undefined {
  if (!/^[{[]/.test(text)) return undefined;
  try {
    return readJson(text).value;
  } catch (error) {
    if (error instanceof SyntaxError) return undefined;
    throw error;
  }
}
