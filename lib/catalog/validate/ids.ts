/** Identifier grammars, the ref of an operation's request schema, and API versions (spec 04 §2.3). */

/** Grammar of an operation id. */
export const OP_ID_PATTERN = /^[a-z][a-z0-9]*(\.[A-Za-z][A-Za-z0-9]*)+$/;
/** Grammar of a variant id. */
export const VARIANT_ID_PATTERN = /^[a-z][a-z0-9]*(\.[A-Za-z0-9][A-Za-z0-9_-]*){2,}$/;
/** Grammar of a served schema ref. */
const SCHEMA_REF_PATTERN = /^[a-z0-9][a-z0-9._-]{0,127}$/;
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
