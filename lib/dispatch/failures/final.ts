/** The last stop of every throw on its way out of the kernel (spec 02 §3.8.5). */

import { findGumError, GumError } from "../../errors/mod.ts";
import { type Call, cancelled, emit } from "../call.ts";
import { isCrash, sanitizedStack, scrubbed } from "./unexpected.ts";

/** The one error a call ends with. */
export function finalError(call: Call, thrown: unknown): GumError {
  if (call.signal.aborted) return cancelledCall(call);
  const known = thrown instanceof GumError ? thrown : findGumError(thrown);
  if (known !== undefined) return named(call, known);
  if (!isCrash(thrown)) {
    return named(
      call,
      new GumError("SERVICE_DOWN", {
        message: scrubbed(thrown instanceof Error ? thrown.message : String(thrown)),
        retryable: false,
        cause: thrown,
      }),
    );
  }
  if (call.execution !== undefined) call.execution.crashed = true;
  emit(call, {
    level: "error",
    message: "kernel step crashed",
    fields: {
      request_id: call.requestId,
      op_id: call.known.opId ?? call.invocation.opId,
      stack: sanitizedStack(thrown),
    },
  });
  return named(
    call,
    new GumError("SERVICE_DOWN", {
      message: "internal error; see audit log",
      userMessage: "GUM itself failed while it made this call.",
      suggestion: "Run `gum doctor`, and report the problem if it stays.",
      retryable: false,
      cause: thrown,
    }),
  );
}

/** A write that was under way when the caller gave up may have happened, or certainly did. */
function cancelledCall(call: Call): GumError {
  const { execution } = call;
  const error = cancelled(call).with(execution?.reached?.() ?? {});
  if (execution === undefined || call.known.riskClass === "read") return error;
  return error.with({ write_outcome: execution.answered ? "succeeded" : "unknown" });
}

function named(call: Call, error: GumError): GumError {
  const { opId } = call.known;
  if (opId === undefined) return error;
  const whole = Object.hasOwn(error.details, "op_id") ? error : error.with({ op_id: opId });
  if (!whole.suggestion.includes(PLACE)) return whole;
  // Advice of the table speaks of any operation; here it is known which one.
  return whole.restated({ suggestion: whole.suggestion.replaceAll(PLACE, opId) });
}

const PLACE = "<op_id>";
