/** Stage 3: removing members that say nothing, where the variant allows it (spec 03 §3.4). */

import { isJsonObject, type JsonObject, type JsonValue, setOwn } from "../json/mod.ts";
import { childNode, DEPTH_LIMIT, type PathNode, pathTree } from "./paths.ts";

/**
 * Removes null, empty-string, empty-object and empty-array members, bottom up. A `safe` list limits
 * that to its paths and everything below them; undefined means everywhere. Array elements stay.
 */
export function stripNulls(value: JsonValue, safe: readonly string[] | undefined): JsonValue {
  if (safe === undefined || safe.includes("*")) return stripAt(value, "everything", 0);
  return stripAt(value, pathTree(safe.map((path) => path.replaceAll("[]", ""))), 0);
}

/** Where the walk is relative to the safe list. */
type Safety = PathNode | "everything";

function stripAt(value: JsonValue, safety: Safety, depth: number): JsonValue {
  if (typeof value !== "object" || value === null || depth > DEPTH_LIMIT) return value;
  if (Array.isArray(value)) return value.map((element) => stripAt(element, safety, depth + 1));
  if (!isJsonObject(value)) return value;
  const kept: JsonObject = {};
  for (const key of Object.keys(value)) {
    const below = safetyOf(safety, key);
    const before = value[key] as JsonValue;
    const member = below === undefined ? before : stripAt(before, below, depth + 1);
    if (below === "everything" && saysNothing(member)) continue;
    setOwn(kept, key, member);
  }
  return kept;
}

function safetyOf(safety: Safety, key: string): Safety | undefined {
  if (safety === "everything") return "everything";
  const child = childNode(safety, key);
  return child?.end ? "everything" : child;
}

function saysNothing(value: JsonValue): boolean {
  if (value === null || value === "") return true;
  if (Array.isArray(value)) return value.length === 0;
  return isJsonObject(value) && Object.keys(value).length === 0;
}
