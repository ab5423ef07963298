/**
 * Discovery documents as derivation sees them: only the keys of spec 04 §3.6.
 *
 * @module
 */

/** A parameter of a method, or a property of a schema. */
export interface DiscoverySchema {
  id?: string;
  type?: string;
  $ref?: string;
  format?: string;
  description?: string;
  enum?: string[];
  repeated?: boolean;
  required?: boolean;
  location?: string;
  /** Of a path parameter: what its values look like. */
  pattern?: string;
  readOnly?: boolean;
  deprecated?: boolean;
  default?: string;
  items?: DiscoverySchema;
  properties?: Record<string, DiscoverySchema>;
  additionalProperties?: DiscoverySchema;
  annotations?: { required?: string[] };
}

/** Upload endpoints of a method. */
export interface DiscoveryMediaUpload {
  accept?: string[];
  maxSize?: string;
  protocols?: {
    simple?: { multipart?: boolean; path?: string };
    resumable?: { multipart?: boolean; path?: string };
  };
}

/** One method. */
export interface DiscoveryMethod {
  id: string;
  httpMethod: string;
  path: string;
  parameters?: Record<string, DiscoverySchema>;
  parameterOrder?: string[];
  request?: { $ref?: string };
  response?: { $ref?: string };
  scopes?: string[];
  description?: string;
  supportsMediaUpload?: boolean;
  supportsMediaDownload?: boolean;
  mediaUpload?: DiscoveryMediaUpload;
  deprecated?: boolean;
}

/** A group of methods. */
export interface DiscoveryResource {
  methods?: Record<string, DiscoveryMethod>;
  resources?: Record<string, DiscoveryResource>;
}

/** One API version. */
export interface DiscoveryDocument extends DiscoveryResource {
  name: string;
  version: string;
  title?: string;
  revision: string;
  rootUrl: string;
  servicePath: string;
  parameters?: Record<string, DiscoverySchema>;
  schemas?: Record<string, DiscoverySchema>;
  auth?: { oauth2?: { scopes?: Record<string, unknown> } };
}

/** All methods of a document by method id: nested resources and top-level methods alike. */
export function indexMethods(document: DiscoveryDocument): Map<string, DiscoveryMethod> {
  const methods = new Map<string, DiscoveryMethod>();
  const walk = (resource: DiscoveryResource): void => {
    for (const method of Object.values(resource.methods ?? {})) methods.set(method.id, method);
    for (const child of Object.values(resource.resources ?? {})) walk(child);
  };
  walk(document);
  return methods;
}

/** Follows a `$ref`; the schema itself when it has none or the name is unknown. */
export function resolveSchema(
  document: DiscoveryDocument,
  schema: DiscoverySchema,
): DiscoverySchema {
  if (schema.$ref === undefined) return schema;
  return document.schemas?.[schema.$ref] ?? schema;
}

/** The response schema of a method; undefined when it answers without one. */
function responseSchema(
  document: DiscoveryDocument,
  method: DiscoveryMethod,
): DiscoverySchema | undefined {
  const ref = method.response?.$ref;
  return ref === undefined ? undefined : document.schemas?.[ref];
}

/** The request schema of a method; undefined when it takes no body. */
export function bodySchema(
  document: DiscoveryDocument,
  method: DiscoveryMethod,
): DiscoverySchema | undefined {
  const ref = method.request?.$ref;
  return ref === undefined ? undefined : document.schemas?.[ref];
}

/**
 * True when a method answers with a long-running operation, judged by the shape of its response
 * (`done` and `error`), never by the schema's name. A read by GET is a poll, not a start.
 */
export function methodReturnsLRO(document: DiscoveryDocument, method: DiscoveryMethod): boolean {
  if (method.httpMethod === "GET" || method.httpMethod === "HEAD") return false;
  return answersWithOperation(document, method);
}

/** True when the response schema has both `done` and `error`. */
export function answersWithOperation(
  document: DiscoveryDocument,
  method: DiscoveryMethod,
): boolean {
  const properties = responseSchema(document, method)?.properties;
  return properties !== undefined && Object.hasOwn(properties, "done") &&
    Object.hasOwn(properties, "error");
}
