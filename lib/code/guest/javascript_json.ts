/** JSON and the values of JavaScript scripts; integers past 2^53 are bigints both ways. */

import {
  floatText,
  type JsonBuilder,
  jsonString,
  needsExactReader,
  readJson,
  writeJson,
} from "./json.ts";

const BUILDER: JsonBuilder<unknown> = {
  object(entries) {
    const object: Record<string, unknown> = {};
    for (const [key, value] of entries) {
      Object.defineProperty(object, key, {
        value,
        enumerable: true,
        configurable: true,
        writable: true,
      });
    }
    return object;
  },
  array: (items) => items,
  scalar: (value) => value,
  number(text) {
    const value = Number(text);
    return /^-?[0-9]+$/.test(text) && !Number.isSafeInteger(value) ? BigInt(text) : value;
  },
};

/** Reads what the host answered. */
export function valueOfReply(text: string): unknown {
  return needsExactReader(text) ? readJson(text, BUILDER) : JSON.parse(text);
}

/** Compact JSON with sorted keys. @throws TypeError for what JSON cannot hold. */
export function jsonOf(value: unknown): string {
  return writeJson<unknown>(value, {
    cyclic: () => new TypeError("cannot encode a value that contains itself"),
    shape(current) {
      switch (typeof current) {
        case "undefined":
          return { kind: "text", text: "null" };
        case "boolean":
        case "bigint":
          return { kind: "text", text: String(current) };
        case "string":
          return { kind: "text", text: jsonString(current) };
        case "number":
          if (Number.isFinite(current)) return { kind: "text", text: floatText(current) };
          throw new TypeError(`cannot encode ${current}`);
        case "object":
          break;
        default:
          throw new TypeError(`cannot encode a ${typeof current}`);
      }
      if (current === null) return { kind: "text", text: "null" };
      if (Array.isArray(current)) return { kind: "array", items: [...current] };
      const entries = current instanceof Map
        ? [...current].map(([key, inner]): [string, unknown] => [String(key), inner])
        : current instanceof Set
        ? undefined
        : Object.entries(current);
      if (entries === undefined) return { kind: "array", items: [...(current as Set<unknown>)] };
      return {
        kind: "object",
        entries: entries.filter(([, inner]) => inner !== undefined && typeof inner !== "function"),
      };
    },
  });
}
