/**
 * A second, independent reading of the language: a plain tree walker that says what programs of
 * `model_program.ts` must do. It shares no code with the compiler or the library.
 */

import { callBuiltin } from "./model_builtins.ts";
import { callMethod, member, sliced } from "./model_methods.ts";
import { insertionSorted } from "./model_values.ts";
import type { Expr, ModelValue, Program, Stmt } from "./model_program.ts";

/** An error of the model: a kind and a message. */
export class ModelError extends Error {
  readonly kind: string;

  constructor(kind: string, message: string) {
    super(message);
    this.kind = kind;
  }
}

/** The program does too much, or something whose outcome is not settled: it is left out. */
export class Unpredictable extends Error {}

/** Nodes that one program may evaluate and show. */
const MOST_WORK = 20_000;
let work = 0;

function spend(): void {
  if (++work > MOST_WORK) throw new Unpredictable("too much work");
}

class Returned {
  readonly value: ModelValue;

  constructor(value: ModelValue) {
    this.value = value;
  }
}

class Jump {
  readonly kind: "break" | "continue";

  constructor(kind: "break" | "continue") {
    this.kind = kind;
  }
}

interface Env {
  vars: Map<string, ModelValue>;
  outer: Env | undefined;
}

/** What a program gives. @throws ModelError */
export function evaluate(program: Program): ModelValue {
  work = 0;
  const env: Env = { vars: new Map(), outer: undefined };
  try {
    runAll(program.body, env);
    return value(program.result, env);
  } catch (error) {
    if (error instanceof Returned) return error.value;
    throw error;
  }
}

function runAll(body: Stmt[], env: Env): void {
  for (const stmt of body) run(stmt, env);
}

function holder(name: string, env: Env): Env {
  for (let current: Env | undefined = env; current !== undefined; current = current.outer) {
    if (current.vars.has(name)) return current;
  }
  throw new Error(`the generator made a free name: ${name}`);
}

function run(stmt: Stmt, env: Env): void {
  switch (stmt.s) {
    case "let":
      env.vars.set(stmt.name, value(stmt.x, env));
      return;
    case "set": {
      const where = holder(stmt.name, env);
      // Read before the right side runs, which may write it.
      const old = where.vars.get(stmt.name) ?? { t: "nil" };
      const right = value(stmt.x, env);
      where.vars.set(stmt.name, stmt.op === "=" ? right : operate(stmt.op.charAt(0), old, right));
      return;
    }
    case "for": {
      for (const item of items(value(stmt.x, env))) {
        try {
          const inner: Env = { vars: new Map([[stmt.name, item]]), outer: env };
          runAll(stmt.body, { vars: new Map(), outer: inner });
        } catch (jump) {
          if (!(jump instanceof Jump)) throw jump;
          if (jump.kind === "break") return;
        }
      }
      return;
    }
    case "if":
      runAll(isTrue(value(stmt.c, env)) ? stmt.a : stmt.b, { vars: new Map(), outer: env });
      return;
    case "throw": {
      const thrown = value(stmt.x, env);
      throw new ModelError("runtime error", thrown.t === "string" ? thrown.v : inspect(thrown));
    }
    case "switch": {
      const subject = value(stmt.x, env);
      const found = stmt.cases.find(([values]) => values.some((x) => same(subject, value(x, env))));
      runAll(found === undefined ? stmt.otherwise : found[1], { vars: new Map(), outer: env });
      return;
    }
    case "index": {
      const subject = holder(stmt.name, env).vars.get(stmt.name) ?? { t: "nil" };
      const key = value(stmt.key, env);
      const old = stmt.op === "=" ? undefined : index(subject, key);
      const right = value(stmt.x, env);
      write(subject, key, old === undefined ? right : operate("+", old, right));
      return;
    }
    case "do":
      value(stmt.x, env);
      return;
    case "guard":
      try {
        runAll(stmt.body, { vars: new Map(), outer: env });
      } catch (error) {
        if (!(error instanceof ModelError)) throw error;
      }
      return;
    case "return":
      throw new Returned(value(stmt.x, env));
    default:
      throw new Jump(stmt.s);
  }
}

function write(subject: ModelValue, key: ModelValue, right: ModelValue): void {
  if (subject.t === "list") {
    index(subject, key);
    const at = key.t === "int" ? Number(key.v) : 0;
    subject.v[at < 0 ? at + subject.v.length : at] = right;
  } else if (subject.t === "map") {
    if (key.t !== "string") {
      throw new ModelError("type error", `map keys are strings (got ${name(key)})`);
    }
    const at = subject.v.findIndex(([known]) => known === key.v);
    if (at < 0) subject.v.push([key.v, right]);
    else subject.v[at] = [key.v, right];
  } else {
    throw new ModelError("type error", `object does not take assignments (got ${name(subject)})`);
  }
}

function items(collection: ModelValue): ModelValue[] {
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

function value(expr: Expr, env: Env): ModelValue {
  spend();
  switch (expr.e) {
    case "lit":
      return expr.value;
    case "var":
      return holder(expr.name, env).vars.get(expr.name) ?? { t: "nil" };
    case "bin": {
      const left = value(expr.l, env);
      return operate(expr.op, left, value(expr.r, env));
    }
    case "not":
      return { t: "bool", v: !isTrue(value(expr.x, env)) };
    case "neg": {
      const operand = value(expr.x, env);
      if (operand.t === "int") return { t: "int", v: BigInt.asIntN(64, -operand.v) };
      if (operand.t === "float") return { t: "float", v: -operand.v };
      throw new ModelError("type error", `unsupported operation for ${name(operand)}: unary -`);
    }
    case "and": {
      const left = value(expr.l, env);
      return isTrue(left) ? value(expr.r, env) : left;
    }
    case "or": {
      const left = value(expr.l, env);
      return isTrue(left) ? left : value(expr.r, env);
    }
    case "coalesce": {
      const left = value(expr.l, env);
      return left.t === "nil" ? value(expr.r, env) : left;
    }
    case "if":
      return value(isTrue(value(expr.c, env)) ? expr.a : expr.b, env);
    case "list":
      return { t: "list", v: expr.items.map((item) => value(item, env)) };
    case "map": {
      const entries: [string, ModelValue][] = [];
      for (const [key, item] of expr.items) {
        const made = value(item, env);
        const at = entries.findIndex(([known]) => known === key);
        if (at < 0) entries.push([key, made]);
        else entries[at] = [key, made];
      }
      return { t: "map", v: entries };
    }
    case "index": {
      const subject = value(expr.x, env);
      return index(subject, value(expr.i, env));
    }
    case "in": {
      const needle = value(expr.l, env);
      return { t: "bool", v: holds(value(expr.r, env), needle) };
    }
    case "template":
      return {
        t: "string",
        v: expr.parts.map((part) => typeof part === "string" ? part : text(value(part, env)))
          .join(""),
      };
    case "apply": {
      const arg = value(expr.arg, env);
      return value(expr.body, { vars: new Map([[expr.parameter, arg]]), outer: env });
    }
    case "match": {
      const subject = value(expr.x, env);
      for (const [pattern, arm] of expr.arms) {
        if (same(subject, value(pattern, env))) return value(arm, env);
      }
      return value(expr.otherwise, env);
    }
    case "try":
      try {
        return value(expr.body, env);
      } catch (error) {
        if (!(error instanceof ModelError)) throw error;
        return value(expr.caught, env);
      }
    case "kind":
      try {
        return value(expr.body, env);
      } catch (error) {
        if (!(error instanceof ModelError)) throw error;
        return { t: "string", v: error.kind };
      }
    case "slice": {
      const subject = value(expr.x, env);
      const from = expr.from && value(expr.from, env);
      return sliced(subject, from, expr.to && value(expr.to, env));
    }
    case "member":
      return member(value(expr.x, env), expr.name, expr.optional);
    case "method": {
      const subject = value(expr.x, env);
      return callMethod(subject, expr.name, expr.args.map((arg) => value(arg, env)));
    }
    case "builtin":
      return callBuiltin(expr.name, expr.args.map((arg) => value(arg, env)));
    case "callback":
      return callback(expr, env);
    case "block": {
      const inner: Env = { vars: new Map(), outer: env };
      try {
        runAll(expr.body, inner);
        return value(expr.result, inner);
      } catch (error) {
        if (error instanceof Returned) return error.value;
        throw error;
      }
    }
    case "finally": {
      try {
        return value(expr.body, env);
      } finally {
        run(expr.last, { vars: new Map(), outer: env });
      }
    }
  }
}

function callback(expr: Expr & { e: "callback" }, env: Env): ModelValue {
  const subject = value(expr.x, env);
  const call = (...args: ModelValue[]) =>
    value(expr.body, {
      vars: new Map(args.map((arg, at): [string, ModelValue] => [at === 0 ? "a" : "b", arg])),
      outer: env,
    });
  if (subject.t !== "list") throw new ModelError("type error", "*");
  const list = subject.v;
  switch (expr.name) {
    case "map":
      return { t: "list", v: list.map((item) => call(item)) };
    case "pairs":
      return { t: "list", v: list.map((item, at) => call({ t: "int", v: BigInt(at) }, item)) };
    case "filter":
      return { t: "list", v: list.filter((item) => isTrue(call(item))) };
    case "reduce":
      return list.reduce<ModelValue>((sum, item) => call(sum, item), { t: "int", v: 0n });
    case "sort":
      return {
        t: "list",
        v: insertionSorted(list, (a, b) => {
          const answer = call(a, b);
          if (answer.t === "bool") return answer.v;
          throw new ModelError("type error", "*");
        }),
      };
  }
}

const NAMES: Record<ModelValue["t"], string> = {
  nil: "null",
  bool: "bool",
  int: "int",
  float: "float",
  string: "string",
  list: "list",
  map: "map",
};

function name(given: ModelValue): string {
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

function operate(op: string, left: ModelValue, right: ModelValue): ModelValue {
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

function index(subject: ModelValue, at: ModelValue): ModelValue {
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

function holds(container: ModelValue, needle: ModelValue): boolean {
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
