/**
 * Pruning of Discovery documents to what derivation reads (spec 04 §3.6): the methods in use, the
 * schemas reachable from their requests and responses, and the keys of those. Deterministic: the
 * same document and method set give the same bytes.
 *
 * @module
 */
import {
  type DiscoveryDocument,
  type DiscoveryMethod,
  type DiscoveryResource,
  type DiscoverySchema,
  isReserved,
} from "../lib/catalog/derive/mod.ts";

const PARAMETER_KEYS = [
  "type",
  "$ref",
  "format",
  "location",
  "required",
  "repeated",
  "enum",
  "deprecated",
  "description",
] as const;

/** Prunes one document to the given method ids. */
export function pruneDocument(
  document: DiscoveryDocument,
  methodIds: ReadonlySet<string>,
): DiscoveryDocument {
  const kept: DiscoveryMethod[] = [];
  const resource = pruneResource(document, { methodIds, kept });
  const schemas = reachableSchemas(document, kept);
  const scopes = [...new Set(kept.flatMap((method) => method.scopes ?? []))].sort();
  return {
    name: document.name,
    version: document.version,
    title: document.title ?? document.name,
    revision: document.revision,
    rootUrl: document.rootUrl,
    servicePath: document.servicePath,
    parameters: sortedRecord(document.parameters ?? {}, pruneParameter),
    auth: { oauth2: { scopes: Object.fromEntries(scopes.map((scope) => [scope, {}])) } },
    ...resource,
    schemas,
  };
}

function pruneResource(
  resource: DiscoveryResource,
  walk: { methodIds: ReadonlySet<string>; kept: DiscoveryMethod[] },
): DiscoveryResource {
  const methods: Record<string, DiscoveryMethod> = {};
  for (const name of Object.keys(resource.methods ?? {}).sort()) {
    const method = resource.methods?.[name];
    if (method === undefined || !walk.methodIds.has(method.id)) continue;
    methods[name] = pruneMethod(method);
    walk.kept.push(method);
  }
  const resources: Record<string, DiscoveryResource> = {};
  for (const name of Object.keys(resource.resources ?? {}).sort()) {
    const child = resource.resources?.[name];
    if (child === undefined) continue;
    const pruned = pruneResource(child, walk);
    if (Object.keys(pruned).length > 0) resources[name] = pruned;
  }
  return {
    ...(Object.keys(methods).length > 0 ? { methods } : {}),
    ...(Object.keys(resources).length > 0 ? { resources } : {}),
  };
}

function pruneMethod(method: DiscoveryMethod): DiscoveryMethod {
  return {
    id: method.id,
    httpMethod: method.httpMethod,
    path: method.path,
    ...(method.description === undefined ? {} : { description: method.description }),
    ...(method.deprecated === true ? { deprecated: true } : {}),
    parameters: sortedRecord(method.parameters ?? {}, (parameter, name) => {
      const { pattern } = parameter;
      const kept = pruneParameter(parameter);
      // Elsewhere a value cannot leave its segment, so nothing reads the pattern.
      return pattern !== undefined && isReserved(method, name) ? { ...kept, pattern } : kept;
    }),
    ...(method.parameterOrder === undefined ? {} : { parameterOrder: method.parameterOrder }),
    ...(method.request?.$ref === undefined ? {} : { request: { $ref: method.request.$ref } }),
    ...(method.response?.$ref === undefined ? {} : { response: { $ref: method.response.$ref } }),
    ...(method.scopes === undefined ? {} : { scopes: method.scopes }),
    ...(method.supportsMediaUpload === true ? { supportsMediaUpload: true } : {}),
    ...(method.supportsMediaDownload === true ? { supportsMediaDownload: true } : {}),
    ...(method.mediaUpload === undefined ? {} : { mediaUpload: method.mediaUpload }),
  };
}

function pruneParameter(parameter: DiscoverySchema): DiscoverySchema {
  const pruned: Record<string, unknown> = {};
  for (const key of PARAMETER_KEYS) {
    if (parameter[key] !== undefined && parameter[key] !== false) pruned[key] = parameter[key];
  }
  return pruned as DiscoverySchema;
}

function sortedRecord<T, U>(
  record: Record<string, T>,
  map: (value: T, name: string) => U,
): Record<string, U> {
  const sorted: Record<string, U> = {};
  for (const name of Object.keys(record).sort()) {
    const value = record[name];
    if (value !== undefined) sorted[name] = map(value, name);
  }
  return sorted;
}

function reachableSchemas(
  document: DiscoveryDocument,
  methods: readonly DiscoveryMethod[],
): Record<string, DiscoverySchema> {
  // Only a request's own properties become fields, so only those keep their descriptions.
  const requests = new Set(methods.map((method) => method.request?.$ref));
  const wanted = new Set<string>();
  const queue = methods.flatMap((method) => [method.request?.$ref, method.response?.$ref]);
  for (let name = queue.shift(); name !== undefined || queue.length > 0; name = queue.shift()) {
    if (name === undefined || wanted.has(name)) continue;
    const schema = document.schemas?.[name];
    if (schema === undefined) continue;
    wanted.add(name);
    collectRefs(schema, queue);
  }
  const schemas: Record<string, DiscoverySchema> = {};
  for (const name of [...wanted].sort()) {
    const schema = document.schemas?.[name];
    if (schema !== undefined) schemas[name] = pruneSchema(schema, requests.has(name) ? 1 : 0);
  }
  return schemas;
}

function collectRefs(schema: DiscoverySchema, into: (string | undefined)[]): void {
  if (schema.$ref !== undefined) into.push(schema.$ref);
  for (const property of Object.values(schema.properties ?? {})) collectRefs(property, into);
  if (schema.items !== undefined) collectRefs(schema.items, into);
  if (schema.additionalProperties !== undefined) collectRefs(schema.additionalProperties, into);
}

function pruneSchema(schema: DiscoverySchema, describedLevels: number): DiscoverySchema {
  const below = (child: DiscoverySchema): DiscoverySchema =>
    pruneSchema(child, describedLevels === 1 ? -1 : 0);
  return {
    ...(schema.type === undefined ? {} : { type: schema.type }),
    ...(schema.$ref === undefined ? {} : { $ref: schema.$ref }),
    ...(schema.format === undefined ? {} : { format: schema.format }),
    ...(describedLevels === -1 && schema.description !== undefined
      ? { description: schema.description }
      : {}),
    ...(schema.enum === undefined ? {} : { enum: schema.enum }),
    ...(schema.readOnly === true ? { readOnly: true } : {}),
    ...(schema.deprecated === true ? { deprecated: true } : {}),
    ...(schema.annotations === undefined ? {} : { annotations: schema.annotations }),
    ...(schema.items === undefined ? {} : { items: pruneSchema(schema.items, 0) }),
    ...(schema.properties === undefined
      ? {}
      : { properties: sortedByDocument(schema.properties, below) }),
    ...(schema.additionalProperties === undefined
      ? {}
      : { additionalProperties: pruneSchema(schema.additionalProperties, 0) }),
  };
}

/** Keeps the document's property order: it decides which body fields an operation lists. */
function sortedByDocument(
  properties: Record<string, DiscoverySchema>,
  map: (value: DiscoverySchema) => DiscoverySchema,
): Record<string, DiscoverySchema> {
  return Object.fromEntries(Object.entries(properties).map(([name, value]) => [name, map(value)]));
}
