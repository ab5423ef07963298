/** The modules `math` and `regexp` (spec 09 §11.6). */

import { asFloat, asString } from "./arguments.ts";
import { binary, elements, negate, order } from "./operators.ts";
import { step, stepBy } from "./runtime.ts";
import { builtin, ModuleValue, typeError, typeName, type Value, valueError } from "./values.ts";

function module(label: string, members: Record<string, Value>): ModuleValue {
  return new ModuleValue(label, new Map(Object.entries(members)));
}

/** Whole numbers stay as they are; floats are rounded and stay floats. */
function rounding(name: string, round: (value: number) => number): Value {
  return builtin(
    name,
    [1, 1],
    (value = null) => typeof value === "bigint" ? value : round(asFloat(value)),
  );
}

function extreme(name: string, better: (difference: number) => boolean): Value {
  return builtin(name, [1, -1], (...args) => {
    const [first] = args;
    const items = args.length === 1 && first !== undefined && typeof first === "object"
      ? [...elements(first)]
      : args;
    let best: Value | undefined;
    for (const item of items) {
      step();
      asFloat(item);
      if (best === undefined || better(order(item, best))) best = item;
    }
    if (best === undefined) throw valueError(`${name} of nothing`);
    return best;
  });
}

/** `math`. */
export const MATH: Value = module("math", {
  abs: builtin("abs", [1, 1], (value = null) => {
    asFloat(value);
    return order(value, 0n) < 0 ? negate(value) : value;
  }),
  ceil: rounding("ceil", Math.ceil),
  floor: rounding("floor", Math.floor),
  // Halves go away from zero, as people round.
  round: rounding("round", (value) => Math.sign(value) * Math.round(Math.abs(value))),
  max: extreme("max", (difference) => difference > 0),
  min: extreme("min", (difference) => difference < 0),
  pow: builtin("pow", [2, 2], (base = null, exponent = null) => asFloat(base) ** asFloat(exponent)),
  sqrt: builtin("sqrt", [1, 1], (value = null) => Math.sqrt(asFloat(value))),
  sign: builtin("sign", [1, 1], (value = null) => BigInt(Math.sign(asFloat(value)) || 0)),
  sum: builtin("sum", [1, 1], (items = null) => {
    let total: Value = 0n;
    for (const item of elements(items)) {
      step();
      asFloat(item);
      total = binary("+", total, item);
    }
    return total;
  }),
  pi: Math.PI,
  e: Math.E,
});

/** Look-around and back-references are what makes expressions slow and surprising. */
function expression(pattern: Value | undefined, flags = ""): RegExp {
  const source = asString(pattern);
  // Inside a class every character stands for itself.
  const bare = source.replace(/\\[^1-9k]/g, "").replace(/\[[^\]]*\]/g, "");
  if (/\(\?<?[=!]/.test(bare)) throw valueError("regexp: look-around is not supported");
  if (/\\[1-9k]/.test(bare)) throw valueError("regexp: back-references are not supported");
  try {
    return new RegExp(source, `u${flags}`);
  } catch (error) {
    if (!(error instanceof SyntaxError)) throw error;
    throw valueError(`regexp: ${error.message}`);
  }
}

function subject(value: Value | undefined): string {
  if (typeof value !== "string") {
    throw typeError(`expected a string (got ${typeName(value ?? null)})`);
  }
  stepBy(value.length >> 4);
  return value;
}

/** `regexp`; the pattern is always the first argument. */
export const REGEXP: Value = module("regexp", {
  match: builtin("match", [2, 2], (pattern, text) => expression(pattern).test(subject(text))),
  find: builtin("find", [2, 2], (pattern, text) => {
    const found = expression(pattern).exec(subject(text));
    return found === null ? null : found[0];
  }),
  find_all: builtin("find_all", [2, 2], (pattern, text) => {
    const matches: Value[] = [];
    for (const match of subject(text).matchAll(expression(pattern, "g"))) {
      step();
      matches.push(match[0]);
    }
    return matches;
  }),
  replace: builtin(
    "replace",
    [3, 3],
    (pattern, text, replacement) =>
      subject(text).replace(expression(pattern, "g"), asString(replacement)),
  ),
  split: builtin(
    "split",
    [2, 2],
    (pattern, text) => subject(text).split(expression(pattern)).map((piece) => piece ?? ""),
  ),
  escape: builtin(
    "escape",
    [1, 1],
    (text) => subject(text).replace(/[\\^$.*+?()[\]{}|/]/g, "\\$&"),
  ),
});
