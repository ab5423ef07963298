/** What shaping is asked and what it did (spec 03 §2). */

import type { Format, Op, Variant } from "../../catalog/types.ts";
import type { JsonObject, JsonValue } from "../../json/mod.ts";
import type { ResolvedProfile } from "../../profile/types.ts";
import type { Caller, OutputFormat } from "./invocation.ts";
import type { ArtifactHandle } from "./services.ts";

/** What the shaper is asked to do (spec 03 §2.2). */
export interface ShapeRequest {
  body: Uint8Array;
  opId: string;
  variantId: string;
  /** Undefined = the implicit empty profile `_default`. */
  profile?: ResolvedProfile;
  userFormat?: OutputFormat;
  /** Already-resolved variant or config default. */
  fallbackFormat?: Format;
  maxItems?: number | "all";
  nullElisionSafe?: string[];
  /** The partial-response mask that the caller gave: fields it names are not dropped. */
  askedMask?: string;
  /** Runs between the stages and the encoder, see `annotateResponse`. */
  settle?: (shaped: JsonValue) => JsonValue;
  /** A random integer: text from strangers is put between marks, and this picks their tag. */
  untrustedRandom?: number;
}

/** What shaping did (spec 03 §2.2). */
export interface ShapeResult {
  body: Uint8Array;
  format: OutputFormat;
  /** The shaped tree; undefined for raw. */
  value: JsonValue | undefined;
  profileApplied: boolean;
  bytesIn: number;
  bytesOut: number;
  lossy: boolean;
  resultCount: number;
  omittedCount: number;
  /** Exactly what stage 5 removed: `{"results_omitted_count":143}`. */
  omittedByKey: Record<string, number>;
  /** How many of those were records; absent when none was. */
  omittedRecords?: number;
  dedupedRows: number;
  limitedRows: number;
  /** Sorted, unique, no array indices. */
  droppedPaths: string[];
  /** Arrays that csv or markdown replaced by a count. */
  countedArrays?: string[];
  onEmptyMessage?: string;
  intentionalZero: boolean;
  resultKind: "records" | "object" | "scalar" | "empty";
  untrustedPaths?: string[];
  /** The tag around untrusted text, when it was marked. */
  untrustedMark?: string;
  bigIntegerPaths?: string[];
}

/** The `_expression` envelope (spec 03 §2.3). */
export type ExpressionMeta = JsonObject & {
  profile: string;
  op_id: string;
  variant_id: string | null;
  lossy: boolean;
  result_count: number;
};

/** Facts beside the shape result that the envelope and the notice report. */
export interface ExpressionFacts {
  opId: string;
  variantId: string;
  profileName: string;
  shape: ShapeResult;
  profileSource?: string;
  /** The mask GUM injected, when it did. */
  fieldMask?: string;
  unsupportedCapabilities?: string[];
  validationWarnings: string[];
  artifact?: ArtifactHandle & { advertised: boolean; resource?: string };
  projectRootUri?: string;
  annotationPaths: string[];
  /** The answer's page token leads past rows that were left out of it. */
  tokenSkips?: TokenSkip;
  /** Advice is worded for this caller; default is a model's client. */
  caller?: Caller;
}

/** Rows between those shown and those that the answer's page token leads to. */
export interface TokenSkip {
  rows: number;
  /** `max_items` brings them back; it does not lift a profile's limit. */
  byCap: boolean;
  /** A page of this many rows is shown whole; absent where the size cannot be asked for. */
  fitting?: { argument: string; rows: number };
}

/** The shaping pipeline, assembled from the pure functions of `lib/shape`. */
export interface Shaper {
  shape(request: ShapeRequest): ShapeResult;
  expression(facts: ExpressionFacts): ExpressionMeta;
  /** One or more sentences on what was left out; "" when nothing was. */
  notice(facts: ExpressionFacts, surface: "cli" | "mcp"): string;
  /** Whether a profile could remove anything in a call with this cap (spec 03 §3.6). */
  isLossy(profile: ResolvedProfile | undefined, maxItems: number | "all" | undefined): boolean;
}

/** Picks the profile of a call (spec 03 §3.3). */
export interface ProfileResolver {
  resolve(request: {
    op: Op;
    variant: Variant;
    preset?: ResolvedProfile;
    projectRootPath?: string;
  }): {
    profile: ResolvedProfile | undefined;
    warnings: string[];
    /** A project-local profile or binding was used, so `_expression` names the root. */
    usedProjectLayer?: boolean;
  };
}
