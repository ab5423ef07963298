/** Request schema documents, served as `gum://schema/{ref}` (spec 04 §2.14). */
import type { JsonObject, JsonValue } from "../../json/mod.ts";
import type { RequestField } from "../types.ts";
import { CatalogError, decodeDefault, requestRef } from "../validate/mod.ts";

/** What a schema is made from. */
export interface RequestSchemaSource {
  fields: readonly RequestField[];
  /** Every known body field; those beyond `fields` are documented but not listed. */
  bodyFields?: readonly RequestField[];
  /** True when no other body key may occur. */
  exhaustiveBody?: boolean;
}

/** Builds the schema document of one operation; undefined when it has no request fields. */
export function buildRequestSchema(
  opId: string,
  source: RequestSchemaSource,
): JsonObject | undefined {
  if (source.fields.length === 0) return undefined;
  const properties: JsonObject = {};
  const required: string[] = [];
  for (const field of source.fields) {
    if (field.location === "body") continue;
    properties[field.name] = fieldSchema(field);
    if (field.required === true) required.push(field.name);
  }
  const body = source.bodyFields ?? source.fields.filter((field) => field.location === "body");
  if (body.length > 0) {
    const bodyProperties: JsonObject = {};
    for (const field of body) bodyProperties[field.name] = fieldSchema(field);
    const bodyRequired = body.filter((field) => field.required === true).map((f) => f.name).sort();
    properties.body = {
      type: "object",
      properties: bodyProperties,
      additionalProperties: source.exhaustiveBody !== true,
      ...(bodyRequired.length > 0 ? { required: bodyRequired } : {}),
    };
    if (bodyRequired.length > 0) required.push("body");
  }
  return {
    $schema: "https://json-schema.org/draft/2020-12/schema",
    $id: requestRef(opId),
    title: opId,
    type: "object",
    properties,
    additionalProperties: false,
    ...(required.length > 0 ? { required: required.sort() } : {}),
  };
}

function fieldSchema(field: RequestField): JsonObject {
  const schema: JsonObject = { type: field.type };
  if (field.description !== undefined) schema.description = field.description;
  const constraints: JsonObject = {};
  if (field.enum !== undefined) constraints.enum = [...field.enum];
  if (field.format !== undefined) constraints.format = field.format;
  if (field.pattern !== undefined) constraints.pattern = field.pattern;
  if (field.type === "array") {
    const items: JsonObject = field.item_type === undefined ? {} : { type: field.item_type };
    schema.items = { ...items, ...constraints };
  } else Object.assign(schema, constraints);
  if (field.default !== undefined) schema.default = decodeDefault(field) as JsonValue;
  return schema;
}

/** Refs of many operations; two operations that share one cannot both be served. */
export function assignRequestRefs(opIds: readonly string[]): Map<string, string> {
  const owner = new Map<string, string>();
  const refs = new Map<string, string>();
  for (const opId of opIds) {
    const ref = requestRef(opId);
    const other = owner.get(ref);
    if (other !== undefined) {
      throw new CatalogError("SCHEMA_REF_COLLISION", `${ref} is also the ref of ${other}`, {
        opId,
      });
    }
    owner.set(ref, opId);
    refs.set(opId, ref);
  }
  return refs;
}
