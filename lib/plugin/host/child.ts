/** A plugin's process: its streams, its group, and its end (spec 06 §3.16). */

import type { Clock } from "../../clock/mod.ts";
import { GumError } from "../../errors/mod.ts";
import type { Logger } from "../../log/mod.ts";
import type { PlannedCommand } from "../sandbox/mod.ts";
import type { PluginExit } from "./types.ts";

/** How long streams may go on after the process is gone; a grandchild may hold them open. */
const DRAIN_MS = 500;

/** What a process is started with. */
export interface ChildOptions {
  command: PlannedCommand;
  cwd: string;
  variables: Readonly<Record<string, string>>;
  graceMs: number;
  clock: Clock;
  log: Logger;
  onOutput: (piece: Uint8Array) => void;
  onErrorOutput: (piece: Uint8Array) => void;
  /** The output ended, for whatever reason. */
  onEnd: () => void;
}

/** A started process. */
export interface PluginChild {
  readonly exited: Promise<PluginExit>;
  /** One write after another; rejects once the input is closed. */
  write(bytes: Uint8Array): Promise<void>;
  /** End of input, SIGTERM, SIGKILL, with a grace between them. */
  stop(): Promise<void>;
  /** Ends the whole group at once. */
  kill(): void;
}

/**
 * Starts a process in a group of its own.
 *
 * @throws GumError `PLUGIN_SANDBOX_UNSUPPORTED` without the permission to run the program, and what
 * else the system says.
 */
export function startChild(options: ChildOptions): PluginChild {
  const { clock } = options;
  const child = spawn(options);
  const input = child.stdin.getWriter();
  const output = pump(child.stdout, options.onOutput);
  const errors = pump(child.stderr, options.onErrorOutput);
  let expected = false;
  let gone = false;
  let ended = false;
  void output.done.then(() => {
    ended = true;
    options.onEnd();
  });

  const exited = (async (): Promise<PluginExit> => {
    const status = await child.status;
    const wanted = expected;
    gone = true;
    // Whatever the leader left behind in its group goes with it.
    signalGroup(child, "SIGKILL");
    const drained = new AbortController();
    await Promise.race([
      Promise.all([output.done, errors.done]),
      clock.sleep(DRAIN_MS, drained.signal).catch(() => {/* the streams ended first */}),
    ]);
    drained.abort();
    output.cancel();
    errors.cancel();
    await Promise.all([output.done, errors.done]);
    // A write that waits for a reader keeps a close waiting, and a reader may have outlived the
    // process without ever reading.
    const closed = new AbortController();
    await Promise.race([
      closeInput(input),
      clock.sleep(DRAIN_MS, closed.signal).catch(() => {/* closed first */}),
    ]);
    closed.abort();
    return { code: status.code, signal: status.signal, expected: wanted };
  })();

  const endsWithin = async (milliseconds: number): Promise<boolean> => {
    const waiting = new AbortController();
    await Promise.race([
      child.status,
      clock.sleep(milliseconds, waiting.signal).catch(() => {/* the process ended first */}),
    ]);
    waiting.abort();
    return gone;
  };
  let stopping: Promise<void> | undefined;
  const stopNow = async (): Promise<void> => {
    // Stopping what has closed its output by itself does not make its end a wanted one.
    expected = !ended;
    if (!gone) {
      // A plugin that does not read its input would keep a close waiting.
      void closeInput(input);
      if (!await endsWithin(options.graceMs)) signalGroup(child, "SIGTERM");
      if (!gone && !await endsWithin(options.graceMs)) signalGroup(child, "SIGKILL");
    }
    await exited;
  };
  return {
    exited,
    write: (bytes) => input.write(bytes),
    stop: () => stopping ??= stopNow(),
    kill() {
      if (!gone) signalGroup(child, "SIGKILL");
    },
  };
}

function spawn({ command, cwd, variables }: ChildOptions): Deno.ChildProcess {
  try {
    return new Deno.Command(command.program, {
      args: [...command.args],
      cwd,
      clearEnv: true,
      env: { ...variables },
      stdin: "piped",
      stdout: "piped",
      stderr: "piped",
      detached: true,
    }).spawn();
  } catch (error) {
    if (!(error instanceof Deno.errors.NotCapable)) throw error;
    const name = command.program.split(/[\\/]/).at(-1) ?? "";
    // The operator's decision about this process, not a fault of the plugin.
    throw new GumError("PLUGIN_SANDBOX_UNSUPPORTED", {
      message: `this process may not start ${name}`,
      details: { missing: "run", reason: "run_not_permitted" },
      userMessage: `This build or start of GUM may not run ${name}, so no plugin can be started.`,
      suggestion: `Start it with \`--allow-run=${name}\`.`,
      cause: error,
    });
  }
}

function pump(
  stream: ReadableStream<Uint8Array>,
  take: (piece: Uint8Array) => void,
): { done: Promise<void>; cancel: () => void } {
  const reader = stream.getReader();
  const done = (async () => {
    try {
      for (let read = await reader.read(); !read.done; read = await reader.read()) take(read.value);
    } catch {
      // A broken pipe is an end like any other; the exit status says more.
    }
  })();
  return { done, cancel: () => void reader.cancel().catch(() => {/* ended already */}) };
}

async function closeInput(input: WritableStreamDefaultWriter<Uint8Array>): Promise<void> {
  try {
    await input.close();
  } catch {
    // Closed before, or the reader is gone: either way nothing more can be written.
    await input.abort().catch(() => {/* aborted already */});
  }
}

function signalGroup(child: Deno.ChildProcess, signal: "SIGTERM" | "SIGKILL"): void {
  if (Deno.build.os === "windows") return killTree(child);
  try {
    Deno.kill(-child.pid, signal);
  } catch (error) {
    if (isGone(error)) return;
    if (!(error instanceof Deno.errors.NotCapable)) throw error;
    // With the permission to run a few programs only, the leader alone can be signalled. A sandbox
    // takes the rest of the group with it.
    signalLeader(child, signal);
  }
}

function signalLeader(child: Deno.ChildProcess, signal: Deno.Signal): void {
  try {
    child.kill(signal);
  } catch (error) {
    if (!isGone(error)) throw error;
  }
}

function killTree(child: Deno.ChildProcess): void {
  try {
    void new Deno.Command("taskkill", {
      args: ["/T", "/F", "/PID", String(child.pid)],
      stdout: "null",
      stderr: "null",
    }).output().catch(() => {/* without taskkill the tree is left to the system */});
  } catch (error) {
    if (!(error instanceof Deno.errors.NotCapable)) throw error;
    signalLeader(child, "SIGKILL");
  }
}

function isGone(error: unknown): boolean {
  // A group that somebody else owns by now is not ours to end.
  return error instanceof Deno.errors.NotFound || error instanceof Deno.errors.PermissionDenied ||
    error instanceof TypeError;
}
