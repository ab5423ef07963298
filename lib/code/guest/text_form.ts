/** Values as text: for templates, `string(v)` and messages (spec 09 §11.5). */

import { stepBy } from "./runtime.ts";
import { ErrorValue, ModuleValue, RangeValue, sortedKeys, typeName, type Value } from "./values.ts";

/** Strings raw, errors their message, everything else inspected. */
export function textOf(value: Value): string {
  if (typeof value === "string") return value;
  return value instanceof ErrorValue ? value.message : inspect(value);
}

/** Unambiguous text of a value; containers that hold themselves are cut. */
export function inspect(value: Value, open: readonly Value[] = []): string {
  if (value === null) return "null";
  if (typeof value === "string") return JSON.stringify(value);
  if (typeof value === "function") {
    return `${typeName(value)}(${value.label})`;
  }
  if (typeof value !== "object") return numberText(value);
  // A container may be shown many times over: work grows with what is written, not with what is kept.
  stepBy(1 + open.length);
  if (Array.isArray(value)) {
    if (open.includes(value)) return "[...]";
    return `[${value.map((item) => inspect(item, [...open, value])).join(", ")}]`;
  }
  if (value instanceof Map) {
    if (open.includes(value)) return "{...}";
    const inside = [...open, value];
    const entries = sortedKeys(value).map((key) =>
      `${JSON.stringify(key)}: ${inspect(value.get(key) ?? null, inside)}`
    );
    return `{${entries.join(", ")}}`;
  }
  if (value instanceof RangeValue) {
    const step = value.step === 1n ? "" : `, ${value.step}`;
    return `range(${value.start}, ${value.stop}${step})`;
  }
  return value instanceof ModuleValue ? `module(${value.label})` : value.message;
}

function numberText(value: boolean | bigint | number): string {
  return String(value);
}
