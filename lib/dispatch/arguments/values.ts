/** Reading argument values as the types the catalog declares (spec 02 §3.3). Pure. */

import {
  isJsonObject,
  isRawInteger,
  type JsonObject,
  type JsonValue,
  rawNumber,
  setOwn,
} from "../../json/mod.ts";

const INTEGER_TEXT = /^[+-]?[0-9]{1,20}$/;
const NUMBER_TEXT = /^-?(0|[1-9][0-9]*)(\.[0-9]+)?([eE][+-]?[0-9]+)?$/;
const SMALLEST_INT64 = -(2n ** 63n);
const LARGEST_UINT64 = 2n ** 64n - 1n;

/** A deep copy; integers kept as text stay so. */
function copyJson(value: JsonValue): JsonValue {
  if (Array.isArray(value)) return value.map(copyJson);
  return isJsonObject(value) ? copyObject(value) : value;
}

/** A deep copy of an object. */
export function copyObject(source: JsonObject): JsonObject {
  const copy: JsonObject = {};
  for (const key of Object.keys(source)) {
    const value = source[key];
    if (value !== undefined) setOwn(copy, key, copyJson(value));
  }
  return copy;
}

/** True for text of an integer that fits in 64 bits, signed or unsigned. */
function isInteger64Text(text: string): boolean {
  if (!INTEGER_TEXT.test(text)) return false;
  const value = BigInt(text.replace(/^\+/, ""));
  return value >= SMALLEST_INT64 && value <= LARGEST_UINT64;
}

/** True for an integral finite number, an exact large integer, or 64-bit integer text. */
export function isIntegerLike(value: JsonValue): boolean {
  if (typeof value === "number") return Number.isInteger(value);
  if (typeof value === "string") return isInteger64Text(value);
  return isRawInteger(value);
}

/** True for a finite number, an exact large integer, or number text. */
export function isNumberLike(value: JsonValue): boolean {
  if (typeof value === "number") return Number.isFinite(value);
  if (typeof value === "string") return numberFromText(value) !== undefined;
  return isRawInteger(value);
}

/** The integer a text stands for, exact; undefined when it is none. */
export function integerFromText(text: string): JsonValue | undefined {
  if (!isInteger64Text(text)) return undefined;
  const exact = BigInt(text.replace(/^\+/, ""));
  const rounded = Number(exact);
  return Number.isSafeInteger(rounded) ? rounded : rawNumber(exact.toString());
}

/** The finite number a text stands for; undefined when it is none. */
export function numberFromText(text: string): number | undefined {
  const value = NUMBER_TEXT.test(text) ? Number(text) : NaN;
  return Number.isFinite(value) ? value : undefined;
}

/** The boolean that `true`, `false`, `1` or `0` (any case) stands for; undefined when it is none. */
export function booleanFromText(text: string): boolean | undefined {
  const lower = text.toLowerCase();
  if (lower === "true" || lower === "1") return true;
  return lower === "false" || lower === "0" ? false : undefined;
}

/** A value as a message may show it: short, on one line. */
export function shown(value: JsonValue): string {
  const text = JSON.stringify(value) ?? "nothing";
  return text.length > 60 ? `${text.slice(0, 57)}...` : text;
}
