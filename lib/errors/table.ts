/**
 * The one table of stable error codes (spec 02 §4.1). A test compares it with the chapter.
 *
 * @module
 */

import { DEFAULT_TEXTS } from "./texts.ts";

/**
 * Where a code may appear: `wire` as `error_code` of a dispatch, tool result or JSON-RPC error;
 * `command` as `error_code` of a CLI command outside a dispatch; `source` only as
 * `source_error_code` or `reason` under another code; `build` in generators and gates; `notice` as
 * warning text, never as an error.
 */
export type ErrorSurface = "wire" | "command" | "source" | "build" | "notice";

/** What the table says about one code. */
export interface ErrorCodeEntry {
  readonly surfaces: readonly ErrorSurface[];
  /** Default of the envelope's `retryable`; a throw site may know better. */
  readonly retryable: boolean;
  /** One sentence for a person, when the throw site gives none. */
  readonly userMessage?: string;
  /** One concrete next action, when the throw site gives none. */
  readonly suggestion?: string;
}

const table = {
  OP_NOT_FOUND: { surfaces: ["wire"], retryable: false },
  INVALID_ARGS: { surfaces: ["wire"], retryable: false },
  VARIANT_NOT_FOUND: { surfaces: ["wire"], retryable: false },
  AMBIGUOUS_VARIANT: { surfaces: ["wire"], retryable: false },
  VARIANT_QUARANTINED: { surfaces: ["wire"], retryable: false },
  UNSUPPORTED_CAPABILITY: { surfaces: ["wire"], retryable: false },
  RISK_TOOL_MISMATCH: { surfaces: ["wire"], retryable: false },
  POLICY_DENIED: { surfaces: ["wire"], retryable: false },
  REQUIRES_CONFIRMATION: { surfaces: ["wire"], retryable: false },
  CONFIRMATION_TOKEN_INVALID: { surfaces: ["wire"], retryable: false },
  AUTH_REQUIRED: { surfaces: ["wire"], retryable: false },
  SCOPE_MISSING: { surfaces: ["wire"], retryable: false },
  SCOPE_GRANTED: { surfaces: ["wire"], retryable: true },
  AUTH_SUBJECT_MISMATCH: { surfaces: ["wire"], retryable: false },
  AUTH_KEYCHAIN_UNAVAILABLE: { surfaces: ["wire"], retryable: false },
  GUM_OAUTH_MANAGED_CLIENT_NOT_READY: { surfaces: ["wire", "build"], retryable: false },
  GUM_OAUTH_MANIFEST_INVALID: { surfaces: ["wire", "build"], retryable: false },
  CONFIG_SCHEMA_UNSUPPORTED: { surfaces: ["wire"], retryable: false },
  CONFIG_PARSE_ERROR: { surfaces: ["wire"], retryable: false },
  RATE_LIMITED: { surfaces: ["wire"], retryable: true },
  SERVICE_DOWN: { surfaces: ["wire"], retryable: false },
  UPSTREAM_REJECTED: { surfaces: ["wire"], retryable: false },
  RESOURCE_NOT_FOUND: { surfaces: ["wire"], retryable: false },
  RESPONSE_TOO_LARGE: { surfaces: ["wire"], retryable: false },
  CANCELLED: { surfaces: ["wire"], retryable: false },
  LRO_TIMEOUT: { surfaces: ["wire"], retryable: true },
  LRO_UNROUTABLE: { surfaces: ["wire"], retryable: false },
  LRO_FAILED: { surfaces: ["wire"], retryable: false },
  LRO_UNSUPPORTED_IN_CODE: { surfaces: ["wire"], retryable: false },
  CODE_MODE_SYNTAX: { surfaces: ["wire"], retryable: false },
  CODE_MODE_RUNTIME: { surfaces: ["wire"], retryable: false },
  CODE_MODE_TIMEOUT: { surfaces: ["wire"], retryable: false },
  CODE_MODE_LIMIT: { surfaces: ["wire"], retryable: false },
  CODE_OUTPUT_LIMIT_EXCEEDED: { surfaces: ["wire"], retryable: false },
  DESTRUCTIVE_BUDGET_EXCEEDED: { surfaces: ["wire"], retryable: false },
  DESTRUCTIVE_SCOPE_MISMATCH: { surfaces: ["wire"], retryable: false },
  TEE_SECRET_CORRUPT: { surfaces: ["wire"], retryable: false },
  RESULT_ARTIFACT_EXPIRED: { surfaces: ["wire"], retryable: false },
  PROFILE_INVALID: { surfaces: ["wire"], retryable: false },
  ON_EMPTY_TOO_LONG: { surfaces: ["wire", "build"], retryable: false },
  PROFILE_TEE_MODE_CONFLICT: { surfaces: ["wire", "build"], retryable: false },
  PROFILE_STRIP_NULLS_UNSAFE: { surfaces: ["wire", "build"], retryable: false },
  OVERRIDE_BINDING_INVALID: { surfaces: ["wire"], retryable: false },
  PROJECT_ROOT_REQUIRED: { surfaces: ["wire"], retryable: false },
  TOON_VERSION_UNSUPPORTED: { surfaces: ["wire"], retryable: false },
  GAIN_DISABLED: { surfaces: ["wire"], retryable: false },
  GAIN_LEDGER_UNAVAILABLE: { surfaces: ["wire"], retryable: false },
  UNKNOWN_SKILL: { surfaces: ["wire"], retryable: false },
  UNKNOWN_SKILL_VERSION: { surfaces: ["wire"], retryable: false },
  PLUGIN_EXECUTABLE_UNTRUSTED: { surfaces: ["wire"], retryable: false },
  PLUGIN_BINDING_INVALID: { surfaces: ["wire", "build"], retryable: false },
  PLUGIN_SANDBOX_UNSUPPORTED: { surfaces: ["wire"], retryable: false },
  PLUGIN_FS_WRITE_OUTSIDE_SANDBOX: { surfaces: ["wire"], retryable: false },
  PLUGIN_REGISTRY_INCONSISTENT: { surfaces: ["wire"], retryable: false },
  PROFILE_NAME_INVALID: { surfaces: ["command"], retryable: false },
  HOME_UNRESOLVED: { surfaces: ["command"], retryable: false },
  CLI_ARG_INVALID: { surfaces: ["command"], retryable: false },
  CLI_ARG_DUPLICATE: { surfaces: ["command"], retryable: false },
  PROFILE_NO_FIXTURES: { surfaces: ["command"], retryable: false },
  PROFILE_FIXTURE_FAILED: { surfaces: ["command"], retryable: false },
  PROFILE_GOLDEN_MISMATCH: { surfaces: ["command"], retryable: false },
  GAIN_FIXTURE_SET_MISSING: { surfaces: ["command"], retryable: false },
  GAIN_FIXTURE_SCHEMA_DRIFT: { surfaces: ["command"], retryable: false },
  GAIN_FIXTURE_BASELINE_MISMATCH: { surfaces: ["command"], retryable: false },
  CACHE_CORRUPT: { surfaces: ["command"], retryable: false },
  CACHE_SCHEMA_UNSUPPORTED: { surfaces: ["command"], retryable: false },
  CACHE_STORE_FAILED: { surfaces: ["command"], retryable: true },
  PLUGIN_MANIFEST_NOT_FOUND: { surfaces: ["command"], retryable: false },
  PLUGIN_MANIFEST_INVALID: { surfaces: ["command"], retryable: false },
  PLUGIN_MANIFEST_SCHEMA_UNSUPPORTED: { surfaces: ["command"], retryable: false },
  PLUGIN_SHAPE_UNSUPPORTED: { surfaces: ["command"], retryable: false },
  PLUGIN_CATALOG_SCHEMA_UNSUPPORTED: { surfaces: ["command"], retryable: false },
  PLUGIN_LOCK_SCHEMA_UNSUPPORTED: { surfaces: ["command"], retryable: false },
  PLUGIN_STATE_SCHEMA_UNSUPPORTED: { surfaces: ["command"], retryable: false },
  PLUGIN_ENV_PROHIBITED: { surfaces: ["command"], retryable: false },
  PLUGIN_CREDENTIAL_DESCRIPTOR_INVALID: { surfaces: ["command"], retryable: false },
  PLUGIN_NAMESPACE_CONFLICT: { surfaces: ["command"], retryable: false },
  PLUGIN_PREFIX_NOT_BOUND: { surfaces: ["command"], retryable: false },
  PLUGIN_SCHEMA_REF_INVALID: { surfaces: ["command"], retryable: false },
  SCHEMA_REF_COLLISION: { surfaces: ["command", "build"], retryable: false },
  PLUGIN_INSTALL_LOCK_TIMEOUT: { surfaces: ["command"], retryable: true },
  UNKNOWN_CAPABILITY: { surfaces: ["command", "build"], retryable: false },
  UNKNOWN_BACKEND_KIND: { surfaces: ["command", "build"], retryable: false },
  UNKNOWN_INTERFACE_KIND: { surfaces: ["command", "build"], retryable: false },
  AUTH_COMPONENT_UNKNOWN: { surfaces: ["command", "build"], retryable: false },
  BINDING_SCHEMA_UNSUPPORTED: { surfaces: ["command", "build"], retryable: false },
  SERVICE_ROOT_TEMPLATE_DEFERRED: { surfaces: ["command", "build"], retryable: false },
  AUTH_MANAGED_SCOPES_NOT_FOUND: { surfaces: ["command"], retryable: false },
  AUTH_MANAGED_SCOPES_INVALID: { surfaces: ["command"], retryable: false },
  NO_REFRESH_TOKEN: { surfaces: ["source"], retryable: true },
  AUTH_LOGIN_REQUIRED: { surfaces: ["source"], retryable: true },
  BYO_OAUTH_CLIENT_NOT_CONFIGURED: { surfaces: ["source"], retryable: false },
  BYO_OAUTH_CLIENT_LOAD_FAILED: { surfaces: ["source"], retryable: false },
  BYO_OAUTH_NO_SCOPES: { surfaces: ["source"], retryable: false },
  BYO_OAUTH_NO_REFRESH_TOKEN: { surfaces: ["source"], retryable: false },
  BYO_OAUTH_TOKEN_EXCHANGE_FAILED: { surfaces: ["source"], retryable: false },
  GUM_OAUTH_CLIENT_ID_MISSING: { surfaces: ["source"], retryable: false },
  GUM_OAUTH_NO_REFRESH_TOKEN: { surfaces: ["source"], retryable: false },
  GUM_OAUTH_TOKEN_EXCHANGE_FAILED: { surfaces: ["source"], retryable: false },
  GUM_OAUTH_ID_TOKEN_MISSING: { surfaces: ["source"], retryable: false },
  GUM_OAUTH_ID_TOKEN_INVALID: { surfaces: ["source"], retryable: false },
  AUTH_LOOPBACK_STATE_MISMATCH: { surfaces: ["source"], retryable: false },
  GUM_OAUTH_USER_DENIED: { surfaces: ["source"], retryable: false },
  GUM_OAUTH_CALLBACK_INVALID: { surfaces: ["source"], retryable: false },
  GUM_OAUTH_TIMEOUT: { surfaces: ["source"], retryable: false },
  AUTH_REFRESH_FAILED: { surfaces: ["source"], retryable: false },
  AUTH_STORE_BUSY: { surfaces: ["source"], retryable: false },
  ADC_NOT_ENABLED: { surfaces: ["source"], retryable: false },
  NO_ADC_CREDENTIALS: { surfaces: ["source"], retryable: false },
  ADC_TOKEN_FETCH_FAILED: { surfaces: ["source"], retryable: false },
  AUTH_API_KEY_MISSING: { surfaces: ["source"], retryable: false },
  AUTH_SA_KEY_NOT_CONFIGURED: { surfaces: ["source"], retryable: false },
  AUTH_SA_KEY_NOT_FOUND: { surfaces: ["source"], retryable: false },
  AUTH_SA_KEY_UNREADABLE: { surfaces: ["source"], retryable: false },
  AUTH_SA_KEY_INVALID: { surfaces: ["source"], retryable: false },
  AUTH_SA_TOKEN_EXCHANGE_FAILED: { surfaces: ["source"], retryable: false },
  AUTH_RESOLVER_NOT_CONFIGURED: { surfaces: ["source"], retryable: false },
  AUTH_STRATEGY_NOT_IMPLEMENTED: { surfaces: ["source"], retryable: false },
  RATE_LIMIT: { surfaces: ["source"], retryable: false },
  AUTH_EXPIRED: { surfaces: ["source"], retryable: false },
  PARSE_FAILURE: { surfaces: ["source"], retryable: false },
  INVALID_INPUT: { surfaces: ["source"], retryable: false },
  PLUGIN_QUARANTINED: { surfaces: ["source"], retryable: false },
  CANARY_FAILED: { surfaces: ["source"], retryable: false },
  ErrPluginQuarantined: { surfaces: ["source"], retryable: false },
  ErrManifestNotFound: { surfaces: ["source"], retryable: false },
  ErrManifestInvalid: { surfaces: ["source"], retryable: false },
  ErrExecutableUntrusted: { surfaces: ["source"], retryable: false },
  ErrSandboxUnsupported: { surfaces: ["source"], retryable: false },
  ErrCanaryFailed: { surfaces: ["source"], retryable: false },
  Unknown: { surfaces: ["source"], retryable: false },
  SEARCH_INDEX_NOT_LOADED: { surfaces: ["source", "build"], retryable: false },
  BM25_BUILD_FAILED: { surfaces: ["source", "build"], retryable: false },
  BM25_CATALOG_EMPTY: { surfaces: ["source", "build"], retryable: false },
  BM25_INDEX_CORRUPT: { surfaces: ["source", "build"], retryable: false },
  CONVENIENCE_NOT_WIRED: { surfaces: ["source", "build"], retryable: false },
  JSON_ENCODE_FAILED: { surfaces: ["source", "build"], retryable: false },
  CATALOG_SCHEMA_UNSUPPORTED: { surfaces: ["build"], retryable: false },
  CATALOG_FIELD_REQUIRED: { surfaces: ["build"], retryable: false },
  DUPLICATE_OP_ID: { surfaces: ["build"], retryable: false },
  OP_ID_INVALID: { surfaces: ["build"], retryable: false },
  DEFAULT_VARIANT_DANGLING: { surfaces: ["build"], retryable: false },
  DUPLICATE_VARIANT_ID: { surfaces: ["build"], retryable: false },
  UNKNOWN_STABILITY: { surfaces: ["build"], retryable: false },
  UNKNOWN_RISK_CLASS: { surfaces: ["build"], retryable: false },
  UNKNOWN_AUTH_STRATEGY: { surfaces: ["build"], retryable: false },
  AUTH_STRATEGY_REQUIRED: { surfaces: ["build"], retryable: false },
  ADMIN_POLICY_INVALID: { surfaces: ["build"], retryable: false },
  EXECUTION_SUPPORT_INVALID: { surfaces: ["build"], retryable: false },
  CONFIRMATION_POLICY_INVALID: { surfaces: ["build"], retryable: false },
  REQUEST_FIELD_INVALID: { surfaces: ["build"], retryable: false },
  NO_DEFAULT_DECLARED: { surfaces: ["build"], retryable: false },
  DEFAULT_FIELDS_INVALID: { surfaces: ["build"], retryable: false },
  RISK_OVERRIDE_INVALID: { surfaces: ["build"], retryable: false },
  PREFERRED_CONFLICT: { surfaces: ["build"], retryable: false },
  GRPC_ROUTING_HEADER_INVALID: { surfaces: ["build"], retryable: false },
  GRPC_ROUTING_HEADER_NOT_FOUND: { surfaces: ["build"], retryable: false },
  GRPC_ROUTING_HEADER_DUPLICATE: { surfaces: ["build"], retryable: false },
  GRPC_ROUTING_HEADER_NOT_REQUIRED: { surfaces: ["build"], retryable: false },
  OVERRIDES_SCHEMA_INVALID: { surfaces: ["build"], retryable: false },
  DISCOVERY_METHOD_NOT_FOUND: { surfaces: ["build"], retryable: false },
  PROFILE_NOT_FOUND: { surfaces: ["build"], retryable: false },
  SCOPE_NOT_ACCEPTED: { surfaces: ["build"], retryable: false },
  CATALOG_REGRESSION: { surfaces: ["build"], retryable: false },
  GUM_OAUTH_SCOPE_NOT_MANAGED: { surfaces: ["build"], retryable: false },
  HELP_TOPIC_TOO_LARGE: { surfaces: ["build"], retryable: false },
  SANITIZER_TOKENIZER_FAILED: { surfaces: ["build"], retryable: false },
  TOKEN_DELTA_REGRESSION: { surfaces: ["build"], retryable: false },
  MISSING_BASELINE: { surfaces: ["build"], retryable: false },
  ORPHAN_BASELINE: { surfaces: ["build"], retryable: false },
  VARIANT_DEPRECATED: { surfaces: ["notice"], retryable: false },
  UNKNOWN_CONFIG_KEY: { surfaces: ["notice"], retryable: false },
  INVALID_CONFIG_VALUE: { surfaces: ["notice"], retryable: false },
  CONFIG_VALUE_CLAMPED: { surfaces: ["notice"], retryable: false },
  CONFIG_PERMISSIONS_LOOSE: { surfaces: ["notice"], retryable: false },
  RATCHET_OPPORTUNITY: { surfaces: ["notice"], retryable: false },
} satisfies Record<string, ErrorCodeEntry>;

/** A stable code of the table. */
export type ErrorCode = keyof typeof table;

/** The table itself, in the order of spec 02 §4.1. */
export const ERROR_CODES: Readonly<Record<ErrorCode, ErrorCodeEntry>> = withTexts(table);

/** Adds the texts in place: every command waits for it, and copies would take five times as long. */
function withTexts<Codes extends string>(
  entries: Record<Codes, { retryable: boolean; userMessage?: string; suggestion?: string }>,
): Record<Codes, ErrorCodeEntry> {
  for (const code in entries) {
    const texts = DEFAULT_TEXTS[code];
    if (texts !== undefined) [entries[code].userMessage, entries[code].suggestion] = texts;
  }
  return entries as Record<Codes, ErrorCodeEntry>; // the surfaces are there: `table` is of that type
}

/** True when `code` is in the table. */
export function isKnownErrorCode(code: string): code is ErrorCode {
  return Object.hasOwn(table, code);
}
