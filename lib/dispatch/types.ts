/** Shapes that cross the kernel's border (spec 02 §2). Other folders import these types only. */

import type { CatalogSnapshot, Format, Op, Variant } from "../catalog/types.ts";
import type { Clock } from "../clock/mod.ts";
import type { JsonObject, JsonValue } from "../json/mod.ts";
import type { Logger } from "../log/mod.ts";
import type { ResolvedProfile } from "../profile/types.ts";

export type { RiskClass } from "../catalog/types.ts";

/** What a caller may ask for and what an answer may report. */
export type OutputFormat = Format | "raw";

/** Surface that made a call; absent is audited as `unknown`. */
export type Caller = "cli" | "mcp" | "risor" | "plugin";

/** One call, as a surface hands it to the kernel (spec 02 §2.1). Never mutated by the kernel. */
export interface Invocation {
  /** Canonical id or a deprecated alias. */
  opId: string;
  /** Operation arguments only, never control arguments. */
  args: JsonObject;
  format?: OutputFormat;
  /** The pin. */
  requestedVariantId?: string;
  /** An outcome outside the list becomes its first entry. */
  allowedFormats?: OutputFormat[];
  /** Set by the surface (tool or CLI path), never copied from arguments. */
  allowWrite?: boolean;
  /** Set by the surface, never copied from arguments. */
  allowDestructive?: boolean;
  confirmed?: boolean;
  confirmationToken?: string;
  requireWriteConfirmation?: boolean;
  /** Explicit choice or a meta-tool's implicit profile; wins over every binding. */
  outputProfile?: ResolvedProfile;
  /** Enables the project-local profile layer. */
  projectRootPath?: string;
  projectRootUri?: string;
  /** Replaces `collapse_arrays.max_items` for this call. */
  maxItems?: number | "all";
  suppressFieldMask?: boolean;
  authSubjectFingerprint?: string;
  /** Label of the session's account to run as; the session takes it off before the kernel. */
  account?: string;
  /** This surface can show `{"unchanged":true,"etag":…}`. */
  diffOnlyAllowed?: boolean;
  /** Text from strangers travels between marks (spec 11 §8). */
  markUntrusted?: boolean;
  batch?: { batchId: string; index: number };
  media?: MediaRequest;
  /** Directories of this client that files may come from or go to, beyond the configured ones. */
  mediaRoots?: readonly string[];
  /** Set by the page loop alone (spec 02 §8.3). */
  shaping?: PageShaping;
  /** Stop before step 6 and return the exact request (spec 02 §8.4). */
  dryRun?: boolean;
  caller?: Caller;
  requestId?: string;
  /** Request id of the script that makes this call. */
  parentRequestId?: string;
  /** What the arguments mean, for the person who confirms; made by GUM, never by a caller. */
  preview?: CallPreview;
  /**
   * Called at most once, as soon as the service has answered and this call sends nothing more; what
   * is left is the kernel's own work on the answer. Hits and requests that fail never call it.
   */
  onAnswered?: () => void;
  /** Hears how far a script has come; only `gum.code` tells. */
  onScriptProgress?: ScriptProgressListener;
}

/** How far a script has come. */
export interface ScriptProgress {
  phase: "starting" | "running";
  /** Calls that are over, whatever became of them. */
  done: number;
  /** Calls the script has asked for so far, the elements of its batches included. */
  asked: number;
}

/** Hears how far a script has come. */
export type ScriptProgressListener = (progress: ScriptProgress) => void;

/** Readable facts about a call whose arguments are not (spec 11 §3). */
export interface CallPreview {
  /** One sentence, first in the text of a confirmation. */
  sentence: string;
  /** Joins `pending_request` and the report of a dry run. */
  facts: JsonObject;
}

/** Bytes in or out of a call (spec 02 §8.1, §8.2). */
export type MediaRequest =
  | {
    kind: "download";
    /** A file, a directory (the file keeps its own name), or `-` for {@link sink}. */
    target: string;
    overwrite?: boolean;
    /** The bytes are the base64url text at this path of a JSON answer. */
    decodeField?: string;
    /** Takes the bytes of target `-`. */
    sink?: (piece: Uint8Array) => void | Promise<void>;
    onProgress?: MediaProgressListener;
  }
  | {
    kind: "upload";
    /** A file, or `-` for {@link input}. */
    source: string;
    contentType?: string;
    /** Gives the bytes of source `-`. */
    input?: AsyncIterable<Uint8Array>;
    onProgress?: MediaProgressListener;
  };

/** Told now and then how far the bytes of a call have come; it must not throw. */
export type MediaProgressListener = (progress: { bytes: number; total?: number }) => void;

/**
 * How a page travels through the kernel: `page` stops before step 7c and hands over the service's
 * own body, its mask extended so that `tokenField` survives; `gathered` takes a body made of such
 * pages through steps 7c and 8 and sends nothing.
 */
export type PageShaping =
  | { kind: "page"; tokenField: string }
  | {
    kind: "gathered";
    body: Uint8Array;
    pages: number;
    /** More follows: no artifact is written of this part. */
    partial?: boolean;
  };

/** Size and hash of the bytes that a call moved, for its audit row. */
export interface MediaFacts {
  sizeBytes: number;
  sha256: string;
}

/** What the kernel asks about files before a call may touch them (spec 02 §8.1, §8.2). */
export interface MediaFiles {
  /**
   * The path with every link resolved when it lies in one of the directories, else undefined. The
   * last component may be missing, its parent may not.
   */
  locate(path: string, directories: readonly string[]): Promise<string | undefined>;
  /** Reads a file once. @throws GumError `INVALID_ARGS` when it cannot be read as a file. */
  describe(
    path: string,
    signal: AbortSignal,
  ): Promise<MediaFacts & { contentType: string; name: string }>;
}

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
    },
  ): Promise<void>;
  renew(key: string): Promise<void>;
  evict(key: string): Promise<void>;
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

/** Settings the kernel reads (spec 02 §2.6). */
export interface KernelSettings {
  /** Account profile name; bound into confirmation tokens. */
  profileName: string;
  allowOps?: string[];
  denyOps?: string[];
  /** Scopes recorded at login; undefined when nothing was recorded. */
  grantedScopes?: () => readonly string[] | undefined;
  unknownReadParamsAllowlist?: Record<string, string[]>;
  strictValidation?: boolean;
  preferredInterfaceKinds?: string[];
  normalizeDatetimes?: boolean;
  diffOnly?: boolean;
  /** Expected principal per auth strategy. */
  expectedSubjects?: Record<string, string>;
  defaultFormat?: Format;
  teeMode?: "off" | "failures" | "always";
  policyMode?: "read_only" | "draft_only" | "no_delete" | "full";
  adminWrites?: "confirm" | "fixture_only" | "off";
  /** A `policy.*` key whose value cannot be used; nothing is dispatched until it is corrected. */
  invalidPolicyKey?: string;
  /** Absolute directories that clients other than the command line may read and write files in. */
  mediaDirs?: readonly string[];
}

/** Everything the kernel calls, by construction. */
export interface KernelDeps {
  catalog: CatalogSnapshot;
  profiles: ProfileResolver;
  auth: AuthResolver;
  limiter: RateLimiter;
  cache: ResponseCache;
  adapters: AdapterRegistry;
  shaper: Shaper;
  artifacts: ArtifactStore;
  audit: AuditSink;
  gain: GainSink;
  confirm: ConfirmationService;
  clock: Clock;
  settings: KernelSettings;
  inventory?: PluginInventory;
  /** Absent: calls that move files are refused. */
  media?: MediaFiles;
  /** Absent: nothing is remembered, and polls find operations by their names alone. */
  operations?: OperationMemory;
  /** Absent: the process default of `lib/log`. */
  log?: Logger;
}

/** The answer of a call (spec 02 §2.4). */
export interface ShapedResponse {
  /** Encoded text for the caller. */
  body: Uint8Array;
  /** The format actually produced. */
  format: OutputFormat;
  /** The shaped tree (not the upstream tree); absent for raw. */
  structuredContent?: JsonValue;
  /** Absent on an `unchanged` answer. */
  expression?: ExpressionMeta;
  opId: string;
  variantId: string;
  /** The notice for each surface, computed once. */
  notice: { cli: string; mcp: string };
  fullResultPath?: string;
  fullResultResource?: string;
  fullResultSize?: number;
  artifactExpiresAt?: string;
  validationWarnings: string[];
  droppedPaths: string[];
  dedupedRows: number;
  limitedRows: number;
  annotationPaths: string[];
  /** 304 of a diff-only read. */
  unchanged?: { etag: string };
  /** What a page loop gathered (spec 02 §8.3). */
  pagination?: PaginationFacts;
  /** Upstream bytes before shaping, for token figures; absent on an `unchanged` answer. */
  upstreamBytes?: Uint8Array;
}

/** How far a page loop came; keys as they are shown. */
export type PaginationFacts = JsonObject & {
  pages: number;
  items: number;
  complete: boolean;
  next_page_token?: string;
  stopped_by?: PageStop;
};

/** Why a page loop ended before the last page. */
export type PageStop =
  | "page_limit"
  | "item_limit"
  | "size_limit"
  | "repeated_token"
  | "error"
  | "abort";

/** The kernel: every operation from every surface runs through `dispatch`. */
export interface Kernel {
  /** Runs one call through the nine steps. Every rejection is a GumError. */
  dispatch(invocation: Invocation, signal?: AbortSignal): Promise<ShapedResponse>;
  /** "" when unknown. */
  serviceFamily(opId: string): string;
  /** Whether the default variant returns a long-running operation. */
  returnsLro(opId: string): boolean;
  cacheStats(): JsonObject;
}
