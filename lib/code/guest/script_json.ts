/** JSON and the values of the script language. */

import {
  floatText,
  type JsonBuilder,
  jsonString,
  needsExactReader,
  readJson,
  writeJson,
} from "./json.ts";
import { stepBy } from "./runtime.ts";
import { RangeValue, typeError, typeName, type Value, valueError } from "./values.ts";

const INT_MIN = -(1n << 63n);
const INT_MAX = (1n << 63n) - 1n;

const BUILDER: JsonBuilder<Value> = {
  object: (entries) => new Map(entries),
  array: (items) => items,
  scalar: (value) => value,
  number(text) {
    if (!/^-?[0-9]+$/.test(text)) return Number(text);
    const value = BigInt(text);
    return value >= INT_MIN && value <= INT_MAX ? value : Number(text);
  },
};

/** Reads what the host answered. Its plain integers survive the engine's fast parser. */
export function valueOfReply(text: string): Value {
  return needsExactReader(text) ? readJson(text, BUILDER) : converted(JSON.parse(text));
}

function converted(parsed: unknown): Value {
  if (typeof parsed === "number") {
    return Number.isSafeInteger(parsed) ? BigInt(parsed) : parsed;
  }
  if (Array.isArray(parsed)) return parsed.map(converted);
  if (typeof parsed === "object" && parsed !== null) {
    const map = new Map<string, Value>();
    for (const key of Object.keys(parsed)) {
      map.set(key, converted((parsed as Record<string, unknown>)[key]));
    }
    return map;
  }
  return parsed as Value;
}

/** Reads JSON that the script holds as text, digit by digit. */
export function valueOfJson(text: string): Value {
  try {
    stepBy(text.length >> 4);
    return readJson(text, BUILDER);
  } catch (error) {
    if (error instanceof SyntaxError) throw valueError(`invalid JSON: ${error.message}`);
    throw error;
  }
}

/** Compact JSON of a value. @throws ErrorValue for what JSON cannot hold. */
export function jsonOf(value: Value): string {
  return writeJson<Value>(value, {
    cyclic: () => valueError("cannot encode a value that contains itself"),
    shape(current) {
      if (current === null) return { kind: "text", text: "null" };
      switch (typeof current) {
        case "boolean":
        case "bigint":
          return { kind: "text", text: String(current) };
        case "string":
          return { kind: "text", text: jsonString(current) };
        case "number":
          if (Number.isFinite(current)) return { kind: "text", text: floatText(current) };
          throw valueError(`cannot encode ${current}`);
      }
      if (Array.isArray(current)) {
        stepBy(1 + (current.length >> 2));
        return { kind: "array", items: current };
      }
      if (current instanceof Map) {
        stepBy(1 + (current.size >> 2));
        return { kind: "object", entries: [...current] };
      }
      if (current instanceof RangeValue) {
        const items: Value[] = [];
        for (const item of current) {
          stepBy(1);
          items.push(item);
        }
        return { kind: "array", items };
      }
      throw typeError(`cannot encode ${typeName(current)}`);
    },
  });
}
