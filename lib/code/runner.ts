/** One script from its request to its result (spec 09 §3). */

import type { Invocation } from "../dispatch/types.ts";
import { findGumError, GumError } from "../errors/mod.ts";
import { envelopeInTools } from "../format/text/mod.ts";
import { isJsonObject, type JsonValue, parseJson } from "../json/mod.ts";
import { type Execution, openPlaces } from "./execution.ts";
import { linkedAbort } from "./linked_abort.ts";
import {
  cancelledFailure,
  endingFailure,
  type FailedRun,
  limitFailure,
  progress,
  runtimeFailure,
  syntaxFailure,
  timeoutFailure,
} from "./failures.ts";
import { openFamilyGate } from "./family_gate.ts";
import { openGrants } from "./grants.ts";
import type { Outcome } from "./guest/host.ts";
import { notWired, singleCallFunctions } from "./host_functions.ts";
import { languageNamed } from "./languages.ts";
import { codeLimits, MAX_REPLY_BYTES, STACK_BYTES } from "./request/mod.ts";
import { openOutput, type ScriptOutput } from "./output.ts";
import { parallelFunction } from "./parallel.ts";
import { ScriptSyntaxError } from "./risor/mod.ts";
import { type Ending, openSandbox, type Sandbox } from "./sandbox.ts";
import type {
  CodeRequest,
  CodeResult,
  CodeRunner,
  CodeRunnerDeps,
  HostFunction,
  RunContext,
} from "./types.ts";

/** On the command line, the first script that has a worker made ready for the one after it. */
const SCRIPTS_BEFORE_SPARE = 2;

/**
 * Builds a runner. After a client's first script, and the command line's second, a worker waits
 * ready for the next; {@link CodeRunner.close} ends it.
 */
export function createCodeRunner(deps: CodeRunnerDeps): CodeRunner {
  const running = new Set<Promise<unknown>>();
  const closing = new AbortController();
  let served = 0;
  let spare: Promise<Sandbox> | undefined;
  let preparing: ReturnType<typeof setTimeout> | undefined;
  const prepareSpare = () => {
    preparing = undefined;
    if (!closing.signal.aborted) spare ??= openSandbox();
  };
  /** Once the answer is out: making a worker holds this thread up, and costs the script its cores. */
  const prepareNext = ({ caller }: RunContext) => {
    clearTimeout(preparing);
    const expectsMore = caller === "mcp" || served >= SCRIPTS_BEFORE_SPARE;
    const wanted = expectsMore && spare === undefined && !closing.signal.aborted;
    preparing = wanted ? setTimeout(prepareSpare, 0) : undefined;
  };
  return {
    async run(request, context, signal) {
      using ends = linkedAbort([signal, closing.signal]);
      const takeSandbox = (): Promise<Sandbox> => {
        const taken = spare ?? openSandbox();
        spare = undefined;
        served++;
        clearTimeout(preparing);
        return taken;
      };
      const execution = runScript(deps, { request, context, signal: ends.signal, takeSandbox });
      running.add(execution);
      try {
        return await execution;
      } finally {
        running.delete(execution);
        prepareNext(context);
      }
    },
    async close() {
      closing.abort(new Error("the session is closing"));
      clearTimeout(preparing);
      await Promise.allSettled([...running]);
      (await spare)?.discard();
      spare = undefined;
    },
  };
}

interface Run {
  request: CodeRequest;
  context: RunContext;
  signal: AbortSignal;
  takeSandbox(): Promise<Sandbox>;
}

async function runScript(deps: CodeRunnerDeps, run: Run): Promise<CodeResult> {
  const { request, signal } = run;
  const program = compiled(request);
  const limits = codeLimits(deps.limits);
  const output = openOutput(limits.outputBytes);
  const innerBodies: Uint8Array[] = [];
  const sentEnvelopes = new Set<string>();
  let completedCalls = 0;
  const failed = (): FailedRun => ({
    source: request.source,
    limits,
    completedCalls,
    partialOutput: output.text(),
    sentEnvelopes,
  });
  run.context.reached?.(() => progress({ completedCalls, partialOutput: output.text() }));
  if (signal.aborted) throw cancelledFailure(failed(), signal.reason);
  const execution = openExecution(deps, run, {
    output,
    ...progressCounter(run.context),
    completed(response) {
      completedCalls++;
      innerBodies.push(response.body);
    },
  });
  const deadline = new AbortController();
  const over = new AbortController();
  const timer = setTimeout(() => deadline.abort(), limits.timeoutMs);
  using link = linkedAbort([signal, deadline.signal, over.signal]);
  const ends = link.signal;
  const pending = new Set<Promise<unknown>>();
  let tooLong = false;
  try {
    const serve = requestServer(hostFunctions(execution), {
      envelopeOf: execution.envelopeOf,
      signal: ends,
      pending,
      sentEnvelopes,
    });
    const sandbox = await run.takeSandbox();
    run.context.onProgress?.({ phase: "running", done: 0, asked: 0 });
    const ending = await sandbox.run({
      language: request.language,
      program,
      memoryBytes: limits.memoryBytes,
      stackBytes: STACK_BYTES,
      maxSteps: limits.maxSteps,
      allowWrite: request.allowWrite,
      allowDestructive: request.allowDestructive,
    }, (name, args) => {
      if (args.length > MAX_REPLY_BYTES) {
        tooLong = true;
        over.abort();
      }
      return serve(name, args);
    }, ends);
    if (signal.aborted) throw cancelledFailure(failed(), signal.reason);
    if (deadline.signal.aborted) throw timeoutFailure(failed());
    if (tooLong) throw limitFailure("reply", failed());
    finish(ending, output, failed);
  } finally {
    clearTimeout(timer);
    over.abort();
    // Calls that the script left behind end with it.
    await Promise.allSettled([...pending]);
  }
  return { output: output.text(), truncated: output.truncated, completedCalls, innerBodies };
}

/** Tells the caller how many calls are over, of how many so far. */
function progressCounter({ onProgress }: RunContext): Pick<Execution, "asked" | "over"> {
  let asked = 0;
  let done = 0;
  const tell = () => onProgress?.({ phase: "running", done, asked });
  return {
    asked(count) {
      asked += count;
      tell();
    },
    over() {
      done++;
      tell();
    },
  };
}

function compiled(request: CodeRequest): string {
  try {
    return languageNamed(request.language).compile(request.source);
  } catch (error) {
    if (!(error instanceof ScriptSyntaxError)) throw error;
    throw syntaxFailure(request.source, error.problems);
  }
}

function openExecution(
  deps: CodeRunnerDeps,
  run: Run,
  results: Pick<Execution, "output" | "completed" | "asked" | "over">,
): Execution {
  const { request, context } = run;
  const limits = codeLimits(deps.limits);
  const around: Partial<Invocation> = {
    parentRequestId: context.requestId,
    projectRootPath: context.projectRootPath,
    projectRootUri: context.projectRootUri,
  };
  return {
    deps,
    request,
    context,
    limits,
    around,
    grants: openGrants(request, context.confirmed),
    gate: openFamilyGate(deps.clock, deps.clock.now() + limits.timeoutMs),
    running: openPlaces(limits.concurrency),
    envelopeOf: (error) =>
      context.caller === "mcp" ? envelopeInTools(error.toEnvelope()) : error.toEnvelope(),
    ...results,
  };
}

function hostFunctions(execution: Execution): ReadonlyMap<string, HostFunction> {
  return new Map<string, HostFunction>(Object.entries({
    ...singleCallFunctions(execution),
    gum_parallel: parallelFunction(execution),
    gum_print([text = null]: JsonValue[]) {
      if (typeof text === "string") execution.output.write(text);
      return null;
    },
  }));
}

interface ServedRun {
  envelopeOf: Execution["envelopeOf"];
  signal: AbortSignal;
  pending: Set<Promise<unknown>>;
  sentEnvelopes: Set<string>;
}

/** Answers requests of the sandbox. Whatever is asked, the answer is text and no rejection. */
function requestServer(
  functions: ReadonlyMap<string, HostFunction>,
  run: ServedRun,
): (name: string, args: string) => Promise<string> {
  return (name, args) => {
    const answer = answered(functions.get(name), { name, args, run });
    run.pending.add(answer);
    return answer.finally(() => run.pending.delete(answer));
  };
}

async function answered(
  host: HostFunction | undefined,
  request: { name: string; args: string; run: ServedRun },
): Promise<string> {
  try {
    if (host === undefined) throw notWired(request.name);
    const values = parsedArguments(request.args);
    const value = await host(values, request.run.signal);
    return `{"ok":${JSON.stringify(value)}}`;
  } catch (error) {
    const envelope = JSON.stringify(request.run.envelopeOf(knownFailure(error)));
    request.run.sentEnvelopes.add(envelope);
    return `{"err":${envelope}}`;
  }
}

function parsedArguments(text: string): JsonValue[] {
  let values: JsonValue;
  try {
    values = parseJson(text);
  } catch (cause) {
    // Only a script that reaches past the library can send this; nesting beyond reason can, too.
    throw new GumError("INVALID_ARGS", {
      message: "the arguments cannot be read",
      details: { missing: [], unknown: [], type_errors: [] },
      suggestion: "Pass flatter arguments.",
      cause,
    });
  }
  return Array.isArray(values) ? values : [];
}

function knownFailure(error: unknown): GumError {
  return findGumError(error) ?? new GumError("SERVICE_DOWN", {
    message: "a host function failed",
    retryable: false,
    cause: error,
  });
}

/** Adds the final value, or throws what the ending means. */
function finish(ending: Ending, output: ScriptOutput, failed: () => FailedRun): void {
  if (ending.kind !== "outcome") throw endingFailure(ending, failed());
  const outcome = parseOutcome(ending.outcome);
  if (outcome.kind === "error") throw runtimeFailure(failed(), outcome);
  if (outcome.text === null || outcome.text === "") return;
  const printed = output.text();
  if (printed !== "" && !printed.endsWith("\n")) output.write("\n");
  output.write(outcome.text);
}

/** A script in JavaScript could have bent the library; its report is read like any foreign text. */
function parseOutcome(text: string): Exclude<Outcome, { kind: "pending" }> {
  const unreadable = { kind: "value", text: null } as const;
  let report: JsonValue;
  try {
    report = parseJson(text);
  } catch {
    return unreadable; // not the library's text, so there is no value
  }
  if (!isJsonObject(report)) return unreadable;
  if (report.kind === "value") {
    return { kind: "value", text: typeof report.text === "string" ? report.text : null };
  }
  const number = (value: JsonValue | undefined) => typeof value === "number" ? value : 0;
  return {
    kind: "error",
    errorKind: String(report.errorKind ?? "runtime error"),
    message: String(report.message ?? ""),
    line: number(report.line),
    column: number(report.column),
    ...(typeof report.envelope === "string" ? { envelope: report.envelope } : {}),
  };
}
