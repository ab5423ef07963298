/** Running a program to its end with an environment of its own. */

import type { Environment } from "../config/environment.ts";

const OUTPUT_CAP = 256 * 1024;

/** One run. */
export interface ProgramRun {
  command: string;
  args: readonly string[];
  cwd?: string;
  env: Readonly<Record<string, string>>;
  signal: AbortSignal;
}

/** How it ended; undefined code: it could not be started. */
export type ProgramResult =
  | { started: true; code: number; stdout: string; stderr: string }
  | { started: false; reason: "missing" | "not_permitted" };

/** Runs a program; an abort kills it and rejects with the signal's reason. */
export async function runProgram(run: ProgramRun): Promise<ProgramResult> {
  run.signal.throwIfAborted();
  let child: Deno.ChildProcess;
  try {
    child = new Deno.Command(run.command, {
      args: [...run.args],
      ...(run.cwd === undefined ? {} : { cwd: run.cwd }),
      env: { ...run.env },
      clearEnv: true,
      stdin: "null",
      stdout: "piped",
      stderr: "piped",
    }).spawn();
  } catch (error) {
    const refused = error instanceof Deno.errors.NotCapable ||
      error instanceof Deno.errors.PermissionDenied;
    if (!refused && !(error instanceof Deno.errors.NotFound)) throw error;
    return { started: false, reason: refused ? "not_permitted" : "missing" };
  }
  const kill = () => {
    try {
      child.kill("SIGKILL");
    } catch (error) {
      // It ended by itself in the meantime.
      if (!(error instanceof TypeError) && !(error instanceof Deno.errors.NotFound)) throw error;
    }
  };
  run.signal.addEventListener("abort", kill, { once: true });
  try {
    const [stdout, stderr, status] = await Promise.all([
      cappedText(child.stdout),
      cappedText(child.stderr),
      child.status,
    ]);
    run.signal.throwIfAborted();
    return { started: true, code: status.code, stdout, stderr };
  } finally {
    run.signal.removeEventListener("abort", kill);
  }
}

// Everything is read, so that the program never blocks on a full pipe; the excess is dropped.
async function cappedText(stream: ReadableStream<Uint8Array>): Promise<string> {
  const decoder = new TextDecoder();
  let text = "";
  for await (const chunk of stream) {
    if (text.length < OUTPUT_CAP) text += decoder.decode(chunk, { stream: true });
  }
  return text;
}

/** Absolute path of a program on the search path; undefined when it is not there. */
export async function findProgram(
  name: string,
  environment: Environment,
): Promise<string | undefined> {
  const windows = Deno.build.os === "windows";
  for (const folder of (environment.text("PATH") ?? "").split(windows ? ";" : ":")) {
    if (!(windows ? /^[A-Za-z]:[\\/]/ : /^\//).test(folder)) continue;
    for (const suffix of windows ? ["", ".exe"] : [""]) {
      const path = `${folder}/${name}${suffix}`;
      try {
        if ((await Deno.stat(path)).isFile) return path;
      } catch {
        // Absent or unreadable here; the next folder may have it.
      }
    }
  }
  return undefined;
}
