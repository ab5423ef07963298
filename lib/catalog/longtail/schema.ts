/** Body schemas inlined into an operation's arguments (spec 04 §10 "Describe"). */

import { isJsonObject, type JsonObject } from "../../json/mod.ts";
import type { DiscoverySchema } from "../derive/mod.ts";
import type { SchemasChunk } from "./types.ts";

/** Levels of `$ref` that are written out; what lies deeper is `{}`. */
const REF_DEPTH = 3;

/** The argument document with the structure below its body properties. */
export function nestedSchema(
  document: JsonObject,
  source: { schemas: SchemasChunk; body: string },
): JsonObject {
  const { properties } = document;
  const body = isJsonObject(properties) ? properties.body : undefined;
  const known = source.schemas[source.body]?.properties ?? {};
  if (!isJsonObject(properties) || !isJsonObject(body) || !isJsonObject(body.properties)) {
    return document;
  }
  const nested = Object.fromEntries(
    Object.entries(body.properties).map(([name, flat]) => {
      const schema = known[name];
      if (schema === undefined || !isJsonObject(flat)) return [name, flat];
      const deep = inlined(schema, { schemas: source.schemas, path: [source.body] });
      return [name, { ...deep, ...flat, ...structureOf(deep, flat) }];
    }),
  );
  return { ...document, properties: { ...properties, body: { ...body, properties: nested } } };
}

/** The parts of the deep form that the flat one cannot have. */
function structureOf(deep: JsonObject, flat: JsonObject): JsonObject {
  return {
    ...(deep.items === undefined || isJsonObject(flat.items) && "enum" in flat.items
      ? {}
      : { items: deep.items }),
    ...(deep.properties === undefined ? {} : { properties: deep.properties }),
    ...(deep.additionalProperties === undefined
      ? {}
      : { additionalProperties: deep.additionalProperties }),
  };
}

function inlined(
  schema: DiscoverySchema,
  walk: { schemas: SchemasChunk; path: readonly string[] },
): JsonObject {
  if (schema.$ref !== undefined) {
    const target = walk.schemas[schema.$ref];
    const tooDeep = walk.path.length > REF_DEPTH || walk.path.includes(schema.$ref);
    if (target === undefined || tooDeep) return {};
    return inlined(target, { ...walk, path: [...walk.path, schema.$ref] });
  }
  const properties = Object.entries(schema.properties ?? {});
  const type = properties.length > 0 || schema.additionalProperties !== undefined
    ? "object"
    : schema.items !== undefined
    ? "array"
    : schema.type ?? "string";
  return {
    ...(type === "any" ? {} : { type }),
    ...(schema.format === undefined ? {} : { format: schema.format }),
    ...(schema.enum === undefined ? {} : { enum: [...schema.enum] }),
    ...(schema.readOnly === true ? { readOnly: true } : {}),
    ...(schema.items === undefined ? {} : { items: inlined(schema.items, walk) }),
    ...(properties.length === 0 ? {} : {
      properties: Object.fromEntries(
        properties.map(([name, property]) => [name, inlined(property, walk)]),
      ),
    }),
    ...(schema.additionalProperties === undefined
      ? {}
      : { additionalProperties: inlined(schema.additionalProperties, walk) }),
  };
}
