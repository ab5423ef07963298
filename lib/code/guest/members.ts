/** Attributes and methods of every type (spec 09 §11.4, §11.7). */

import { asFunction, asMap, asString } from "./arguments.ts";
import { listMethods, type Method, rangeMethods } from "./list_methods.ts";
import { counters, invoke, step } from "./runtime.ts";
import { valueOfReply } from "./script_json.ts";
import { TEXT_METHODS } from "./text_methods.ts";
import {
  builtin,
  ErrorValue,
  ModuleValue,
  RangeValue,
  sortedKeys,
  truthy,
  typeError,
  typeName,
  type Value,
} from "./values.ts";

const LIST_METHODS = listMethods(truthy);
const RANGE_METHODS = rangeMethods(truthy);

const MAP_METHODS: Record<string, Method<Map<string, Value>>> = {
  clear: [0, 0, (map) => {
    map.clear();
    return map;
  }],
  copy: [0, 0, (map) => new Map(map)],
  each: [1, 1, (map, callback) => {
    for (const key of sortedKeys(map)) {
      step();
      invoke(asFunction(callback), [key, map.get(key) ?? null]);
    }
    return null;
  }],
  entries: [0, 0, (map) => sortedKeys(map).map((key) => [key, map.get(key) ?? null])],
  get: [
    1,
    2,
    (map, key, fallback = null) =>
      map.get(asString(key)) ?? (map.has(asString(key)) ? null : fallback),
  ],
  keys: [0, 0, (map) => sortedKeys(map)],
  pop: [1, 2, (map, key, fallback) => {
    const name = asString(key);
    const value = map.get(name);
    if (value === undefined && fallback === undefined) {
      throw new ErrorValue("key error", `key ${JSON.stringify(name)} not found`);
    }
    map.delete(name);
    return value ?? fallback ?? null;
  }],
  setdefault: [2, 2, (map, key, value = null) => {
    const name = asString(key);
    if (!map.has(name)) map.set(name, value);
    return map.get(name) ?? null;
  }],
  update: [1, 1, (map, other) => {
    for (const [key, value] of asMap(other)) map.set(key, value);
    return map;
  }],
  values: [0, 0, (map) => sortedKeys(map).map((key) => map.get(key) ?? null)],
};

const ERROR_METHODS: Record<string, Method<ErrorValue>> = {
  code: [0, 0, (error) => error.code ?? null],
  column: [0, 0, (error) => BigInt(error.column)],
  details: [0, 0, (error) => error.envelope === undefined ? null : valueOfReply(error.envelope)],
  error: [0, 0, (error) => error.message],
  kind: [0, 0, (error) => error.kind],
  line: [0, 0, (error) => BigInt(error.line)],
  message: [0, 0, (error) => error.message],
};

/** The method of a value, bound to it. */
function methodOf(subject: Value, name: string): Value | undefined {
  if (typeof subject === "string") return bound(TEXT_METHODS, name, subject);
  if (Array.isArray(subject)) return bound(LIST_METHODS, name, subject);
  if (subject instanceof Map) return bound(MAP_METHODS, name, subject);
  if (subject instanceof RangeValue) return bound(RANGE_METHODS, name, subject);
  return subject instanceof ErrorValue ? bound(ERROR_METHODS, name, subject) : undefined;
}

function bound<Subject>(
  methods: Record<string, Method<Subject>>,
  name: string,
  subject: Subject,
): Value | undefined {
  const method = Object.hasOwn(methods, name) ? methods[name] : undefined;
  if (method === undefined) return undefined;
  const [fewest, most, body] = method;
  return builtin(name, [fewest, most], (...args) => body(subject, ...args));
}

function missing(subject: Value, name: string): ErrorValue {
  return typeError(`attribute ${JSON.stringify(name)} not found on ${typeName(subject)} object`);
}

/** `subject.name` or `subject?.name`. */
export function readMember(subject: Value, name: string, optional: boolean): Value {
  if (optional && subject === null) return null;
  if (subject instanceof Map) {
    const value = subject.get(name);
    if (value !== undefined) return value;
  }
  if (subject instanceof ModuleValue) {
    const value = subject.members.get(name);
    if (value !== undefined) return value;
  }
  if (subject instanceof RangeValue && ["start", "stop", "step"].includes(name)) {
    return subject[name as "start" | "stop" | "step"];
  }
  const method = methodOf(subject, name);
  if (method !== undefined) return method;
  if (optional && subject instanceof Map) return null;
  throw missing(subject, name);
}

/** `subject.name(args)`: the method if there is one, else the value. */
export function callMember(subject: Value, name: string, args: Value[]): Value {
  const method = methodOf(subject, name);
  return invoke(method ?? readMember(subject, name, false), args);
}

/** `subject?.name(args)`; nil is answered before the arguments are evaluated. */
export function callOptionalMember(subject: Value, name: string, args: () => Value[]): Value {
  if (subject === null) return null;
  const method = methodOf(subject, name) ?? readMember(subject, name, true);
  return method === null ? null : invoke(method, args());
}

/** What an assignment makes of the value that is there. */
export interface Assignment {
  replace(old: Value): Value;
}

/** `subject.name = value`, for a key that is already there. */
export function writeMember(
  subject: Value,
  name: string,
  assigned: Assignment,
): void {
  if (!(subject instanceof Map)) {
    throw typeError(`object does not take assignments (got ${typeName(subject)})`);
  }
  const key = JSON.stringify(name);
  const old = subject.get(name);
  if (old === undefined) {
    throw new ErrorValue(
      "key error",
      `key ${key} does not exist (use m[${key}] = value to add new keys)`,
    );
  }
  subject.set(name, assigned.replace(old));
}

/** Forgets calls that an error has left behind. */
export function unwindTo(depth: number): void {
  counters.depth = depth;
}
