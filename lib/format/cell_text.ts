/** The text of one value in a cell, and numbers without an exponent (spec 03 §3.12.1, §3.13). */

import { isRawNumber, type JsonValue, type RawNumber } from "../json/mod.ts";
import { jcs, JcsError } from "./jcs.ts";

/** Exponents beyond this are left as they are: no caller wants a cell of a million zeros. */
const LARGEST_EXPANDED_EXPONENT = 400;

/**
 * A number in plain decimal digits: `1e19` is `10000000000000000000`, `-0` is `0`.
 *
 * @throws JcsError `JcsInvalidNumber` for NaN and infinities.
 */
export function plainNumber(value: number | RawNumber): string {
  if (typeof value === "number") {
    if (!Number.isFinite(value)) throw new JcsError("JcsInvalidNumber", `no JSON form: ${value}`);
    return expandExponent(String(value));
  }
  return expandExponent(value.rawJSON);
}

function expandExponent(text: string): string {
  const parts = /^(-?)([0-9]+)(?:\.([0-9]+))?[eE]([+-]?[0-9]+)$/.exec(text);
  if (parts === null) return text;
  const [, sign = "", whole = "", fraction = "", exponentText = "0"] = parts;
  const exponent = Number(exponentText);
  if (Math.abs(exponent) > LARGEST_EXPANDED_EXPONENT) return text;
  const digits = whole + fraction;
  const point = whole.length + exponent;
  if (point <= 0) return `${sign}0.${"0".repeat(-point)}${digits}`;
  if (point >= digits.length) return sign + digits + "0".repeat(point - digits.length);
  return `${sign}${digits.slice(0, point)}.${digits.slice(point)}`;
}

/** JSON text of a value that came from outside: canonical, and total over lone surrogates. */
export function jsonText(value: JsonValue): string {
  return jcs(value, { loneSurrogates: "escape" });
}

/** A value as one cell: null and absent are empty, objects and arrays are JSON text. */
export function cellText(value: JsonValue | undefined): string {
  switch (typeof value) {
    case "undefined":
      return "";
    case "string":
      return value;
    case "number":
      return plainNumber(value);
    case "boolean":
      return value ? "true" : "false";
  }
  if (value === null) return "";
  if (isRawNumber(value)) return plainNumber(value);
  return jsonText(value);
}
