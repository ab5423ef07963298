/** How a script that failed is reported (spec 09 §14). */

import { type ErrorCode, GumError, isKnownErrorCode } from "../errors/mod.ts";
import { isJsonObject, type JsonObject, parseJson } from "../json/mod.ts";
import type { Outcome } from "./guest/host.ts";
import { MAX_REPLY_BYTES, SCRIPT_FUNCTIONS, STACK_BYTES } from "./request/mod.ts";
import type { Position, SyntaxProblem } from "./risor/mod.ts";
import type { Ending } from "./sandbox.ts";
import type { CodeLimits } from "./types.ts";

/** Longest message and kind of a script's own error that are passed on. */
const MAX_MESSAGE = 2_000;
const MAX_KIND = 100;
/** Most problems of a script that are listed. */
const MAX_LISTED = 10;

/** The line of a position and a caret under its column. */
export function snippet(source: string, at: Position): string {
  const line = source.split(/\r\n|\r|\n/)[at.line - 1] ?? "";
  const shown = Array.from(line);
  // A very long line is shown around the place.
  const start = Math.max(0, at.column - 1 - 60);
  const excerpt = shown.slice(start, start + 160).join("").replaceAll("\t", " ");
  return `${excerpt}\n${" ".repeat(Math.max(0, at.column - 1 - start))}^`;
}

/** Nothing ran: the script cannot be read, or names something it may not. */
export function syntaxFailure(source: string, problems: readonly SyntaxProblem[]): GumError {
  const listed = problems.slice(0, MAX_LISTED)
    .map((problem) => ({ ...problem, message: cut(problem.message, MAX_MESSAGE) }));
  const first = listed[0] ?? { kind: "syntax error", message: "", line: 1, column: 1 };
  return new GumError("CODE_MODE_SYNTAX", {
    message: `${first.kind}: ${first.message} (${first.line}:${first.column})`,
    details: {
      line: first.line,
      column: first.column,
      snippet: snippet(source, first),
      errors: listed.map(({ kind, message, line, column }) => ({ kind, message, line, column })),
      completed_calls: 0,
    },
    userMessage: "The script cannot be read; nothing was run.",
    suggestion: whereToLook(first, listed.some(({ message }) => UNDEFINED_NAME.test(message))),
    retryable: false,
  });
}

/** How either language reports a name that nobody declared. */
const UNDEFINED_NAME = /^undefined variable |is not defined$/;

/** The place, and for a name that does not exist the names that do. */
function whereToLook(at: Position, undefinedName: boolean): string {
  const place = `Look at line ${at.line}, column ${at.column}.`;
  return undefinedName ? `${place} A script can call ${SCRIPT_FUNCTIONS}.` : place;
}

/** What a failure report needs of its execution. */
export interface FailedRun {
  source: string;
  limits: CodeLimits;
  completedCalls: number;
  partialOutput: string;
  /** Envelopes of failed calls, as the script was given them. */
  sentEnvelopes: ReadonlySet<string>;
}

/** What every failure says about how far the script came. */
export function progress(run: Pick<FailedRun, "completedCalls" | "partialOutput">): JsonObject {
  return {
    completed_calls: run.completedCalls,
    ...(run.partialOutput === "" ? {} : { partial_output: run.partialOutput }),
  };
}

/** The deadline has passed. */
export function timeoutFailure(run: FailedRun): GumError {
  const { timeoutMs } = run.limits;
  return new GumError("CODE_MODE_TIMEOUT", {
    message: `the script ran longer than ${timeoutMs} ms`,
    details: { timeout_ms: timeoutMs, ...progress(run) },
    userMessage: "The script took too long.",
    suggestion: "Do less in one script, use gum_parallel, or allow more time.",
    retryable: false,
  });
}

/** The caller gave up. */
export function cancelledFailure(run: FailedRun, cause: unknown): GumError {
  return new GumError("CANCELLED", {
    message: "the script was cancelled",
    details: { cancelled: true, ...progress(run) },
    retryable: false,
    cause,
  });
}

type Limit = "steps" | "memory" | "stack" | "reply";

/** A limit ended the script. */
export function limitFailure(limit: Limit, run: FailedRun): GumError {
  const value = {
    steps: run.limits.maxSteps,
    memory: run.limits.memoryBytes,
    stack: STACK_BYTES,
    reply: MAX_REPLY_BYTES,
  }[limit];
  return new GumError("CODE_MODE_LIMIT", {
    message: `the script reached its ${limit} limit (${value})`,
    details: { limit, limit_value: value, ...progress(run) },
    userMessage: LIMIT_TEXTS[limit].what,
    suggestion: LIMIT_TEXTS[limit].next,
    retryable: false,
  });
}

const LIMIT_TEXTS: Record<Limit, { what: string; next: string }> = {
  steps: {
    what: "The script did too much work.",
    next: "Look for a loop that does not end; code.max_steps raises the limit.",
  },
  memory: {
    what: "The script needed too much memory.",
    next: "Keep less at a time; code.memory_mb raises the limit.",
  },
  stack: {
    what: "The script is nested too deeply.",
    next: "Use a loop instead of deep recursion, and flatter expressions.",
  },
  reply: {
    what: "An answer was too large for a script.",
    next: "Ask for fewer records or fields in one call.",
  },
};

/** What the ending of a sandbox means when no deadline and no caller ended it. */
export function endingFailure(
  ending: Exclude<Ending, { kind: "outcome" }>,
  run: FailedRun,
): GumError {
  switch (ending.kind) {
    case "syntax": {
      const { message, line, column } = ending;
      return syntaxFailure(run.source, [{ kind: "syntax error", message, line, column }]);
    }
    case "limit":
      return limitFailure(ending.limit, run);
    case "reply_limit":
      return limitFailure("reply", run);
    case "stalled":
      return runtimeFailure(run, {
        kind: "error",
        errorKind: "runtime error",
        message: "the script waits for something that never happens",
        line: 0,
        column: 0,
      });
    case "stopped":
      return cancelledFailure(run, undefined);
    case "crashed":
      return new GumError("SERVICE_DOWN", {
        message: "the script engine failed",
        details: progress(run),
        userMessage: "The script engine failed.",
        suggestion: "Simplify the script; report the problem if it stays.",
        retryable: false,
        cause: new Error(ending.message),
      });
  }
}

/** An error that the script did not catch: its own, or one that a call brought in. */
export function runtimeFailure(
  run: FailedRun,
  error: Extract<Outcome, { kind: "error" }>,
): GumError {
  const at = error.line > 0 ? { line: error.line, column: error.column } : undefined;
  const place: JsonObject = at === undefined ? {} : { ...at };
  // Only an envelope that the host sent is the host's: a script cannot make one up.
  const called = error.envelope !== undefined && run.sentEnvelopes.has(error.envelope)
    ? calledFailure(error.envelope)
    : undefined;
  if (called !== undefined) return called.with({ ...place, ...progress(run) });
  const limit = engineLimit(error);
  if (limit !== undefined) return limitFailure(limit, run);
  const kind = cut(error.errorKind, MAX_KIND);
  const where = at === undefined ? "" : ` (${at.line}:${at.column})`;
  return new GumError("CODE_MODE_RUNTIME", {
    message: `${kind}: ${cut(error.message, MAX_MESSAGE)}${where}`,
    details: {
      kind,
      ...place,
      ...(at === undefined ? {} : { snippet: snippet(run.source, at) }),
      ...progress(run),
    },
    userMessage: "The script failed.",
    suggestion: at === undefined
      ? "Catch the error in the script, or correct it."
      : whereToLook(at, kind === "ReferenceError" && UNDEFINED_NAME.test(error.message)),
    retryable: false,
  });
}

function cut(text: string, most: number): string {
  return text.length <= most ? text : `${text.slice(0, most)}…`;
}

/** Limits of the engine that a JavaScript script meets as errors of its own. */
function engineLimit(error: Extract<Outcome, { kind: "error" }>): Limit | undefined {
  if (error.errorKind !== "InternalError") return undefined;
  if (/stack overflow/.test(error.message)) return "stack";
  return /out of memory|too long/.test(error.message) ? "memory" : undefined;
}

/** The kernel's own error, rebuilt from the envelope that the script was shown. */
function calledFailure(text: string): GumError | undefined {
  const envelope = parseJson(text);
  if (!isJsonObject(envelope)) return undefined;
  const {
    error_code: code,
    message,
    user_message: userMessage,
    suggestion,
    retryable,
    ...details
  } = envelope;
  if (typeof code !== "string" || !isKnownErrorCode(code)) return undefined;
  return new GumError(code as ErrorCode, {
    message: typeof message === "string" ? message : undefined,
    userMessage: typeof userMessage === "string" ? userMessage : undefined,
    suggestion: typeof suggestion === "string" ? suggestion : undefined,
    retryable: retryable === true,
    details,
  });
}
