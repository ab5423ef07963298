/** How deep argument values may nest: everything behind this check may follow them recursively. */

import type { JsonObject, JsonValue } from "../../json/mod.ts";

/** Levels below an argument. Google's own JSON reader stops at as many. */
export const DEEPEST_NESTING = 100;

/** The first argument whose value nests deeper than {@link DEEPEST_NESTING}; any depth is safe. */
export function tooDeeplyNested(args: JsonObject): string | undefined {
  return Object.keys(args).find((name) => exceeds(args[name], DEEPEST_NESTING));
}

function exceeds(value: JsonValue | undefined, limit: number): boolean {
  let level: JsonValue[] = [value ?? null];
  for (let depth = 0; level.length > 0; depth++) {
    if (depth > limit) return true;
    const below: JsonValue[] = [];
    for (const one of level) {
      if (one === null || typeof one !== "object") continue;
      for (const member of Object.values(one)) if (member !== undefined) below.push(member);
    }
    level = below;
  }
  return false;
}
