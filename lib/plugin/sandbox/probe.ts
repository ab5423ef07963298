/** Does a confining program really confine here? Tried once per process (spec 06 §3.15). */

import type { Environment } from "../../config/environment.ts";
import { findProgram, killProgram, startProgram } from "../../programs/mod.ts";
import type { Backend, PlannedCommand, ProbeResult } from "./types.ts";

/** A backend that works on this host. */
export interface ProbedBackend {
  backend: Backend;
  program: string;
  unshare?: string;
  /** Capabilities are taken away: this process has some, and taking them works. */
  dropCapabilities?: boolean;
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
    ? existing(backend.program)
    : findProgram(backend.program, environment);
  const unusable = (reason: string): ProbedBackend => ({
    backend,
    program: program ?? backend.program,
    result: { usable: false, writes: false, network: false, reason },
  });
  if (program === undefined) return unusable(`${backend.program} is not installed`);
  // Anybody's shell will do: it runs inside.
  const shell = existing("/bin/sh") ?? findProgram("sh", environment);
  const unshare = backend.name === "landlock" ? findProgram("unshare", environment) : undefined;
  if (shell === undefined) return unusable("there is no shell to try it with");
  // A few system calls of microseconds, which handing them to another thread is not.
  const folder = Deno.makeTempDirSync({ prefix: "gum-sandbox-probe-" });
  try {
    Deno.mkdirSync(`${folder}/in`);
    const trial: Trial = {
      backend,
      program,
      shell,
      folder: Deno.realPathSync(folder),
      environment,
      dropCapabilities: backend.name === "landlock" && isRoot(),
    };
    let plain = await tryOut(trial);
    if (typeof plain === "string" && trial.dropCapabilities) {
      // A root that may not even take capabilities away has few of them.
      trial.dropCapabilities = false;
      plain = await tryOut(trial);
    }
    if (typeof plain === "string") return unusable(plain);
    const found = { backend, program, dropCapabilities: trial.dropCapabilities };
    if (plain.network || unshare === undefined) return { ...found, result: plain };
    const cut = await tryOut({ ...trial, unshare });
    return typeof cut === "string" || !cut.network
      ? { ...found, result: plain }
      : { ...found, unshare, result: cut };
  } finally {
    Deno.removeSync(folder, { recursive: true });
  }
}

/** Whoever may not know counts as somebody else. */
function isRoot(): boolean {
  try {
    return Deno.uid() === 0;
  } catch (error) {
    if (error instanceof Deno.errors.NotCapable) return false;
    throw error;
  }
}

/**
 * Writes where it may and where it must not, and says whether it is in another network than the one
 * it was started from. Nothing but the shell's own: every further program would be waited for.
 */
const SCRIPT = `echo x > "$1/in/file" 2>/dev/null && echo inside
echo x > "$1/file" 2>/dev/null || echo outside-refused
echo x > /dev/null && echo devices
here=/proc/self/ns/net there=/proc/self/fd/9
if [ / -ef / ] && [ -e $here ] && [ -e $there ]; then [ $there -ef $here ] || echo other-network; fi
exit 0`;

/**
 * Keeps the network that this process is in open, which it may not look at itself, and becomes the
 * confining program.
 */
const HOLD_AND_CONFINE = `[ -r /proc/self/ns/net ] && exec 9</proc/self/ns/net
exec "$@"`;

interface Trial {
  backend: Backend;
  program: string;
  shell: string;
  folder: string;
  unshare?: string;
  dropCapabilities: boolean;
  environment: Environment;
}

async function tryOut(trial: Trial): Promise<ProbeResult | string> {
  const { backend, program, shell, folder, unshare, dropCapabilities } = trial;
  const command: PlannedCommand = { program: shell, args: ["-c", SCRIPT, "probe", folder] };
  const wrapped = backend.wrap(command, {
    program,
    ...(unshare === undefined ? {} : { unshare }),
    dropCapabilities,
    cwd: "/",
    policy: {
      writable: [`${folder}/in`],
      network: false,
      hidden: [],
      readable: [],
      strictRead: false,
    },
  });
  // On macOS what a profile denies is denied, and a network has no name.
  const outcome = backend.name === "sandbox-exec"
    ? await runTrial(wrapped)
    : await holdAndRun(wrapped, trial);
  if (typeof outcome === "string") return `${program} could not be started (${outcome})`;
  const lines = outcome.stdout.split("\n");
  if (!lines.includes("inside") || !lines.includes("devices")) {
    const said = outcome.stderr.trim().split("\n").at(-1) ?? "";
    return `${program} does not work here${said === "" ? "" : `: ${said.slice(0, 200)}`}`;
  }
  return {
    usable: true,
    writes: lines.includes("outside-refused"),
    network: backend.name === "sandbox-exec" || lines.includes("other-network"),
  };
}

/** Runs a wrapped command with the network outside at hand, where `env` can start a shell. */
async function holdAndRun(
  wrapped: PlannedCommand,
  { shell, environment }: Trial,
): Promise<TrialOutcome | string> {
  const args = [shell, "-c", HOLD_AND_CONFINE, "hold", wrapped.program, ...wrapped.args];
  // By its name: hardly anybody keeps it elsewhere, and a search by hand costs as much as a start.
  const usual = await runTrial({ program: "env", args });
  if (typeof usual !== "string") return usual;
  const found = findProgram("env", environment);
  return await runTrial(found === undefined ? wrapped : { program: found, args });
}

interface TrialOutcome {
  stdout: string;
  stderr: string;
}

/**
 * Runs a program whose few lines need no cap, or says why it did not start. Collecting them whole
 * is cheaper than streams that are read piece by piece.
 */
async function runTrial({ program, args }: PlannedCommand): Promise<TrialOutcome | string> {
  const start = startProgram(program, {
    args: [...args],
    env: { PATH: "/usr/bin:/bin" },
    stdin: "null",
    stdout: "piped",
    stderr: "piped",
  });
  if (!start.started) return start.reason;
  const { child } = start;
  const limit = AbortSignal.timeout(PROBE_TIMEOUT_MS);
  const kill = () => killProgram(child);
  limit.addEventListener("abort", kill, { once: true });
  try {
    const { stdout, stderr } = await child.output();
    limit.throwIfAborted();
    const text = (bytes: Uint8Array) => new TextDecoder().decode(bytes);
    return { stdout: text(stdout), stderr: text(stderr) };
  } finally {
    limit.removeEventListener("abort", kill);
  }
}

function existing(path: string): string | undefined {
  try {
    return Deno.statSync(path).isFile ? path : undefined;
  } catch {
    return undefined; // absent or unreadable: not usable either way
  }
}
