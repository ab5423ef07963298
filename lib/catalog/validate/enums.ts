/** The closed enums of the catalog ABI (spec 04 §2.4, §2.8); `docs/catalog-abi.md` publishes them. */

/** Versions of the catalog, operation, variant and binding shapes this build reads. */
export const SUPPORTED_SCHEMA_VERSIONS: readonly number[] = [1];

/** Maturity levels, best first. */
export const STABILITIES = ["stable", "beta", "alpha"] as const;

/** How a variant is described upstream. */
export const INTERFACE_KINDS = [
  "discovery-rest",
  "grpc",
  "plugin-mcp",
  "plugin-grpc",
  "sdk-native",
] as const;

/** What executes a variant. */
export const BACKEND_KINDS = [
  "typed-rest-sdk",
  "discovery-rest",
  "raw-http",
  "grpc-sdk",
  "mcp-plugin",
  "grpc-plugin",
  "maps-sdk",
  "gen-ai",
  "google-ads-sdk",
] as const;

/** Harm classes, mildest first. */
export const RISK_CLASSES = ["read", "write", "destructive"] as const;

/** How a variant gets its credential. */
export const AUTH_STRATEGY_VALUES = [
  "gum_oauth",
  "byo_oauth",
  "adc",
  "service_account",
  "workload_identity",
  "impersonation",
  "api_key",
  "compound",
  "plugin_managed",
  "none",
] as const;

/** Input spelling that the loader rewrites to `service_account`. */
export const AUTH_STRATEGY_ALIAS = "service_account_key";

/** How far GUM can execute a variant. */
export const EXECUTION_SUPPORTS = [
  "full",
  "partial",
  "typed_executor_required",
  "schema_only",
] as const;

/** Guard classes of an Admin SDK write. */
export const BLAST_RADII = [
  "admin_fixture_write",
  "admin_reversible_write",
  "admin_high_blast_write",
] as const;

/** Outward effects, in the order a variant lists them (spec 11 §7). */
export const EFFECT_ORDER = [
  "sends_mail",
  "shares",
  "publishes",
  "deletes",
  "moves_money",
  "admin",
] as const;

/** Parts of a compound credential (spec 05 §2.4), with the plugin-only kind last. */
export const AUTH_COMPONENT_KINDS = [
  "oauth_scopes",
  "oauth_client",
  "oauth_client_secret",
  "api_enabled_project",
  "api_key",
  "developer_token",
  "customer_id",
  "login_customer_id",
  "billing_enabled",
  "manager_account",
  "account_permission",
  "workspace_admin_trust",
  "domain_wide_delegation",
  "service_account_key",
  "consent_verification",
  "oauth_consent_screen",
  "quota_project",
  "service_allowlist",
  "org_policy_exception",
  "google_access_token",
] as const;

/** Capability atoms in the order `capabilities` lists them: six generic ones, then typed ones. */
export const CAPABILITY_ORDER = [
  "json_request",
  "json_response",
  "query_params",
  "path_params",
  "pagination",
  "field_mask",
  "lro_return",
  "media_download",
  "media_upload",
  "resumable_upload",
  "server_streaming",
  "bidi_streaming",
  "batch_request",
  "webhook_channel",
  "code_execution",
] as const;

/** The atoms that are recomputed from the operation record. */
export const GENERIC_CAPABILITIES: readonly string[] = CAPABILITY_ORDER.slice(0, 6);

/** True for an experimental value: `x-` and at least one character, case-sensitive. */
export function isExperimental(value: string): boolean {
  return /^x-.+$/.test(value);
}

/** True when `value` is in the enum or experimental. */
export function isKnownOrExperimental(value: unknown, values: readonly string[]): value is string {
  return typeof value === "string" && (values.includes(value) || isExperimental(value));
}
