/** Shapes of the MCP surface (spec 01 §2.1) and the seams it is given besides a session. */

import type { Invocation, ShapedResponse } from "../lib/dispatch/types.ts";
import type { GumError } from "../lib/errors/mod.ts";
import type { JsonObject, JsonValue } from "../lib/json/mod.ts";
import type {
  InactiveOperation,
  PluginCanaryRow,
  PluginListRow,
} from "../lib/plugin/status/mod.ts";
import type { Session } from "../lib/session/types.ts";
import type { HelpSource } from "./help_topics.ts";
import type { ConnectedSurface } from "./surface.ts";

/** A JSON Schema with an object root, as `tools/list` shows it. */
export type JsonSchemaObject = JsonObject & { type: "object" };

/** What a client is told about the effect of a tool. */
export interface ToolAnnotations {
  readOnlyHint: boolean;
  destructiveHint: boolean;
}

/** One entry of `tools/list`, exactly as it is serialized. */
export interface ToolDefinition {
  name: string;
  description: string;
  inputSchema: JsonSchemaObject;
  /** Absent on the two skill tools. */
  outputSchema?: JsonSchemaObject;
  annotations: ToolAnnotations;
  /** Only on the last tool: the prompt-cache breakpoint. */
  _meta?: JsonObject;
}

/** One block of a tool result. */
export type ContentBlock =
  | { type: "text"; text: string }
  | {
    type: "resource_link";
    uri: string;
    name: string;
    mimeType: string;
    description: string;
    size?: number;
  };

/** A finished tool call. `isError` is present only when true. */
export interface ToolResult {
  content: ContentBlock[];
  structuredContent?: JsonObject;
  isError?: true;
}

/** The form in which this client is shown tool names (spec 11 §1). */
export type ToolNameForm = "dotted" | "underscore";

/** How tool names are shown: by client, or always one form. */
export type ToolNamesOption = "auto" | ToolNameForm;

/** What a tool handler is told about the request it serves. */
export interface ToolCall {
  /** Canonical tool name. */
  tool: string;
  /** Normalised and validated arguments. */
  args: JsonObject;
  signal: AbortSignal;
  connection: ConnectionState;
  /** `params._meta` without the reserved envelope keys. */
  meta: JsonObject;
  clientName: string;
  clientCapabilities: JsonObject;
  /** Answers to input requests of an earlier round, by key. */
  inputResponses?: JsonObject;
  /** Emits `notifications/progress` for this request; absent without a token. */
  progress?: (update: { progress: number; total?: number; message: string }) => Promise<void>;
  /** Asks the client for its roots on a 2025 revision; undefined when it did not answer. */
  askRoots: () => Promise<JsonValue | undefined>;
}

/** Ask the client for something and be called again with its answer (SEP-2322). */
export interface InputNeeded {
  inputRequests: Record<
    string,
    { method: "roots/list" | "elicitation/create"; params?: JsonObject }
  >;
}

/** What a handler returns. */
export type ToolOutcome =
  | { kind: "result"; result: ToolResult }
  | { kind: "input"; input: InputNeeded };

/** Serves one tool of a connection. Anything it throws becomes an error envelope. */
export type ToolHandler = (call: ToolCall, surface: ConnectedSurface) => Promise<ToolOutcome>;

/** A registered tool. */
export interface RegisteredTool {
  definition: ToolDefinition;
  handler: ToolHandler;
  /** True when the committed validators hold this tool's input schema. */
  precompiled?: boolean;
}

/** State of one client connection. */
export interface ConnectionState {
  readonly era: "legacy" | "modern";
  /** The `file://` roots, once asked; sticky. */
  roots?: string[];
  /** A `roots/list` on its way. */
  rootsQuestion?: Promise<JsonValue | undefined>;
  /** Hashes of results issued in this session, newest first, at most 50. */
  readonly resultHashes: string[];
  /** Forms that the person is being shown, by key. */
  readonly waitingForms: Map<string, WaitingForm>;
  /** The client says that it shows forms, and then one of them came to nothing. */
  formsFail?: boolean;
  /** Long-running operation names seen in this session, newest first, at most 50. */
  readonly operationHandles: OperationHandle[];
}

/** A form that nobody has answered yet. */
export interface WaitingForm {
  /** The confirmation that a yes to it spends, or that was given before it. */
  token?: string;
  /** When the form went out, in clock milliseconds. */
  askedAt: number;
}

/** Where a long-running operation came from, so that a poll finds its way back. */
export interface OperationHandle {
  name: string;
  opId: string;
  variantId: string;
  /** Label of the account that started it; absent for the session's own. */
  account?: string;
}

/** One long-running operation to wait for. */
export interface PollRequest {
  operationName: string;
  /** Handles of this session, for routing. */
  handles: readonly OperationHandle[];
  /** Label of the account to ask as. */
  account?: string;
  /** Called after each fetch that did not finish the operation. */
  onPending: (elapsedSeconds: number) => Promise<void>;
}

/** Live view of the plugin inventory. */
export interface PluginView {
  /** Every row, unsorted, pending ones included. */
  rows(): PluginListRow[];
  canaries(): PluginCanaryRow[];
  lookup(query: { opId?: string; variantId?: string }): InactiveOperation | undefined;
  /** The document of `gum://plugin/{name}`. */
  record(name: string): JsonObject | undefined;
  /** A schema of an active plugin. */
  schema(ref: string): JsonObject | undefined;
  /** References {@link schema} would serve. */
  schemaRefs(): string[];
}

/** One subsystem of `gum://status/health`. */
export interface HealthSample {
  status: "healthy" | "degraded" | "unavailable";
  detail: string;
}

/** A local probe: no network, no prompt, no secret read. Throwing means `unavailable`. */
export type HealthProbe = () => Promise<HealthSample> | HealthSample;

/** Names of the probed subsystems, in the order of the document. */
export const HEALTH_SUBSYSTEMS = [
  "audit_log",
  "cache_sqlite",
  "canary_runner",
  "gain_ledger",
  "keychain",
  "tee_filesystem",
] as const;

/** A probed subsystem. */
export type HealthSubsystem = typeof HEALTH_SUBSYSTEMS[number];

/**
 * Abilities a session may or may not have yet. An absent seam is answered with an honest error
 * envelope, never with an invented result.
 */
export interface SurfaceSeams {
  /** Waits for a long-running operation (spec 02 §3.12); resolves with the finished document. */
  poll?: (request: PollRequest, signal: AbortSignal) => Promise<JsonObject>;
  /** The GainResult of the profile's ledger in summary mode; throws `GAIN_…` errors. */
  gain?: () => Promise<JsonObject>;
  /** Runs the sandbox (spec 09). */
  code?: (invocation: Invocation, signal: AbortSignal) => Promise<ShapedResponse>;
  plugins?: PluginView;
  health?: Partial<Record<HealthSubsystem, HealthProbe>>;
  /** Admin tuning of the meta-tools, already read from configuration. */
  tuning?: MetaToolTuning;
  /** `output.untrusted_text` of the configuration; absent: `off`. */
  untrustedText?: "mark" | "off";
  /** Whether the audit log's broken sentinel exists. */
  auditBroken?: () => boolean;
  /** Offers consent for missing scopes; absent: a `SCOPE_MISSING` envelope is returned as it is. */
  scopeUpgrade?: ScopeUpgrade;
}

/**
 * Consent for missing scopes by elicitation (spec 05 §3.17). Binding, checks, sign-in and audit are
 * the implementation's; the surface asks once and hands over the reply.
 */
export interface ScopeUpgrade {
  /** The form for a refusal; undefined when this sign-in cannot be upgraded here. */
  form(
    refusal: GumError,
    invocation: Invocation,
  ): Promise<{ formId: string; params: JsonObject } | undefined>;
  /** Judges a reply and gives the envelope to show: `SCOPE_GRANTED` or the refusal itself. */
  answer(refusal: GumError, reply: ScopeReply): Promise<GumError>;
}

/** A client's reply to a consent form. */
export interface ScopeReply {
  invocation: Invocation;
  /** Every input response of the retry, by key. */
  responses: JsonObject;
  signal: AbortSignal;
  /** Told now and then, while the person signs in, how many seconds have passed. */
  onWaiting?: (elapsedSeconds: number) => Promise<void>;
}

/** What the surface serves. */
export type ServedSession = Session & SurfaceSeams;

/** Tuning values as found in configuration; anything else than an integer is ignored with a warning. */
export interface MetaToolTuning {
  searchK?: unknown;
  searchMaxItems?: unknown;
  searchTruncateChars?: unknown;
  describeMaxVariants?: unknown;
}

/** How to serve. */
export interface SurfaceOptions {
  /** Build version, shown as `serverInfo.version`. */
  version: string;
  /** Default `auto`. */
  toolNames?: ToolNamesOption;
  /** Leave tools that could never succeed out of the listing (spec 11 §7). */
  readOnly?: boolean;
  /** Put text from strangers between marks (spec 11 §8); also on with {@link SurfaceSeams.untrustedText}. */
  markUntrusted?: boolean;
  /** Ask for confirmations through a form where the client shows forms; default true. */
  confirmByForm?: boolean;
  /** Default: the help topics of this build. */
  help?: HelpSource;
}
