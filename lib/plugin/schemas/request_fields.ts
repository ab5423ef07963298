/** The arguments of a plugin's tool as the catalog states arguments (spec 06 §3.3, 08 §4.3). Pure. */

import type { FieldType, RequestField } from "../../catalog/types.ts";
import { isJsonObject, type JsonObject, type JsonValue } from "../../json/mod.ts";

/** Keywords whose meaning a flat list of arguments cannot carry. */
const COMPOSED = [
  ...["$ref", "$dynamicRef", "allOf", "anyOf", "oneOf", "not", "if"],
  ...["patternProperties", "unevaluatedProperties", "dependentSchemas"],
];

const TYPES: readonly unknown[] = ["string", "integer", "number", "boolean", "array", "object"];

/** An argument that the kernel gives a meaning of its own. */
const RESERVED = "body";

/**
 * The arguments behind a request schema, so that they can be given as flags, described and checked
 * like those of every operation. Undefined when the schema takes names it does not list, or says
 * something that a list cannot: then the schema alone judges a call.
 */
export function requestFields(schema: JsonObject): RequestField[] | undefined {
  if (COMPOSED.some((keyword) => Object.hasOwn(schema, keyword))) return undefined;
  const { properties, required, additionalProperties: more = false } = schema;
  if (!isJsonObject(properties) || more !== false) return undefined;
  const needed = Array.isArray(required) ? required : [];
  const fields: RequestField[] = [];
  for (const [name, property] of Object.entries(properties)) {
    const field = name === "" || name === RESERVED || !isJsonObject(property)
      ? undefined
      : requestField(name, property);
    if (field === undefined) return undefined;
    fields.push(needed.includes(name) ? { ...field, required: true } : field);
  }
  return fields;
}

function requestField(name: string, property: JsonObject): RequestField | undefined {
  const type = plainType(property);
  if (type === undefined) return undefined;
  const field: RequestField = { name, location: "arg", type };
  if (type === "array" && isJsonObject(property.items)) {
    const itemType = plainType(property.items);
    if (itemType !== undefined) field.item_type = itemType;
  }
  const choices = type === "string" ? textsOf(property.enum) : undefined;
  if (choices !== undefined) field.enum = choices;
  if (typeof property.format === "string") field.format = property.format;
  if (typeof property.description === "string") field.description = property.description;
  return field;
}

/** One type; a choice with null counts, because an absent argument stands for it. */
function plainType({ type, enum: choices }: JsonObject): FieldType | undefined {
  const named = Array.isArray(type) ? type.filter((word) => word !== "null") : [type];
  const [only, second] = named;
  if (only === undefined && textsOf(choices) !== undefined) return "string";
  return second === undefined && TYPES.includes(only) ? only as FieldType : undefined;
}

function textsOf(value: JsonValue | undefined): string[] | undefined {
  if (!Array.isArray(value) || value.length === 0) return undefined;
  const texts = value.filter((item) => typeof item === "string" && item !== "");
  return texts.length === value.length ? texts as string[] : undefined;
}
