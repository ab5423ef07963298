/** Operators: arithmetic, equality, order, membership, index and slice (spec 09 §11.4). */

import { stepBy } from "./runtime.ts";
import {
  characters,
  compareText,
  ErrorValue,
  RangeValue,
  sortedKeys,
  typeError,
  typeName,
  type Value,
  valueError,
  wrap,
} from "./values.ts";

/** A binary operator that computes; equality and membership are apart. */
export function binary(operator: string, left: Value, right: Value): Value {
  if (typeof left === "bigint" && typeof right === "bigint") {
    return intOperation(operator, left, right) ?? compared(operator, left, right);
  }
  const numbers = isNumber(left) && isNumber(right);
  if (numbers) {
    const result = floatOperation(operator, Number(left), Number(right));
    if (result !== undefined) return result;
  }
  if (operator === "+") {
    if (typeof left === "string" && typeof right === "string") {
      stepBy((left.length + right.length) >> 10);
      return left + right;
    }
    if (Array.isArray(left) && Array.isArray(right)) {
      stepBy((left.length + right.length) >> 4);
      return [...left, ...right];
    }
  }
  return compared(operator, left, right);
}

function isNumber(value: Value): value is bigint | number {
  return typeof value === "bigint" || typeof value === "number";
}

function intOperation(operator: string, left: bigint, right: bigint): bigint | undefined {
  switch (operator) {
    case "+":
      return wrap(left + right);
    case "-":
      return wrap(left - right);
    case "*":
      return wrap(left * right);
    case "/":
      if (right === 0n) throw valueError("division by zero");
      return wrap(left / right);
    case "%":
      if (right === 0n) throw valueError("division by zero");
      return left % right;
    case "**":
      return intPower(left, right);
    case "&":
      return left & right;
    case "|":
      return left | right;
    case "^":
      return left ^ right;
    case "<<":
      if (right < 0n) throw valueError("negative shift count");
      return right > 63n ? 0n : wrap(left << right);
    case ">>":
      if (right < 0n) throw valueError("negative shift count");
      return left >> (right > 63n ? 63n : right);
    default:
      return undefined;
  }
}

/** By squaring, wrapped at every step, so that a large exponent costs sixty-four steps at most. */
function intPower(base: bigint, exponent: bigint): bigint {
  if (exponent < 0n) {
    if (base === 0n) throw valueError("division by zero");
    if (base === 1n) return 1n;
    if (base === -1n) return exponent % 2n === 0n ? 1n : -1n;
    return 0n;
  }
  let result = 1n;
  let square = base;
  for (let rest = exponent; rest > 0n; rest >>= 1n) {
    if ((rest & 1n) === 1n) result = wrap(result * square);
    square = wrap(square * square);
  }
  return result;
}

function floatOperation(operator: string, left: number, right: number): number | undefined {
  switch (operator) {
    case "+":
      return left + right;
    case "-":
      return left - right;
    case "*":
      return left * right;
    case "/":
      return left / right;
    case "**":
      return left ** right;
    default:
      return undefined;
  }
}

function compared(operator: string, left: Value, right: Value): boolean {
  switch (operator) {
    case "<":
      return order(left, right) < 0;
    case "<=":
      return order(left, right) <= 0;
    case ">":
      return order(left, right) > 0;
    case ">=":
      return order(left, right) >= 0;
    default:
      throw typeError(
        `unsupported operation for ${typeName(left)}: ${operator} on type ${typeName(right)}`,
      );
  }
}

function numberOrder(left: bigint | number, right: bigint | number): number {
  if (typeof left === "bigint") {
    return typeof right === "bigint" ? sign(left, right) : mixedOrder(left, right);
  }
  return typeof right === "bigint" ? -mixedOrder(right, left) : sign(left, right);
}

function sign<N extends bigint | number>(left: N, right: N): number {
  return left < right ? -1 : left > right ? 1 : left === right ? 0 : NaN;
}

/** An int and a float by value. The engine's own comparison of the two errs on large floats. */
function mixedOrder(int: bigint, float: number): number {
  if (Number.isNaN(float)) return NaN;
  if (Math.abs(float) >= 2 ** 63) {
    // Only the lowest int is as low as the lowest of these.
    return float === -(2 ** 63) && int === -(1n << 63n) ? 0 : float > 0 ? -1 : 1;
  }
  const whole = Math.trunc(float);
  return sign(int, BigInt(whole)) || sign(whole, float);
}

/** Negative, zero or positive; NaN compares as false both ways. */
export function order(left: Value, right: Value): number {
  if (isNumber(left) && isNumber(right)) return numberOrder(left, right);
  if (typeof left === "string" && typeof right === "string") return compareText(left, right);
  if (typeof left === "boolean" && typeof right === "boolean") return Number(left) - Number(right);
  if (left === null && right === null) return 0;
  if (Array.isArray(left) && Array.isArray(right)) return listOrder(left, right);
  if (left instanceof ErrorValue && right instanceof ErrorValue) {
    return compareText(left.message, right.message);
  }
  for (const value of [left, right]) {
    if (isComparable(value)) continue;
    throw typeError(`expected a comparable object (got ${typeName(value)})`);
  }
  throw typeError(`unable to compare ${typeName(left)} and ${typeName(right)}`);
}

function isComparable(value: Value): boolean {
  return value === null || Array.isArray(value) || value instanceof ErrorValue ||
    ["bigint", "number", "string", "boolean"].includes(typeof value);
}

function listOrder(left: Value[], right: Value[]): number {
  if (left.length !== right.length) return left.length - right.length;
  stepBy(left.length);
  for (let index = 0; index < left.length; index++) {
    const result = order(left[index] ?? null, right[index] ?? null);
    if (result !== 0) return result;
  }
  return 0;
}

/** Deep equality; never fails. */
export function equal(left: Value, right: Value, open: readonly [Value, Value][] = []): boolean {
  if (left === right) return true;
  if (isNumber(left) && isNumber(right)) return numberOrder(left, right) === 0;
  if (typeof left !== "object" || typeof right !== "object" || left === null || right === null) {
    return false;
  }
  if (open.some(([a, b]) => a === left && b === right)) return true;
  if (left instanceof ErrorValue) {
    return right instanceof ErrorValue && left.message === right.message;
  }
  if (left instanceof RangeValue) {
    return right instanceof RangeValue && left.start === right.start &&
      left.stop === right.stop && left.step === right.step;
  }
  stepBy(1 + open.length);
  const inside: readonly [Value, Value][] = [...open, [left, right]];
  if (Array.isArray(left)) {
    if (!Array.isArray(right) || left.length !== right.length) return false;
    stepBy(left.length);
    return left.every((item, index) => equal(item, right[index] ?? null, inside));
  }
  if (left instanceof Map) {
    if (!(right instanceof Map) || left.size !== right.size) return false;
    stepBy(left.size);
    for (const [key, value] of left) {
      const other = right.get(key);
      if (other === undefined || !equal(value, other, inside)) return false;
    }
    return true;
  }
  return false;
}

/** The minus sign. */
export function negate(value: Value): Value {
  if (typeof value === "bigint") return wrap(-value);
  if (typeof value === "number") return -value;
  throw typeError(`unsupported operation for ${typeName(value)}: unary -`);
}

/** `needle in container`. */
export function contains(needle: Value, container: Value): boolean {
  if (Array.isArray(container)) {
    stepBy(container.length);
    return container.some((item) => equal(item, needle));
  }
  if (container instanceof Map) return typeof needle === "string" && container.has(needle);
  if (typeof container === "string") {
    if (typeof needle === "string") return container.includes(needle);
    throw typeError(`expected a string (got ${typeName(needle)})`);
  }
  if (container instanceof RangeValue) {
    if (typeof needle !== "bigint") return false;
    const { start, stop, step } = container;
    const inside = step > 0n ? needle >= start && needle < stop : needle <= start && needle > stop;
    return inside && (needle - start) % step === 0n;
  }
  throw typeError(`object is not a container (got ${typeName(container)})`);
}

/** `subject[index]`. */
export function readIndex(subject: Value, index: Value): Value {
  if (subject instanceof Map) {
    const key = mapKey(index);
    const value = subject.get(key);
    if (value === undefined) {
      throw new ErrorValue("key error", `key ${JSON.stringify(key)} not found`);
    }
    return value;
  }
  if (subject instanceof RangeValue) {
    const { length, start, step } = subject;
    const at = asIndex(index);
    const place = at < 0n ? at + length : at;
    if (place < 0n || place >= length) throw outOfRange(at);
    return start + place * step;
  }
  if (typeof subject === "string") {
    const chars = characters(subject);
    return chars[position(index, chars.length)] ?? "";
  }
  if (Array.isArray(subject)) return subject[position(index, subject.length)] ?? null;
  throw typeError(`object is not subscriptable (got ${typeName(subject)})`);
}

/** `subject[index] = value`. */
export function writeIndex(subject: Value, index: Value, value: Value): void {
  if (subject instanceof Map) subject.set(mapKey(index), value);
  else if (Array.isArray(subject)) subject[position(index, subject.length)] = value;
  else throw typeError(`object does not take assignments (got ${typeName(subject)})`);
}

/** The key of a map; only strings are. */
export function mapKey(key: Value): string {
  if (typeof key === "string") return key;
  throw typeError(`map keys are strings (got ${typeName(key)})`);
}

function asIndex(index: Value): bigint {
  if (typeof index === "bigint") return index;
  throw typeError(`an index is an int (got ${typeName(index)})`);
}

function position(index: Value, length: number): number {
  const at = asIndex(index);
  const place = at < 0n ? at + BigInt(length) : at;
  if (place < 0n || place >= BigInt(length)) throw outOfRange(at);
  return Number(place);
}

function outOfRange(index: bigint): ErrorValue {
  return new ErrorValue("index error", `index out of range: ${index}`);
}

/** `subject[from:to]`. */
export function slice(subject: Value, from: Value, to: Value): Value {
  if (typeof subject === "string") {
    const chars = characters(subject);
    const [start, end] = bounds(chars.length, from, to);
    return chars.slice(start, end).join("");
  }
  if (!Array.isArray(subject)) {
    throw typeError(`object cannot be sliced (got ${typeName(subject)})`);
  }
  const [start, end] = bounds(subject.length, from, to);
  return subject.slice(start, end);
}

function bounds(length: number, from: Value, to: Value): [number, number] {
  const size = BigInt(length);
  const bound = (given: Value, otherwise: bigint) => {
    if (given === null) return otherwise;
    const at = asIndex(given);
    const place = at < 0n ? at + size : at;
    if (place < 0n || place > size) {
      throw new ErrorValue("index error", `slice index out of range: ${at}`);
    }
    return place;
  };
  const start = bound(from, 0n);
  const end = bound(to, size);
  if (start > end) {
    throw new ErrorValue("index error", `slice indices out of order: ${start} > ${end}`);
  }
  return [Number(start), Number(end)];
}

/** The elements that a loop or a spread goes over; for a map, its keys. */
export function elements(value: Value): Iterable<Value> {
  if (Array.isArray(value)) return value;
  if (typeof value === "string") return characters(value);
  if (value instanceof RangeValue) return value;
  if (value instanceof Map) return sortedKeys(value);
  throw typeError(`object is not enumerable (got ${typeName(value)})`);
}
