/** Refusing a partial-response mask that names what the method's answer does not have. */

import { isJsonObject, type JsonObject, parseJson } from "../json/mod.ts";
import { parseFields, type PartialMask } from "./partial_response.ts";
import { resolveSchema } from "./schema_values.ts";
import { EmulatedError } from "./service.ts";

/** The schema of an answer among those that it refers to. */
export interface AnswerSchema {
  schemas: JsonObject;
  response: string;
}

const FOLDER = new URL("../../catalog/discovery/", import.meta.url);

/**
 * The answer's schema by Discovery method id; undefined without one. Only the documents of the
 * method's own API are read: most masks come with the first request of a short process.
 */
export async function answerSchemaOf(methodId: string): Promise<AnswerSchema | undefined> {
  const [api = ""] = methodId.split(".");
  try {
    for await (const { name, isFile } of Deno.readDir(FOLDER)) {
      if (!isFile || !name.startsWith(`${api}.`) || !name.endsWith(".json")) continue;
      const document = parseJson(await Deno.readTextFile(new URL(name, FOLDER)));
      if (!isJsonObject(document) || !isJsonObject(document.schemas)) continue;
      const method = methodOf(document, methodId);
      if (method === undefined) continue;
      const response = isJsonObject(method.response) ? method.response.$ref : undefined;
      return typeof response === "string" ? { schemas: document.schemas, response } : undefined;
    }
  } catch (error) {
    // A build that does not ship the documents checks nothing.
    if (!(error instanceof Deno.errors.NotFound)) throw error;
  }
  return undefined;
}

function methodOf(node: JsonObject, methodId: string): JsonObject | undefined {
  for (const method of members(node.methods)) if (method.id === methodId) return method;
  for (const child of members(node.resources)) {
    const found = methodOf(child, methodId);
    if (found !== undefined) return found;
  }
  return undefined;
}

function members(value: unknown): JsonObject[] {
  return isJsonObject(value) ? Object.values(value).filter(isJsonObject) : [];
}

/**
 * Checks a mask before the method runs, so that a refused change is none.
 *
 * @throws EmulatedError 400 for the first selector that names nothing, or for an unreadable mask.
 */
export function checkFieldSelection(fields: string, { schemas, response }: AnswerSchema): void {
  checkBelow(parseFields(fields), { schema: { $ref: response }, schemas, path: "" });
}

function checkBelow(
  mask: PartialMask,
  at: { schema: JsonObject; schemas: JsonObject; path: string },
): void {
  const schema = recordSchema(at.schema, at.schemas);
  const properties = schema.properties;
  // Maps and free-form objects have whatever names they have.
  if (!isJsonObject(properties) || schema.additionalProperties !== undefined) return;
  for (const [name, below] of mask.children) {
    if (name === "*") continue;
    const path = at.path === "" ? name : `${at.path}/${name}`;
    const property = Object.hasOwn(properties, name) ? properties[name] : undefined;
    if (!isJsonObject(property)) throw unknownSelection(path);
    checkBelow(below, { schema: property, schemas: at.schemas, path });
  }
}

/** The schema of an object, or of what a list holds. */
function recordSchema(schema: JsonObject, schemas: JsonObject): JsonObject {
  let current = resolveSchema(schemas, schema);
  while (current.type === "array" && isJsonObject(current.items)) {
    current = resolveSchema(schemas, current.items);
  }
  return current;
}

function unknownSelection(path: string): EmulatedError {
  return new EmulatedError(400, `Invalid field selection ${path.slice(0, 200)}`, {
    reason: "invalidParameter",
    status: "INVALID_ARGUMENT",
    parameter: "fields",
  });
}
