/** Failures that a command raises itself, before or instead of a dispatch (spec 08 §2, §3.4). */

import type { GumError } from "../lib/errors/mod.ts";

/** What a {@link CliArgError} can say about the place. */
export interface CliArgErrorParts {
  key?: string;
  arg?: string;
  reason?: string;
}

/** A local argument error. Its message is the rendered line. */
export class CliArgError extends Error {
  readonly code: "CLI_ARG_INVALID" | "CLI_ARG_DUPLICATE";
  readonly key?: string;
  readonly arg?: string;
  readonly reason?: string;

  constructor(code: "CLI_ARG_INVALID" | "CLI_ARG_DUPLICATE", parts: CliArgErrorParts = {}) {
    super(argErrorLine(code, parts));
    this.name = "CliArgError";
    this.code = code;
    this.key = parts.key;
    this.arg = parts.arg;
    this.reason = parts.reason;
  }
}

function argErrorLine(code: string, parts: CliArgErrorParts): string {
  if (code === "CLI_ARG_DUPLICATE") return `${code}: ${parts.key ?? ""}`;
  const pieces = [];
  if (parts.arg !== undefined) pieces.push(`"${parts.arg}"`);
  if (parts.reason !== undefined) pieces.push(parts.reason);
  return [code, ...pieces].join(": ");
}

/** Shorthand for the usual case. */
export function invalidArg(arg: string | undefined, reason: string): CliArgError {
  return new CliArgError("CLI_ARG_INVALID", { arg, reason });
}

/** An unknown command or flag, a missing argument or flag. */
export class UsageError extends Error {
  override readonly name = "UsageError";
}

/** A call was declined, or the answer never came; nothing was sent. */
export class DeclinedError extends Error {
  override readonly name = "DeclinedError";
}

/** A plan for this machine was declined: nothing of Google was asked for, so nothing was refused. */
export class PlanDeclinedError extends Error {
  override readonly name = "PlanDeclinedError";
}

/** The report on stdout already says what failed; only the exit code is left to give. */
export class FailedReport extends Error {
  override readonly name = "FailedReport";
}

/** Part of the answer is on stdout, and nothing more can be said than that the rest is missing. */
export class PartialReport extends FailedReport {}

/** A kernel error together with what the command knows about the call. */
export class DispatchFailure extends Error {
  override readonly name = "DispatchFailure";
  readonly error: GumError;
  readonly extras: DispatchExtras;

  constructor(error: GumError, extras: DispatchExtras) {
    super(error.message, { cause: error });
    this.error = error;
    this.extras = extras;
  }
}

/** Part of the answer is on stdout; this is what the rest of it failed with. */
export class PartialResult extends DispatchFailure {}

/** What an invoking command adds to a kernel envelope. */
export interface DispatchExtras {
  requestedRisk?: string;
  /** Command word as typed, e.g. `call`. */
  command: string;
}
