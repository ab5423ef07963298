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
import { type Mailbox, openMailbox, Stopped } from "./mailbox.ts";
import type { HostMessage, RunMessage, WorkerEnding, WorkerMessage } from "./protocol.ts";

/** The engine asks about once every ten thousand branches; that is the unit steps are counted in. */
const STEPS_PER_TICK = 10_000;
/** Evaluate as a strict script that may await at its top level. */
const STRICT_ASYNC_SCRIPT = 1 << 3 | 1 << 7;
/** Requests that may wait for their answers at the same time. */
const MAX_OUTSTANDING = 256;
/** Bytes of a page of the engine's memory. */
const WASM_PAGE = 65_536;
/** Jobs run between two looks at the stop flag. */
const JOBS_AT_ONCE = 64;

interface Engine {
  runtime: QuickJSRuntime;
  context: QuickJSContext;
  /** The library's face. */
  library: QuickJSHandle;
  run: RunState;
}

/** What the bridge functions need of the run that is going on. */
interface RunState {
  message: RunMessage | undefined;
  mailbox: Mailbox | undefined;
  lastId: number;
  ticks: number;
  /** Requests whose answers the script has not been given. */
  outstanding: number;
  limit: "steps" | undefined;
}

function say(message: WorkerMessage): void {
  self.postMessage(message);
}

/**
 * Lets the engine use code that another worker has compiled: compiling costs more than everything
 * else a short script does. Gives the code that was used.
 */
function shareCompiledCode(
  given: WebAssembly.Module | undefined,
): () => WebAssembly.Module | undefined {
  const instantiate = WebAssembly.instantiate.bind(WebAssembly);
  let used = given;
  Object.defineProperty(WebAssembly, "instantiate", {
    async value(bytes: BufferSource, imports: WebAssembly.Imports) {
      const module = used ??= await WebAssembly.compile(bytes);
      return { module, instance: await instantiate(module, imports) };
    },
  });
  return () => used;
}

async function startEngine(): Promise<Engine> {
  const quickjs = await newQuickJSWASMModuleFromVariant(variant);
  const runtime = quickjs.newRuntime();
  const context = runtime.newContext();
  const run: RunState = {
    message: undefined,
    mailbox: undefined,
    lastId: 0,
    ticks: 0,
    outstanding: 0,
    limit: undefined,
  };
  const memory = quickjs.getWasmMemory();
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

/**
 * The engine's own account of its memory counts little more than the number of pieces, so the
 * ceiling is put where the memory comes from: what cannot grow makes an allocation fail.
 */
function boundMemory(memory: WebAssembly.Memory, run: RunState): void {
  const start = memory.buffer.byteLength;
  const grow = memory.grow.bind(memory);
  memory.grow = (pages) => {
    const allowed = start + (run.message?.memoryBytes ?? start);
    if (memory.buffer.byteLength + pages * WASM_PAGE > allowed) {
      throw new RangeError("the memory limit of the script is reached");
    }
    return grow(pages);
  };
}

function mustStop(run: RunState): boolean {
  if (run.limit !== undefined || run.mailbox?.stopped()) return true;
  run.ticks++;
  const { message } = run;
  if (message?.language !== "javascript") return false;
  if (run.ticks * STEPS_PER_TICK > message.maxSteps) run.limit = "steps";
  return run.limit !== undefined;
}

/** `call`, `start` and `halt` of the library. */
function bridgeFunctions(context: QuickJSContext, run: RunState): QuickJSHandle[] {
  const call = context.newFunction("call", (name, args) => {
    const id = --run.lastId;
    say({ kind: "request", id, name: context.getString(name), args: context.getString(args) });
    const answer = run.mailbox?.answerTo(id);
    if (answer === undefined) throw new Stopped();
    return context.newString(answer);
  });
  const start = context.newFunction("start", (id, name, args) => {
    if (run.mailbox?.stopped()) throw new Stopped();
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
  const halt = context.newFunction("halt", () => {
    run.limit = "steps";
    return context.undefined;
  });
  return [call, start, halt];
}

function runMessage(engine: Engine, message: RunMessage): WorkerEnding {
  const { runtime, context, library, run } = engine;
  run.message = message;
  run.mailbox = openMailbox(message.shared, () => say({ kind: "taken" }));
  runtime.setMemoryLimit(message.memoryBytes);
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
  const program = engine.context.evalCode(run.program, "program");
  if (program.error !== undefined) return engineEnding(engine, program.error);
  const outcome = invoke(engine, "runProgram", program.value);
  if (outcome.kind !== "value") return outcome;
  return ended(engine) ?? { kind: "outcome", outcome: engine.context.getString(outcome.value) };
}

function runJavaScript(engine: Engine, source: string): WorkerEnding {
  const { context, run } = engine;
  const opened = invoke(engine, "openGlobals");
  if (opened.kind !== "value") return opened;
  const completion = context.evalCode(source, "script", STRICT_ASYNC_SCRIPT);
  if (completion.error !== undefined) {
    return ended(engine) ?? syntaxEnding(engine, completion.error);
  }
  const followed = invoke(engine, "follow", completion.value);
  if (followed.kind !== "value") return followed;
  for (;;) {
    const job = runJobs(engine);
    if (job !== undefined) return job;
    const outcome = invoke(engine, "outcome");
    if (outcome.kind !== "value") return outcome;
    const text = context.getString(outcome.value);
    const pending = text === '{"kind":"pending"}';
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
    // A chain of promises branches too little for the engine to ask by itself.
    if (mustStop(engine.run)) return ended(engine);
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
  if (name === "InternalError" && /stack overflow/.test(message)) {
    return { kind: "limit", limit: "stack" };
  }
  return { kind: "crashed", message: `${name}: ${message}` };
}

function isNull({ context }: Engine, value: QuickJSHandle): boolean {
  return context.eq(value, context.null);
}

function syntaxEnding(engine: Engine, error: QuickJSHandle): WorkerEnding {
  const { name, message, stack } = described(engine, error);
  if (name !== "SyntaxError") return engineEnding(engine, error);
  const [, line = "1", column = "1"] = /script:([0-9]+):([0-9]+)/.exec(stack) ?? [];
  return { kind: "syntax", message, line: Number(line), column: Number(column) };
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
    const compiled = shareCompiledCode(data.compiled);
    engine = await startEngine();
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
