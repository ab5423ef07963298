/** Codes of catalog validation and of the generator's gates (spec 04 §3.2, §3.5). */
export type CatalogErrorCode =
  | "ADMIN_POLICY_INVALID"
  | "AUTH_COMPONENT_UNKNOWN"
  | "AUTH_STRATEGY_REQUIRED"
  | "BINDING_SCHEMA_UNSUPPORTED"
  | "CATALOG_FIELD_REQUIRED"
  | "CATALOG_REGRESSION"
  | "CATALOG_SCHEMA_UNSUPPORTED"
  | "CONFIRMATION_POLICY_INVALID"
  | "CONVENIENCE_INVALID"
  | "CREDENTIAL_HOST_INVALID"
  | "DEFAULT_FIELDS_INVALID"
  | "DEFAULT_VARIANT_DANGLING"
  | "DISCOVERY_METHOD_NOT_FOUND"
  | "DISCOVERY_SNAPSHOT_INVALID"
  | "DUPLICATE_OP_ID"
  | "DUPLICATE_VARIANT_ID"
  | "EFFECTS_INVALID"
  | "EXCLUDED_OPERATION"
  | "EXECUTION_SUPPORT_INVALID"
  | "GRPC_ROUTING_HEADER_DUPLICATE"
  | "GRPC_ROUTING_HEADER_INVALID"
  | "GRPC_ROUTING_HEADER_NOT_FOUND"
  | "GRPC_ROUTING_HEADER_NOT_REQUIRED"
  | "GUM_OAUTH_MANAGED_CLIENT_NOT_READY"
  | "GUM_OAUTH_MANIFEST_INVALID"
  | "GUM_OAUTH_SCOPE_NOT_MANAGED"
  | "HELP_TOPIC_INVALID"
  | "HELP_TOPIC_TOO_LARGE"
  | "NO_DEFAULT_DECLARED"
  | "ON_EMPTY_TOO_LONG"
  | "OP_ID_INVALID"
  | "OVERRIDES_SCHEMA_INVALID"
  | "PLUGIN_BINDING_INVALID"
  | "PLUGIN_ENV_PROHIBITED"
  | "PREFERRED_CONFLICT"
  | "PROFILE_INVALID"
  | "PROFILE_NOT_FOUND"
  | "PROFILE_STRIP_NULLS_UNSAFE"
  | "PROFILE_TEE_MODE_CONFLICT"
  | "REQUEST_FIELD_INVALID"
  | "RISK_OVERRIDE_INVALID"
  | "SANITIZER_VIOLATION"
  | "SCHEMA_REF_COLLISION"
  | "SCOPE_NOT_ACCEPTED"
  | "SERVICE_ROOT_TEMPLATE_DEFERRED"
  | "UNKNOWN_AUTH_STRATEGY"
  | "UNKNOWN_BACKEND_KIND"
  | "UNKNOWN_CAPABILITY"
  | "UNKNOWN_INTERFACE_KIND"
  | "UNKNOWN_RISK_CLASS"
  | "UNKNOWN_STABILITY";

/** Where a catalog rule failed. */
export interface CatalogErrorPlace {
  opId?: string;
  variantId?: string;
  cause?: unknown;
}

/**
 * A catalog that breaks a rule. The message names the operation and, where it applies, the
 * variant; `detail` is the message without the code and the place.
 */
export class CatalogError extends Error {
  override readonly name = "CatalogError";
  readonly code: CatalogErrorCode;
  readonly detail: string;
  readonly opId?: string;
  readonly variantId?: string;

  constructor(code: CatalogErrorCode, detail: string, place: CatalogErrorPlace = {}) {
    const where = [
      place.opId === undefined ? "" : ` (op ${JSON.stringify(place.opId)}`,
      place.variantId === undefined ? "" : ` variant ${JSON.stringify(place.variantId)}`,
    ].join("");
    const closed = where === "" ? "" : `${where.startsWith(" (") ? where : ` (${where.trim()}`})`;
    super(`${code}: ${detail}${closed}`, { cause: place.cause });
    this.code = code;
    this.detail = detail;
    if (place.opId !== undefined) this.opId = place.opId;
    if (place.variantId !== undefined) this.variantId = place.variantId;
  }
}
