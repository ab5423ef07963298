/**
 * Small repairs of arguments before validation (spec 11 §2): what models commonly get wrong and
 * nothing that could change the meaning of a call.
 */

import { isJsonObject, isRawNumber, type JsonObject, type JsonValue } from "../lib/json/mod.ts";

/** A repaired copy of `args`; the schema is the tool's input schema. */
export function normaliseArguments(args: JsonObject, schema: JsonObject): JsonObject {
  const properties = isJsonObject(schema.properties) ? schema.properties : {};
  const required = new Set(Array.isArray(schema.required) ? schema.required : []);
  const repaired: JsonObject = {};
  for (const [name, value] of Object.entries(args)) {
    const property = Object.hasOwn(properties, name) ? properties[name] : undefined;
    if (name === "_meta" && property === undefined) continue;
    if (!isJsonObject(property)) repaired[name] = value;
    else if (!required.has(name) && standsForAbsent(value, property)) continue;
    else repaired[name] = repairScalar(value, property);
  }
  return repaired;
}

function standsForAbsent(value: JsonValue, property: JsonObject): boolean {
  return value === null || (value === "" && property.type !== "string");
}

function repairScalar(value: JsonValue, property: JsonObject): JsonValue {
  if (property.type === "string" && wantsDigits(property)) {
    if (isRawNumber(value)) return value.rawJSON;
    if (typeof value === "number" && Number.isInteger(value)) return String(value);
  }
  if (property.type === "integer" && typeof value === "string") {
    const parsed = /^(0|-?[1-9][0-9]*)$/.test(value) ? Number(value) : NaN;
    if (Number.isSafeInteger(parsed)) return parsed;
  }
  if (property.type === "boolean" && (value === "true" || value === "false")) {
    return value === "true";
  }
  return value;
}

/** A string property whose pattern takes plain digits, such as `max_items`. */
function wantsDigits(property: JsonObject): boolean {
  return typeof property.pattern === "string" && new RegExp(property.pattern).test("1");
}
