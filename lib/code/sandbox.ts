/**
 * The main thread's side of a sandbox: one worker, one script, and a promise that settles within
 * 200 ms of the moment somebody wants it to end (spec 09 §3.1).
 */

import { GRACE_MS, MAX_REPLY_BYTES } from "./request/mod.ts";
import {
  CONTROL_WORDS,
  type EngineMessage,
  MAILBOX_BYTES,
  type RunMessage,
  SHARED_BYTES,
  WORD_FULL,
  WORD_ID,
  WORD_LENGTH,
  WORD_MORE,
  WORD_SIGNAL,
  WORD_STOP,
  type WorkerEnding,
  type WorkerMessage,
} from "./worker/protocol.ts";

/** Answers that may lie ready for one script. */
const MAX_QUEUED_BYTES = 4 * MAX_REPLY_BYTES;

/** How a script ended, seen from outside. */
export type Ending = WorkerEnding | { kind: "reply_limit" };

/** What to run, without the memory it is shared through. */
export type Job = Omit<RunMessage, "kind" | "shared">;

/** Serves a request of the script; resolves with the reply text and never rejects. */
export type ServeRequest = (name: string, args: string) => Promise<string> | string;

/** A worker that may be given one script. */
export interface Sandbox {
  /**
   * Runs the job. The signal ends it; the promise then settles with `stopped`. The worker is gone
   * when it does.
   */
  run(job: Job, serve: ServeRequest, signal: AbortSignal): Promise<Ending>;
  /** Ends a worker that was never given a script. */
  discard(): void;
}

let live = 0;

/** Workers that exist right now; a test can see that none is left behind. */
export function liveWorkers(): number {
  return live;
}

/** The engine's code, compiled by the first worker and used by all that follow. */
let compiledEngine: WebAssembly.Module | undefined;

let address: Promise<string> | undefined;

/** An address of the worker's source that needs no permission to be loaded. */
function workerAddress(): Promise<string> {
  return address ??= unpackWorker();
}

async function unpackWorker(): Promise<string> {
  const { WORKER_GZIP } = await import("./worker.generated.ts");
  const packed = new Blob([Uint8Array.fromBase64(WORKER_GZIP)]);
  const stream = packed.stream().pipeThrough(new DecompressionStream("gzip"));
  const source = new Uint8Array(await new Response(stream).arrayBuffer());
  // The loader of a compiled executable knows no blobs; elsewhere they are cheaper to load again.
  return Deno.build.standalone
    ? `data:text/javascript;base64,${source.toBase64()}`
    : URL.createObjectURL(new Blob([source], { type: "text/javascript" }));
}

/** Starts a worker; its engine gets ready while the caller does something else. */
export async function openSandbox(): Promise<Sandbox> {
  const url = await workerAddress();
  const worker = new Worker(url, {
    type: "module",
    name: "gum script",
    deno: { permissions: "none" },
  });
  live++;
  let gone = false;
  const terminate = () => {
    if (gone) return;
    gone = true;
    live--;
    worker.terminate();
  };
  const ready = Promise.withResolvers<void>();
  let onMessage = (message: WorkerMessage) => {
    if (message.kind !== "ready") return;
    compiledEngine ??= message.compiled;
    ready.resolve();
  };
  let onCrash = (message: string) => ready.reject(new Error(message));
  ready.promise.catch(() => {/* reported by whoever runs a script in it */});
  worker.onmessage = (event: MessageEvent<WorkerMessage>) => onMessage(event.data);
  worker.onerror = (event) => {
    event.preventDefault();
    onCrash(event.message);
  };
  worker.postMessage({ kind: "engine", compiled: compiledEngine } satisfies EngineMessage);
  return {
    discard: terminate,
    async run(job, serve, signal) {
      const ended = Promise.withResolvers<Ending>();
      const shared = takeBuffer();
      let endedItself = false;
      const mailbox = openReplies(shared);
      onCrash = (message) => ended.resolve({ kind: "crashed", message });
      const starting = onMessage;
      onMessage = (message) => {
        switch (message.kind) {
          case "ready":
            return starting(message);
          case "taken":
            return mailbox.taken();
          case "ended":
            endedItself = true;
            return ended.resolve(message.ending);
          case "request":
            return answer(message);
          case "told":
            if (!signal.aborted) serve(message.name, message.args);
            return;
        }
      };
      const answer = async (request: WorkerMessage & { kind: "request" }) => {
        if (signal.aborted) return;
        const text = await serve(request.name, request.args);
        if (!mailbox.post(request.id, text)) {
          mailbox.stop();
          ended.resolve({ kind: "reply_limit" });
        }
      };
      let timer: ReturnType<typeof setTimeout> | undefined;
      const onAbort = () => {
        mailbox.stop();
        timer = setTimeout(() => ended.resolve({ kind: "stopped" }), GRACE_MS);
      };
      try {
        if (signal.aborted) return { kind: "stopped" };
        signal.addEventListener("abort", onAbort, { once: true });
        const started = await Promise.race([
          ready.promise.then(() => undefined, (error) => error),
          ended.promise,
        ]);
        if (started instanceof Error) return { kind: "crashed", message: started.message };
        if (!signal.aborted) {
          worker.postMessage({ kind: "run", ...job, shared } satisfies RunMessage);
        }
        return await ended.promise;
      } finally {
        clearTimeout(timer);
        signal.removeEventListener("abort", onAbort);
        terminate();
        // A host call may still be under way; its answer must not reach the buffer's next script.
        mailbox.close();
        // A worker that was stopped from outside may still be writing for a moment.
        if (endedItself) giveBack(shared);
      }
    },
  };
}

/** Mailboxes for the next scripts: the collector does not see how large they are. */
const idleBuffers: SharedArrayBuffer[] = [];
const MAX_IDLE_BUFFERS = 4;

function takeBuffer(): SharedArrayBuffer {
  return idleBuffers.pop() ?? new SharedArrayBuffer(SHARED_BYTES);
}

function giveBack(buffer: SharedArrayBuffer): void {
  if (idleBuffers.length >= MAX_IDLE_BUFFERS) return;
  new Uint8Array(buffer).fill(0);
  idleBuffers.push(buffer);
}

/** Answers on their way into one script. */
export interface Replies {
  /** Queues an answer; false when it is longer than a script may be given. */
  post(id: number, text: string): boolean;
  /** The worker has read what lay in the mailbox. */
  taken(): void;
  /** Tells the script to end and wakes it when it waits. */
  stop(): void;
  /** The script is over: nothing is written any more. */
  close(): void;
}

/** Writes answers into shared memory, a mailbox full at a time. */
export function openReplies(shared: SharedArrayBuffer): Replies {
  const control = new Int32Array(shared, 0, CONTROL_WORDS);
  const bytes = new Uint8Array(shared, CONTROL_WORDS * 4);
  const queue: { id: number; rest: Uint8Array }[] = [];
  let queued = 0;
  let closed = false;
  const encoder = new TextEncoder();
  const signal = () => {
    Atomics.add(control, WORD_SIGNAL, 1);
    Atomics.notify(control, WORD_SIGNAL);
  };
  const fill = () => {
    const [next] = queue;
    if (closed || next === undefined || Atomics.load(control, WORD_FULL) === 1) return;
    const piece = next.rest.subarray(0, MAILBOX_BYTES);
    next.rest = next.rest.subarray(piece.length);
    queued -= piece.length;
    const more = next.rest.length > 0;
    if (!more) queue.shift();
    bytes.set(piece);
    Atomics.store(control, WORD_ID, next.id);
    Atomics.store(control, WORD_LENGTH, piece.length);
    Atomics.store(control, WORD_MORE, more ? 1 : 0);
    Atomics.store(control, WORD_FULL, 1);
    signal();
  };
  return {
    post(id, text) {
      if (closed) return true;
      const encoded = encoder.encode(text);
      queued += encoded.length;
      // A script that asks and never reads must not fill the host's memory.
      if (encoded.length > MAX_REPLY_BYTES || queued > MAX_QUEUED_BYTES) return false;
      queue.push({ id, rest: encoded });
      fill();
      return true;
    },
    taken: fill,
    stop() {
      if (closed) return;
      Atomics.store(control, WORD_STOP, 1);
      signal();
    },
    close() {
      closed = true;
      queue.length = 0;
    },
  };
}
