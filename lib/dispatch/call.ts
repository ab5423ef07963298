/** One call on its way through the nine steps: what every step may read, and how a step runs. */

import { GumError } from "../errors/mod.ts";
import { defaultLogger, type LogFields, type LogLevel } from "../log/mod.ts";
import type { JsonObject } from "../json/mod.ts";
import type {
  Credentials,
  GainRecord,
  Invocation,
  KernelDeps,
  MediaRequest,
  RiskClass,
} from "./types.ts";

/** A call in flight. */
export interface Call {
  readonly deps: KernelDeps;
  /** As the surface gave it; never changed. */
  readonly invocation: Invocation;
  readonly requestId: string;
  readonly signal: AbortSignal;
  /** Validation warnings, in the order they came up. */
  readonly warnings: string[];
  /** What logs, errors and audit rows may name so far. */
  readonly known: { opId?: string; variantId: string; riskClass: RiskClass | "" };
  /** Set once step 7 has begun: from here on the call leaves an audit row, however it ends. */
  execution?: Execution;
  /** The files of this call, looked at and allowed; set in step 1. */
  media?: MediaRequest;
  /** What took the place of a credential that the service refused; later requests carry it too. */
  refreshed?: Credentials;
  /** Audit row of an unmasked second request; it follows the row of the first. */
  dualFetchRow?: JsonObject;
}

/** What the audit row of an executed call needs. */
export interface Execution {
  /** Hash of the arguments as they went on the wire. */
  readonly argsHash: string;
  readonly riskOverride: boolean;
  readonly riskOverrideReason?: string;
  /** Path-parameter values of a write, joined by `/`. */
  readonly resourceKey?: string;
  /** The adapter gave its answer: whatever happens later, the call was performed. */
  answered: boolean;
  /** The adapter threw something that is no error of the wire. */
  crashed: boolean;
  recorded: boolean;
  /** How far the adapter came, for the error of a caller who gave up. */
  reached?: () => JsonObject;
  /** What the adapter adds to the audit row. */
  readonly auditFacts?: JsonObject;
  /** What the gain ledger is told when the call fails from here on. */
  readonly gain?: Omit<GainRecord, "rawBody" | "shapedBody">;
}

const NEVER_ABORTED = new AbortController().signal;

/** Opens a call. */
export function openCall(
  deps: KernelDeps,
  given: { invocation: Invocation; signal?: AbortSignal },
): Call {
  return {
    deps,
    invocation: given.invocation,
    requestId: given.invocation.requestId ?? newRequestId(),
    signal: given.signal ?? NEVER_ABORTED,
    warnings: [],
    known: { variantId: "", riskClass: "" },
  };
}

function newRequestId(): string {
  return `req-${crypto.getRandomValues(new Uint8Array(8)).toHex()}`;
}

/** The names of the nine steps, which are also the `event` of their log records. */
export type StepName =
  | "parse_and_validate"
  | "evaluate_policy"
  | "resolve_variant"
  | "resolve_auth"
  | "cache_check"
  | "token_bucket"
  | "execute_adapter"
  | "shape_response"
  | "record_and_return";

/** Runs a step: logged whether it succeeds or fails, and left at once when the caller aborts. */
export type RunStep = <T>(name: StepName, run: () => T | Promise<T>) => Promise<T>;

/** The step runner of a call. */
export function stepsOf(call: Call): RunStep {
  return async (name, run) => {
    const startedAt = call.deps.clock.now();
    try {
      const result = await untilAborted(call.signal, run);
      call.signal.throwIfAborted();
      return result;
    } finally {
      emit(call, {
        level: "debug",
        message: "dispatch event",
        fields: {
          event: name,
          request_id: call.requestId,
          op_id: call.known.opId ?? call.invocation.opId,
          variant_id_resolved: call.known.variantId,
          risk_class: call.known.riskClass,
          caller: call.invocation.caller ?? "unknown",
          duration_ms: call.deps.clock.now() - startedAt,
        },
      });
    }
  };
}

/** Settles as `run` does, or rejects with the signal's reason as soon as it aborts. */
export async function untilAborted<T>(
  signal: AbortSignal,
  run: () => T | Promise<T>,
): Promise<T> {
  signal.throwIfAborted();
  const aborted = Promise.withResolvers<never>();
  const onAbort = () => aborted.reject(signal.reason);
  signal.addEventListener("abort", onAbort, { once: true });
  try {
    return await Promise.race([run(), aborted.promise]);
  } finally {
    signal.removeEventListener("abort", onAbort);
  }
}

/** The one place of the kernel that reads the injected logger. A logger that throws is ignored. */
export function emit(
  call: Pick<Call, "deps">,
  record: { level: LogLevel; message: string; fields?: LogFields },
): void {
  try {
    (call.deps.log ?? defaultLogger()).log(record.level, record.message, record.fields);
  } catch {
    // Telling the logger that the logger failed is not possible; the call matters more.
  }
}

/** The error of a call whose caller gave up, whatever the reason was. */
export function cancelled(call: Call): GumError {
  return new GumError("CANCELLED", {
    message: "the call was cancelled",
    details: { cancelled: true, ...(call.known.opId ? { op_id: call.known.opId } : {}) },
    retryable: false,
    cause: call.signal.reason,
  });
}
