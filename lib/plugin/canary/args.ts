/** Arguments of a canary call (spec 06 §3.18). Pure. */

import type { JsonObject, JsonValue } from "../../json/mod.ts";

const RELATIVE_DATE = /^([+-])([0-9]{1,4})([dwmy])$/;
const DAY_MS = 86_400_000;

/**
 * The arguments with dates such as `+21d` counted from today, in UTC. Months and years keep the
 * day of the month, cut to the length of the month they end in.
 */
export function resolveCanaryArgs(args: JsonObject, now: number): JsonObject {
  return Object.fromEntries(
    Object.entries(args).map(([name, value]) => [name, resolveValue(value, now)]),
  );
}

function resolveValue(value: JsonValue, now: number): JsonValue {
  if (Array.isArray(value)) return value.map((item) => resolveValue(item, now));
  const match = typeof value === "string" ? RELATIVE_DATE.exec(value) : null;
  if (match === null) return value;
  const [, sign, digits, unit] = match;
  const count = Number(digits) * (sign === "-" ? -1 : 1);
  return shiftedDate(now, { count, unit: unit as "d" | "w" | "m" | "y" }); // the pattern's letters
}

function shiftedDate(now: number, by: { count: number; unit: "d" | "w" | "m" | "y" }): string {
  const { count, unit } = by;
  if (unit === "d" || unit === "w") {
    return isoDay(new Date(now + count * (unit === "w" ? 7 : 1) * DAY_MS));
  }
  const today = new Date(now);
  const months = unit === "y" ? count * 12 : count;
  const first = new Date(Date.UTC(today.getUTCFullYear(), today.getUTCMonth() + months, 1));
  const last = new Date(Date.UTC(first.getUTCFullYear(), first.getUTCMonth() + 1, 0));
  first.setUTCDate(Math.min(today.getUTCDate(), last.getUTCDate()));
  return isoDay(first);
}

function isoDay(date: Date): string {
  // Years beyond four digits have a sign in front; the date is what stands before the time.
  return date.toISOString().split("T")[0] ?? "";
}

/**
 * `k=v k2=v2` as arguments: values are JSON where they parse, else text. Undefined for a word that
 * is no pair.
 */
export function parseCanaryArgs(text: string): JsonObject | undefined {
  const args: JsonObject = {};
  for (const word of words(text)) {
    const at = word.indexOf("=");
    if (at < 1) return undefined;
    args[word.slice(0, at)] = jsonOrText(word.slice(at + 1));
  }
  return args;
}

/** Words between blanks; quotes and brackets of JSON keep blanks inside them. */
function words(text: string): string[] {
  return text.match(/(?:"(?:\\.|[^"\\])*"|\[[^\]]*\]|\{[^}]*\}|[^\s])+/g) ?? [];
}

function jsonOrText(text: string): JsonValue {
  try {
    return JSON.parse(text);
  } catch (error) {
    if (!(error instanceof SyntaxError)) throw error;
    return text;
  }
}
