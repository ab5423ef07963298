/** Runs a compiled script: the primitives it calls and what became of it (spec 09 §13). */

import { BUILTINS } from "./builtins.ts";
import type { HostBridge, Outcome, RunSettings } from "./host.ts";
import { hostFunctions } from "./host_functions.ts";
import {
  type Assignment,
  callMember,
  callOptionalMember,
  readMember,
  unwindTo,
  writeMember,
} from "./members.ts";
import {
  binary,
  contains,
  elements,
  equal,
  mapKey,
  negate,
  readIndex,
  slice,
  writeIndex,
} from "./operators.ts";
import { counters, invoke, placed, scriptError, step } from "./runtime.ts";
import { jsonOf } from "./script_json.ts";
import { inspect, textOf } from "./text_form.ts";
import {
  ErrorValue,
  Halt,
  scriptFunction,
  sortedKeys,
  truthy,
  typeError,
  typeName,
  type Value,
  valueError,
} from "./values.ts";

function pairs(value: Value): Iterable<readonly [Value, Value]> {
  if (value instanceof Map) return sortedKeys(value).map((key) => [key, value.get(key) ?? null]);
  return numbered(elements(value));
}

function* numbered(items: Iterable<Value>): Iterable<readonly [Value, Value]> {
  let index = 0n;
  for (const item of items) yield [index++, item];
}

/** Keys and values by turns; a value without a key is a map whose entries come in. */
function mapOf(entries: readonly (Value | undefined)[]): Value {
  const map = new Map<string, Value>();
  for (let index = 0; index < entries.length; index += 2) {
    const key = entries[index];
    const value = entries[index + 1] ?? null;
    if (key !== undefined) map.set(mapKey(key), value);
    else if (value instanceof Map) { for (const [name, inner] of value) map.set(name, inner); }
    else throw typeError(`expected a map (got ${typeName(value)})`);
  }
  return map;
}

function unpacked(value: Value, count: number): Value[] {
  const items: Value[] = [];
  for (const item of elements(value)) {
    step();
    items.push(item);
    // A long range needs no counting to its end.
    if (items.length > count && !Array.isArray(value)) break;
  }
  const given = Array.isArray(value) ? value.length : items.length;
  if (given > count) throw valueError(`unpack count mismatch: ${given} > ${count}`);
  while (items.length < count) items.push(null);
  return items;
}

function field(map: Map<string, Value>, name: string, hasFallback: boolean): Value {
  const value = map.get(name);
  if (value !== undefined) return value;
  if (hasFallback) return null;
  throw typeError(`attribute ${JSON.stringify(name)} not found on map object`);
}

function caught(error: unknown, depth: number): ErrorValue {
  const known = scriptError(error);
  if (known === undefined) throw error;
  unwindTo(depth);
  return known;
}

function thrown(value: Value): ErrorValue {
  if (value instanceof ErrorValue) return value;
  return new ErrorValue("runtime error", typeof value === "string" ? value : inspect(value));
}

interface Place {
  line: number;
  column: number;
}

/** An assignment: what stands there becomes what is on the right, or an operation on both. */
function assigned(operator: string, right: Value | (() => Value)): Assignment {
  return operator === "="
    ? { replace: () => right as Value }
    : { replace: (old) => binary(operator, old, (right as () => Value)()) };
}

/** The primitives of the emitted program; every one that can fail ends with a line and a column. */
function primitivesOf(run: { bridge: HostBridge; settings: RunSettings }, end: Place) {
  const { bridge, settings } = run;
  return {
    alive(depth: number) {
      if (counters.halted) throw new Halt();
      unwindTo(depth);
    },
    attr: (subject: Value, name: string, optional: boolean, l: number, c: number) =>
      placed(l, c, () => readMember(subject, name, optional)),
    b: { ...BUILTINS, ...hostFunctions(bridge, settings) },
    bin: (operator: string, left: Value, right: Value, l: number, c: number) =>
      placed(l, c, () => binary(operator, left, right)),
    // Calls nest as deep as scripts recurse: every frame between two of them costs stack.
    call: (callee: Value, args: Value[], l: number, c: number) => {
      try {
        return invoke(callee, args);
      } catch (error) {
        throw scriptError(error)?.at(l, c) ?? error;
      }
    },
    caught,
    depth: () => counters.depth,
    end(line: number, column: number) {
      end.line = line;
      end.column = column;
    },
    eq: (left: Value, right: Value) => equal(left, right),
    field: (map: Map<string, Value>, name: string, hasFallback: boolean, l: number, c: number) =>
      placed(l, c, () => field(map, name, hasFallback)),
    fn: scriptFunction,
    idx: (subject: Value, index: Value, l: number, c: number) =>
      placed(l, c, () => readIndex(subject, index)),
    in: (needle: Value, container: Value, l: number, c: number) =>
      placed(l, c, () => contains(needle, container)),
    items: (value: Value, l: number, c: number) => placed(l, c, () => elements(value)),
    map: (l: number, c: number, ...entries: (Value | undefined)[]) =>
      placed(l, c, () => mapOf(entries)),
    mcall: (subject: Value, name: string, args: Value[], l: number, c: number) => {
      try {
        return callMember(subject, name, args);
      } catch (error) {
        throw scriptError(error)?.at(l, c) ?? error;
      }
    },
    neg: (value: Value, l: number, c: number) => placed(l, c, () => negate(value)),
    omcall: (subject: Value, name: string, args: () => Value[], l: number, c: number) =>
      placed(l, c, () => callOptionalMember(subject, name, args)),
    pairs: (value: Value, l: number, c: number) => placed(l, c, () => pairs(value)),
    s: step,
    setattr: (
      subject: Value,
      name: string,
      operator: string,
      right: Value | (() => Value),
      l: number,
      c: number,
    ) => placed(l, c, () => writeMember(subject, name, assigned(operator, right))),
    setidx: (
      subject: Value,
      index: Value,
      operator: string,
      right: Value | (() => Value),
      l: number,
      c: number,
    ) =>
      placed(l, c, () => {
        const { replace } = assigned(operator, right);
        const value = operator === "=" ? replace(null) : replace(readIndex(subject, index));
        writeIndex(subject, index, value);
      }),
    slice: (subject: Value, from: Value, to: Value, l: number, c: number) =>
      placed(l, c, () => slice(subject, from, to)),
    spread: (value: Value, l: number, c: number) => placed(l, c, () => elements(value)),
    str: (...parts: Value[]) => parts.map(textOf).join(""),
    t: truthy,
    throw(value: Value, l: number, c: number): never {
      throw thrown(value).at(l, c);
    },
    unlist: (value: Value, count: number, l: number, c: number) =>
      placed(l, c, () => unpacked(value, count)),
    unmap: (value: Value, l: number, c: number) =>
      placed(l, c, () => {
        if (value instanceof Map) return value;
        throw typeError(`expected a map (got ${typeName(value)})`);
      }),
  };
}

/** Runs a program to its end. Limits and engine errors are thrown on to the worker. */
export function runScript(
  program: (primitives: unknown) => unknown,
  run: { bridge: HostBridge; settings: RunSettings },
): Outcome {
  const end: Place = { line: 0, column: 0 };
  try {
    const value = program(primitivesOf(run, end)) as Value;
    if (value === null || typeof value === "function") return { kind: "value", text: null };
    const encode = () => typeof value === "string" ? value : jsonOf(value);
    return { kind: "value", text: placed(end.line, end.column, encode) };
  } catch (error) {
    const { kind, message, line, column, envelope } = caught(error, 0);
    return { kind: "error", errorKind: kind, message, line, column, envelope };
  }
}
