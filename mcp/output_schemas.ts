/**
 * Registered output schemas (spec 01 §2.5). `tools/list` repeats a tool's definitions inside every
 * tool, so what is registered is a relaxation of `OUTPUT_DEFS` that keeps only what tells the shapes
 * apart. `{"not":{}}` stands for "absent": a bare `false` is refused by strict clients.
 */

import { isJsonObject, type JsonObject, type JsonValue } from "../lib/json/mod.ts";
import { OUTPUT_DEFS } from "./output_defs.ts";
import type { JsonSchemaObject } from "./types.ts";

/** Definitions that have a registered form. */
export const REGISTERED_DEFS = [
  "ExpressionMeta",
  "ToonResult",
  "SingleObjectResult",
  "RawJsonResult",
  "UnchangedResult",
  "DescribeOpResult",
  "Variant",
  "GainResult",
  "CacheStatsResult",
] as const;

/** Name of a registered definition. */
export type RegisteredDef = typeof REGISTERED_DEFS[number];

const ABSENT: JsonObject = { not: {} };

/** Which properties a registered form keeps, and which it declares absent. */
const KEPT: Record<RegisteredDef, { typed?: true; keep?: string[]; absent?: string[] }> = {
  ExpressionMeta: { typed: true },
  ToonResult: { keep: ["format", "toon", "_expression"] },
  SingleObjectResult: { keep: ["format", "_expression"] },
  RawJsonResult: { keep: ["format", "_expression"] },
  UnchangedResult: {},
  DescribeOpResult: {
    keep: ["variants", "execution_support", "unsupported_capabilities"],
    absent: ["status", "reason"],
  },
  Variant: { typed: true, keep: ["execution_support"] },
  GainResult: {},
  CacheStatsResult: { keep: ["semantic", "http", "prompt", "audit_broken"] },
};

/** The registered form of a definition. */
export function wireDef(name: RegisteredDef): JsonObject {
  const full = definition(name);
  const { typed, keep = [], absent = [] } = KEPT[name];
  const wire: JsonObject = {};
  if (typed) wire.type = "object";
  wire.required = full.required ?? [];
  const properties: JsonObject = {};
  const source = objectAt(full, "properties");
  for (const key of keep) properties[key] = thin(objectAt(source, key));
  for (const key of absent) properties[key] = ABSENT;
  if (Object.keys(properties).length > 0) wire.properties = properties;
  if (Array.isArray(full.oneOf)) {
    wire.oneOf = name === "GainResult" ? full.oneOf.map(gainBranch) : full.oneOf;
  }
  return wire;
}

/**
 * The output schema of a tool with these result shapes: one `$ref`, or `anyOf` several. Never
 * `oneOf`: a JSON result satisfies both SingleObjectResult and RawJsonResult. What would be said in
 * every shape is said once: every client pays for each of these words.
 */
export function outputSchema(shapes: readonly RegisteredDef[]): JsonSchemaObject {
  const [only] = shapes;
  if (only !== undefined && shapes.length === 1) {
    return { type: "object", $defs: writtenOnce(only), $ref: `#/$defs/${only}` };
  }
  const envelope = { [ENVELOPE]: wireDef("ExpressionMeta") };
  const $defs = Object.fromEntries(shapes.map((name) => [name, withoutEnvelope(wireDef(name))]));
  const anyOf = shapes.map((name): JsonObject => ({ $ref: `#/$defs/${name}` }));
  return { type: "object", properties: envelope, $defs, anyOf };
}

const ENVELOPE = "_expression";

function withoutEnvelope(schema: JsonObject): JsonObject {
  const { properties, ...others } = schema;
  if (!isJsonObject(properties)) return schema;
  const { [ENVELOPE]: _said, ...own } = properties;
  return Object.keys(own).length === 0 ? others : { ...others, properties: own };
}

/** A shape's definitions; one that is used a single time stands where it is used. */
function writtenOnce(shape: RegisteredDef): JsonObject {
  const names = reachable(shape);
  const text = JSON.stringify(names.map(wireDef));
  const inlined = new Map(
    names.filter((name) => name !== shape && text.split(`"#/$defs/${name}"`).length === 2)
      .map((name) => [`#/$defs/${name}`, wireDef(name)]),
  );
  const $defs: JsonObject = {};
  for (const name of names) {
    if (!inlined.has(`#/$defs/${name}`)) $defs[name] = spelledOut(wireDef(name), inlined);
  }
  return $defs;
}

function spelledOut(
  schema: JsonObject,
  inlined: ReadonlyMap<string, JsonObject>,
): JsonObject {
  const written = (value: JsonValue): JsonValue => {
    if (Array.isArray(value)) return value.map(written);
    if (!isJsonObject(value)) return value;
    const target = typeof value.$ref === "string" ? inlined.get(value.$ref) : undefined;
    if (target !== undefined) return written(target);
    return Object.fromEntries(
      Object.entries(value).map(([key, member = null]) => [key, written(member)]),
    );
  };
  return written(schema) as JsonObject; // an object stays one
}

function definition(name: RegisteredDef): JsonObject {
  const found = OUTPUT_DEFS.$defs[name];
  if (found === undefined) throw new Error(`no result definition named ${name}`);
  return found;
}

function objectAt(parent: JsonObject, key: string): JsonObject {
  const value = parent[key];
  if (!isJsonObject(value)) throw new Error(`result definition lacks ${key}`);
  return value;
}

/** Drops length limits and the inside of nested objects; what discriminates stays. */
function thin(schema: JsonObject): JsonObject {
  const kept: JsonObject = {};
  for (const key of ["type", "required", "const", "enum", "$ref", "items"]) {
    const value = schema[key];
    if (value !== undefined) kept[key] = value;
  }
  return kept;
}

/** A mode of GainResult: its list is an array, the lists of the other modes are absent. */
function gainBranch(branch: JsonValue): JsonValue {
  if (!isJsonObject(branch)) return branch;
  const { window: _window, mode = {}, ...others } = objectAt(branch, "properties");
  const [list] = Array.isArray(branch.required) ? branch.required : [];
  return {
    properties: { mode, [String(list)]: { type: "array" }, ...others },
    required: branch.required ?? [],
  };
}

function reachable(shape: RegisteredDef): RegisteredDef[] {
  const found = new Set<RegisteredDef>();
  const visit = (name: RegisteredDef) => {
    if (found.has(name)) return;
    found.add(name);
    for (const [, target] of JSON.stringify(wireDef(name)).matchAll(/#\/\$defs\/(\w+)/g)) {
      visit(target as RegisteredDef);
    }
  };
  visit(shape);
  return REGISTERED_DEFS.filter((name) => found.has(name));
}
