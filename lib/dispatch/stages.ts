/** What each step hands to the next. */

import type { Op } from "../catalog/types.ts";
import type { JsonObject } from "../json/mod.ts";
import type { ResolvedProfile } from "../profile/types.ts";
import type { Selection } from "./selection.ts";
import type {
  CachedBody,
  Credentials,
  MediaFacts,
  OwnTextFacts,
  ResolvedVariant,
  VerifiedToken,
} from "./types.ts";

/** After step 1. */
export interface ParsedCall {
  op: Op;
  selection: Selection;
  profile: ResolvedProfile | undefined;
  /** A project-local profile or binding was used. */
  usedProjectLayer?: boolean;
  /** Arguments with body and defaults in place. */
  args: JsonObject;
  /** What a confirmation token binds. */
  argsHash: string;
}

/** After step 2: the confirmation to spend, when this call needed one. */
export type Confirmation = VerifiedToken | undefined;

/** What became of the upstream mask. */
export interface MaskDecision {
  status: "applied" | "skipped" | "not_applicable";
  /** The mask GUM injected. */
  injected?: string;
  /** The mask that the caller gave. */
  asked?: string;
}

/** After step 3. */
export interface RoutedCall extends ParsedCall {
  resolved: ResolvedVariant;
  /** Arguments as they go on the wire, mask included. */
  wireArgs: JsonObject;
  wireCanonical: string;
  /** What cache, artifact and audit know the arguments by. */
  wireHash: string;
  mask: MaskDecision;
}

/** After step 4. */
export interface AuthorizedCall extends RoutedCall {
  credentials: Credentials | undefined;
  /** "" = unknown principal. */
  fingerprint: string;
  /** Pages came under a login that has ended since: nothing may be kept under a name. */
  principalLost?: true;
}

/** After step 5. */
export type CacheOutcome =
  | { kind: "not_applicable" }
  | {
    kind: "miss";
    key: string;
    stale?: CachedBody & { etag: string };
    /** Writes to the service that were known when this call began. */
    changes?: number;
  }
  | { kind: "hit"; key: string; entry: CachedBody };

/** After step 7, or straight from a cache hit. */
export type Answer =
  | {
    kind: "body";
    body: Uint8Array;
    format: "json" | "raw";
    contentType?: string;
    cacheStatus: "hit" | "miss" | "not_applicable";
    upstreamRequestId?: string;
    media?: MediaFacts;
    ownText?: OwnTextFacts;
  }
  | { kind: "unchanged"; etag: string; body: Uint8Array };
