/** Methods of lists and ranges (spec 09 §11.7). */

import { asFunction, asInt, asSequence } from "./arguments.ts";
import { equal } from "./operators.ts";
import { invoke, step, stepBy } from "./runtime.ts";
import { sortedCopy } from "./sorting.ts";
import { type Callable, ErrorValue, type RangeValue, type Value, valueError } from "./values.ts";

/** A method: fewest and most arguments without the subject, and what it does. */
export type Method<Subject> = readonly [
  number,
  number,
  (subject: Subject, ...args: Value[]) => Value,
];

/** Calls with (index, value) when the function has two parameters, else with the value alone. */
function withIndex(callback: Callable, index: number, item: Value): Value {
  step();
  const { builtin, fewest, most } = callback;
  const wantsIndex = fewest >= 2 || (!builtin && most === 2);
  return invoke(callback, wantsIndex ? [BigInt(index), item] : [item]);
}

function place(list: Value[], index: bigint, most: number): number {
  const at = index < 0n ? index + BigInt(list.length) : index;
  if (at >= 0n && at <= BigInt(most)) return Number(at);
  throw new ErrorValue("index error", `index out of range: ${index}`);
}

function indexOf(list: Value[], wanted: Value): number {
  stepBy(list.length);
  return list.findIndex((item) => equal(item, wanted));
}

/** Replaces the content of a list, which stays the same list. */
function refill(list: Value[], items: readonly Value[]): Value[] {
  list.length = 0;
  for (const item of items) list.push(item);
  return list;
}

function mapped(items: Iterable<Value>, callback: Callable): Value[] {
  const result: Value[] = [];
  let index = 0;
  for (const item of items) result.push(withIndex(callback, index++, item));
  return result;
}

/** Keeps what the callback answers truthy for. */
export function filtered(
  items: Iterable<Value>,
  callback: Callable,
  truthy: (value: Value) => boolean,
): Value[] {
  const result: Value[] = [];
  for (const item of items) {
    step();
    if (truthy(invoke(callback, [item]))) result.push(item);
  }
  return result;
}

/** Methods of lists; those that change the list give it back. */
export function listMethods(
  truthy: (value: Value) => boolean,
): Record<string, Method<Value[]>> {
  return {
    append: [1, -1, (list, ...items) => {
      list.push(...items);
      return list;
    }],
    clear: [0, 0, (list) => refill(list, [])],
    copy: [0, 0, (list) => [...list]],
    count: [1, 1, (list, wanted = null) => {
      stepBy(list.length);
      return BigInt(list.filter((item) => equal(item, wanted)).length);
    }],
    each: [1, 1, (list, callback) => {
      mapped(list, asFunction(callback));
      return null;
    }],
    extend: [1, 1, (list, items) => {
      for (const item of [...asSequence(items)]) {
        step();
        list.push(item);
      }
      return list;
    }],
    filter: [1, 1, (list, callback) => filtered(list, asFunction(callback), truthy)],
    index: [1, 1, (list, wanted = null) => BigInt(indexOf(list, wanted))],
    insert: [2, 2, (list, index, item = null) => {
      list.splice(place(list, asInt(index), list.length), 0, item);
      return list;
    }],
    map: [1, 1, (list, callback) => mapped(list, asFunction(callback))],
    pop: [0, 1, (list, index = -1n) => {
      if (list.length === 0) throw new ErrorValue("index error", "pop from an empty list");
      const at = place(list, asInt(index), list.length - 1);
      // Both ends are much faster than a cut in the middle.
      if (at === list.length - 1) return list.pop() ?? null;
      return (at === 0 ? list.shift() : list.splice(at, 1)[0]) ?? null;
    }],
    reduce: [2, 2, (list, initial = null, callback) => {
      let result = initial;
      for (const item of list) {
        step();
        result = invoke(asFunction(callback), [result, item]);
      }
      return result;
    }],
    remove: [1, 1, (list, wanted = null) => {
      const index = indexOf(list, wanted);
      if (index < 0) throw valueError("the list does not hold this value");
      list.splice(index, 1);
      return list;
    }],
    reverse: [0, 0, (list) => list.reverse()],
    sort: [
      0,
      1,
      (list, less) =>
        refill(list, sortedCopy(list, less === undefined ? undefined : asFunction(less))),
    ],
  };
}

/** Methods of ranges. */
export function rangeMethods(
  truthy: (value: Value) => boolean,
): Record<string, Method<RangeValue>> {
  return {
    each: [1, 1, (range, callback) => {
      let index = 0;
      for (const item of range) withIndex(asFunction(callback), index++, item);
      return null;
    }],
    filter: [1, 1, (range, callback) => filtered(range, asFunction(callback), truthy)],
    map: [1, 1, (range, callback) => mapped(range, asFunction(callback))],
    start: [0, 0, (range) => range.start],
    step: [0, 0, (range) => range.step],
    stop: [0, 0, (range) => range.stop],
  };
}
