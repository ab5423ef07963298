/** Stages 4 and 5: `flatten`, `flatten_singletons`, `collapse_arrays` (spec 03 §3.4). */

import { isJsonObject, type JsonObject, type JsonValue, setOwn } from "../json/mod.ts";

const ENVELOPE_KEYS: ReadonlySet<string> = new Set(["items", "data", "results", "value"]);

/** The array of an object that holds nothing else, under one of the closed list of names. */
export function flattenEnvelope(value: JsonValue): { value: JsonValue; unwrapped?: string } {
  if (!isJsonObject(value)) return { value };
  const keys = Object.keys(value);
  const key = keys[0];
  if (keys.length !== 1 || key === undefined || !ENVELOPE_KEYS.has(key)) return { value };
  const member = value[key] as JsonValue;
  return Array.isArray(member) ? { value: member, unwrapped: key } : { value };
}

/** The element of a top-level array of length 1. */
export function flattenSingleton(value: JsonValue): { value: JsonValue; unwrapped: boolean } {
  if (Array.isArray(value) && value.length === 1) {
    return { value: value[0] as JsonValue, unwrapped: true };
  }
  return { value, unwrapped: false };
}

/**
 * Cuts arrays to `cap` elements and says in a sibling how many went; `omitted` does the accounts,
 * `wrapped` names the member that a top-level array has become.
 */
export function collapseArrays(
  value: JsonValue,
  cap: number,
): { value: JsonValue; omitted: Record<string, number>; wrapped?: string } {
  const omitted: Record<string, number> = {};
  if (Array.isArray(value)) {
    if (value.length <= cap) return { value, omitted };
    const count = value.length - cap;
    omitted.omitted_count = count;
    const items = value.slice(0, cap);
    return { value: { items, omitted_count: count }, omitted, wrapped: "items" };
  }
  if (!isJsonObject(value)) return { value, omitted };
  const copy: JsonObject = {};
  for (const key of Object.keys(value)) {
    const member = value[key] as JsonValue;
    if (!Array.isArray(member) || member.length <= cap) {
      setOwn(copy, key, member);
      continue;
    }
    const counter = `${key}_omitted_count`;
    omitted[counter] = member.length - cap;
    setOwn(copy, key, member.slice(0, cap));
    if (!Object.hasOwn(value, counter)) setOwn(copy, counter, member.length - cap);
  }
  return { value: copy, omitted };
}
