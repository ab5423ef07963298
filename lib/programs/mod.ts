/**
 * Finding a program and starting it, without a shell, or saying why it cannot be started.
 *
 * @module
 */

import type { Environment } from "../config/environment.ts";

/** A running program, or what stands in its way: not there, or not for this build to run. */
export type StartedProgram =
  | { started: true; child: Deno.ChildProcess }
  | { started: false; reason: "missing" | "not_permitted" };

/** Starts a program with exactly the environment it is given. */
export function startProgram(command: string, options: Deno.CommandOptions): StartedProgram {
  try {
    return {
      started: true,
      child: new Deno.Command(command, { ...options, clearEnv: true }).spawn(),
    };
  } catch (error) {
    const refused = error instanceof Deno.errors.NotCapable ||
      error instanceof Deno.errors.PermissionDenied;
    if (!refused && !(error instanceof Deno.errors.NotFound)) throw error;
    return { started: false, reason: refused ? "not_permitted" : "missing" };
  }
}

/** Ends a program at once, if it still runs. */
export function killProgram(child: Deno.ChildProcess): void {
  try {
    child.kill("SIGKILL");
  } catch (error) {
    // It ended by itself in the meantime.
    if (!(error instanceof TypeError) && !(error instanceof Deno.errors.NotFound)) throw error;
  }
}

/**
 * The beginning of what a program prints. Everything is read, so that it never blocks on a full
 * pipe; the excess is dropped.
 */
export async function cappedText(
  stream: ReadableStream<Uint8Array>,
  cap: number,
): Promise<string> {
  const decoder = new TextDecoder();
  let text = "";
  for await (const chunk of stream) {
    if (text.length < cap) text += decoder.decode(chunk, { stream: true });
  }
  return text.slice(0, cap);
}

/** Absolute path of a program on the search path; undefined when it is not there. */
export function findProgram(name: string, environment: Environment): string | undefined {
  const windows = Deno.build.os === "windows";
  for (const folder of (environment.text("PATH") ?? "").split(windows ? ";" : ":")) {
    if (!(windows ? /^[A-Za-z]:[\\/]/ : /^\//).test(folder)) continue;
    for (const suffix of windows ? ["", ".exe"] : [""]) {
      const path = `${folder}/${name}${suffix}`;
      try {
        if (Deno.statSync(path).isFile) return path;
      } catch {
        // Absent or unreadable here; the next folder may have it.
      }
    }
  }
  return undefined;
}
