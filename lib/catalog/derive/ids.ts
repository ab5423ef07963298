/** Identifiers: operation ids, variant ids, schema refs and API versions (spec 04 §2.3). */

/** Grammar of an operation id. */
export const OP_ID_PATTERN = /^[a-z][a-z0-9]*(\.[A-Za-z][A-Za-z0-9]*)+$/;
/** Grammar of a variant id. */
export const VARIANT_ID_PATTERN = /^[a-z][a-z0-9]*(\.[A-Za-z0-9][A-Za-z0-9_-]*){2,}$/;
/** Grammar of a served schema ref. */
export const SCHEMA_REF_PATTERN = /^[a-z0-9][a-z0-9._-]{0,127}$/;
/** Grammar of a gRPC routing-header path. */
export const ROUTING_PATH_PATTERN = /^[a-z][a-zA-Z0-9_.]{0,127}$/;

/**
 * Served ref of an operation's request schema.
 *
 * @example `calendar.calendarList.list` → `calendar.calendar_list.list.request`
 */
export function requestRef(opId: string): string {
  return `${opId.replace(/([a-z])([A-Z])/g, "$1_$2").toLowerCase()}.request`;
}

/** Grammar check of a ref that was already URI-decoded. */
export function isSchemaRef(ref: string): boolean {
  return SCHEMA_REF_PATTERN.test(ref) && !ref.includes("..");
}

/**
 * API version inside a variant id: the first segment after the service that names one
 * (`v1`, `directory_v1`); the empty string when there is none.
 */
export function variantVersion(variantId: string): string {
  const segments = variantId.split(".").slice(1);
  return segments.find((segment) => /^[a-z]*_?v[0-9]+[a-z0-9]*$/.test(segment)) ?? "";
}

/** Number part of the version segment (`v<digits>`); the empty string when there is none. */
export function plainVersion(variantId: string): string {
  return /(?:^|[._])(v[0-9]+)/.exec(variantId)?.[1] ?? "";
}

/** Maturity that a version string announces. */
export function stabilityOfVersion(version: string): "stable" | "beta" | "alpha" {
  if (version.includes("alpha")) return "alpha";
  return version.includes("beta") ? "beta" : "stable";
}

/** Prefixes by which a document's method ids become a service's operation ids. */
export interface IdPrefixes {
  service: string;
  api: string;
  methodPrefix?: string;
  opPrefix?: string;
}

/** Operation id of a method id; undefined when the method is outside the document's prefix. */
export function operationId(methodId: string, prefixes: IdPrefixes): string | undefined {
  const methodPrefix = prefixes.methodPrefix ?? `${prefixes.api}.`;
  if (!methodId.startsWith(methodPrefix)) return undefined;
  return `${prefixes.opPrefix ?? `${prefixes.service}.`}${methodId.slice(methodPrefix.length)}`;
}

/** Method id that an operation id comes from when the operation names none itself. */
export function methodIdOf(opId: string, prefixes: IdPrefixes): string | undefined {
  const opPrefix = prefixes.opPrefix ?? `${prefixes.service}.`;
  if (!opId.startsWith(opPrefix)) return undefined;
  return `${prefixes.methodPrefix ?? `${prefixes.api}.`}${opId.slice(opPrefix.length)}`;
}

/** Conventional variant id: `<service>.<version>.rest.<operation id without its service>`. */
export function variantId(
  opId: string,
  options: { service: string; version: string; opPrefix?: string },
): string {
  const prefix = options.opPrefix !== undefined && opId.startsWith(options.opPrefix)
    ? options.opPrefix
    : `${options.service}.`;
  return `${options.service}.${options.version}.rest.${opId.slice(prefix.length)}`;
}
