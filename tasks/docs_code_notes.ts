/**
 * Meaning and remedy of the codes whose throw sites never speak to a person: reasons behind another
 * error, notices, and failures of a build.
 */

const REGISTER = "Register one with `gum auth use-oauth-client --client-json client_secret.json`.";
const LOGIN = "Sign in with `gum login`.";
const KEY = "Store a key with `gum auth use-service-account key.json`.";
const CATALOG = "Correct `catalog/overrides.toml` and run `deno task gen`.";
const REINSTALL = "The installation is damaged; install gum again.";
const PLUGIN = "Look at `gum plugin list`.";

/** Meaning, then remedy, by code. */
export const CODE_NOTES: Readonly<Record<string, readonly [string, string?] | undefined>> = {
  NO_REFRESH_TOKEN: ["The stored grant cannot be renewed.", LOGIN],
  AUTH_LOGIN_REQUIRED: ["Nobody is signed in for this profile, or the grant has ended.", LOGIN],
  BYO_OAUTH_CLIENT_NOT_CONFIGURED: ["This profile has no OAuth client.", REGISTER],
  BYO_OAUTH_CLIENT_LOAD_FAILED: [
    "The stored OAuth client cannot be read.",
    "Check the credential store with `gum doctor`, then register the client again.",
  ],
  BYO_OAUTH_NO_SCOPES: [
    "A sign-in was asked for without any scope.",
    "Name some: `gum login --service gmail`.",
  ],
  BYO_OAUTH_NO_REFRESH_TOKEN: [
    "Google gave no refresh token, so the sign-in would not last.",
    "Remove the app's access in the Google account and sign in again.",
  ],
  BYO_OAUTH_TOKEN_EXCHANGE_FAILED: [
    "Google refused to exchange the code or the refresh token.",
    "Check the OAuth client's id and secret, then sign in again.",
  ],
  GUM_OAUTH_CLIENT_ID_MISSING: ["This build has no OAuth client of its own.", REGISTER],
  GUM_OAUTH_NO_REFRESH_TOKEN: ["Google gave no refresh token.", LOGIN],
  GUM_OAUTH_TOKEN_EXCHANGE_FAILED: ["Google refused to exchange the code.", LOGIN],
  GUM_OAUTH_ID_TOKEN_MISSING: ["Google's answer did not say which account signed in.", LOGIN],
  GUM_OAUTH_ID_TOKEN_INVALID: ["The account statement of the answer does not hold.", LOGIN],
  AUTH_LOOPBACK_STATE_MISMATCH: [
    "The browser's answer belongs to another sign-in.",
    "Close old consent pages and run `gum login` again.",
  ],
  GUM_OAUTH_USER_DENIED: [
    "Consent was refused on Google's page.",
    "Run `gum login` again to give it.",
  ],
  GUM_OAUTH_CALLBACK_INVALID: ["The browser's answer was incomplete.", LOGIN],
  GUM_OAUTH_TIMEOUT: [
    "Nobody answered Google's consent page in time.",
    "Run `gum login` again; `--no-browser` prints the address.",
  ],
  AUTH_REFRESH_FAILED: ["The access token could not be renewed.", LOGIN],
  AUTH_STORE_BUSY: [
    "Another gum process holds the credential store.",
    "Try again when it is done.",
  ],
  ADC_NOT_ENABLED: [
    "The host's credentials are not adopted unless you say so.",
    "Say so with `gum auth use-adc`.",
  ],
  NO_ADC_CREDENTIALS: [
    "The host has no application default credentials.",
    "Run `gcloud auth application-default login`, or sign in with `gum login`.",
  ],
  ADC_TOKEN_FETCH_FAILED: [
    "The host's credentials gave no token.",
    "Renew them, or turn them off with `gum auth use-adc --off`.",
  ],
  AUTH_API_KEY_MISSING: [
    "The operation needs an API key and none is stored.",
    "Store one: `gum auth use-api-key`.",
  ],
  AUTH_SA_KEY_NOT_CONFIGURED: ["No service-account key is stored.", KEY],
  AUTH_SA_KEY_NOT_FOUND: ["The named key file does not exist.", KEY],
  AUTH_SA_KEY_UNREADABLE: ["The key file cannot be read.", "Check its permissions."],
  AUTH_SA_KEY_INVALID: ["The key file is no service-account key.", KEY],
  AUTH_SA_TOKEN_EXCHANGE_FAILED: [
    "Google refused the service account.",
    "Check the key, the machine's clock, and domain-wide delegation when a subject is set.",
  ],
  AUTH_RESOLVER_NOT_CONFIGURED: ["The session was opened without credentials.", REINSTALL],
  AUTH_STRATEGY_NOT_IMPLEMENTED: [
    "The variant wants a way to sign in that this version lacks.",
    "Choose another variant; `gum describe <op_id>` lists them.",
  ],
  RATE_LIMIT: ["The service asked for fewer requests.", "Wait, then try again."],
  AUTH_EXPIRED: ["The credential is no longer accepted.", LOGIN],
  PARSE_FAILURE: ["An answer could not be read.", "Try again; `--format raw` shows the bytes."],
  INVALID_INPUT: ["The service refused an argument.", "Compare with `gum describe <op_id>`."],
  PLUGIN_QUARANTINED: ["The plugin is quarantined.", PLUGIN],
  CANARY_FAILED: ["The plugin failed its own test.", PLUGIN],
  ErrPluginQuarantined: ["The plugin is quarantined.", PLUGIN],
  ErrManifestNotFound: ["The plugin has no manifest.", "Install it again."],
  ErrManifestInvalid: ["The plugin's manifest does not hold.", "Report it to its author."],
  ErrExecutableUntrusted: [
    "The plugin's program is not the one that was installed.",
    "Install it again from a source you trust.",
  ],
  ErrSandboxUnsupported: ["This system cannot confine the plugin.", PLUGIN],
  ErrCanaryFailed: ["The plugin failed its own test.", PLUGIN],
  Unknown: ["The service named a reason gum does not know.", "Read `message`."],
  SEARCH_INDEX_NOT_LOADED: ["The search index is missing.", REINSTALL],
  BM25_BUILD_FAILED: ["The search index could not be made.", REINSTALL],
  BM25_CATALOG_EMPTY: ["There is nothing to search in.", REINSTALL],
  BM25_INDEX_CORRUPT: ["The search index does not fit the catalog.", REINSTALL],
  CONVENIENCE_NOT_WIRED: ["A shortcut tool has no operation behind it.", REINSTALL],
  JSON_ENCODE_FAILED: ["A result could not be written as JSON.", "Ask for `--format raw`."],
  CATALOG_SCHEMA_UNSUPPORTED: ["The catalog has another version.", "Run `deno task gen`."],
  CATALOG_FIELD_REQUIRED: ["A catalog row lacks a required member.", CATALOG],
  DUPLICATE_OP_ID: ["Two operations have one id.", CATALOG],
  OP_ID_INVALID: ["An operation id is ill-formed.", CATALOG],
  DEFAULT_VARIANT_DANGLING: ["A default variant does not exist.", CATALOG],
  DUPLICATE_VARIANT_ID: ["Two variants have one id.", CATALOG],
  UNKNOWN_STABILITY: ["A stability is none of the known ones.", CATALOG],
  UNKNOWN_RISK_CLASS: ["A risk class is none of the known ones.", CATALOG],
  UNKNOWN_AUTH_STRATEGY: ["A way to sign in is none of the known ones.", CATALOG],
  AUTH_STRATEGY_REQUIRED: ["A variant does not say how to sign in.", CATALOG],
  ADMIN_POLICY_INVALID: ["An admin policy is ill-formed.", CATALOG],
  EXECUTION_SUPPORT_INVALID: ["A variant claims support it cannot have.", CATALOG],
  CONFIRMATION_POLICY_INVALID: ["A confirmation policy is ill-formed.", CATALOG],
  REQUEST_FIELD_INVALID: ["A request field is ill-formed.", CATALOG],
  NO_DEFAULT_DECLARED: ["An operation has several variants and no default.", CATALOG],
  DEFAULT_FIELDS_INVALID: ["A default field mask is ill-formed.", CATALOG],
  RISK_OVERRIDE_INVALID: ["A risk class was decided by hand without a reason.", CATALOG],
  PREFERRED_CONFLICT: ["Two variants are both preferred.", CATALOG],
  GRPC_ROUTING_HEADER_INVALID: ["A routing header is ill-formed.", CATALOG],
  GRPC_ROUTING_HEADER_NOT_FOUND: ["A routing header names no argument.", CATALOG],
  GRPC_ROUTING_HEADER_DUPLICATE: ["A routing header is given twice.", CATALOG],
  GRPC_ROUTING_HEADER_NOT_REQUIRED: ["A routing header uses an optional argument.", CATALOG],
  OVERRIDES_SCHEMA_INVALID: ["The overrides are ill-formed.", CATALOG],
  DISCOVERY_METHOD_NOT_FOUND: ["The overrides name a method the service lacks.", CATALOG],
  PROFILE_NOT_FOUND: ["An expression profile does not exist.", CATALOG],
  SCOPE_NOT_ACCEPTED: ["A scope is not one the method accepts.", CATALOG],
  CATALOG_REGRESSION: ["An operation was lost between two catalogs.", CATALOG],
  GUM_OAUTH_SCOPE_NOT_MANAGED: ["A scope is not on the managed list.", CATALOG],
  HELP_TOPIC_TOO_LARGE: ["A help topic is over its size.", "Shorten it."],
  SANITIZER_TOKENIZER_FAILED: ["Tokens of a text could not be counted.", "Run the build again."],
  TOKEN_DELTA_REGRESSION: ["An answer costs more tokens than its baseline.", "Trim its profile."],
  MISSING_BASELINE: ["An operation has no token baseline.", "Record one."],
  ORPHAN_BASELINE: ["A token baseline has no operation.", "Remove it."],
  VARIANT_DEPRECATED: ["The variant will go away.", "Use the one in `superseded_by`."],
  UNKNOWN_CONFIG_KEY: [
    "The configuration has a key this version does not know; it is kept and ignored.",
    "Compare with `gum config list`.",
  ],
  INVALID_CONFIG_VALUE: [
    "A configured value is not accepted, and the default is used.",
    "Set it again: `gum config set <key>=<value>`.",
  ],
  CONFIG_VALUE_CLAMPED: [
    "A configured number was out of bounds, and the nearest bound is used.",
    "Set it again: `gum config set <key>=<value>`.",
  ],
  CONFIG_PERMISSIONS_LOOSE: [
    "Others can read the configuration.",
    "Take that away: `chmod 600` on the file it names.",
  ],
  RATCHET_OPPORTUNITY: ["An answer got cheaper than its baseline.", "Record the lower one."],
};
