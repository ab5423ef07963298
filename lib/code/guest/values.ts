/** Values of a running script, inside the sandbox (spec 09 §11.4). */

/** Any value. Ints are bigints so that they stay apart from floats and exact to 64 bits. */
export type Value =
  | null
  | boolean
  | bigint
  | number
  | string
  | Value[]
  | Map<string, Value>
  | RangeValue
  | ErrorValue
  | ModuleValue
  | Callable;

/** A function of the script or of the library. */
export interface Callable {
  (...args: Value[]): Value;
  /** Its name, "" for an arrow. */
  label: string;
  fewest: number;
  /** −1: any number. */
  most: number;
  builtin: boolean;
}

/** A lazy sequence of ints. */
export class RangeValue {
  readonly start: bigint;
  readonly stop: bigint;
  readonly step: bigint;

  constructor(start: bigint, stop: bigint, step: bigint) {
    this.start = start;
    this.stop = stop;
    this.step = step;
  }

  /** Number of ints in it. */
  get length(): bigint {
    const span = this.step > 0n ? this.stop - this.start : this.start - this.stop;
    if (span <= 0n) return 0n;
    const size = this.step > 0n ? this.step : -this.step;
    return (span + size - 1n) / size;
  }

  *[Symbol.iterator](): Generator<bigint> {
    const { start, stop, step } = this;
    if (step > 0n) { for (let at = start; at < stop; at += step) yield at; }
    else for (let at = start; at > stop; at += step) yield at;
  }
}

/** A named group of functions, such as `math`. */
export class ModuleValue {
  readonly label: string;
  readonly members: ReadonlyMap<string, Value>;

  constructor(label: string, members: ReadonlyMap<string, Value>) {
    this.label = label;
    this.members = members;
  }
}

/** Kinds of errors (spec 09 §11.7). */
export type ErrorKind =
  | "type error"
  | "value error"
  | "index error"
  | "key error"
  | "args error"
  | "runtime error"
  | "gum error";

/** What `throw` throws and `catch` catches. Position 0 means: not known yet. */
export class ErrorValue {
  readonly kind: ErrorKind;
  readonly message: string;
  line = 0;
  column = 0;
  /** Of an error that the host reported. */
  readonly code: string | undefined;
  /** The host's envelope as JSON text. */
  readonly envelope: string | undefined;

  constructor(kind: ErrorKind, message: string, host: { code?: string; envelope?: string } = {}) {
    this.kind = kind;
    this.message = message;
    this.code = host.code;
    this.envelope = host.envelope;
  }

  /** Gives it a place unless it has one. */
  at(line: number, column: number): this {
    if (this.line === 0) {
      this.line = line;
      this.column = column;
    }
    return this;
  }
}

/** Thrown when a limit ends the script; no `catch` of a script sees it. */
export class Halt {}

/** A value of the wrong type. */
export const typeError = (message: string): ErrorValue => new ErrorValue("type error", message);
/** A value of the right type that will not do. */
export const valueError = (message: string): ErrorValue => new ErrorValue("value error", message);

/** Marks a function of the library. */
export function builtin(
  label: string,
  counts: readonly [number, number],
  body: (...args: Value[]) => Value,
): Callable {
  return Object.assign(body, { label, fewest: counts[0], most: counts[1], builtin: true });
}

/** Marks a function of the script. */
// deno-lint-ignore gum/few-positional-parameters -- compiled scripts call it in this shape
export function scriptFunction(
  label: string,
  fewest: number,
  most: number,
  body: (...args: Value[]) => Value,
): Callable {
  return Object.assign(body, { label, fewest, most, builtin: false });
}

/** The name of a value's type. */
export function typeName(value: Value): string {
  switch (typeof value) {
    case "boolean":
      return "bool";
    case "bigint":
      return "int";
    case "number":
      return "float";
    case "string":
      return "string";
    case "function":
      return value.builtin ? "builtin" : "function";
  }
  if (value === null) return "null";
  if (Array.isArray(value)) return "list";
  if (value instanceof Map) return "map";
  if (value instanceof RangeValue) return "range";
  return value instanceof ErrorValue ? "error" : "module";
}

/** Whether a value counts as true. */
export function truthy(value: Value): boolean {
  switch (typeof value) {
    case "boolean":
      return value;
    case "bigint":
      return value !== 0n;
    case "number":
      return value !== 0;
    case "string":
      return value !== "";
    case "function":
      return true;
  }
  if (value === null) return false;
  if (Array.isArray(value)) return value.length > 0;
  if (value instanceof Map) return value.size > 0;
  if (value instanceof RangeValue) return value.length > 0n;
  return true;
}

/** Shorter strings are taken apart again faster than they are compared. */
const MIN_KEPT = 64;
let kept: { text: string; characters: readonly string[] } = { text: "", characters: [] };

/** The characters of a string: whole code points. A loop over its indexes takes it apart once. */
export function characters(text: string): readonly string[] {
  if (text.length < MIN_KEPT) return Array.from(text);
  if (kept.text !== text) kept = { text, characters: Array.from(text) };
  return kept.characters;
}

/** Compares strings by code point. */
export function compareText(left: string, right: string): number {
  if (left === right) return 0;
  const length = Math.min(left.length, right.length);
  for (let index = 0; index < length; index++) {
    const a = left.charCodeAt(index);
    const b = right.charCodeAt(index);
    if (a === b) continue;
    // Halves of surrogate pairs stand for code points above everything else.
    const [high, low] = [a >= 0xd800 && a <= 0xdfff, b >= 0xd800 && b <= 0xdfff];
    if (high !== low) return high ? 1 : -1;
    return a < b ? -1 : 1;
  }
  return left.length < right.length ? -1 : 1;
}

/** A map's keys in code-point order. */
export function sortedKeys(map: ReadonlyMap<string, unknown>): string[] {
  return [...map.keys()].sort(compareText);
}

/** Wraps to 64 bits. */
export const wrap = (value: bigint): bigint => BigInt.asIntN(64, value);
