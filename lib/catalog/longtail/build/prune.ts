/** Discovery methods and schemas as the pack stores them. */

import {
  bodyFields,
  deriveDescription,
  type DiscoveryDocument,
  type DiscoveryMethod,
  type DiscoverySchema,
} from "../../derive/mod.ts";

/** A parameter or body property: what a request field is made of. */
export function prunedSpec(spec: DiscoverySchema): DiscoverySchema {
  const description = deriveDescription(spec.description);
  const choices = spec.enum?.filter((choice) => choice !== "");
  return {
    ...(spec.type === undefined || spec.type === "string" && spec.$ref === undefined
      ? {}
      : { type: spec.type }),
    ...(spec.$ref === undefined ? {} : { $ref: spec.$ref }),
    ...(spec.format === undefined ? {} : { format: spec.format }),
    ...(spec.location === "path" ? { location: "path" } : {}),
    ...(spec.required === true && spec.location !== "path" ? { required: true } : {}),
    ...(spec.repeated === true ? { repeated: true } : {}),
    ...(choices === undefined || choices.length === 0 ? {} : { enum: choices }),
    ...(spec.items === undefined ? {} : { items: itemSpec(spec.items) }),
    ...(description === undefined ? {} : { description }),
  };
}

function itemSpec(items: DiscoverySchema): DiscoverySchema {
  const choices = items.enum?.filter((choice) => choice !== "");
  return {
    ...(items.type === undefined ? {} : { type: items.type }),
    ...(items.$ref === undefined ? {} : { $ref: items.$ref }),
    ...(choices === undefined || choices.length === 0 ? {} : { enum: choices }),
  };
}

/** Writable properties of a request body, and those this method requires. */
export function bodyProperties(
  document: DiscoveryDocument,
  method: DiscoveryMethod,
): { properties: Record<string, DiscoverySchema>; required: string[] } {
  const all = document.schemas?.[method.request?.$ref ?? ""]?.properties ?? {};
  const properties: Record<string, DiscoverySchema> = {};
  for (const { name } of bodyFields(document, method)) {
    const property = all[name];
    if (property !== undefined) properties[name] = prunedSpec(property);
  }
  const required = Object.keys(properties).filter((name) =>
    all[name]?.annotations?.required?.includes(method.id) === true
  );
  return { properties, required };
}

/** Schemas reachable from the given ones, without descriptions. */
export function reachableSchemas(
  document: DiscoveryDocument,
  roots: Iterable<string>,
): Record<string, DiscoverySchema> {
  const found = new Map<string, DiscoverySchema>();
  const queue = [...roots];
  for (let name = queue.pop(); name !== undefined; name = queue.pop()) {
    const schema = document.schemas?.[name];
    if (schema === undefined || found.has(name)) continue;
    found.set(name, structure(schema, queue));
  }
  return Object.fromEntries([...found].sort(([a], [b]) => a < b ? -1 : 1));
}

function structure(schema: DiscoverySchema, refs: string[]): DiscoverySchema {
  if (schema.$ref !== undefined) {
    refs.push(schema.$ref);
    return { $ref: schema.$ref };
  }
  const properties = Object.entries(schema.properties ?? {});
  const choices = schema.enum?.filter((choice) => choice !== "");
  return {
    ...(schema.type === undefined || schema.type === "object" && properties.length > 0 ||
        schema.type === "string"
      ? {}
      : { type: schema.type }),
    ...(schema.format === undefined ? {} : { format: schema.format }),
    ...(choices === undefined || choices.length === 0 ? {} : { enum: choices }),
    ...(isReadOnly(schema) ? { readOnly: true } : {}),
    ...(schema.items === undefined ? {} : { items: structure(schema.items, refs) }),
    ...(properties.length === 0 ? {} : {
      properties: Object.fromEntries(
        properties.map(([name, property]) => [name, structure(property, refs)]),
      ),
    }),
    ...(schema.additionalProperties === undefined
      ? {}
      : { additionalProperties: structure(schema.additionalProperties, refs) }),
  };
}

function isReadOnly(schema: DiscoverySchema): boolean {
  return schema.readOnly === true ||
    /^[[(]?output[ -]only/i.test((schema.description ?? "").slice(0, 60));
}
