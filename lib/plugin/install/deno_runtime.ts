/** The runtime of `deno-script` plugins and the command that confines one (spec 06 §8). */

import type { Environment } from "../../config/environment.ts";
import { GumError } from "../../errors/mod.ts";
import { fileSha256 } from "../digest.ts";
import { findProgram } from "../../programs/mod.ts";
import { runProgram } from "../program.ts";
import type { DeclaredCapabilities, PluginSettings } from "../types.ts";
import { untrusted } from "../untrusted.ts";
import { ownRuntime } from "./pinned_runtime.ts";

/** Oldest runtime whose permission flags mean what this build relies on. */
const MIN_DENO_VERSION = "2.1.0";

/** A verified runtime. */
export interface DenoRuntime {
  /** Absolute, every link resolved. */
  path: string;
  sha256: string;
  version: string;
}

/** Finds the machine's Deno. @throws GumError `PLUGIN_EXECUTABLE_UNTRUSTED` */
export async function findDenoRuntime(
  options: {
    environment: Environment;
    settings: PluginSettings;
    signal: AbortSignal;
    /** What the plugin asks for, beyond {@link MIN_DENO_VERSION}. */
    minVersion?: string;
  },
): Promise<DenoRuntime> {
  const { environment, settings, signal, minVersion = MIN_DENO_VERSION } = options;
  const least = isOlder(minVersion, MIN_DENO_VERSION) ? MIN_DENO_VERSION : minVersion;
  const found = settings.denoPath ?? await findProgram("deno", environment) ??
    await ownRuntime(settings.runtimeDir) ??
    (Deno.build.standalone ? undefined : Deno.execPath());
  const path = found === undefined ? undefined : await realPathOrUndefined(found);
  if (path === undefined) throw notFound(found);
  const version = await denoVersion(path, { environment, signal });
  if (version === undefined) throw notFound(path);
  if (isOlder(version, least)) {
    throw untrusted("deno_too_old", {
      message: `${path} is Deno ${version}; ${least} or newer is needed`,
      details: { version },
      suggestion: "Upgrade Deno, or set plugins.deno_path to a newer one.",
    });
  }
  return { path, version, sha256: await fileSha256(path) };
}

/** Version of a Deno executable; undefined when it is none. */
export async function denoVersion(
  path: string,
  { environment, signal }: { environment: Environment; signal: AbortSignal },
): Promise<string | undefined> {
  const { program, args } = await startable({ program: path, args: ["--version"] }, {
    environment,
  });
  const result = await runProgram({
    command: program,
    args,
    env: { PATH: environment.text("PATH") ?? "", NO_COLOR: "1", DENO_NO_UPDATE_CHECK: "1" },
    signal,
  });
  if (!result.started || result.code !== 0) return undefined;
  return /^deno ([0-9]+\.[0-9]+\.[0-9]+)/.exec(result.stdout)?.[1];
}

/**
 * The path to start a recorded runtime by: the entry of the search path that leads to it, when there
 * is one. A process that may run programs by name only may start that, but not the real path of a
 * linked one.
 */
export async function startablePath(
  realPath: string,
  { environment }: { environment: Environment },
): Promise<string> {
  const found = await findProgram("deno", environment);
  return found !== undefined && await realPathOrUndefined(found) === realPath ? found : realPath;
}

/**
 * A command of a recorded runtime in a form that this process may start: by the search path's name
 * for it, by its path where that is permitted, else through `env`, which starts what it is given.
 */
export async function startable(
  command: { program: string; args: readonly string[] },
  { environment }: { environment: Environment },
): Promise<{ program: string; args: readonly string[] }> {
  const program = await startablePath(command.program, { environment });
  const { state } = await Deno.permissions.query({ name: "run", command: program });
  if (state === "granted" || program !== command.program) return { ...command, program };
  const env = await findProgram("env", environment);
  return env === undefined ? command : { program: env, args: [command.program, ...command.args] };
}

async function realPathOrUndefined(path: string): Promise<string | undefined> {
  try {
    return await Deno.realPath(path);
  } catch (error) {
    if (error instanceof Deno.errors.NotFound) return undefined;
    throw error;
  }
}

function notFound(path: string | undefined): GumError {
  return untrusted("deno_not_found", {
    message: path === undefined
      ? "no Deno runtime is on the search path"
      : `${path} is not a Deno runtime`,
    suggestion: "Install Deno, run `gum plugin runtime install`, or set plugins.deno_path.",
  });
}

function isOlder(version: string, least: string): boolean {
  const parts = (text: string) => text.split(".").map(Number);
  const [have, want] = [parts(version), parts(least)];
  const at = want.findIndex((part, index) => part !== have[index]);
  return at >= 0 && (have[at] ?? 0) < (want[at] ?? 0);
}

const FIXED_FLAGS = [
  "--no-prompt",
  "--no-config",
  "--no-lock",
  "--no-remote",
  "--no-npm",
  "--cached-only",
  "--deny-run",
  "--deny-ffi",
  "--deny-sys",
  "--deny-import",
  "--v8-flags=--max-old-space-size=256",
];

/** Where a script lies and what it may touch. */
export interface DenoScriptPlan {
  runtimePath: string;
  installRoot: string;
  dataDir: string;
  entryPath: string;
  residual: readonly string[];
  capabilities: DeclaredCapabilities;
}

/**
 * The command of a script without `--allow-env`, which {@link withInjectedEnv} adds at a spawn.
 *
 * @throws GumError `PLUGIN_SANDBOX_UNSUPPORTED` for a path that no permission list can name.
 */
export function denoScriptArgv(plan: DenoScriptPlan): string[] {
  const { installRoot, dataDir, capabilities } = plan;
  const awkward = [installRoot, dataDir, capabilities.fs_write_dir]
    .find((path) => path.includes(","));
  if (awkward !== undefined) {
    throw new GumError("PLUGIN_SANDBOX_UNSUPPORTED", {
      message: `Deno's permission lists cannot name ${JSON.stringify(awkward)}: it holds a comma`,
      details: { reason: "path_not_representable", path: awkward },
      suggestion: "Move GUM's data directory to a path without commas.",
    });
  }
  return [
    plan.runtimePath,
    "run",
    ...FIXED_FLAGS,
    ...scriptPermissions({ installRoot, dataDir, capabilities }),
    plan.entryPath,
    ...plan.residual,
  ];
}

/** The permissions a script gets, as Deno's flags; also shown before it is installed. */
export function scriptPermissions(
  { installRoot, dataDir, capabilities }: {
    installRoot: string;
    dataDir: string;
    capabilities: DeclaredCapabilities;
  },
): string[] {
  const { fs_write_dir: writeDir, network, net_hosts: hosts } = capabilities;
  const flags = [
    `--allow-read=${installRoot},${dataDir}`,
    `--allow-write=${writeDir === "" ? dataDir : `${dataDir}/${writeDir}`}`,
  ];
  if (network) flags.push(hosts.length === 0 ? "--allow-net" : `--allow-net=${hosts.join(",")}`);
  return flags;
}

/** The command for one spawn: the names it really injects may be read, and no others. */
export function withInjectedEnv(
  argv: readonly string[],
  names: readonly string[],
): string[] {
  if (names.length === 0) return [...argv];
  const at = argv.findIndex((word) => word.startsWith("--allow-read="));
  const flag = `--allow-env=${[...names].sort().join(",")}`;
  return at < 0 ? [...argv] : [...argv.slice(0, at), flag, ...argv.slice(at)];
}
