/** Input schemas of the meta-tools and the skill tools (spec 01 §2.2, 11 §2). */

import { LANGUAGE_NAMES } from "../lib/code/request/mod.ts";
import type { JsonObject } from "../lib/json/mod.ts";
import type { MetaTool, SKILL_TOOLS } from "./roster.ts";
import type { JsonSchemaObject } from "./types.ts";

const text: JsonObject = { type: "string" };
const flag: JsonObject = { type: "boolean" };

/** A closed object schema; `required` is absent when empty. */
export function closedObject(properties: JsonObject, required: string[] = []): JsonSchemaObject {
  return {
    type: "object",
    properties,
    ...(required.length > 0 ? { required } : {}),
    additionalProperties: false,
  };
}

/** Arguments that a caller repeats to confirm a call. */
export const CONFIRMATION_PROPERTIES: JsonObject = { confirmed: flag, confirmation_token: text };

const readProperties: JsonObject = {
  op_id: text,
  args: { type: "object" },
  variant_id: text,
  fields: text,
  page_size: { type: "integer", minimum: 1 },
  page_token: text,
  format: { type: "string", enum: ["toon", "csv", "json", "markdown", "raw"] },
  max_items: { type: "string", pattern: "^(all|[1-9][0-9]*)$" },
};

const changeSchema = closedObject({ ...readProperties, ...CONFIRMATION_PROPERTIES }, [
  "op_id",
  "args",
]);

const codeSchema = closedObject({
  language: { type: "string", enum: [...LANGUAGE_NAMES] },
  source: text,
  allow_write: { type: "boolean", default: false },
  allow_destructive: { type: "boolean", default: false },
  destructive_budget: { type: "integer", default: 0, minimum: 0, maximum: 20 },
  destructive_scope: {
    type: "array",
    default: [],
    maxItems: 20,
    items: closedObject({ op_id: text, resource_key: text }, ["op_id"]),
  },
  confirmed: { type: "boolean", default: false },
  confirmation_token: text,
}, ["language", "source"]);

/** The input schema of a meta-tool; `searchDefault` is the effective default of `k`. */
export function metaInputSchema(tool: MetaTool, searchDefault: number): JsonSchemaObject {
  switch (tool) {
    case "gum.search_apis":
      return closedObject({
        query: { type: "string", minLength: 1 },
        k: { type: "integer", default: searchDefault, minimum: 1, maximum: 20 },
      }, ["query"]);
    case "gum.describe_op":
      return closedObject({ op_id: text }, ["op_id"]);
    case "gum.read":
      return closedObject({ ...readProperties, download_to: text }, ["op_id"]);
    case "gum.write":
      return closedObject({
        ...readProperties,
        ...CONFIRMATION_PROPERTIES,
        upload_from: text,
      }, ["op_id", "args"]);
    case "gum.destructive":
      return changeSchema;
    case "gum.code":
      return codeSchema;
    case "gum.poll":
      return closedObject({
        operation_name: {
          type: "string",
          minLength: 1,
          description: "Long-running operation handle: the `name` an earlier call returned.",
        },
      }, ["operation_name"]);
    case "gum.cache_stats":
    case "gum.gain":
      return closedObject({});
  }
}

/** Tools whose calls may pick an account (spec 11 §6). */
export const ACCOUNT_TOOLS: ReadonlySet<string> = new Set([
  "gum.read",
  "gum.write",
  "gum.destructive",
  "gum.code",
]);

/** The schema of such a tool in a session with accounts. */
export function withAccountArgument(
  schema: JsonSchemaObject,
  labels: readonly string[],
): JsonSchemaObject {
  const properties = schema.properties as JsonObject; // closed objects have them
  const account: JsonObject = {
    type: "string",
    minLength: 1,
    description: `Account to run as: ${labels.join(", ")}. Absent: the session's own.`,
  };
  return { ...schema, properties: { ...properties, account } };
}

/** Input schemas of the skill tools. */
export const SKILL_SCHEMAS: Record<typeof SKILL_TOOLS[number], JsonSchemaObject> = {
  skills_list: closedObject({}),
  skills_get: closedObject({
    name: { type: "string", pattern: "^[a-z0-9-]+$", maxLength: 64 },
    version: {
      type: "string",
      pattern: "^(latest|[0-9]+\\.[0-9]+\\.[0-9]+)$",
      maxLength: 32,
    },
    max_bytes: { type: "integer", minimum: 0 },
  }, ["name"]),
};
