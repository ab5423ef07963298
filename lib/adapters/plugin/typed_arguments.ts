/** Text that stands for a number or a truth value, as a command line gives it. Pure. */

import type { RequestField } from "../../catalog/types.ts";
import type { JsonObject, JsonValue } from "../../json/mod.ts";

type Typed = Pick<RequestField, "name" | "type" | "item_type">;

/**
 * The arguments with text turned into the declared type where it says exactly one value of it, as
 * for operations of GUM's own. Everything else stays as it is, for the schema to judge.
 */
export function typedArguments(fields: readonly Typed[], args: JsonObject): JsonObject {
  const typed: JsonObject = { ...args };
  for (const { name, type, item_type: itemType } of fields) {
    const value = Object.hasOwn(args, name) ? args[name] : undefined;
    if (value === undefined) continue;
    typed[name] = type === "array" && Array.isArray(value)
      ? value.map((element) => typedValue(element, itemType))
      : typedValue(value, type);
  }
  return typed;
}

function typedValue(value: JsonValue, type: string | undefined): JsonValue {
  if (typeof value !== "string") return value;
  switch (type) {
    case "integer":
      return /^[+-]?[0-9]{1,15}$/.test(value) ? Number(value) : value;
    case "number":
      return /^[+-]?[0-9]{1,15}(\.[0-9]{1,15})?(e[+-]?[0-9]{1,2})?$/i.test(value)
        ? Number(value)
        : value;
    case "boolean":
      return value === "true" ? true : value === "false" ? false : value;
    default:
      return value;
  }
}
