/** Values of the model: making them, taking them apart, putting them in order. */

import { ModelError, Unpredictable } from "./model_failures.ts";
import { order } from "./model_operators.ts";
import type { ModelValue } from "./model_program.ts";

/** An int. */
export const int = (v: number | bigint): ModelValue => ({ t: "int", v: BigInt(v) });
/** A string. */
export const str = (v: string): ModelValue => ({ t: "string", v });
/** A bool. */
export const bool = (v: boolean): ModelValue => ({ t: "bool", v });
/** A list. */
export const list = (v: ModelValue[]): ModelValue => ({ t: "list", v });
/** Nil. */
export const NIL: ModelValue = { t: "nil" };

/** A failure whose wording is not predicted. */
export function failure(kind: string): ModelError {
  return new ModelError(kind, "*");
}

/** Whole code points. */
export function chars(given: string): string[] {
  return [...given];
}

/** A string argument. @throws ModelError */
export function asString(given: ModelValue | undefined): string {
  if (given?.t === "string") return given.v;
  throw failure("type error");
}

/** An int argument. @throws ModelError */
export function asInt(given: ModelValue | undefined): bigint {
  if (given?.t === "int") return given.v;
  throw failure("type error");
}

/** An int or float argument. @throws ModelError */
export function asNumber(given: ModelValue | undefined): bigint | number {
  if (given?.t === "int" || given?.t === "float") return given.v;
  throw failure("type error");
}

/** A list argument. @throws ModelError */
export function asList(given: ModelValue | undefined): ModelValue[] {
  if (given?.t === "list") return given.v;
  throw failure("type error");
}

/** Keys in code-point order. */
export function keysOf(entries: [string, ModelValue][]): string[] {
  return entries.map(([key]) => key).sort((a, b) => order(str(a), str(b)));
}

/** The value of a key. */
export function entryOf(entries: [string, ModelValue][], key: string): ModelValue | undefined {
  return entries.find(([known]) => known === key)?.[1];
}

/** Insertion sort: stable, and nothing like the library's. */
export function insertionSorted(
  given: readonly ModelValue[],
  before: (a: ModelValue, b: ModelValue) => boolean,
): ModelValue[] {
  const result: ModelValue[] = [];
  for (const item of given) {
    let at = result.length;
    while (at > 0 && before(item, result[at - 1] ?? NIL)) at--;
    result.splice(at, 0, item);
  }
  return result;
}

/** A list in its own order. Which two of several misfits meet first is the sort's own business. */
export function sortedList(given: ModelValue[]): ModelValue[] {
  if (given.some((item) => item.t === "float" && Number.isNaN(item.v))) {
    throw new Unpredictable("NaN has no place");
  }
  try {
    if (given.length === 1) order(given[0] ?? NIL, given[0] ?? NIL);
    return insertionSorted(given, (a, b) => order(a, b) < 0);
  } catch (error) {
    throw error instanceof ModelError ? failure(error.kind) : error;
  }
}
