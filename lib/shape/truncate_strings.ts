/** Stage 6: `truncate_strings` (spec 03 §3.4). Lengths are Unicode code points. */

import { isJsonObject, type JsonObject, type JsonValue, setOwn } from "../json/mod.ts";
import type { Profile } from "../profile/types.ts";
import { childNode, DEPTH_LIMIT, type PathNode, pathTree } from "./paths.ts";

type Limits = NonNullable<Profile["truncate_strings"]>;

interface LimitNode {
  node: PathNode | undefined;
  depth: number;
}

interface Rules {
  byPath: Map<PathNode, number>;
  byName: Map<string, number>;
  fallback: number | undefined;
}

/** Clamps long strings; the object that owned one gets `<field>_truncated: true`. */
export function truncateStrings(value: JsonValue, limits: Limits): JsonValue {
  const fields = Object.entries(limits.fields ?? {});
  const root = pathTree(fields.map(([path]) => path));
  const byPath = new Map<PathNode, number>();
  for (const [path, limit] of fields) {
    let node: PathNode | undefined = root;
    for (const segment of path.split(".")) node = node?.children.get(segment);
    if (node !== undefined) byPath.set(node, limit);
  }
  const rules: Rules = { byPath, byName: new Map(fields), fallback: limits.default_chars };
  return clampAt(value, { rules, at: { node: root, depth: 0 }, limit: rules.fallback }).value;
}

interface Position {
  rules: Rules;
  at: LimitNode;
  /** Limit of a string that stands here. */
  limit: number | undefined;
}

/** `clamped` says that a string of this member itself was cut, not one of an object below it. */
function clampAt(value: JsonValue, position: Position): { value: JsonValue; clamped: boolean } {
  if (typeof value === "string") {
    const text = clampText(value, position.limit);
    return { value: text, clamped: text !== value };
  }
  if (typeof value !== "object" || value === null) return { value, clamped: false };
  if (position.at.depth > DEPTH_LIMIT) return { value, clamped: false };
  const { rules } = position;
  const depth = position.at.depth + 1;
  if (Array.isArray(value)) {
    let clamped = false;
    const at = { node: position.at.node, depth };
    const copy = value.map((element) => {
      const result = clampAt(element, { ...position, at });
      clamped ||= result.clamped;
      return result.value;
    });
    return { value: copy, clamped };
  }
  if (!isJsonObject(value)) return { value, clamped: false };
  const copy: JsonObject = {};
  for (const key of Object.keys(value)) {
    const member = value[key] as JsonValue;
    if (typeof member === "number" || typeof member === "boolean" || member === null) {
      setOwn(copy, key, member);
      continue;
    }
    const node = position.at.node === undefined ? undefined : childNode(position.at.node, key);
    const byPath = node === undefined ? undefined : rules.byPath.get(node);
    const limit = byPath ?? rules.byName.get(key) ?? rules.fallback;
    const result = clampAt(member, { rules, at: { node, depth }, limit });
    setOwn(copy, key, result.value);
    if (result.clamped && !Object.hasOwn(value, `${key}_truncated`)) {
      setOwn(copy, `${key}_truncated`, true);
    }
  }
  return { value: copy, clamped: false };
}

/** The first `limit - 1` code points and an ellipsis when the text is longer than `limit`. */
export function clampText(text: string, limit: number | undefined): string {
  if (limit === undefined || text.length <= limit) return text;
  let points = 0;
  let cut = 0;
  for (let index = 0; index < text.length; points++) {
    if (points === limit - 1) cut = index;
    if (points === limit) return text.slice(0, cut) + "…";
    const code = text.codePointAt(index) ?? 0;
    index += code > 0xffff ? 2 : 1;
  }
  return text;
}
