/** What the kernel remembers with: pacing, cache, artifacts, audit, accounting, confirmations. */

import type { Variant } from "../../catalog/types.ts";
import type { JsonObject } from "../../json/mod.ts";

/** Local pacing per service family (spec 02 §3.7 step 6). */
export interface RateLimiter {
  /** Waits for a token or throws `RATE_LIMITED`. */
  take(request: { family: string; opId: string }, signal: AbortSignal): Promise<void>;
  /** Freezes a family after the upstream asked for a pause of `ms`. */
  freeze(family: string, ms: number): void;
}

/** A cached upstream body. */
export interface CachedBody {
  body: Uint8Array;
  etag?: string;
  /** False: past its TTL, only good for revalidation. */
  fresh: boolean;
  /** This session has already been given this body. */
  seen: boolean;
}

/** The response cache (spec 07 §3). A fault is a miss, never an error. */
export interface ResponseCache {
  /** False when this operation's answers are never kept (cache off, TTL 0); absent: always true. */
  cacheable?(opId: string): boolean;
  get(key: string): Promise<CachedBody | undefined>;
  put(
    key: string,
    entry: {
      body: Uint8Array;
      etag?: string;
      opId: string;
      variantId: string;
      service: string;
      fingerprint: string;
      /** What {@link ResponseCache.changes} said before the answer was asked for. */
      changes?: number;
    },
  ): Promise<void>;
  renew(key: string): Promise<void>;
  evict(key: string): Promise<void>;
  /**
   * How often a service's rows of one principal were dropped. An answer that was asked for before
   * the last time is not kept: it may show what the write has replaced.
   */
  changes?(scope: { service: string; fingerprint: string }): number;
  /** Drops a service's rows of one principal after a write. */
  invalidate(scope: { service: string; fingerprint: string }): Promise<void>;
  stats(): JsonObject;
}

/** Where a result was kept (spec 03 §3.14). */
export interface ArtifactHandle {
  path: string;
  hash: string;
  /** Decompressed bytes. */
  size: number;
  /** RFC 3339 UTC. */
  expiresAt: string;
}

/** Recovery artifacts. */
export interface ArtifactStore {
  /** False when no profile data directory exists: nothing is ever written. */
  readonly enabled: boolean;
  /** Throws `TEE_SECRET_CORRUPT`; an absent secret passes. */
  checkSecret(): Promise<void>;
  write(request: {
    opId: string;
    variantId: string;
    argsCanonical: string;
    fingerprint: string;
    body: Uint8Array;
  }): Promise<ArtifactHandle>;
}

/** Append-only record of calls (spec 07 §2.6). */
export interface AuditSink {
  append(row: JsonObject): void;
}

/** What the gain ledger is told of one call; it counts tokens itself, later. */
export interface GainRecord {
  opId: string;
  variantId: string;
  profileName: string;
  argsHash: string;
  fingerprint: string;
  request: JsonObject;
  rawBody: Uint8Array;
  shapedBody: Uint8Array;
  cacheStatus: "hit" | "miss" | "not_applicable" | "etag_304";
  fieldMaskStatus: "applied" | "skipped" | "not_applicable";
  batch?: { batchId: string; index: number };
  /** Of a script: the bodies whose tokens together are its raw tokens, instead of `rawBody`. */
  innerBodies?: readonly Uint8Array[];
  /** Set on a call that failed after its executor was entered. */
  errorCode?: string;
  cancelled?: boolean;
}

/** A finished batch: its own row follows those of its elements (spec 07 §3.13). */
export interface GainBatchRecord {
  /** 8 hex digits, as on the elements' records. */
  batchId: string;
  /** One object an element, `{"op_id":…,"args":…}`, in order. */
  elements: JsonObject[];
  /** The text of the whole answer. */
  envelope: string;
  cancelled?: boolean;
}

/** Token accounting (spec 07 §3.12). Told of a call when its answer is ready; counts later. */
export interface GainSink {
  record(entry: GainRecord): void;
  recordBatch?(batch: GainBatchRecord): void;
}

/** What a confirmation token is bound to (spec 02 §3.5). */
export interface ConfirmationBinding {
  purpose:
    | "gum_confirm_destructive"
    | "gum_confirm_write"
    | "gum_code_write"
    | "gum_code_destructive";
  opId: string;
  variantId: string;
  argsHash: string;
  /** Canonical destructive scope, "" for `gum_confirm_write`. */
  scope: string;
}

/** Issues, verifies and spends confirmation tokens. */
export interface ConfirmationService {
  issue(binding: ConfirmationBinding): Promise<{ token: string; expiresAt: string }>;
  /** Throws `CONFIRMATION_TOKEN_INVALID`; the result is what {@link spend} takes. */
  verify(token: string | undefined, binding: ConfirmationBinding): Promise<VerifiedToken>;
  /** Leaves the durable one-time marker; throws when it was already there. */
  spend(verified: VerifiedToken): Promise<void>;
}

/** A token that passed verification and was not spent yet. */
export interface VerifiedToken {
  mac: string;
  expiresMs: number;
  opId: string;
}

/** Answers for plugin operations that are installed but not active. */
export interface PluginInventory {
  lookup(query: { opId?: string; variantId?: string }): {
    status: "installed_pending_restart" | "needs_configuration" | "quarantined";
    reason: string;
    pluginName: string;
    /** What a plugin that is not set up still needs. */
    credentialAliases?: string[];
  } | undefined;
}

/** Learns where long-running operations came from, so that a poll finds its way back. */
export interface OperationMemory {
  /** Told of every answer a service gave; looks for an operation in it and never throws. */
  observe(answer: { opId: string; variant: Variant; body: Uint8Array }): void;
}
