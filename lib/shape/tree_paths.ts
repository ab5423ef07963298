/** Paths that `_expression` reports: big integers and text from strangers (spec 11 §5, §8). */

import { isJsonObject, isRawNumber, type JsonObject, type JsonValue, setOwn } from "../json/mod.ts";
import { belowKey } from "../format/mod.ts";
import { DEPTH_LIMIT } from "./paths.ts";

/** Dot paths, arrays left out, of the integers that a double would round; sorted. */
export function bigIntegerPaths(value: JsonValue): string[] {
  const paths = new Set<string>();
  const stack: { value: JsonValue; path: string }[] = [{ value, path: "" }];
  for (let entry = stack.pop(); entry !== undefined; entry = stack.pop()) {
    if (isRawNumber(entry.value)) paths.add(entry.path);
    else if (Array.isArray(entry.value)) {
      for (const element of entry.value) {
        if (typeof element === "object") stack.push({ value: element, path: entry.path });
      }
    } else if (isJsonObject(entry.value)) {
      for (const key of Object.keys(entry.value)) {
        const member = entry.value[key] as JsonValue;
        if (typeof member !== "object" || member === null) continue;
        stack.push({ value: member, path: entry.path === "" ? key : `${entry.path}.${key}` });
      }
    }
  }
  return [...paths].sort();
}

/** A copy in which integers beyond 2^53 are strings of the same digits. */
export function stringifyBigIntegers(value: JsonValue): JsonValue {
  return stringifyAt(value, 0);
}

function stringifyAt(value: JsonValue, depth: number): JsonValue {
  if (typeof value !== "object" || value === null || depth > DEPTH_LIMIT) return value;
  if (isRawNumber(value)) return value.rawJSON;
  if (Array.isArray(value)) return value.map((element) => stringifyAt(element, depth + 1));
  const copy: JsonObject = {};
  for (const key of Object.keys(value)) {
    setOwn(copy, key, stringifyAt((value as JsonObject)[key] as JsonValue, depth + 1));
  }
  return copy;
}

/**
 * The declared paths that hold text in the shaped value. A path may be written as in the upstream
 * body: the name of an envelope that `flatten` took off is skipped, and the one that a cap put
 * around a bare array is added.
 */
export function presentTextPaths(
  value: JsonValue,
  options: { paths: readonly string[]; unwrapped?: string; wrapped?: string },
): string[] {
  const { unwrapped, wrapped } = options;
  const found = new Set<string>();
  for (const path of options.paths) {
    const inside = unwrapped === undefined ? path : belowKey(path, unwrapped) ?? path;
    const spellings = wrapped === undefined ? [inside] : [`${wrapped}.${inside}`, inside];
    const shaped = spellings.find((spelling) => holdsText(value, spelling, 0));
    if (shaped !== undefined) found.add(shaped);
  }
  return [...found].sort();
}

/** An empty path has arrived: text there, or anywhere below, counts. */
function holdsText(value: JsonValue | undefined, path: string, depth: number): boolean {
  if (depth > DEPTH_LIMIT) return false;
  if (Array.isArray(value)) return value.some((element) => holdsText(element, path, depth + 1));
  if (typeof value === "string") return path === "" && value !== "";
  if (!isJsonObject(value)) return false;
  const leads = (key: string) => {
    const below = path === "" ? path : belowKey(path, key);
    return below !== undefined && holdsText(value[key], below, depth + 1);
  };
  if (path === "") return Object.keys(value).some(leads);
  const dot = path.indexOf(".");
  const key = dot === -1 ? path : path.slice(0, dot);
  if (Object.hasOwn(value, key) && leads(key)) return true;
  return dot !== -1 && Object.keys(value).some((name) => name.includes(".") && leads(name));
}
