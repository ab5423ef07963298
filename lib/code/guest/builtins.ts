/** The predeclared functions of the language (spec 09 §11.6). */

import { asFunction, asInt, asList, asString } from "./arguments.ts";
import { decoded, encoded } from "./codecs.ts";
import { filtered } from "./list_methods.ts";
import { readMember } from "./members.ts";
import { MATH, REGEXP } from "./modules.ts";
import { elements } from "./operators.ts";
import { invoke, step } from "./runtime.ts";
import { sortedCopy } from "./sorting.ts";
import { formatted } from "./sprintf.ts";
import { textOf } from "./text_form.ts";
import {
  builtin,
  characters,
  ErrorValue,
  RangeValue,
  sortedKeys,
  truthy,
  typeError,
  typeName,
  type Value,
  valueError,
  wrap,
} from "./values.ts";

function lengthOf(value: Value): bigint {
  if (typeof value === "string") return BigInt(characters(value).length);
  if (Array.isArray(value)) return BigInt(value.length);
  if (value instanceof Map) return BigInt(value.size);
  if (value instanceof RangeValue) return value.length;
  throw typeError(`object has no length (got ${typeName(value)})`);
}

/** The values of a collection; of a map, what its keys lead to. */
function valuesOf(value: Value): Iterable<Value> {
  return value instanceof Map
    ? sortedKeys(value).map((key) => value.get(key) ?? null)
    : elements(value);
}

function collected(values: Iterable<Value>): Value[] {
  const items: Value[] = [];
  for (const value of values) {
    step();
    items.push(value);
  }
  return items;
}

function toInt(value: Value): Value {
  if (typeof value === "bigint") return value;
  if (typeof value === "boolean") return value ? 1n : 0n;
  if (typeof value === "number") {
    if (!Number.isFinite(value)) throw valueError(`cannot convert ${value} to int`);
    return wrap(BigInt(Math.trunc(value)));
  }
  const text = asString(value);
  const digits = /^([+-]?)((?:0[xX][0-9A-Fa-f]+)|(?:0[bB][01]+)|(?:0[oO][0-7]+)|[0-9]+)$/.exec(
    text,
  );
  const magnitude = digits === null ? undefined : BigInt((digits[2] ?? "").toLowerCase());
  const signed = magnitude === undefined ? undefined : digits?.[1] === "-" ? -magnitude : magnitude;
  if (signed === undefined || wrap(signed) !== signed) {
    throw valueError(`invalid literal for int(): ${JSON.stringify(text)}`);
  }
  return signed;
}

function toFloat(value: Value): Value {
  if (typeof value === "number") return value;
  if (typeof value === "bigint") return Number(value);
  const text = asString(value);
  if (!/^[+-]?(?:[0-9]+\.?[0-9]*|\.[0-9]+)(?:[eE][+-]?[0-9]+)?$/.test(text)) {
    throw valueError(`invalid literal for float(): ${JSON.stringify(text)}`);
  }
  return Number(text);
}

function rangeOf(first: bigint, stop: bigint | undefined, step = 1n): RangeValue {
  if (step === 0n) throw valueError("range step must not be 0");
  return stop === undefined ? new RangeValue(0n, first, step) : new RangeValue(first, stop, step);
}

function chunks(items: Value[], size: bigint): Value[] {
  if (size <= 0n) throw valueError("chunk size must be positive");
  const width = Number(size);
  const result: Value[] = [];
  for (let index = 0; index < items.length; index += width) {
    step();
    result.push(items.slice(index, index + width));
  }
  return result;
}

function some(items: Iterable<Value>, wanted: boolean): boolean {
  for (const item of items) {
    step();
    if (truthy(item) === wanted) return true;
  }
  return false;
}

/** Everything predeclared but what reaches the host. */
export const BUILTINS: Record<string, Value> = {
  all: builtin("all", [1, 1], (items = null) => !some(valuesOf(items), false)),
  any: builtin("any", [1, 1], (items = null) => some(valuesOf(items), true)),
  assert: builtin("assert", [1, 2], (condition = null, message = "assertion failed") => {
    if (!truthy(condition)) throw new ErrorValue("runtime error", textOf(message));
    return null;
  }),
  bool: builtin("bool", [1, 1], (value = null) => truthy(value)),
  call: builtin("call", [1, -1], (callee = null, ...args) => invoke(callee, args)),
  chunk: builtin("chunk", [2, 2], (items, size) => chunks(asList(items), asInt(size))),
  coalesce: builtin("coalesce", [0, -1], (...args) => args.find((arg) => arg !== null) ?? null),
  decode: builtin("decode", [2, 2], (text, codec) => decoded(asString(text), asString(codec))),
  encode: builtin("encode", [2, 2], (value = null, codec) => encoded(value, asString(codec))),
  error: builtin(
    "error",
    [1, -1],
    (template, ...args) => new ErrorValue("runtime error", formatted(asString(template), args)),
  ),
  filter: builtin(
    "filter",
    [2, 2],
    (items = null, callback) => filtered(valuesOf(items), asFunction(callback), truthy),
  ),
  float: builtin("float", [1, 1], (value = null) => toFloat(value)),
  getattr: builtin("getattr", [2, 3], (subject = null, name, fallback) => {
    try {
      return readMember(subject, asString(name), false);
    } catch (error) {
      if (fallback === undefined || !(error instanceof ErrorValue)) throw error;
      return fallback;
    }
  }),
  int: builtin("int", [1, 1], (value = null) => toInt(value)),
  keys: builtin("keys", [1, 1], (map = null) => {
    if (map instanceof Map) return sortedKeys(map);
    throw typeError(`expected a map (got ${typeName(map)})`);
  }),
  len: builtin("len", [1, 1], (value = null) => lengthOf(value)),
  list: builtin("list", [0, 1], (items = []) => collected(valuesOf(items))),
  math: MATH,
  range: builtin("range", [1, 3], (first, stop, step) =>
    rangeOf(
      asInt(first),
      stop === undefined ? undefined : asInt(stop),
      step === undefined ? 1n : asInt(step),
    )),
  regexp: REGEXP,
  reversed: builtin(
    "reversed",
    [1, 1],
    (items = null) =>
      typeof items === "string"
        ? [...characters(items)].reverse().join("")
        : [...asList(items)].reverse(),
  ),
  sorted: builtin("sorted", [1, 2], (items = null, less) =>
    sortedCopy(
      collected(elements(items)),
      less === undefined ? undefined : asFunction(less),
    )),
  sprintf: builtin("sprintf", [1, -1], (template, ...args) => formatted(asString(template), args)),
  string: builtin("string", [0, 1], (value = "") => textOf(value)),
  type: builtin("type", [1, 1], (value = null) => typeName(value)),
};
