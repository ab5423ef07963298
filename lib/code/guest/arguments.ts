/** Checks of builtin arguments, with the messages scripts see. */

import {
  type Callable,
  type ErrorValue,
  RangeValue,
  typeError,
  typeName,
  type Value,
} from "./values.ts";

function expected(what: string, value: Value | undefined): ErrorValue {
  return typeError(`expected ${what} (got ${typeName(value ?? null)})`);
}

/** A string argument. */
export function asString(value: Value | undefined): string {
  if (typeof value === "string") return value;
  throw expected("a string", value);
}

/** An int argument. */
export function asInt(value: Value | undefined): bigint {
  if (typeof value === "bigint") return value;
  throw expected("an int", value);
}

/** An int or float argument, as a float. */
export function asFloat(value: Value | undefined): number {
  if (typeof value === "bigint" || typeof value === "number") return Number(value);
  throw expected("a number", value);
}

/** A list argument. */
export function asList(value: Value | undefined): Value[] {
  if (Array.isArray(value)) return value;
  throw expected("a list", value);
}

/** A map argument. */
export function asMap(value: Value | undefined): Map<string, Value> {
  if (value instanceof Map) return value;
  throw expected("a map", value);
}

/** A function argument. */
export function asFunction(value: Value | undefined): Callable {
  if (typeof value === "function") return value;
  throw expected("a function", value);
}

/** A list or range argument. */
export function asSequence(value: Value | undefined): Iterable<Value> {
  if (Array.isArray(value) || value instanceof RangeValue) return value;
  throw expected("a list", value);
}
