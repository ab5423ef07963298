/** Lines of the gain ledger (spec 07 §2.4). */

/** Encoding that every number of the ledger is counted in. */
export const TOKENIZER = "cl100k_base";

/** First line of every ledger file, without its newline. */
export const HEADER_LINE = `{"record_type":"header","schema_version":1,"tokenizer":"${TOKENIZER}"}`;

/** `op_id` and family of the row that stands for a batch as a whole. */
export const BATCH_OP = "gum_parallel";

/** What the cache had to do with a call. */
export type CacheStatus = "hit" | "miss" | "etag_304" | "not_applicable";

/** What became of the upstream mask. */
export type FieldMaskStatus = "applied" | "skipped" | "not_applicable";

/** One accounted call. */
export interface GainEntry {
  /** First 8 hex digits of the session's token. */
  session: string;
  op_id: string;
  /** Null only on a batch's outer row. */
  variant_id: string | null;
  /** Null when no profile applied, and on a batch's outer row. */
  output_profile: string | null;
  args_hash: string;
  /** "" when unauthenticated, `batch` on an outer row. */
  auth_subject_fingerprint: string;
  request_tokens: number;
  /** Tokens received from the service in this call. */
  response_tokens: number;
  /** Tokens of the unshaped body, wherever it came from. */
  raw_tokens: number;
  /** Tokens of what the caller was given. */
  shaped_tokens: number;
  cache_status: CacheStatus;
  field_mask_status: FieldMaskStatus;
  served_from_cache: boolean;
  is_retry: boolean;
  op_family: string;
  baseline_method: "fixture_replay" | "estimated";
  /** Path of the fixture; only with `fixture_replay`. */
  benchmark_fixture_id?: string;
  /** 8 hex digits shared by the rows of one batch. */
  batch_id?: string;
  /** 0-based; inner rows only. */
  batch_index?: number;
  /** Outer row only. */
  element_count?: number;
  error_code?: string;
  cancelled?: true;
  /** RFC 3339 UTC with milliseconds. */
  ts: string;
}

/** One line, newline included, keys in the order of the contract. */
export function entryLine(entry: GainEntry): string {
  const ordered: Record<keyof GainEntry, unknown> = {
    session: entry.session,
    op_id: entry.op_id,
    variant_id: entry.variant_id,
    output_profile: entry.output_profile,
    args_hash: entry.args_hash,
    auth_subject_fingerprint: entry.auth_subject_fingerprint,
    request_tokens: entry.request_tokens,
    response_tokens: entry.response_tokens,
    raw_tokens: entry.raw_tokens,
    shaped_tokens: entry.shaped_tokens,
    cache_status: entry.cache_status,
    field_mask_status: entry.field_mask_status,
    served_from_cache: entry.served_from_cache,
    is_retry: entry.is_retry,
    op_family: entry.op_family,
    baseline_method: entry.baseline_method,
    // Absent values are left out by JSON.stringify.
    benchmark_fixture_id: entry.benchmark_fixture_id,
    batch_id: entry.batch_id,
    batch_index: entry.batch_index,
    element_count: entry.element_count,
    error_code: entry.error_code,
    cancelled: entry.cancelled,
    ts: entry.ts,
  };
  return JSON.stringify({ record_type: "entry", ...ordered }) + "\n";
}

/** An operation id without its last segment; unchanged when there is nothing to leave out. */
export function operationFamily(opId: string): string {
  const dot = opId.lastIndexOf(".");
  return dot > 0 ? opId.slice(0, dot) : opId;
}
