/** Metadata that all elements of a batch share (spec 03 §2.5). */

import { jsonText } from "../format/mod.ts";
import { type JsonObject, type JsonValue, setOwn } from "../json/mod.ts";

/** The shared part and what is left of each element. */
export interface HoistedExpressions {
  /** Undefined when nothing is shared. */
  shared: JsonObject | undefined;
  /** In the order of the elements. */
  deltas: JsonObject[];
}

/**
 * Takes out the members that every `_expression` has with equal canonical bytes. A null equals a
 * null; an absent member equals nothing. One element alone shares nothing.
 */
export function hoistExpressions(expressions: readonly JsonObject[]): HoistedExpressions {
  const [first, ...others] = expressions;
  if (first === undefined || others.length === 0) {
    return { shared: undefined, deltas: expressions.map((expression) => ({ ...expression })) };
  }
  const shared: JsonObject = {};
  for (const key of Object.keys(first)) {
    const bytes = jsonText(first[key] as JsonValue);
    const same = others.every((other) =>
      Object.hasOwn(other, key) && jsonText(other[key] as JsonValue) === bytes
    );
    if (same) setOwn(shared, key, first[key] as JsonValue);
  }
  const deltas = expressions.map((expression) => {
    const delta: JsonObject = {};
    for (const key of Object.keys(expression)) {
      if (!Object.hasOwn(shared, key)) setOwn(delta, key, expression[key] as JsonValue);
    }
    return delta;
  });
  return { shared: Object.keys(shared).length === 0 ? undefined : shared, deltas };
}
