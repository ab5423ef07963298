/** What the model says of builtins, and how they are written. */

import { inspect, isTrue, text } from "./model_operators.ts";
import type { ModelValue } from "./model_program.ts";
import {
  asInt,
  asList,
  asNumber,
  asString,
  bool,
  chars,
  entryOf,
  failure,
  int,
  keysOf,
  list,
  NIL,
  sortedList,
  str,
} from "./model_values.ts";

/** The values of a collection. */
function valuesOf(given: ModelValue | undefined): ModelValue[] {
  switch (given?.t) {
    case "list":
      return given.v;
    case "string":
      return chars(given.v).map(str);
    case "map":
      return keysOf(given.v).map((key) => entryOf(given.v, key) ?? NIL);
    default:
      throw failure("type error");
  }
}

function utf8Hex(given: string): string {
  return [...new TextEncoder().encode(given)].map((byte) => byte.toString(16).padStart(2, "0"))
    .join("");
}

const BUILTIN: Record<string, (args: ModelValue[]) => ModelValue> = {
  len: ([a]) => {
    if (a?.t === "string") return int(chars(a.v).length);
    if (a?.t === "list" || a?.t === "map") return int(a.v.length);
    throw failure("type error");
  },
  type: ([a]) => str(a === undefined || a.t === "nil" ? "null" : a.t),
  string: ([a]) => str(text(a ?? NIL)),
  bool: ([a]) => bool(isTrue(a ?? NIL)),
  int: ([a]) => {
    if (a?.t === "int") return a;
    if (a?.t === "bool") return int(a.v ? 1 : 0);
    if (a?.t === "float") {
      if (!Number.isFinite(a.v)) throw failure("value error");
      return { t: "int", v: BigInt.asIntN(64, BigInt(a.v < 0 ? Math.ceil(a.v) : Math.floor(a.v))) };
    }
    const digits = asString(a);
    if (!/^-?[0-9]+$/.test(digits)) throw failure("value error");
    if (BigInt.asIntN(64, BigInt(digits)) !== BigInt(digits)) throw failure("value error");
    return int(BigInt(digits));
  },
  float: ([a]) => {
    if (a?.t === "int") return { t: "float", v: Number(a.v) };
    if (a?.t === "float") return a;
    if (!/^-?[0-9]+$/.test(asString(a))) throw failure("value error");
    return { t: "float", v: Number(asString(a)) };
  },
  list: ([a]) => list(valuesOf(a).slice()),
  keys: ([a]) => {
    if (a?.t === "map") return list(keysOf(a.v).map(str));
    throw failure("type error");
  },
  sorted: ([a]) => list(sortedList(a?.t === "map" ? keysOf(a.v).map(str) : valuesOf(a))),
  reversed: ([a]) =>
    a?.t === "string" ? str(chars(a.v).reverse().join("")) : list(asList(a).slice().reverse()),
  any: ([a]) => bool(valuesOf(a).some(isTrue)),
  all: ([a]) => bool(valuesOf(a).every(isTrue)),
  chunk: ([a, b]) => {
    const [all, size] = [asList(a), asInt(b)];
    if (size <= 0n) throw failure("value error");
    const groups: ModelValue[][] = [];
    all.forEach((item, at) => {
      if (BigInt(at) % size === 0n) groups.push([]);
      groups.at(-1)?.push(item);
    });
    return list(groups.map(list));
  },
  coalesce: (args) => args.find((arg) => arg.t !== "nil") ?? NIL,
  "math.abs": ([a]) => {
    const v = asNumber(a);
    if (typeof v === "bigint") return { t: "int", v: BigInt.asIntN(64, v < 0n ? -v : v) };
    return { t: "float", v: v < 0 ? -v : v };
  },
  "math.floor": ([a]) => {
    const v = asNumber(a);
    return typeof v === "bigint" ? int(v) : { t: "float", v: Math.floor(v) };
  },
  "math.sum": ([a]) => {
    let [exact, loose, floats] = [0n, 0, false];
    for (const item of a?.t === "map" ? keysOf(a.v).map(str) : valuesOf(a)) {
      const v = asNumber(item);
      if (typeof v === "number" && !floats) [loose, floats] = [Number(exact), true];
      if (floats) loose += Number(v);
      else exact = BigInt.asIntN(64, exact + BigInt(v));
    }
    return floats ? { t: "float", v: loose } : int(exact);
  },
  hex: ([a]) => str(utf8Hex(asString(a))),
  base64: ([a]) => str(new TextEncoder().encode(asString(a)).toBase64()),
  unbase64: ([a]) => str(asString(a)),
  json: ([a]) => str(jsonText(a ?? NIL)),
  unjson: ([a]) => {
    jsonText(a ?? NIL);
    return readBack(a ?? NIL);
  },
  "%5v|%-4v|": ([a, b]) => {
    const [left, right] = [text(a ?? NIL), text(b ?? NIL)];
    const pad = (shown: string, size: number) => " ".repeat(Math.max(0, size - [...shown].length));
    return str(`${pad(left, 5)}${left}|${right}${pad(right, 4)}|`);
  },
  "%d": ([a]) =>
    str(
      a?.t === "int" ? String(a.v) : `%!d(${a?.t === "nil" ? "null" : a?.t}=${inspect(a ?? NIL)})`,
    ),
};

/** How a builtin of the model is written. */
export function builtinText(name: string, args: string[]): string {
  const all = args.join(", ");
  switch (name) {
    case "hex":
    case "base64":
    case "json":
      return `encode(${all}, "${name}")`;
    case "unbase64":
      return `decode(encode(${all}, "base64"), "base64")`;
    case "unjson":
      return `decode(encode(${all}, "json"), "json")`;
    case "%5v|%-4v|":
    case "%d":
      return `sprintf("${name}", ${all})`;
    default:
      return `${name}(${all})`;
  }
}

/** A builtin of the language. @throws ModelError */
export function callBuiltin(name: string, args: ModelValue[]): ModelValue {
  const known = BUILTIN[name];
  if (known === undefined) throw new Error(`the generator made a free builtin: ${name}`);
  return known(args);
}

/** A value after a way through JSON, where a whole float has lost its fraction. */
function readBack(given: ModelValue): ModelValue {
  switch (given.t) {
    case "float": {
      const whole = /^-?[0-9]+$/.test(String(given.v)) &&
        BigInt.asIntN(64, BigInt(given.v)) === BigInt(given.v);
      return whole ? int(BigInt(given.v)) : given;
    }
    case "list":
      return list(given.v.map(readBack));
    case "map":
      return { t: "map", v: given.v.map(([k, v]): [string, ModelValue] => [k, readBack(v)]) };
    default:
      return given;
  }
}

/** Compact JSON, keys sorted. */
function jsonText(given: ModelValue): string {
  switch (given.t) {
    case "nil":
      return "null";
    case "string":
      return JSON.stringify(given.v);
    case "float":
      if (!Number.isFinite(given.v)) throw failure("value error");
      return String(given.v);
    case "list":
      return `[${given.v.map(jsonText).join(",")}]`;
    case "map":
      return `{${
        keysOf(given.v).map((key) =>
          `${JSON.stringify(key)}:${jsonText(entryOf(given.v, key) ?? NIL)}`
        ).join(",")
      }}`;
    default:
      return String(given.v);
  }
}
