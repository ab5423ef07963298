/** Stage 2: `projection`, `keep_fields`, `drop_fields` (spec 03 §3.4). */

import { isJsonObject, type JsonObject, type JsonValue, setOwn } from "../json/mod.ts";
import {
  childNode,
  DEPTH_LIMIT,
  dropChild,
  type DropNode,
  type PathNode,
  pathTree,
} from "./paths.ts";

/** Keeps the named flat keys of the top-level object, or of each object of a top-level array. */
export function projectKeys(
  value: JsonValue,
  options: { keys: readonly string[]; dropped: DropNode },
): JsonValue {
  const wanted = new Set(options.keys);
  const project = (object: JsonObject): JsonObject => {
    const kept: JsonObject = {};
    for (const key of Object.keys(object)) {
      if (wanted.has(key)) setOwn(kept, key, object[key] as JsonValue);
      else options.dropped.dropped.add(key);
    }
    return kept;
  };
  if (Array.isArray(value)) {
    return value.map((element) => isJsonObject(element) ? project(element) : element);
  }
  return isJsonObject(value) ? project(value) : value;
}

/** Keeps only the listed paths. */
export function keepFields(
  value: JsonValue,
  options: { paths: readonly string[]; dropped: DropNode },
): JsonValue {
  return keepAt(value, { node: pathTree(options.paths), dropped: options.dropped, depth: 0 });
}

interface Position {
  node: PathNode;
  dropped: DropNode;
  depth: number;
}

function keepAt(value: JsonValue, at: Position): JsonValue {
  if (typeof value !== "object" || value === null || at.depth > DEPTH_LIMIT) return value;
  if (Array.isArray(value)) {
    const deeper = { ...at, depth: at.depth + 1 };
    return value.map((element) => keepAt(element, deeper));
  }
  if (!isJsonObject(value)) return value;
  const kept: JsonObject = {};
  for (const key of Object.keys(value)) {
    const child = childNode(at.node, key);
    const member = value[key] as JsonValue;
    if (child === undefined) at.dropped.dropped.add(key);
    else if (child.end) setOwn(kept, key, member);
    else if (child.children.size === 0) at.dropped.dropped.add(key);
    else if (typeof member !== "object" || member === null) setOwn(kept, key, member);
    else {
      const dropped = dropChild(at.dropped, key);
      setOwn(kept, key, keepAt(member, { node: child, dropped, depth: at.depth + 1 }));
    }
  }
  return kept;
}

/** Removes the listed paths. */
export function dropFields(
  value: JsonValue,
  options: { paths: readonly string[]; dropped: DropNode },
): JsonValue {
  return dropAt(value, { node: pathTree(options.paths), dropped: options.dropped, depth: 0 });
}

function dropAt(value: JsonValue, at: Position): JsonValue {
  if (typeof value !== "object" || value === null || at.depth > DEPTH_LIMIT) return value;
  if (Array.isArray(value)) {
    const deeper = { ...at, depth: at.depth + 1 };
    return value.map((element) => dropAt(element, deeper));
  }
  if (!isJsonObject(value)) return value;
  const kept: JsonObject = {};
  for (const key of Object.keys(value)) {
    const child = childNode(at.node, key);
    const member = value[key] as JsonValue;
    if (child?.end) at.dropped.dropped.add(key);
    else if (child === undefined || typeof member !== "object" || member === null) {
      setOwn(kept, key, member);
    } else {
      const dropped = dropChild(at.dropped, key);
      setOwn(kept, key, dropAt(member, { node: child, dropped, depth: at.depth + 1 }));
    }
  }
  return kept;
}
