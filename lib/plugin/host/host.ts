/** Starting installed plugins (spec 06 §3.16). */

import { GumError } from "../../errors/mod.ts";
import { spawnEnvironment } from "../environment/mod.ts";
import { startable, verifyBinding, withInjectedEnv } from "../install/mod.ts";
import { loadManifest } from "../manifest/mod.ts";
import { requirePluginId } from "../paths.ts";
import { inconsistent } from "../registry/mod.ts";
import {
  chooseSandbox,
  type ConfinementPolicy,
  type PlannedCommand,
  type PluginDirectories,
  prepareDirectories,
  type SandboxParts,
} from "../sandbox/mod.ts";
import type { LockRow, PluginManifest } from "../types.ts";
import { runPlugin } from "./running_plugin.ts";
import type {
  HostTiming,
  PluginHost,
  PluginHostOptions,
  RunningPlugin,
  StartOptions,
} from "./types.ts";

const TIMING: HostTiming = { handshakeMs: 10_000, graceMs: 5_000 };

/** Makes a host. Nothing is read or started before it is asked. */
export function createPluginHost(options: PluginHostOptions): PluginHost {
  const running = new Set<RunningPlugin>();
  const starting = new Set<Promise<unknown>>();
  const closing = new AbortController();
  const sandboxParts: SandboxParts = {
    environment: options.environment,
    settings: options.sandbox,
    hidden: options.hidden,
  };
  const start = async (pluginId: string, how: StartOptions): Promise<RunningPlugin> => {
    const signal = AbortSignal.any([how.signal, closing.signal]);
    const plan = await planSpawn(pluginId, { options, how: { ...how, signal }, sandboxParts });
    const plugin = await runPlugin(
      {
        ...plan,
        timing: { ...TIMING, ...options.timing },
        version: options.version,
        clock: options.clock,
        log: options.log,
      },
      signal,
    );
    running.add(plugin);
    void plugin.exited.then(() => running.delete(plugin));
    await options.onStarted?.(plugin, signal);
    return plugin;
  };
  return {
    start(pluginId, how) {
      const started = start(pluginId, how);
      const tracked: Promise<void> = started.then(() => {}, () => {})
        .then(() => void starting.delete(tracked));
      starting.add(tracked);
      return started;
    },
    sandboxOf: async (row) => (await chooseSandbox(row, sandboxParts)).report,
    async close() {
      closing.abort(new DOMException("the plugin host is closing", "AbortError"));
      await Promise.all(starting);
      await Promise.all([...running].map((plugin) => plugin.stop()));
    },
  };
}

async function planSpawn(
  pluginId: string,
  given: { options: PluginHostOptions; how: StartOptions; sandboxParts: SandboxParts },
) {
  const { options, how, sandboxParts } = given;
  const { signal } = how;
  signal.throwIfAborted();
  const lock = await installedRow(requirePluginId(pluginId), options);
  const [verified, chosen] = await Promise.allSettled([
    verifyBinding(lock, { environment: options.environment, signal }),
    chooseSandbox(lock, sandboxParts),
  ]);
  // A changed program is the graver news.
  if (verified.status === "rejected") throw verified.reason;
  if (chosen.status === "rejected") throw chosen.reason;
  const sandbox = chosen.value;
  const { manifest } = await loadManifest(lock.executable.install_root);
  requireSamePlugin(manifest, lock);
  const directories = await prepareDirectories(
    options.registry.paths.dataDir(pluginId),
    lock.declared_capabilities.fs_write_dir,
  );
  const environment = await spawnEnvironment({
    lock,
    manifest,
    dataDir: directories.dataDir,
    ...(sandbox.confinesWrites ? { temporaryDir: directories.temporaryDir } : {}),
    requireCredentials: how.requireCredentials ?? false,
  }, { sources: options.sources, signal });
  const cwd = lock.executable.install_root;
  const wrapped = sandbox.wrap(innerCommand(lock, { environment, directories }), {
    policy: await policyOf(lock, { directories, options }),
    cwd,
  });
  // Without a second wall the runtime itself is what this process starts.
  const command = wrapped.program === lock.executable.executable_path
    ? await startable(wrapped, { environment: options.environment })
    : wrapped;
  return {
    manifest,
    sandbox: sandbox.report,
    command,
    cwd,
    environment,
  };
}

async function installedRow(pluginId: string, options: PluginHostOptions): Promise<LockRow> {
  const snapshot = await options.registry.loadSnapshot();
  const row = snapshot.lock.plugins.find(({ name }) => name === pluginId);
  if (row === undefined) {
    throw new GumError("PLUGIN_MANIFEST_NOT_FOUND", {
      message: `plugin ${pluginId} is not installed`,
      details: { plugin_name: pluginId, reason: "plugin_not_installed" },
      suggestion: "Run `gum plugin install <dir> --yes`.",
    });
  }
  if (!snapshot.ok) throw inconsistent({ install_generation: snapshot.generation });
  return row;
}

/** The manifest is tied to the row by its digest; only a registry written by hand can disagree. */
function requireSamePlugin(manifest: PluginManifest, lock: LockRow): void {
  if (manifest.plugin.name === lock.name) return;
  throw new GumError("PLUGIN_MANIFEST_INVALID", {
    message: `the installed manifest of ${lock.name} names another plugin`,
    details: { path: "/plugin/name", plugin_name: lock.name },
  });
}

function innerCommand(
  lock: LockRow,
  given: {
    environment: { variables: Record<string, string> };
    directories: PluginDirectories;
  },
): PlannedCommand {
  const { variables } = given.environment;
  let argv = lock.executable.argv_normalized;
  if (lock.shape === "deno-script") {
    argv = withTemporaryDir(withInjectedEnv(argv, Object.keys(variables)), given.directories);
    // Where the runtime keeps compiled code; after the scrub, because its names are denied to all.
    variables.DENO_DIR = given.directories.runtimeCacheDir;
    variables.DENO_NO_UPDATE_CHECK = "1";
  }
  const [program = "", ...args] = argv;
  return { program, args };
}

/** `TMPDIR` is named in the environment, so it must be writable too. */
function withTemporaryDir(
  argv: readonly string[],
  { writeDir, dataDir, temporaryDir }: PluginDirectories,
): string[] {
  if (writeDir === dataDir) return [...argv];
  return argv.map((word) => word.startsWith("--allow-write=") ? `${word},${temporaryDir}` : word);
}

/**
 * Sockets of other programs of this machine (containers, desktop bus, keyrings, terminal
 * multiplexers): a plugin that could talk to them would be as free as they are, network or not. Its
 * own temporary folder is elsewhere.
 */
const SOCKET_FOLDERS = Deno.build.os === "linux" ? ["/run", "/var/run", "/tmp"] : [];

async function policyOf(
  lock: LockRow,
  given: { directories: PluginDirectories; options: PluginHostOptions },
): Promise<ConfinementPolicy> {
  const { directories, options } = given;
  const { install_root: root, executable_path: program } = lock.executable;
  const { writeDir, dataDir, realDataDir, temporaryDir, runtimeCacheDir } = directories;
  const strictRead = options.sandbox.read === "strict";
  const { network } = lock.declared_capabilities;
  const readable = [await Deno.realPath(root), realDataDir];
  // Where the resolver's configuration really lies on many systems.
  if (network) readable.push(...await existingFolders(["/run/systemd/resolve"]));
  // What does not exist cannot be covered, and holds nothing.
  const hidden = outermost(await existingFolders([...options.hidden, ...SOCKET_FOLDERS]));
  const realProgram = await Deno.realPath(program);
  const runtime = folderOf(realProgram);
  // A runtime that GUM itself fetched lies among what is hidden from plugins.
  if (strictRead || hidden.some((folder) => runtime.startsWith(`${folder}/`))) {
    readable.push(runtime);
  } else if (hidden.includes(runtime)) readable.push(realProgram);
  if (strictRead) readable.push(...await interpreterHome(root));
  // A mount needs the true path; the plugin may use either.
  const real = (path: string) => realDataDir + path.slice(dataDir.length);
  const writable = writeDir === dataDir ? [dataDir] : [writeDir, temporaryDir, runtimeCacheDir];
  return {
    writable: writable.map(real),
    network,
    hidden,
    readable,
    strictRead,
  };
}

function folderOf(path: string): string {
  return path.slice(0, Math.max(1, path.lastIndexOf("/")));
}

/** What lies in another folder of them is covered with it, and is no place of its own then. */
function outermost(folders: readonly string[]): string[] {
  return folders.filter((folder) => !folders.some((other) => folder.startsWith(`${other}/`)));
}

/** A Python environment leans on the installation it was made from. */
async function interpreterHome(root: string): Promise<string[]> {
  try {
    const text = await Deno.readTextFile(`${root}/venv/pyvenv.cfg`);
    const home = /^home\s*=\s*(\/.*?)\s*$/m.exec(text)?.[1];
    return home === undefined ? [] : [await Deno.realPath(folderOf(home))];
  } catch (error) {
    if (error instanceof Deno.errors.NotFound) return [];
    throw error;
  }
}

async function existingFolders(paths: readonly string[]): Promise<string[]> {
  const found: string[] = [];
  for (const path of paths) {
    try {
      found.push(await Deno.realPath(path));
    } catch (error) {
      if (!(error instanceof Deno.errors.NotFound)) throw error;
    }
  }
  return [...new Set(found)];
}
