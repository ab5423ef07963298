/// <reference no-default-lib="true" />
/// <reference lib="deno.worker" />
/// <reference lib="esnext" />
/**
 * Runs one script in a QuickJS engine of its own, in a worker without permissions. The script's
 * program, its requests and its answers are text; nothing else crosses the border.
 */

import variant from "@jitl/quickjs-singlefile-browser-release-sync";
import {
  newQuickJSWASMModuleFromVariant,
  type QuickJSContext,
  type QuickJSHandle,
  type QuickJSRuntime,
} from "quickjs-emscripten-core";
import { LIBRARY_SOURCE } from "./library.generated.ts";
import { boundMemory, shareCompiledCode } from "./engine_memory.ts";
import { openMailbox, Stopped } from "./mailbox.ts";
import type { HostMessage, RunMessage, WorkerEnding, WorkerMessage } from "./protocol.ts";
import { newRun, type RunState } from "./run_state.ts";
import { findPlace, readOnly, syntaxReport } from "./syntax_place.ts";

/**
 * The engine counts calls, loop turns and backtracking itself and asks at every ten thousandth of
 * them: the same script is asked at the same places on every machine.
 */
const STEPS_PER_TICK = 10_000;
/** Evaluate as a strict script that may await at its top level. */
const STRICT_ASYNC_SCRIPT = 1 << 3 | 1 << 7;
/** Requests that may wait for their answers at the same time. */
const MAX_OUTSTANDING = 256;
/** Jobs run between two looks at the stop flag. */
const JOBS_AT_ONCE = 64;

interface Engine {
  runtime: QuickJSRuntime;
  context: QuickJSContext;
  /** The library's face. */
  library: QuickJSHandle;
  run: RunState;
}

function say(message: WorkerMessage): void {
  self.postMessage(message);
}

async function startEngine(run: RunState): Promise<Engine> {
  const quickjs = await newQuickJSWASMModuleFromVariant(variant);
  const runtime = quickjs.newRuntime();
  const context = runtime.newContext();
  const memory = quickjs.getWasmMemory();
  run.memory = memory;
  boundMemory(memory, run);
  runtime.setInterruptHandler(() => mustStop(run));
  context.unwrapResult(context.evalCode(LIBRARY_SOURCE, "library")).dispose();
  const install = context.getProp(context.global, "__gum");
  const bridge = bridgeFunctions(context, run);
  const library = context.unwrapResult(
    context.callFunction(install, context.undefined, ...bridge),
  );
  return { runtime, context, library, run };
}

/** Whether a limit was reached or the host wants the end. */
function isOver(run: RunState): boolean {
  return run.limit !== undefined || run.mailbox?.stopped() === true;
}

/** Asked by the engine; `true` ends the script, past every `catch` and `finally`. */
function mustStop(run: RunState): boolean {
  if (isOver(run)) return true;
  run.ticks++;
  return outOfSteps(run);
}

/** The script language counts its steps itself. */
function outOfSteps(run: RunState): boolean {
  const { message } = run;
  if (message?.language !== "javascript") return false;
  if (run.ticks * STEPS_PER_TICK + run.jobs >= message.maxSteps) run.limit ??= "steps";
  return run.limit !== undefined;
}

/** `call`, `start`, `halt` and `tell` of the library. */
function bridgeFunctions(context: QuickJSContext, run: RunState): QuickJSHandle[] {
  const call = context.newFunction("call", (name, args) => {
    if (isOver(run)) throw new Stopped();
    const id = --run.lastId;
    say({ kind: "request", id, name: context.getString(name), args: context.getString(args) });
    const answer = run.mailbox?.answerTo(id);
    if (answer === undefined) throw new Stopped();
    return context.newString(answer);
  });
  const start = context.newFunction("start", (id, name, args) => {
    if (isOver(run)) throw new Stopped();
    if (run.outstanding >= MAX_OUTSTANDING) {
      throw new RangeError(
        `more than ${MAX_OUTSTANDING} calls wait for an answer; await some first`,
      );
    }
    run.outstanding++;
    say({
      kind: "request",
      id: context.getNumber(id),
      name: context.getString(name),
      args: context.getString(args),
    });
    return context.undefined;
  });
  const tell = context.newFunction("tell", (name, args) => {
    if (isOver(run)) throw new Stopped();
    say({ kind: "told", name: context.getString(name), args: context.getString(args) });
    return context.undefined;
  });
  const halt = context.newFunction("halt", () => {
    run.limit ??= "steps";
    return context.undefined;
  });
  return [call, start, halt, tell];
}

function runMessage(engine: Engine, message: RunMessage): WorkerEnding {
  const { runtime, context, library, run } = engine;
  run.message = message;
  run.ticks = 0;
  run.mailbox = openMailbox(message.shared, () => say({ kind: "taken" }));
  runtime.setMaxStackSize(message.stackBytes);
  const { maxSteps, allowWrite, allowDestructive } = message;
  const settings = JSON.stringify({ maxSteps, allowWrite, allowDestructive });
  const configured = invoke(engine, "configure", context.newString(settings));
  if (configured.kind !== "value") return configured;
  return message.language === "javascript"
    ? runJavaScript(engine, message.program)
    : runProgram(engine, { library, program: message.program });
}

function runProgram(
  engine: Engine,
  run: { library: QuickJSHandle; program: string },
): WorkerEnding {
  const program = readProgram(engine, run.program);
  if ("kind" in program) return program;
  const outcome = invoke(engine, "runProgram", program.value);
  if (outcome.kind !== "value") return outcome;
  return ended(engine) ?? { kind: "outcome", outcome: engine.context.getString(outcome.value) };
}

/** Reads a compiled script. What is too much for the engine's stack here has not run at all. */
function readProgram(engine: Engine, text: string): { value: QuickJSHandle } | WorkerEnding {
  let ending: WorkerEnding;
  try {
    const program = engine.context.evalCode(text, "program");
    if (program.error === undefined) return { value: program.value };
    ending = engineEnding(engine, program.error);
  } catch (error) {
    ending = thrownEnding(error, engine);
  }
  const tooDeep = ending.kind === "limit" && ending.limit === "stack";
  return tooDeep
    ? { kind: "syntax", message: "the script is nested too deeply", line: 1, column: 1 }
    : ending;
}

function runJavaScript(engine: Engine, source: string): WorkerEnding {
  const { context, run } = engine;
  const opened = invoke(engine, "openGlobals");
  if (opened.kind !== "value") return opened;
  const completion = context.evalCode(source, "script", STRICT_ASYNC_SCRIPT);
  if (completion.error !== undefined) {
    return ended(engine) ?? syntaxEnding(engine, completion.error, source);
  }
  const followed = invoke(engine, "follow", completion.value);
  if (followed.kind !== "value") return followed;
  for (;;) {
    const job = runJobs(engine) ?? ended(engine);
    if (job !== undefined) return job;
    const outcome = invoke(engine, "outcome");
    if (outcome.kind !== "value") return outcome;
    const text = context.getString(outcome.value);
    const pending = text === '{"kind":"pending"}';
    const over = ended(engine);
    if (over !== undefined) return over;
    if (!pending && run.outstanding === 0) return { kind: "outcome", outcome: text };
    if (run.outstanding === 0) return { kind: "stalled" };
    const delivered = deliverNext(engine);
    if (delivered !== undefined) return delivered;
  }
}

/** Runs everything that can run without another answer. */
function runJobs(engine: Engine): WorkerEnding | undefined {
  const { runtime } = engine;
  while (runtime.hasPendingJob()) {
    const job = runtime.executePendingJobs(JOBS_AT_ONCE);
    if (job.error !== undefined) return engineEnding(engine, job.error);
    // A chain of promises may branch too little for the engine to ask by itself.
    engine.run.jobs += job.value;
    if (isOver(engine.run) || outOfSteps(engine.run)) return ended(engine);
  }
  return undefined;
}

function deliverNext(engine: Engine): WorkerEnding | undefined {
  const { context, run } = engine;
  const answer = run.mailbox?.next();
  if (answer === undefined) return { kind: "stopped" };
  run.outstanding--;
  const delivered = invoke(
    engine,
    "deliver",
    context.newNumber(answer.id),
    context.newString(answer.text),
  );
  return delivered.kind === "value" ? undefined : delivered;
}

type Invoked = { kind: "value"; value: QuickJSHandle } | WorkerEnding;

/** Calls a function of the library. */
function invoke(engine: Engine, name: string, ...args: QuickJSHandle[]): Invoked {
  const { context, library } = engine;
  const callee = context.getProp(library, name);
  const result = context.callFunction(callee, context.undefined, ...args);
  if (result.error !== undefined) return engineEnding(engine, result.error);
  return { kind: "value", value: result.value };
}

/** Why the run is over, when the host or a limit has ended it. */
function ended(engine: Engine): WorkerEnding | undefined {
  const { run } = engine;
  if (run.mailbox?.stopped()) return { kind: "stopped" };
  return run.limit === undefined ? undefined : { kind: "limit", limit: run.limit };
}

/** What an error means that the library did not make. */
function engineEnding(engine: Engine, error: QuickJSHandle): WorkerEnding {
  const known = ended(engine);
  if (known !== undefined) return known;
  // Without memory for an error there is none.
  if (engine.context.typeof(error) !== "object" || isNull(engine, error)) {
    return { kind: "limit", limit: "memory" };
  }
  const { name, message } = described(engine, error);
  if (/out of memory|string too long|invalid array length/i.test(message)) {
    return { kind: "limit", limit: "memory" };
  }
  // The engine's parser reports its own stack as an error of syntax.
  if (/^(InternalError|SyntaxError)$/.test(name) && /stack overflow/.test(message)) {
    return { kind: "limit", limit: "stack" };
  }
  return { kind: "crashed", message: `${name}: ${message}` };
}

function isNull({ context }: Engine, value: QuickJSHandle): boolean {
  return context.eq(value, context.null);
}

function syntaxEnding(engine: Engine, error: QuickJSHandle, source: string): WorkerEnding {
  const found = described(engine, error);
  if (found.name !== "SyntaxError") return engineEnding(engine, error);
  const { message, line, column } = syntaxReport(found);
  const place = line === undefined || column === undefined
    ? findPlace(readOnly(engine.context, STRICT_ASYNC_SCRIPT), { source, message })
    : { line, column };
  return { kind: "syntax", message, ...place };
}

function described(
  { context }: Engine,
  error: QuickJSHandle,
): { name: string; message: string; stack: string } {
  const text = (key: string) => {
    const member = context.getProp(error, key);
    return context.typeof(member) === "string" ? context.getString(member) : "";
  };
  return { name: text("name"), message: text("message"), stack: text("stack") };
}

function thrownEnding(error: unknown, engine: Engine): WorkerEnding {
  const known = error instanceof Stopped ? { kind: "stopped" } as const : ended(engine);
  if (known !== undefined) return known;
  const text = error instanceof Error ? `${error.name}: ${error.message}` : String(error);
  // The engine's own frames lie on the host's stack.
  if (error instanceof RangeError || /call stack/i.test(text)) {
    return { kind: "limit", limit: "stack" };
  }
  if (/out of memory|memory access out of bounds|Aborted/i.test(text)) {
    return { kind: "limit", limit: "memory" };
  }
  return { kind: "crashed", message: text };
}

// The engine reports its own failures on the console, which belongs to the process.
Object.defineProperty(globalThis, "console", {
  value: { log() {}, warn() {}, error() {}, info() {}, debug() {} },
});

let engine: Engine | undefined;
self.onmessage = async ({ data }: MessageEvent<HostMessage>) => {
  if (data.kind === "engine") {
    const run = newRun();
    const compiled = shareCompiledCode(data.compiled, run);
    engine = await startEngine(run);
    return say({ kind: "ready", compiled: data.compiled === undefined ? compiled() : undefined });
  }
  if (engine === undefined) return;
  let ending: WorkerEnding;
  try {
    ending = runMessage(engine, data);
  } catch (error) {
    ending = thrownEnding(error, engine);
  }
  say({ kind: "ended", ending });
};
