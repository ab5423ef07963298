/**
 * A second, independent reading of the language: a plain tree walker that says what programs of
 * `model_program.ts` must do. It shares no code with the compiler or the library.
 */

import { callBuiltin } from "./model_builtins.ts";
import { callMethod, member, sliced } from "./model_methods.ts";
import { ModelError, spend, startCounting } from "./model_failures.ts";
import {
  holds,
  index,
  inspect,
  isTrue,
  items,
  name,
  operate,
  same,
  text,
} from "./model_operators.ts";
import { insertionSorted } from "./model_values.ts";
import type { Expr, ModelValue, Program, Stmt } from "./model_program.ts";

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
  startCounting();
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
