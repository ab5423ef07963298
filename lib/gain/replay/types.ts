/** Shapes of the release fixture set on disk (spec 07 §2.8). */

import type { JsonObject } from "../../json/mod.ts";

/** Kinds of recorded calls. */
export const CATEGORIES = [
  "workspace_toon_read",
  "gum_parallel_batch",
  "non_workspace_read",
  "write_destructive",
] as const;

/** Kind of a recorded call. */
export type Category = typeof CATEGORIES[number];

/** `manifest.json`: what the set holds, written by the generator alone. */
export interface ReleaseManifest {
  schema_version: 1;
  generated_by: string;
  seed: string;
  /** RFC 3339 UTC. */
  world_clock: string;
  catalog_sha256: string;
  total: number;
  /** By path. */
  entries: ManifestEntry[];
}

/** One recorded call in the manifest. */
export interface ManifestEntry {
  /** `<category>/<NNN>-<slug>`. */
  path: string;
  category: Category;
  op_id: string;
  /** Null for a batch. */
  variant_id: string | null;
  /** Null for a batch and for a call without a profile. */
  output_profile: string | null;
  raw_tokens: number;
  /** By file name: what was recorded, not what is expected of the replay. */
  sha256: Record<string, string>;
}

/** `request.json` of one call. */
export interface RecordedRequest {
  op_id: string;
  variant_id?: string;
  args: JsonObject;
  /** What a caller without GUM sends on top, such as `fields: "*"` where the default says too little. */
  naive_args?: JsonObject;
  /** Status of an answer that is an error. */
  http_status?: number;
}

/** One answered call: of its own, or an element of a batch. */
export interface RecordedCall {
  request: RecordedRequest;
  /** The whole answer, byte for byte as the service sent it; "" for none. */
  body: string;
  /** The answer under GUM's mask, where it is no projection of {@link body}. */
  masked: string | undefined;
}

/** What the replay must measure for a fixture: `expected-tokens-cl100k.json`. */
export interface ExpectedTokens {
  /** The answer, compact. */
  in: number;
  /** The answer as sent, indented. */
  in_as_sent: number;
  out_json: number;
  out_toon: number;
  /** Batches: of the toon pass. */
  outer_request?: number;
  outer_response?: number;
}

/** Totals of one pass. */
export interface BaselineFigures {
  baseline_tokens: number;
  actual_tokens: number;
  end_to_end_savings: number;
  batch_envelope_overhead: number;
  p50: number;
  p95: number;
  p99: number;
}

/** `expected-baseline.json`. */
export type ExpectedBaseline = Record<ReplayFormat, BaselineFigures>;

/** Formats a replay can be run with. */
export type ReplayFormat = "toon" | "json";

/** A recorded fixture. */
export interface Fixture {
  entry: ManifestEntry;
  calls: RecordedCall[];
}

/** A recorded fixture and what its replay must measure. */
export interface ExpectedFixture extends Fixture {
  expectedText: string;
  expectedTokens: ExpectedTokens;
}

/** A set as it was recorded. */
export interface RecordedSet {
  directory: string;
  manifest: ReleaseManifest;
  /** First 8 hex digits of the manifest's hash. */
  session: string;
  /** In path order. */
  fixtures: Fixture[];
}

/** A recorded set and what its replay must measure. */
export interface FixtureSet extends RecordedSet {
  fixtures: ExpectedFixture[];
  baseline: ExpectedBaseline;
}
