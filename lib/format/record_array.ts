/** Which array of a body holds its records (spec 03 §3.5). */

import { isJsonObject, type JsonObject, type JsonValue } from "../json/mod.ts";

/** Keys that name the record array, in order of preference. */
export const RECORD_KEYS: readonly string[] = ["items", "data", "messages", "results"];

/** The key of an object's record array: a well-known name, else its only array; else undefined. */
export function recordKey(object: JsonObject): string | undefined {
  for (const key of RECORD_KEYS) {
    if (Object.hasOwn(object, key) && Array.isArray(object[key])) return key;
  }
  let only: string | undefined;
  for (const key of Object.keys(object)) {
    if (!Array.isArray(object[key])) continue;
    if (only !== undefined) return undefined;
    only = key;
  }
  return only;
}

/** The record array of a body: the body itself when it is an array. */
export function recordArray(value: JsonValue): JsonValue[] | undefined {
  if (Array.isArray(value)) return value;
  if (!isJsonObject(value)) return undefined;
  const key = recordKey(value);
  return key === undefined ? undefined : value[key] as JsonValue[];
}
