/** The form of an audit row (spec 07 §2.6). */

import type { JsonObject } from "../json/mod.ts";

/** Keys that lead a row, in this order; the rest follow in code-point order. */
const LEADING = [
  "op_id",
  "variant_id",
  "args_hash",
  "client_id",
  "risk_class",
  "risk_override",
  "risk_override_reason",
  "shaping_bypassed",
  "sanitizer_bypassed",
  "dual_fetch",
  "panic",
];

/** Keys that are there only when they are true. */
const OMITTED_WHEN_FALSE = new Set([
  "shaping_bypassed",
  "sanitizer_bypassed",
  "dual_fetch",
  "panic",
]);

/**
 * A row in the order of the contract: `v`, `ts`, the fixed keys, then the others sorted. A row
 * without `event` is a dispatch row and always says whether its risk class was overridden.
 */
export function auditRow(row: JsonObject, now: number): JsonObject {
  const ordered: JsonObject = { v: 1, ts: new Date(now).toISOString() };
  const given: JsonObject = Object.hasOwn(row, "event") ? row : { risk_override: false, ...row };
  const others = Object.keys(given)
    .filter((key) => !LEADING.includes(key) && key !== "v" && key !== "ts")
    .sort();
  for (const key of [...LEADING, ...others]) {
    const value = given[key];
    if (value === undefined || (value === false && OMITTED_WHEN_FALSE.has(key))) continue;
    if (value === null && key === "risk_override_reason") continue;
    ordered[key] = value;
  }
  return ordered;
}
