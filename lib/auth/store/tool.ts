/** Running a keychain tool: no shell, secrets only on standard streams, bounded (spec 05 §3.3). */

import type { Environment, VariableName } from "../../config/environment.ts";
import { cappedText, killProgram, startProgram } from "../../programs/mod.ts";

const OUTPUT_CAP = 64 * 1024;
const STDERR_CAP = 200;

/** Longest a keychain tool may take. */
const TOOL_TIMEOUT_MS = 10_000;

const PASSED_ON: readonly VariableName[] = [
  "PATH",
  "HOME",
  "USER",
  "LANG",
  "DBUS_SESSION_BUS_ADDRESS",
  "XDG_RUNTIME_DIR",
  "DISPLAY",
  "WAYLAND_DISPLAY",
  // Without it no Windows program finds its libraries.
  "SYSTEMROOT",
];

/** One run of a tool. */
export interface ToolRun {
  command: string;
  args: readonly string[];
  /** Text for its standard input; absent: an empty one. */
  input?: string;
  environment: Environment;
  /** Further variables, for this run only. */
  extra?: Readonly<Record<string, string>>;
  signal: AbortSignal;
  timeoutMs?: number;
  /** Kept out of the reported stderr. */
  secretText?: string;
}

/** How it ended. */
export type ToolResult =
  | { kind: "exited"; code: number; stdout: string; stderr: string }
  | { kind: "timeout" }
  /** The system would not start it: not there, or this build may not run programs. */
  | { kind: "not_started"; reason: "missing" | "not_permitted" };

/** Runs a tool to its end, or kills it. Rejects only when the signal aborts. */
export async function runTool(run: ToolRun): Promise<ToolResult> {
  run.signal.throwIfAborted();
  const start = startProgram(run.command, {
    args: [...run.args],
    env: { ...toolEnvironment(run.environment), ...run.extra },
    stdin: "piped",
    stdout: "piped",
    stderr: "piped",
  });
  if (!start.started) return { kind: "not_started", reason: start.reason };
  const { child } = start;
  const kill = () => killProgram(child);
  // A timer of one's own would load what node has around it: milliseconds.
  const limit = AbortSignal.timeout(run.timeoutMs ?? TOOL_TIMEOUT_MS);
  limit.addEventListener("abort", kill, { once: true });
  run.signal.addEventListener("abort", kill, { once: true });
  try {
    const [stdout, stderr, status] = await Promise.all([
      cappedText(child.stdout, OUTPUT_CAP),
      cappedText(child.stderr, OUTPUT_CAP),
      child.status,
      feed(child.stdin, run.input ?? ""),
    ]);
    run.signal.throwIfAborted();
    if (limit.aborted) return { kind: "timeout" };
    return {
      kind: "exited",
      code: status.code,
      stdout,
      stderr: withoutSecret(stderr.trim(), run.secretText).slice(0, STDERR_CAP),
    };
  } finally {
    limit.removeEventListener("abort", kill);
    run.signal.removeEventListener("abort", kill);
  }
}

function toolEnvironment(environment: Environment): Record<string, string> {
  const passed: Record<string, string> = {};
  for (const name of PASSED_ON) {
    const value = environment.text(name);
    if (value !== undefined) passed[name] = value;
  }
  return passed;
}

async function feed(stdin: WritableStream<Uint8Array>, input: string): Promise<void> {
  const writer = stdin.getWriter();
  try {
    if (input !== "") await writer.write(new TextEncoder().encode(input));
    await writer.close();
  } catch (error) {
    // The tool left without reading; its exit code tells why.
    if (!(error instanceof Deno.errors.BrokenPipe)) throw error;
  }
}

function withoutSecret(text: string, secretText: string | undefined): string {
  return secretText === undefined || secretText === ""
    ? text
    : text.replaceAll(secretText, "[redacted]");
}
