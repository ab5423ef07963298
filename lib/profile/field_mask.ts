/** The field-mask grammar (spec 03 §3.11). */

import { isJsonObject, type JsonObject, type JsonValue, setOwn } from "../json/mod.ts";

/** A parsed mask. */
export interface FieldMask {
  /** Selectors by name; undefined sub-mask selects everything below. `*` is one of the names. */
  readonly fields: ReadonlyMap<string, FieldMask | undefined>;
}

/** The outcome of {@link parseFieldMask}. */
export type FieldMaskResult =
  | { ok: true; mask: FieldMask }
  | { ok: false; position: number; reason: string };

interface OpenMask {
  fields: Map<string, OpenMask | undefined>;
}

/** No Google mask comes near it; the walkers below recurse. */
const DEPTH_LIMIT = 200;

const START = /[A-Za-z_]/;
const REST = /[A-Za-z0-9_]/;

/** Parses a mask; errors carry the 0-based position. Any depth, linear time. */
export function parseFieldMask(text: string): FieldMaskResult {
  const fail = (position: number, reason: string): FieldMaskResult => ({
    ok: false,
    position,
    reason,
  });
  if (text === "") return fail(0, "a mask may not be empty");
  const root: OpenMask = { fields: new Map() };
  const open: OpenMask[] = [];
  let current = root;
  let position = 0;
  let wantsField = true;
  let last: OpenMask | undefined;
  while (position < text.length) {
    const character = text[position] as string;
    if (wantsField) {
      const name = character === "*" ? "*" : readName(text, position);
      if (name === undefined) return fail(position, fieldExpected(character));
      position += name.length;
      // A field named twice selects the union of both; naming it whole wins.
      const whole = current.fields.has(name) && current.fields.get(name) === undefined;
      const sub: OpenMask = text[position] === "(" && current.fields.get(name) || {
        fields: new Map(),
      };
      const opens = text[position] === "(" && name !== "*";
      if (!whole) current.fields.set(name, opens ? sub : undefined);
      last = opens ? sub : undefined;
      wantsField = false;
      continue;
    }
    if (character === ",") {
      wantsField = true;
      last = undefined;
    } else if (character === "(" && last !== undefined) {
      if (open.length === DEPTH_LIMIT) return fail(position, "nested too deeply");
      open.push(current);
      current = last;
      last = undefined;
      wantsField = true;
    } else if (character === ")") {
      const parent = open.pop();
      if (parent === undefined) return fail(position, "nothing was opened");
      current = parent;
      last = undefined;
    } else return fail(position, "illegal character");
    position++;
  }
  if (wantsField) return fail(text.length, "a field is missing");
  if (open.length > 0) return fail(text.length, "a parenthesis is not closed");
  return { ok: true, mask: root };
}

function readName(text: string, start: number): string | undefined {
  if (!START.test(text[start] ?? "")) return undefined;
  let end = start + 1;
  while (end < text.length && REST.test(text[end] as string)) end++;
  return text.slice(start, end);
}

function fieldExpected(character: string): string {
  return ",()".includes(character) ? "a field is missing" : "illegal character";
}

/** What an upstream would return under a mask; for validators and tests, stage 1 is the upstream's. */
export function projectByMask(mask: FieldMask, value: JsonValue): JsonValue {
  if (mask.fields.has("*")) return value;
  if (Array.isArray(value)) {
    return value.filter(isJsonObject).map((element) => projectByMask(mask, element));
  }
  if (!isJsonObject(value)) return null;
  const projected: JsonObject = {};
  for (const [name, sub] of mask.fields) {
    if (!Object.hasOwn(value, name)) continue;
    const member = value[name] as JsonValue;
    setOwn(projected, name, sub === undefined ? member : projectByMask(sub, member));
  }
  return projected;
}
