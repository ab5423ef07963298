/** Shapes of the operation catalog (spec 04 §2): what the generator writes and everything reads. */

import type { JsonObject } from "../json/mod.ts";

/** How much harm an operation can do; `read` < `write` < `destructive`. */
export type RiskClass = "read" | "write" | "destructive";

/** Maturity of a variant, best first. */
export type Stability = "stable" | "beta" | "alpha";

/** How a variant gets its credential (spec 04 §2.4). */
export type AuthStrategy =
  | "gum_oauth"
  | "byo_oauth"
  | "adc"
  | "service_account"
  | "workload_identity"
  | "impersonation"
  | "api_key"
  | "compound"
  | "plugin_managed"
  | "none";

/** How far GUM can execute a variant (spec 04 §3.9). Absent means `full`. */
export type ExecutionSupport = "full" | "partial" | "typed_executor_required" | "schema_only";

/** Where a request field travels. */
export type FieldLocation = "path" | "query" | "body" | "header" | "arg";

/** JSON type of a request field. */
export type FieldType = "string" | "integer" | "number" | "boolean" | "array" | "object";

/** What an operation does to the world outside the account's own data (spec 11 §7). */
export type Effect = "sends_mail" | "shares" | "publishes" | "deletes" | "moves_money" | "admin";

/** Formats a shaped result can be encoded in. */
export type Format = "toon" | "csv" | "json" | "markdown";

/** The whole embedded catalog. */
export interface Catalog {
  catalog_schema_version: 1;
  /** RFC 3339 UTC; the newest revision of the inputs. */
  generated_at: string;
  generator_version: string;
  /** Sorted by `op_id`. */
  ops: Op[];
}

/** One operation, with every way to run it. */
export interface Op {
  op_id: string;
  op_schema_version: 1;
  title: string;
  summary: string;
  service: string;
  /** Rate-limit isolation group. */
  service_family: string;
  default_variant_id: string;
  /** Default first, then by `variant_id`. */
  variants: Variant[];
  /** `[]` closes the operation to every argument; absent leaves it open (spec 02 §3.3.3). */
  request_fields?: RequestField[];
  params_required?: [string, string][];
  params_optional?: [string, string][];
  response_ref?: string;
  paginated?: boolean;
  tags?: string[];
  /** Search-only words. */
  aliases?: string[];
  deprecated_op_ids?: string[];
  deprecated_variant_ids?: string[];
  /** Removed variant id to its replacement. */
  superseded_variant_ids?: Record<string, string>;
}

/** One executable backend of an operation. */
export interface Variant {
  variant_id: string;
  variant_schema_version: 1;
  version?: string;
  stability: Stability;
  interface_kind: string;
  backend_kind: string;
  preferred?: boolean;
  risk_class: RiskClass;
  risk_override?: boolean;
  risk_override_reason?: string;
  auth_strategy: AuthStrategy;
  auth_components?: AuthComponent[];
  /** OAuth scopes, sorted. */
  scopes?: string[];
  confirmation_policy?: "none" | "high_stakes_write";
  /** Outward effects, for the policy modes of spec 11 §7. */
  effects?: Effect[];
  capabilities: string[];
  execution_support?: ExecutionSupport;
  unsupported_capabilities?: string[];
  /** Google partial-response mask; read variants only. */
  default_fields?: string;
  default_page_size?: number;
  /** Where page tokens travel when not as `pageToken` and `nextPageToken` (spec 02 §8.3). */
  pagination?: {
    /** Argument that takes the token, or the number of the first row. */
    request: string;
    /** Dot path of the next one in an answer, such as `queries.nextPage.0.startIndex`. */
    response: string;
  };
  default_format?: Format;
  output_profile?: string;
  null_elision_safe_fields?: string[];
  raw_result_allowed?: boolean;
  annotations?: { readOnly?: boolean; openWorld?: boolean; idempotent?: boolean };
  admin_policy?: AdminPolicy;
  quarantined?: boolean;
  stub_expires?: string;
  /** Bytes; overrides the adapter's response cap. */
  max_response_bytes?: number;
  schema_hashes?: Record<string, string>;
  binding?: Binding;
  service_root_template?: string;
}

/** Guard rails of an Admin SDK write (spec 04 §3.8, amended by 11 §12). */
export interface AdminPolicy {
  blast_radius: "admin_fixture_write" | "admin_reversible_write" | "admin_high_blast_write";
  fixture_ownership_required?: boolean;
  fixture_marker_prefix?: string;
  fixture_resource_keys?: string[];
}

/** One part of a compound credential: a descriptor, never a secret value. */
export interface AuthComponent {
  kind: string;
  optional?: boolean;
  display_name?: string;
  setup_hint?: string;
  scopes?: string[];
  credential_alias?: string;
}

/** HTTP binding of a variant. `path` is an absolute `https://` URL template. */
export interface HttpBinding {
  method: "GET" | "HEAD" | "POST" | "PUT" | "PATCH" | "DELETE";
  path: string;
  /** Argument name to the header that carries it. */
  header_params?: Record<string, string>;
  /** Upload endpoints from Discovery `mediaUpload` (spec 02 §8.2). */
  media_upload?: {
    multipart_path?: string;
    resumable_path?: string;
    accept?: string[];
    max_bytes?: number;
    /** Wire form of a resumable session; default `resumable` (`Location`, `Content-Range`, 308). */
    protocol?: "resumable" | "x_goog_upload";
  };
}

/** How a variant reaches the wire: adapter and backend-specific keys (spec 04 §2.6). */
export interface Binding {
  binding_schema_version: 1;
  adapter_key: string;
  operation_key: string;
  request_ref?: string;
  response_ref?: string;
  http?: HttpBinding;
  proto_service?: string;
  proto_method?: string;
  request_type?: string;
  response_type?: string;
  routing_headers?: string[];
  sdk_resource?: string;
  sdk_method?: string;
  plugin_name?: string;
  tool_name?: string;
  rpc_service?: string;
  rpc_method?: string;
  "x-sovereign-endpoint"?: string | null;
}

/** One argument of an operation (spec 04 §2.7). */
export interface RequestField {
  name: string;
  location: FieldLocation;
  type: FieldType;
  item_type?: string;
  enum?: string[];
  required?: boolean;
  /** Encoded as text; sent on the wire when the argument is absent. */
  default?: string;
  /**
   * A default that the host supplies without the service asking for it (spec 11 §4): `me` for
   * `userId`, `true` for `supportsAllDrives`. It lifts `required` for CLI and meta-tool callers.
   */
  host_default?: string;
  format?: string;
  /**
   * What a reserved placeholder (`{+name}`) may hold, as a regular expression over the whole value:
   * `^spaces/[^/]+/messages/[^/]+$`. Absent on every other field.
   */
  pattern?: string;
  description?: string;
}

/** Read-only view of the operations a session can see. Lookups are O(1). */
export interface CatalogSnapshot {
  /** Sorted by `op_id`. */
  readonly ops: readonly Op[];
  /** By canonical id, else by deprecated alias. */
  findOp(opId: string): Op | undefined;
  /** By variant id, over all operations. */
  findVariant(variantId: string): { op: Op; variant: Variant } | undefined;
  /** True for an operation that exists and that the profile's `catalog.long_tail` hides. */
  isHidden?(opId: string): boolean;
  /** Ids that start so and that `ops` leaves out: at most `limit` of the long tail's, sorted. */
  furtherIds?(prefix: string, limit: number): string[];
  /**
   * Every operation of a service, those included that the profile hides: a caller who may not run
   * one must not reach its address through another.
   */
  everyOp?(service: string): readonly Op[];
  /** Request schema document served as `gum://schema/{ref}`; undefined when there is none. */
  requestSchema(ref: string): JsonObject | undefined;
}

/** One search hit (spec 04 §3.15). */
export interface SearchHit {
  op_id: string;
  score: number;
  summary: string;
  risk_class: RiskClass;
  auth_strategy: AuthStrategy;
  /** Where the operation comes from; absent where only curated ones can be found. */
  tier?: "curated" | "long_tail";
}

/** The part of the operations that is searched. */
export interface SearchWithin {
  /** Op ids up to the first dot. */
  service?: string;
  tier?: "curated" | "long_tail";
}

/** Ranks operations for a query; `topK` ≤ 0 means 10, at most 50 rows. */
export interface OperationSearch {
  search(query: string, topK?: number, within?: SearchWithin): SearchHit[];
  /** An operation that the profile hides and that would have been the first hit. */
  hiddenBest?(query: string): string | undefined;
}
