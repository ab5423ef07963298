/** Does a confining program really confine here? Tried once per process (spec 06 §3.15). */

import type { Environment } from "../../config/environment.ts";
import { findProgram } from "../../programs/mod.ts";
import { runProgram } from "../program.ts";
import type { Backend, PlannedCommand, ProbeResult } from "./types.ts";

/** A backend that works on this host. */
export interface ProbedBackend {
  backend: Backend;
  program: string;
  unshare?: string;
  result: ProbeResult;
}

const PROBE_TIMEOUT_MS = 5_000;
const probes = new Map<string, Promise<ProbedBackend>>();

/** Tries a backend, or gives what trying it found earlier in this process. */
export function probeBackend(backend: Backend, environment: Environment): Promise<ProbedBackend> {
  const key = `${backend.name}\0${environment.text("PATH") ?? ""}`;
  const known = probes.get(key);
  if (known !== undefined) return known;
  const probing = probeNow(backend, environment);
  probes.set(key, probing);
  // A probe that could not even be made is tried again next time.
  probing.catch(() => probes.delete(key));
  return probing;
}

async function probeNow(backend: Backend, environment: Environment): Promise<ProbedBackend> {
  const program = backend.program.startsWith("/")
    ? await existing(backend.program)
    : await findProgram(backend.program, environment);
  const unusable = (reason: string): ProbedBackend => ({
    backend,
    program: program ?? backend.program,
    result: { usable: false, writes: false, network: false, reason },
  });
  if (program === undefined) return unusable(`${backend.program} is not installed`);
  const shell = await findProgram("sh", environment);
  if (shell === undefined) return unusable("there is no shell to try it with");
  const folder = await Deno.makeTempDir({ prefix: "gum-sandbox-probe-" });
  try {
    await Deno.mkdir(`${folder}/in`);
    await Deno.mkdir(`${folder}/out`);
    const trial = {
      backend,
      program,
      shell,
      folder: await Deno.realPath(folder),
      env: await findProgram("env", environment),
    };
    const plain = await tryOut(trial);
    if (typeof plain === "string") return unusable(plain);
    if (plain.network || backend.name !== "landlock") return { backend, program, result: plain };
    const unshare = await findProgram("unshare", environment);
    if (unshare === undefined) return { backend, program, result: plain };
    const cut = await tryOut({ ...trial, unshare });
    return typeof cut === "string" || !cut.network
      ? { backend, program, result: plain }
      : { backend, program, unshare, result: cut };
  } finally {
    await Deno.remove(folder, { recursive: true });
  }
}

/** Writes where it may and where it must not, and says which network it is in. */
const SCRIPT = `echo x > "$1/in/file" 2>/dev/null && echo inside
echo x > "$1/out/file" 2>/dev/null || echo outside-refused
echo x > /dev/null && echo devices
readlink /proc/self/ns/net 2>/dev/null || echo none
exit 0`;

interface Trial {
  backend: Backend;
  program: string;
  shell: string;
  folder: string;
  unshare?: string;
  env: string | undefined;
}

async function tryOut(trial: Trial): Promise<ProbeResult | string> {
  const { backend, program, shell, folder, unshare } = trial;
  const command: PlannedCommand = { program: shell, args: ["-c", SCRIPT, "probe", folder] };
  const wrapped = backend.wrap(command, {
    program,
    ...(unshare === undefined ? {} : { unshare }),
    cwd: "/",
    policy: {
      writable: [`${folder}/in`],
      network: false,
      hidden: [],
      readable: [],
      strictRead: false,
    },
  });
  const outcome = await runProgram({
    command: wrapped.program,
    args: wrapped.args,
    env: { PATH: "/usr/bin:/bin" },
    signal: AbortSignal.timeout(PROBE_TIMEOUT_MS),
  });
  if (!outcome.started) return `${program} could not be started (${outcome.reason})`;
  const lines = outcome.stdout.split("\n");
  if (!lines.includes("inside") || !lines.includes("devices")) {
    const said = outcome.stderr.trim().split("\n").at(-1) ?? "";
    return `${program} does not work here${said === "" ? "" : `: ${said.slice(0, 200)}`}`;
  }
  return {
    usable: true,
    writes: lines.includes("outside-refused"),
    network: await isCut(trial, lines),
  };
}

/** Linux: another network namespace than ours. macOS: what the profile denies is denied. */
async function isCut(trial: Trial, lines: readonly string[]): Promise<boolean> {
  if (trial.backend.name === "sandbox-exec") return true;
  const inside = lines.find((line) => line.startsWith("net:["));
  if (inside === undefined || trial.env === undefined) return false;
  // This process may not look at its own; a child in the same namespace can.
  const outside = await runProgram({
    command: trial.env,
    args: ["readlink", "/proc/self/ns/net"],
    env: { PATH: "/usr/bin:/bin" },
    signal: AbortSignal.timeout(PROBE_TIMEOUT_MS),
  });
  return outside.started && outside.code === 0 && outside.stdout.trim() !== inside;
}

async function existing(path: string): Promise<string | undefined> {
  try {
    return (await Deno.stat(path)).isFile ? path : undefined;
  } catch {
    return undefined; // absent or unreadable: not usable either way
  }
}
