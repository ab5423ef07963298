/** Running a program to its end with an environment of its own. */

import { cappedText, killProgram, startProgram } from "../programs/mod.ts";

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
  const start = startProgram(run.command, {
    args: [...run.args],
    ...(run.cwd === undefined ? {} : { cwd: run.cwd }),
    env: { ...run.env },
    stdin: "null",
    stdout: "piped",
    stderr: "piped",
  });
  if (!start.started) return start;
  const { child } = start;
  const kill = () => killProgram(child);
  run.signal.addEventListener("abort", kill, { once: true });
  try {
    const [stdout, stderr, status] = await Promise.all([
      cappedText(child.stdout, OUTPUT_CAP),
      cappedText(child.stderr, OUTPUT_CAP),
      child.status,
    ]);
    run.signal.throwIfAborted();
    return { started: true, code: status.code, stdout, stderr };
  } finally {
    run.signal.removeEventListener("abort", kill);
  }
}
