/** A stable merge sort, so that a comparison that lies only gives a bad order. */

import { order } from "./operators.ts";
import { invoke, step } from "./runtime.ts";
import { type Callable, typeError, typeName, type Value } from "./values.ts";

/** A sorted copy. `less(a, b)` says whether `a` comes first. */
export function sortedCopy(items: readonly Value[], less?: Callable): Value[] {
  const before = less === undefined
    ? (a: Value, b: Value) => order(a, b) < 0
    : (a: Value, b: Value) => {
      const answer = invoke(less, [a, b]);
      if (typeof answer === "boolean") return answer;
      throw typeError(`a comparison returns a bool (got ${typeName(answer)})`);
    };
  // One element is never compared, but an unsortable one is refused all the same.
  if (items.length === 1 && less === undefined) order(items[0] ?? null, items[0] ?? null);
  let runs: Value[][] = items.map((item) => [item]);
  while (runs.length > 1) {
    const merged: Value[][] = [];
    for (let index = 0; index < runs.length; index += 2) {
      merged.push(merge(runs[index] ?? [], runs[index + 1] ?? [], before));
    }
    runs = merged;
  }
  return runs[0] ?? [];
}

function merge(
  left: readonly Value[],
  right: readonly Value[],
  before: (a: Value, b: Value) => boolean,
): Value[] {
  const merged: Value[] = [];
  let l = 0;
  let r = 0;
  while (l < left.length && r < right.length) {
    step();
    const [a, b] = [left[l] ?? null, right[r] ?? null];
    if (before(b, a)) {
      merged.push(b);
      r++;
    } else {
      merged.push(a);
      l++;
    }
  }
  return [...merged, ...left.slice(l), ...right.slice(r)];
}
