/** The emulator's face (spec 00 §7, §10; 11 §11): an in-process Google on loopback. */

import type { Clock } from "../clock/mod.ts";
import type { JsonObject, JsonValue } from "../json/mod.ts";
import type { IdentitySwitches } from "./identity.ts";
import type { EmulatedOperation } from "./operations.ts";

/** How to start an emulator. */
export interface EmulatorOptions {
  /** Seed of the world; same seed and clock give byte-identical answers. Default 1. */
  seed?: number;
  /** Default: a fixed instant, so that recorded fixtures regenerate clean. */
  clock?: Clock;
  /** How many accounts there are at least; two exist anyway. */
  accounts?: number;
  /** Loopback port; default 0 = any free one. */
  port?: number;
}

/** One request the emulator saw. Times are clock milliseconds. */
export interface JournalEntry {
  index: number;
  method: string;
  /** The Google host the request was meant for. */
  host: string;
  path: string;
  query: Record<string, string[]>;
  headers: Record<string, string>;
  /** Request body bytes. */
  bodyBytes: number;
  bodyText?: string;
  startedAt: number;
  finishedAt?: number;
  status?: number;
  clientAborted: boolean;
  /** Name of the fault that fired, if one did. */
  fault?: string;
}

/** A scripted misbehaviour for the next `times` requests that match. */
export interface Fault {
  /** Which requests: host suffix, method and path pattern (`*` = one segment, `**` = rest). All absent = any. */
  match?: { host?: string; method?: string; path?: string };
  /** How many requests it lasts; default 1. */
  times?: number;
  effect: FaultEffect;
}

/**
 * How an error body is wrapped: `{"error": {…}}`, the same in a one-element array, a bare
 * `google.rpc.Status`, or OAuth's `{"error", "error_description"}` with the fault's reason.
 */
export type ErrorForm = "error" | "array" | "bare" | "oauth";

/** What goes wrong. */
export type FaultEffect =
  | {
    kind: "status";
    status: number;
    reason?: string;
    message?: string;
    /** `Retry-After` header, as it shall be sent. */
    retryAfter?: string;
    /** Form of the body; default `error`. */
    form?: ErrorForm;
    /** `google.rpc.BadRequest`. */
    fieldViolations?: { field: string; description: string; reason?: string }[];
    /** `google.rpc.RetryInfo`, like `"2s"`. */
    retryDelay?: string;
    /** `google.rpc.RequestInfo`. */
    requestId?: string;
    /** `google.rpc.Help`. */
    helpUrl?: string;
    /** `google.rpc.QuotaFailure`. */
    quota?: { subject: string; description: string };
    /** Further `google.rpc.Status` details, appended verbatim. */
    details?: JsonValue[];
    /** Whole body instead of a Google error body. */
    body?: string;
    contentType?: string;
    headers?: Record<string, string>;
  }
  | { kind: "latency"; ms: number }
  | { kind: "drop_before_headers" }
  | { kind: "half_status_line" }
  | { kind: "drop_mid_body"; afterBytes: number }
  | { kind: "short_content_length"; missing: number }
  | { kind: "broken_chunk" }
  | { kind: "truncated_gzip" }
  | { kind: "hang" }
  | { kind: "slow_body"; bytesPerTick: number; tickMs: number }
  | { kind: "endless_body" }
  | { kind: "large_body"; bytes: number }
  | { kind: "non_json"; body: string; contentType: string }
  | { kind: "redirect"; status: number; location: string }
  | { kind: "repeat_page_token" }
  | { kind: "withhold_scopes"; scopes: string[] };

/** A fault in force; `fired` counts how often it acted. */
export interface FaultHandle {
  readonly fault: Fault;
  readonly fired: number;
  remove(): void;
}

/** What tests steer of the OAuth endpoints. */
export interface IdentityControl {
  /** Replace or change at any time; absent members are off. */
  switches: IdentitySwitches;
}

/** What a session needs of an emulator, whether it runs in this process or in another. */
export type EmulatorConnection = Pick<
  Emulator,
  "origin" | "account" | "accounts" | "credentials" | "rewrite" | "close"
>;

/** A running emulator. */
export interface Emulator {
  /** Loopback origin, `http://127.0.0.1:<port>`. */
  readonly origin: string;
  /** The seeded account. */
  readonly account: { email: string; displayName: string; fingerprint: string };
  /** Credentials that the emulator accepts for the seeded account. */
  readonly credentials: { bearer: string; apiKey: string; developerToken: string };
  /** Every account of the world, the seeded one first, each with its own state and credentials. */
  readonly accounts: readonly {
    email: string;
    displayName: string;
    fingerprint: string;
    bearer: string;
    apiKey: string;
  }[];
  /**
   * Maps `https://<google host>/…` to the loopback origin, host kept in the path prefix
   * `/_host/<host>/`; refuses anything but loopback as a target.
   */
  rewrite(url: URL): URL;
  readonly journal: readonly JournalEntry[];
  clearJournal(): void;
  addFault(fault: Fault): FaultHandle;
  clearFaults(): void;
  /** Starts a long-running operation that finishes after `polls` polls; returns its first state. */
  startOperation(operation: EmulatedOperation): JsonObject;
  /** OAuth endpoints: their switches, and tokens with chosen scopes and expiry. */
  readonly identity: IdentityControl;
  /** A copy of the state, for assertions. */
  inspect(): JsonObject;
  /** Stops listening; leaves no handle open. */
  close(): Promise<void>;
}
