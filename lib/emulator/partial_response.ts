/**
 * Google's partial responses: the `fields` parameter, as the server applies it.
 *
 * The grammar is wider than GUM's own masks: `a,b`, `a/b/c`, `a(b,c/d)`, `*` anywhere, and `.` as
 * another spelling of `/`. What a body does not have is left out without a word: whether the
 * method's answer could have it is judged before, where its schema is known.
 */

import { isJsonObject, type JsonObject, type JsonValue, setOwn } from "../json/mod.ts";
import { EmulatedError } from "./service.ts";

/** A parsed mask: what is kept below a key; `all` keeps everything below. */
export interface PartialMask {
  all: boolean;
  children: Map<string, PartialMask>;
}

const KEY = /[^,()/\s.]/;

/**
 * Parses a `fields` value.
 *
 * @throws EmulatedError 400 `invalidParameter` when the value is not a mask.
 */
export function parseFields(text: string): PartialMask {
  let at = 0;
  const refuse = (): never => {
    throw new EmulatedError(400, `Invalid field selection ${text.slice(0, 200)}`, {
      reason: "invalidParameter",
      status: "INVALID_ARGUMENT",
    });
  };
  const skipBlanks = () => {
    while (/\s/.test(text[at] ?? "")) at++;
  };
  const parseList = (into: PartialMask, nested: boolean): void => {
    for (;;) {
      parseSelector(into);
      skipBlanks();
      if (text[at] === ",") {
        at++;
        continue;
      }
      if (nested ? text[at] === ")" : at === text.length) return;
      refuse();
    }
  };
  const parseSelector = (into: PartialMask): void => {
    let node = into;
    for (;;) {
      skipBlanks();
      const start = at;
      while (at < text.length && KEY.test(text[at] as string)) at++;
      if (at === start) refuse();
      const key = text.slice(start, at);
      let child = node.children.get(key);
      if (child === undefined) {
        child = { all: false, children: new Map() };
        node.children.set(key, child);
      }
      skipBlanks();
      if (text[at] === "/" || text[at] === ".") {
        at++;
        node = child;
        continue;
      }
      if (text[at] === "(") {
        at++;
        parseList(child, true);
        at++;
        return;
      }
      // `a,a(b)` selects the whole of `a`: the wider selector wins in either order.
      child.all = true;
      return;
    }
  };
  const root: PartialMask = { all: false, children: new Map() };
  parseList(root, false);
  return root;
}

/** What a mask leaves of a value; undefined when nothing is left of it. */
function applyFields(value: JsonValue, mask: PartialMask): JsonValue | undefined {
  if (mask.all) return value;
  if (Array.isArray(value)) {
    return value.map((item) => applyFields(item, mask)).filter((item) => item !== undefined);
  }
  if (!isJsonObject(value)) return undefined;
  const kept: JsonObject = {};
  const wildcard = mask.children.get("*");
  for (const [key, member] of Object.entries(value)) {
    const named = mask.children.get(key);
    if (named === undefined && wildcard === undefined) continue;
    const parts = [named, wildcard].filter((part) => part !== undefined);
    const child = parts.length === 1 ? parts[0] as PartialMask : mergeMasks(parts);
    const left = applyFields(member, child);
    if (left === undefined) continue;
    if (isJsonObject(left) && Object.keys(left).length === 0 && !child.all) continue;
    setOwn(kept, key, left);
  }
  return kept;
}

function mergeMasks(masks: PartialMask[]): PartialMask {
  const merged: PartialMask = { all: masks.some((mask) => mask.all), children: new Map() };
  for (const mask of masks) {
    for (const [key, child] of mask.children) {
      const existing = merged.children.get(key);
      merged.children.set(key, existing === undefined ? child : mergeMasks([existing, child]));
    }
  }
  return merged;
}

/** Applies the text of a `fields` parameter to a response body. */
export function partialResponse(body: JsonValue, fields: string): JsonValue {
  return applyFields(body, parseFields(fields)) ?? {};
}
