/** JavaScript scripts: their globals, their host functions, and what became of them. */

import { type HostBridge, type Outcome, replyOf, type RunSettings } from "./host.ts";
import { printable } from "./json.ts";
import { print } from "./printing.ts";
import { jsonOf, valueOfReply } from "./javascript_json.ts";

/** A host function failed: `code` is the error code, `details` the whole envelope. */
class GumError extends Error {
  override readonly name = "GumError";
  readonly code: string;
  readonly details: unknown;
  /** The envelope as it came, for an error that leaves the script. */
  readonly #envelope: string;

  constructor(envelope: string) {
    const details = JSON.parse(envelope);
    super(`${details.error_code}: ${details.message}`);
    this.code = String(details.error_code);
    this.details = details;
    this.#envelope = envelope;
  }

  static envelopeOf(error: unknown): string | undefined {
    return error instanceof GumError ? error.#envelope : undefined;
  }
}

/** Answers that failed and that nobody has looked at yet. */
const unseen = new Set<HostPromise>();

/** The promise of a host function. It notices whether the script ever looks at it. */
class HostPromise extends Promise<unknown> {
  // Chained promises are plain ones.
  static override get [Symbol.species](): PromiseConstructor {
    return Promise;
  }

  // deno-lint-ignore no-explicit-any -- the standard signature, passed on unchanged
  override then(...handlers: [any?, any?]): Promise<any> {
    unseen.delete(this);
    seen.add(this);
    return super.then(...handlers);
  }
}

const seen = new WeakSet<HostPromise>();
const waiting = new Map<number, {
  promise: HostPromise;
  /** Where the script asked, as a stack of the engine. */
  askedAt: string;
  resolve(value: unknown): void;
  reject(error: unknown): void;
}>();
let lastId = 0;
let result: Outcome = { kind: "pending" };

/** Names that lead to code made from text, to the clock, to chance, or past the sandbox's rules. */
const REMOVED = [
  "eval",
  "Function",
  "Date",
  "Proxy",
  "Reflect",
  "WebAssembly",
  "Atomics",
  "SharedArrayBuffer",
  "WeakRef",
  "FinalizationRegistry",
  "performance",
  "std",
  "os",
  "print",
  "console",
  "navigator",
];

/** Takes away what would break the rules, for either language. */
export function closeGlobals(): void {
  const functionKinds = [
    () => {},
    async () => {},
    function* () {},
    async function* () {},
  ];
  for (const kind of functionKinds) {
    Object.defineProperty(Object.getPrototypeOf(kind), "constructor", {
      value: undefined,
      writable: false,
      configurable: false,
    });
  }
  for (const name of REMOVED) delete (globalThis as Record<string, unknown>)[name];
  delete (Math as Partial<Math>).random;
}

/** Puts the host functions among the globals. */
export function openGlobals(bridge: HostBridge, settings: RunSettings): void {
  const start = (name: string) => (...args: unknown[]): Promise<unknown> => {
    const json = jsonOf(args);
    const id = ++lastId;
    let resolve = (_value: unknown) => {};
    let reject = (_error: unknown) => {};
    const promise = new HostPromise((onValue, onError) => [resolve, reject] = [onValue, onError]);
    const askedAt = new Error().stack ?? "";
    waiting.set(id, { promise, askedAt, resolve, reject });
    bridge.start(id, name, json);
    return promise;
  };
  const globals: Record<string, unknown> = {
    gum_allow_destructive: settings.allowDestructive,
    gum_allow_write: settings.allowWrite,
    gum_call: start("gum_call"),
    gum_confirm_destructive: start("gum_confirm_destructive"),
    gum_describe: start("gum_describe"),
    gum_pages: start("gum_pages"),
    gum_parallel: start("gum_parallel"),
    gum_print(...args: unknown[]): void {
      if (args.length !== 1) {
        throw new TypeError(`gum_print takes 1 argument (${args.length} given)`);
      }
      const [value] = args;
      const text = typeof value === "string" ? value : jsonOf(value);
      print(bridge, jsonOf([printable(text)]));
    },
    gum_search: start("gum_search"),
  };
  for (const [name, value] of Object.entries(globals)) {
    Object.defineProperty(globalThis, name, { value, enumerable: true });
  }
}

/** Hands over the answer of a started request. */
export function deliver(id: number, text: string): void {
  const call = waiting.get(id);
  if (call === undefined) return;
  waiting.delete(id);
  const reply = replyOf(text);
  if (reply.ok) return call.resolve(valueOfReply(reply.json));
  if (!seen.has(call.promise)) unseen.add(call.promise);
  const error = new GumError(reply.envelope);
  // It is made here, long after the call; what counts is the place of the call.
  Object.defineProperty(error, "stack", { value: call.askedAt, writable: true });
  failures.set(call.promise, error);
  call.reject(error);
}

const failures = new WeakMap<HostPromise, GumError>();

/** Follows the completion of the script; its last expression is the final value. */
export function follow(completion: Promise<unknown>): void {
  const finished = async () => {
    const last = await completion as { value?: unknown } | undefined;
    const value = await last?.value;
    const silent = value === undefined || value === null || typeof value === "function";
    const text = silent ? null : typeof value === "string" ? value : jsonOf(value);
    return { kind: "value", text } satisfies Outcome;
  };
  finished().then((outcome) => result = outcome, (error) => result = failure(error));
}

/** Where the script stands; a failure that nobody looked at is a failure of the script. */
export function outcome(): Outcome {
  if (result.kind !== "value") return result;
  const [forgotten] = unseen;
  const error = forgotten === undefined ? undefined : failures.get(forgotten);
  return error === undefined ? result : failure(error);
}

function failure(error: unknown): Outcome {
  const isError = error instanceof Error;
  const part = (name: "name" | "message" | "stack") => isError ? ownText(() => error[name]) : "";
  const [, line, column] = /\(?script:([0-9]+):([0-9]+)\)?/.exec(part("stack")) ?? [];
  return {
    kind: "error",
    errorKind: isError ? part("name") : "runtime error",
    message: isError ? part("message") : thrownText(error),
    line: Number(line ?? 0),
    column: Number(column ?? 0),
    envelope: GumError.envelopeOf(error),
  };
}

/** A text that the script may have put a function of its own behind. */
function ownText(read: () => unknown): string {
  try {
    const value = read();
    return typeof value === "string" ? value : thrownText(value);
  } catch {
    return ""; // a getter that throws has nothing to say
  }
}

function thrownText(value: unknown): string {
  if (typeof value === "string") return value;
  try {
    return jsonOf(value);
  } catch {
    return String(typeof value); // not even JSON: its type has to do
  }
}
