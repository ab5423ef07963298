/** A schema bundle of a plugin and the two documents it is served as (spec 06 §3.3). */

import type { RequestField } from "../../catalog/types.ts";
import { isSchemaRef } from "../../catalog/validate/mod.ts";
import { sha256Hex } from "../../digest/mod.ts";
import { GumError } from "../../errors/mod.ts";
import { jcs } from "../../format/jcs.ts";
import { isJsonObject, type JsonObject, type JsonValue } from "../../json/mod.ts";
import { readBounded } from "../file_system.ts";
import { requestFields } from "./request_fields.ts";

const BUNDLE_LIMIT = 1024 * 1024;

/** One document as it is stored and served. */
export interface ServedSchema {
  ref: string;
  /** Lowercase hex SHA-256 of {@link bytes}. */
  hash: string;
  /** Canonical JSON. */
  bytes: Uint8Array;
}

/** What one `schema_ref` stands for. */
export interface MaterializedBundle {
  schemaRef: string;
  request: ServedSchema;
  response: ServedSchema;
  /** Arguments as the catalog states them, in the author's order; undefined: the schema alone. */
  requestFields: RequestField[] | undefined;
  /** The bundle's own file, for the install root. */
  source: Uint8Array;
}

/** Checks a `schema_ref` before any path is built. @throws GumError `PLUGIN_SCHEMA_REF_INVALID` */
export function requireSchemaRef(schemaRef: string): void {
  // deno-lint-ignore no-control-regex -- control characters are refused by name
  if (/[/\\%\u0000-\u001f\u007f-\u009f]/.test(schemaRef)) {
    throw refusal(schemaRef, "holds a separator, a percent sign or a control character");
  }
  for (const ref of [schemaRef, `${schemaRef}.request`, `${schemaRef}.response`]) {
    if (!isSchemaRef(ref)) throw refusal(schemaRef, "does not match the grammar of schema refs");
  }
}

/**
 * Reads the bundles behind refs from `schemas/` beside a manifest.
 *
 * @throws GumError `PLUGIN_SCHEMA_REF_INVALID`
 */
export async function materializeSchemas(
  directory: string,
  schemaRefs: Iterable<string>,
): Promise<MaterializedBundle[]> {
  const bundles: MaterializedBundle[] = [];
  for (const schemaRef of new Set(schemaRefs)) {
    requireSchemaRef(schemaRef);
    bundles.push(await materialize(directory, schemaRef));
  }
  return bundles;
}

async function materialize(directory: string, schemaRef: string): Promise<MaterializedBundle> {
  const source = await readBounded(`${directory}/schemas/${schemaRef}.json`, BUNDLE_LIMIT);
  if (source === "absent") throw refusal(schemaRef, `schemas/${schemaRef}.json is missing`);
  if (source === "not_a_file") throw refusal(schemaRef, `schemas/${schemaRef}.json is no file`);
  if (source === "too_large") throw refusal(schemaRef, "the bundle is larger than 1 MiB");
  let bundle: unknown;
  try {
    bundle = JSON.parse(new TextDecoder("utf-8", { fatal: true }).decode(source));
  } catch (error) {
    throw refusal(schemaRef, "the bundle is not JSON", error);
  }
  const halves = isJsonObject(bundle) && isJsonObject(bundle.$defs) ? bundle.$defs : {};
  const served = async (half: "request" | "response"): Promise<ServedSchema> => {
    const schema = halves[half];
    if (!isJsonObject(schema)) throw refusal(schemaRef, `$defs.${half} is not an object`);
    checkSelfContained(schema, (why) => refusal(schemaRef, `$defs.${half} ${why}`));
    await checkCompiles(
      schema,
      (cause) => refusal(schemaRef, `$defs.${half} is not a JSON Schema 2020-12`, cause),
    );
    const bytes = canonicalBytes(schema, schemaRef);
    return { ref: `${schemaRef}.${half}`, hash: await sha256Hex(bytes), bytes };
  };
  return {
    schemaRef,
    request: await served("request"),
    response: await served("response"),
    requestFields: isJsonObject(halves.request) ? requestFields(halves.request) : undefined,
    source,
  };
}

function canonicalBytes(schema: JsonObject, schemaRef: string): Uint8Array {
  try {
    return new TextEncoder().encode(jcs(schema));
  } catch (error) {
    throw refusal(schemaRef, "the schema has no canonical form", error);
  }
}

/** Keywords whose value is data, not a schema. */
const DATA_KEYWORDS = new Set(["const", "enum", "default", "examples"]);

function checkSelfContained(half: JsonObject, fail: (why: string) => GumError): void {
  const anchors = new Set<string>();
  const refs: string[] = [];
  const stack: JsonValue[] = [half];
  while (stack.length > 0) {
    const node = stack.pop();
    if (Array.isArray(node)) stack.push(...node);
    if (!isJsonObject(node)) continue;
    for (const [key, value] of Object.entries(node)) {
      if (typeof value === "string") {
        if (key === "$ref" || key === "$dynamicRef") refs.push(value);
        if (key === "$anchor" || key === "$dynamicAnchor") anchors.add(value);
      } else if (!DATA_KEYWORDS.has(key)) stack.push(value);
    }
  }
  for (const ref of refs) {
    const inside = ref.startsWith("#") &&
      (ref === "#" || anchors.has(ref.slice(1)) || resolves(half, ref.slice(1)));
    if (!inside) throw fail(`refers to ${JSON.stringify(ref)}, which it does not hold`);
  }
}

function resolves(root: JsonObject, pointer: string): boolean {
  if (!pointer.startsWith("/")) return false;
  let node: JsonValue | undefined = root;
  for (const part of pointer.slice(1).split("/")) {
    const key = decoded(part).replaceAll("~1", "/").replaceAll("~0", "~");
    if (Array.isArray(node)) node = /^[0-9]+$/.test(key) ? node[Number(key)] : undefined;
    else node = isJsonObject(node) && Object.hasOwn(node, key) ? node[key] : undefined;
    if (node === undefined) return false;
  }
  return true;
}

function decoded(part: string): string {
  try {
    return decodeURIComponent(part);
  } catch {
    // A stray percent sign: as written it names nothing.
    return part;
  }
}

async function checkCompiles(
  schema: JsonObject,
  fail: (cause: unknown) => GumError,
): Promise<void> {
  const { Ajv2020 } = await import("ajv/dist/2020.js");
  try {
    new Ajv2020({ strict: false, validateFormats: false, logger: false }).compile(schema);
  } catch (error) {
    throw fail(error);
  }
}

function refusal(schemaRef: string, why: string, cause?: unknown): GumError {
  const shown = schemaRef.length > 160 ? `${schemaRef.slice(0, 160)}…` : schemaRef;
  return new GumError("PLUGIN_SCHEMA_REF_INVALID", {
    message: `schema_ref ${JSON.stringify(shown)}: ${why}`,
    details: { schema_ref: shown },
    cause,
  });
}
