/** What the model says of operators: arithmetic, equality, order, truth, places and text. */

import { ModelError, spend } from "./model_failures.ts";
import type { ModelValue } from "./model_program.ts";

const NAMES: Record<ModelValue["t"], string> = {
  nil: "null",
  bool: "bool",
  int: "int",
  float: "float",
  string: "string",
  list: "list",
  map: "map",
};

/** What the language calls a value's type. */
export function name(given: ModelValue): string {
  return NAMES[given.t];
}

/** Truthiness. */
export function isTrue(given: ModelValue): boolean {
  switch (given.t) {
    case "nil":
      return false;
    case "bool":
      return given.v;
    case "int":
      return given.v !== 0n;
    case "float":
      return given.v !== 0;
    default:
      return given.v.length > 0;
  }
}

/** A binary operator that reads both sides. @throws ModelError */
export function operate(op: string, left: ModelValue, right: ModelValue): ModelValue {
  if (op === "==") return { t: "bool", v: same(left, right) };
  if (op === "!=") return { t: "bool", v: !same(left, right) };
  if (["<", "<=", ">", ">="].includes(op)) return { t: "bool", v: ordered(op, left, right) };
  if (left.t === "int" && right.t === "int") return { t: "int", v: ints(op, left.v, right.v) };
  const numeric = (left.t === "int" || left.t === "float") &&
    (right.t === "int" || right.t === "float");
  if (numeric && ["+", "-", "*", "/"].includes(op)) {
    const [a, b] = [Number(left.v), Number(right.v)];
    const v = op === "+" ? a + b : op === "-" ? a - b : op === "*" ? a * b : a / b;
    return { t: "float", v };
  }
  if (op === "+" && left.t === "string" && right.t === "string") {
    return { t: "string", v: left.v + right.v };
  }
  if (op === "+" && left.t === "list" && right.t === "list") {
    return { t: "list", v: [...left.v, ...right.v] };
  }
  throw new ModelError(
    "type error",
    `unsupported operation for ${name(left)}: ${op} on type ${name(right)}`,
  );
}

function ints(op: string, left: bigint, right: bigint): bigint {
  if ((op === "/" || op === "%") && right === 0n) {
    throw new ModelError("value error", "division by zero");
  }
  if ((op === "<<" || op === ">>") && right < 0n) {
    throw new ModelError("value error", "negative shift count");
  }
  const exact: Record<string, () => bigint> = {
    "+": () => left + right,
    "-": () => left - right,
    "*": () => left * right,
    "/": () => left / right,
    "%": () => left % right,
    "&": () => left & right,
    "|": () => left | right,
    "^": () => left ^ right,
    "<<": () => right > 64n ? 0n : left << right,
    ">>": () => right > 64n ? (left < 0n ? -1n : 0n) : left >> right,
  };
  return BigInt.asIntN(64, (exact[op] ?? (() => 0n))());
}

/** Deep equality. */
export function same(left: ModelValue, right: ModelValue): boolean {
  spend();
  if (left.t === "int" && right.t === "float") {
    return Number(left.v) === right.v && BigInt(right.v) === left.v;
  }
  if (left.t === "float" && right.t === "int") return same(right, left);
  if (left.t !== right.t) return false;
  if (left.t === "nil") return true;
  if (left.t === "list" && right.t === "list") {
    return left.v.length === right.v.length &&
      left.v.every((item, at) => same(item, right.v[at] ?? { t: "nil" }));
  }
  if (left.t === "map" && right.t === "map") {
    return left.v.length === right.v.length && left.v.every(([key, item]) => {
      const other = right.v.find(([known]) => known === key);
      return other !== undefined && same(item, other[1]);
    });
  }
  return "v" in right && left.v === right.v;
}

function ordered(op: string, left: ModelValue, right: ModelValue): boolean {
  const sign = order(left, right);
  switch (op) {
    case "<":
      return sign < 0;
    case "<=":
      return sign <= 0;
    case ">":
      return sign > 0;
    default:
      return sign >= 0;
  }
}

/** Less, equal or more. @throws ModelError */
export function order(left: ModelValue, right: ModelValue): number {
  spend();
  const numeric = (given: ModelValue) => given.t === "int" || given.t === "float";
  if (numeric(left) && numeric(right) && "v" in left && "v" in right) {
    return left.v < right.v ? -1 : left.v > right.v ? 1 : 0;
  }
  if (left.t === "string" && right.t === "string") return points(left.v, right.v);
  if (left.t === "bool" && right.t === "bool") return Number(left.v) - Number(right.v);
  if (left.t === "nil" && right.t === "nil") return 0;
  if (left.t === "list" && right.t === "list") {
    if (left.v.length !== right.v.length) return left.v.length - right.v.length;
    for (let at = 0; at < left.v.length; at++) {
      const sign = order(left.v[at] ?? { t: "nil" }, right.v[at] ?? { t: "nil" });
      if (sign !== 0) return sign;
    }
    return 0;
  }
  for (const given of [left, right]) {
    if (given.t === "map") {
      throw new ModelError("type error", `expected a comparable object (got ${name(given)})`);
    }
  }
  throw new ModelError("type error", `unable to compare ${name(left)} and ${name(right)}`);
}

function points(left: string, right: string): number {
  const [a, b] = [[...left], [...right]].map((chars) =>
    chars.map((char) => char.codePointAt(0) ?? 0)
  );
  for (let at = 0; at < Math.min(a?.length ?? 0, b?.length ?? 0); at++) {
    const difference = (a?.[at] ?? 0) - (b?.[at] ?? 0);
    if (difference !== 0) return difference;
  }
  return (a?.length ?? 0) - (b?.length ?? 0);
}

/** What `subject[at]` gives. @throws ModelError */
export function index(subject: ModelValue, at: ModelValue): ModelValue {
  if (subject.t === "map") {
    if (at.t !== "string") {
      throw new ModelError("type error", `map keys are strings (got ${name(at)})`);
    }
    const found = subject.v.find(([key]) => key === at.v);
    if (found !== undefined) return found[1];
    throw new ModelError("key error", `key ${JSON.stringify(at.v)} not found`);
  }
  if (subject.t !== "list" && subject.t !== "string") {
    throw new ModelError("type error", `object is not subscriptable (got ${name(subject)})`);
  }
  const all: ModelValue[] = items(subject);
  if (at.t !== "int") throw new ModelError("type error", `an index is an int (got ${name(at)})`);
  const found = all.at(at.v >= -1000n && at.v <= 1000n ? Number(at.v) : all.length);
  const outside = at.v < -BigInt(all.length) || at.v >= BigInt(all.length);
  if (found !== undefined && !outside) return found;
  throw new ModelError("index error", `index out of range: ${at.v}`);
}

/** What `needle in container` gives. @throws ModelError */
export function holds(container: ModelValue, needle: ModelValue): boolean {
  switch (container.t) {
    case "list":
      return container.v.some((item) => same(item, needle));
    case "map":
      return needle.t === "string" && container.v.some(([key]) => key === needle.v);
    case "string":
      if (needle.t === "string") return container.v.includes(needle.v);
      throw new ModelError("type error", `expected a string (got ${name(needle)})`);
    default:
      throw new ModelError("type error", `object is not a container (got ${name(container)})`);
  }
}

function sorted(entries: [string, ModelValue][]): [string, ModelValue][] {
  return [...entries].sort(([a], [b]) => points(a, b));
}

/** Text in a template. */
export function text(given: ModelValue): string {
  return given.t === "string" ? given.v : inspect(given);
}

/** Unambiguous text. */
export function inspect(given: ModelValue): string {
  spend();
  switch (given.t) {
    case "nil":
      return "null";
    case "string":
      return JSON.stringify(given.v);
    case "list":
      return `[${given.v.map(inspect).join(", ")}]`;
    case "map":
      return `{${
        sorted(given.v).map(([k, v]) => `${JSON.stringify(k)}: ${inspect(v)}`).join(", ")
      }}`;
    default:
      return String(given.v);
  }
}

/** What a loop over a collection meets. @throws ModelError */
export function items(collection: ModelValue): ModelValue[] {
  switch (collection.t) {
    case "list":
      return collection.v;
    case "string":
      return [...collection.v].map((v) => ({ t: "string", v }));
    case "map":
      return sorted(collection.v).map(([key]) => ({ t: "string", v: key }));
    default:
      throw new ModelError("type error", `object is not enumerable (got ${name(collection)})`);
  }
}
