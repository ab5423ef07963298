/**
 * The other side of the savings claim: a server with one typed tool for each operation of the
 * shipped catalog, made from the same request fields, that hands on what Google answers
 * (spec 07 §3.17). Nothing is padded: no invented text, no synthetic operation.
 *
 * @module
 */

import { embeddedRequestSchema } from "../lib/catalog/mod.ts";
import type { Catalog, Op, RequestField } from "../lib/catalog/types.ts";
import type { JsonObject } from "../lib/json/mod.ts";

/**
 * What a typed tool says of its arguments: the request schema that ships with the operation, body
 * included, or only the curated request fields that GUM's own descriptions list.
 */
export type NaiveSchema = "request_schema" | "request_fields";

/** Entries of the naive server's `tools/list`, by name. */
export function naiveTools(
  catalog: Pick<Catalog, "ops">,
  schema: NaiveSchema = "request_schema",
): JsonObject[] {
  return catalog.ops.filter(isServiceCall).map((op) => naiveTool(op, schema))
    .sort((left, right) => String(left.name) < String(right.name) ? -1 : 1);
}

/** Code mode is GUM's own, and plugins are not part of the executable: neither is counted. */
function isServiceCall(op: Op): boolean {
  return op.op_id !== "gum.code" &&
    op.variants.some(({ binding }) => binding !== undefined && binding.plugin_name === undefined);
}

function naiveTool(op: Op, schema: NaiveSchema): JsonObject {
  return {
    name: op.op_id,
    description: op.summary === "" ? op.title : `${op.title} — ${op.summary}`,
    inputSchema: (schema === "request_schema" ? requestSchema(op) : undefined) ?? fieldsSchema(op),
  };
}

/** The shipped schema without its own address. */
function requestSchema(op: Op): JsonObject | undefined {
  const variant = op.variants.find(({ variant_id }) => variant_id === op.default_variant_id);
  const ref = variant?.binding?.request_ref;
  const found = ref === undefined ? undefined : embeddedRequestSchema(ref);
  if (found === undefined) return undefined;
  const { $id: _id, $schema: _schema, ...rest } = found;
  return rest;
}

function fieldsSchema(op: Op): JsonObject {
  const fields = op.request_fields ?? [];
  const required = fields.filter((field) => field.required === true).map(({ name }) => name).sort();
  return {
    type: "object",
    properties: Object.fromEntries(fields.map((field) => [field.name, fieldSchema(field)])),
    ...(required.length === 0 ? {} : { required }),
  };
}

function fieldSchema(field: RequestField): JsonObject {
  return {
    type: field.type,
    ...(field.description === undefined ? {} : { description: field.description }),
    ...(field.enum === undefined ? {} : { enum: field.enum }),
    ...(field.default === undefined ? {} : { default: field.default }),
    ...(field.format === undefined ? {} : { format: field.format }),
    ...(field.item_type === undefined ? {} : { items: { type: field.item_type } }),
  };
}
