/** Reaching a service: the variant that runs, who calls, and the adapters (spec 02 §3.11, 05 §2.2). */

import type { Op, Variant } from "../../catalog/types.ts";
import type { JsonObject, JsonValue } from "../../json/mod.ts";
import type { Caller, MediaFacts, MediaRequest, ScriptProgressListener } from "./invocation.ts";

/** The variant that will run. */
export interface ResolvedVariant {
  op: Op;
  variant: Variant;
  adapterKey: string;
  deprecated: boolean;
  supersededBy?: string;
}

/** A value that never prints itself: `toString` and JSON give a fixed mask. */
export interface Secret {
  /** The secret text; call it only where it goes on the wire. */
  reveal(): string;
}

/** The public half of a credential (spec 05 §2.2). `token` and `apiKey` exclude each other. */
export interface Credentials {
  token?: Secret;
  apiKey?: Secret;
  developerToken?: Secret;
  quotaProjectId?: string;
  /** Stable opaque principal id; "" = unknown. */
  subjectFingerprint: string;
  /** Identity source; differs from the variant's strategy for compound and ADC. */
  signInStrategy: string;
}

/** Finds a credential for a variant; undefined where none is needed. */
export interface AuthResolver {
  resolve(
    request: { opId: string; variant: Variant; args: JsonObject },
    signal: AbortSignal,
  ): Promise<Credentials | undefined>;
  /** One forced refresh after a 401; undefined when the strategy cannot refresh. */
  refresh?(
    request: { opId: string; variant: Variant; args: JsonObject },
    signal: AbortSignal,
  ): Promise<Credentials | undefined>;
}

/** Reaches one kind of backend. Knows the wire and nothing of policy. */
export interface Adapter {
  /** Pure check at the end of step 1, against the variant that would run; throws GumError. */
  checkArgs?(args: JsonObject, variant?: Variant): void;
  execute(request: AdapterRequest, signal: AbortSignal): Promise<AdapterResponse>;
  /** The request as it would be sent, without credentials, for dry runs and confirmations. */
  preview?(request: AdapterRequest): JsonObject;
  /** What the audit row of such a call says beyond the usual; never a secret or a program. */
  auditFacts?(args: JsonObject): Promise<JsonObject>;
  annotateResponse?(
    request: AdapterRequest,
    body: JsonValue,
  ): {
    body: JsonValue;
    addedPaths: string[];
    /** Fields that added ones say completely, once the request was narrowed by GUM's own mask. */
    carriedPaths?: Readonly<Record<string, readonly string[]>>;
    /** Fits what was added to the rows that shaping left; pure, called on the shaped tree. */
    settle?: (shaped: JsonValue) => JsonValue;
  };
}

/** What an adapter gets. */
export interface AdapterRequest {
  opId: string;
  args: JsonObject;
  resolved: ResolvedVariant;
  credentials?: Credentials;
  ifNoneMatch?: string;
  media?: MediaRequest;
  requestId: string;
  caller?: Caller;
  grants: { allowWrite: boolean; allowDestructive: boolean; confirmed: boolean };
  /** Project of the caller, for calls that this one makes in turn. */
  projectRootPath?: string;
  projectRootUri?: string;
  onScriptProgress?: ScriptProgressListener;
  /** Takes a function that says how far the call came, for the error of a caller who gave up. */
  reached?: (facts: () => JsonObject) => void;
}

/** A complete answer of an adapter. `raw` bytes skip shaping. */
export interface AdapterResponse {
  body: Uint8Array;
  format: "json" | "raw";
  /** 304 only when `ifNoneMatch` was sent. */
  status: number;
  contentType?: string;
  etag?: string;
  bytesIn: number;
  bytesOut: number;
  warnings?: string[];
  /** The service's own id of the request, for support cases. */
  upstreamRequestId?: string;
  /** Bytes that travelled beside the body. */
  media?: MediaFacts;
  /** What a raw answer that GUM made itself says of its own completeness; shaping cannot know. */
  ownText?: OwnTextFacts;
}

/** Facts about a text that an adapter composed, such as the output of a script. */
export interface OwnTextFacts {
  lossy: boolean;
  resultCount: number;
  /** Bodies of the calls made on the way, for the token accounts. */
  innerBodies: readonly Uint8Array[];
}

/** Finds the adapter for `binding.adapter_key`. */
export interface AdapterRegistry {
  find(adapterKey: string): Adapter | undefined;
}
