/** The way back for a plugin: `gum plugin reload` (spec 06 §3.22, §8.2; spec 11 §14). */

import type { Environment } from "../../config/environment.ts";
import { findGumError, GumError } from "../../errors/mod.ts";
import { type DenoRuntime, findDenoRuntime } from "../install/mod.ts";
import { requirePluginId } from "../paths.ts";
import type { LockRow, PluginRegistry, PluginSettings, SandboxReport } from "../types.ts";
import type { PluginSupervisor } from "./supervisor.ts";

/** What a reload works with. */
export interface ReloadParts {
  registry: Pick<PluginRegistry, "loadSnapshot" | "writeTransaction">;
  supervisor: Pick<PluginSupervisor, "start" | "clearQuarantine">;
  signal: AbortSignal;
}

/**
 * Lifts the quarantine and proves the plugin with one supervised start. A failure quarantines it
 * again, at the first step.
 *
 * @throws GumError whose message names the passive canary.
 */
export async function reloadPlugin(pluginId: string, parts: ReloadParts): Promise<SandboxReport> {
  const { supervisor, signal } = parts;
  await installedRow(pluginId, parts);
  await supervisor.clearQuarantine(pluginId, { signal });
  try {
    const plugin = await supervisor.start(pluginId, { signal, requireCredentials: false });
    await plugin.stop();
    return plugin.sandbox;
  } catch (error) {
    signal.throwIfAborted();
    const known = findGumError(error);
    const why = known?.message ?? (error instanceof Error ? error.message : String(error));
    throw new GumError(known?.code ?? "SERVICE_DOWN", {
      message: `the passive canary of plugin ${pluginId} failed: ${why}`,
      details: { ...known?.details, plugin_name: pluginId },
      userMessage: `Plugin ${pluginId} did not pass its passive canary: ${why}`,
      suggestion: known?.suggestion ||
        `Look at \`gum plugin info ${pluginId}\`, then run \`gum plugin reload ${pluginId}\` again.`,
      retryable: false,
      cause: error,
    });
  }
}

/** Lifts the quarantine and does nothing else. @throws GumError for an unknown plugin */
export async function unquarantinePlugin(pluginId: string, parts: ReloadParts): Promise<void> {
  await installedRow(pluginId, parts);
  await parts.supervisor.clearQuarantine(pluginId, { signal: parts.signal });
}

/** Versions before and after a script's runtime was pinned anew. */
export interface AcceptedRuntime {
  before: { path: string; version: string };
  after: DenoRuntime;
}

/** Pins the Deno that is there now for a `deno-script` plugin. */
export async function acceptRuntime(
  pluginId: string,
  parts: Pick<ReloadParts, "registry" | "signal"> & {
    environment: Environment;
    settings: PluginSettings;
    /** Told before anything is written. */
    onChange: (change: AcceptedRuntime) => void;
  },
): Promise<void> {
  const row = await installedRow(pluginId, parts);
  if (row.shape !== "deno-script") {
    throw new GumError("INVALID_ARGS", {
      message: `plugin ${pluginId} is no deno-script, so it has no runtime to accept`,
      details: { field: "--accept-runtime", missing: [], unknown: [], type_errors: [] },
    });
  }
  const after = await findDenoRuntime(parts);
  const { executable_path: path, runtime_version: version } = row.executable;
  parts.onChange({ before: { path, version: version ?? "an unknown version" }, after });
  await parts.registry.writeTransaction((draft) => {
    const target = draft.lock.plugins.find(({ name }) => name === pluginId);
    if (target === undefined) return false;
    target.executable_sha256 = after.sha256;
    target.executable = {
      ...target.executable,
      executable_path: after.path,
      executable_sha256: after.sha256,
      runtime_version: after.version,
      argv_normalized: [after.path, ...target.executable.argv_normalized.slice(1)],
    };
  }, { signal: parts.signal });
}

async function installedRow(
  pluginId: string,
  { registry }: Pick<ReloadParts, "registry">,
): Promise<LockRow> {
  const name = requirePluginId(pluginId);
  const row = (await registry.loadSnapshot()).lock.plugins.find((known) => known.name === name);
  if (row !== undefined) return row;
  throw new GumError("PLUGIN_MANIFEST_NOT_FOUND", {
    message: `plugin ${name} is not installed in this profile`,
    details: { plugin_name: name, reason: "plugin_not_installed" },
    userMessage: `Plugin ${name} is not installed.`,
    suggestion: "Look at `gum plugin list`.",
  });
}
