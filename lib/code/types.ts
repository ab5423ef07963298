/** Shapes of code mode (spec 09 §2). */

import type { CatalogSnapshot, OperationSearch } from "../catalog/types.ts";
import type { Clock } from "../clock/mod.ts";
import type {
  Caller,
  GainBatchRecord,
  GainSink,
  Invocation,
  ScriptProgressListener,
  ShapedResponse,
} from "../dispatch/types.ts";
import type { GumError } from "../errors/mod.ts";
import type { JsonObject, JsonValue } from "../json/mod.ts";
import type { Logger } from "../log/mod.ts";

/** Languages that scripts may be written in. */
export type ScriptLanguage = "risor" | "javascript";

/** One entry of a destructive scope. */
export interface ScopeEntry {
  op_id: string;
  resource_key?: string;
}

/** The checked arguments of `gum.code`. */
export interface CodeRequest {
  language: ScriptLanguage;
  source: string;
  allowWrite: boolean;
  allowDestructive: boolean;
  destructiveBudget: number;
  destructiveScope: ScopeEntry[];
}

/** Limits of one execution (spec 09 §15). */
export interface CodeLimits {
  timeoutMs: number;
  maxSteps: number;
  memoryBytes: number;
  outputBytes: number;
  concurrency: number;
}

/** The part of the kernel that scripts use. */
export interface CodeKernel {
  dispatch(invocation: Invocation, signal?: AbortSignal): Promise<ShapedResponse>;
}

/** A sink that the kernel writes to and a batch asks. */
export interface BatchLedger extends GainSink {
  recordBatch(batch: GainBatchRecord): void;
  /** Indexes of a batch's elements that have a row. */
  recorded(batchId: string): ReadonlySet<number>;
}

/** Everything a runner calls, by construction. */
export interface CodeRunnerDeps {
  /** Absent: `gum_call` and `gum_parallel` answer `UNSUPPORTED_CAPABILITY`. */
  kernel?: CodeKernel;
  /** Absent: risk classes are left to the kernel and nothing is known to be long-running. */
  catalog?: CatalogSnapshot;
  search?: OperationSearch;
  /** The contract of an operation, as `gum describe` shows it. */
  describe?: (opId: string) => JsonValue;
  /** Reads several pages and gives them as one answer. */
  pages?: (
    invocation: Invocation,
    options: PageOptions,
  ) => Promise<{ response: ShapedResponse; error?: GumError }>;
  limits?: Partial<CodeLimits>;
  /** The ledger that the kernel writes to as well. */
  gain?: BatchLedger;
  clock: Clock;
  log: Logger;
}

/** How far a page loop goes. */
export interface PageOptions {
  maxPages?: number;
  maxItems?: number;
  signal: AbortSignal;
}

/** What a caller of {@link CodeRunner.run} adds to the request. */
export interface RunContext {
  /** The call was confirmed; the kernel has verified and spent its token. */
  confirmed: boolean;
  /** Who runs the script: a model's client is advised in tools, a person in commands. */
  caller?: Caller;
  /** Request id of the `gum.code` call, the parent of every call inside. */
  requestId: string;
  projectRootPath?: string;
  projectRootUri?: string;
  onProgress?: ScriptProgressListener;
  /** Takes a function that says at any time how far the script has come. */
  reached?: (facts: () => JsonObject) => void;
}

/** What a script left behind. */
export interface CodeResult {
  /** Prints and final value. */
  output: string;
  truncated: boolean;
  completedCalls: number;
  /** Shaped bodies of the calls inside, for the token accounts. */
  innerBodies: Uint8Array[];
}

/** Runs scripts. */
export interface CodeRunner {
  /** @throws GumError with a code of spec 09 §14, or of the kernel. */
  run(request: CodeRequest, context: RunContext, signal: AbortSignal): Promise<CodeResult>;
  /** Ends every script and every worker; resolves when none is left. */
  close(): Promise<void>;
}

/** A host function: what it answers becomes a value of the script. */
export type HostFunction = (
  args: JsonValue[],
  signal: AbortSignal,
) => Promise<JsonValue> | JsonValue;
