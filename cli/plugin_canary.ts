/** What runs plugins for a command that is no call: canaries, and the confinement to expect. */

import { loadConfig, setting } from "../lib/config/mod.ts";
import { baseDirectories, profileDirectories } from "../lib/config/directories.ts";
import type { PluginRuntime } from "../lib/plugin/runtime/mod.ts";
import type { LiveCanary, LockRow, SandboxReport } from "../lib/plugin/types.ts";
import { type PluginCommandParts, pluginProfileDir } from "./plugin_parts.ts";
import { oneLine } from "./plugin_text.ts";
import { sessionOptions } from "./session.ts";
import { showProgress } from "./terminal_progress.ts";
import type { CommandContext } from "./types.ts";

/** Opens the plugin runtime of the profile, runs `work`, and leaves no process behind. */
export async function withCommandRuntime<T>(
  context: CommandContext,
  parts: Pick<PluginCommandParts, "auditSink">,
  work: (runtime: PluginRuntime) => Promise<T>,
): Promise<T> {
  const { withPluginRuntime } = await import("../lib/session/mod.ts");
  return await withPluginRuntime({
    session: sessionOptions(context),
    audit: parts.auditSink,
    profileDir: pluginProfileDir(context.host, context.profile),
    clock: context.host.factories.clock,
    log: context.log,
  }, work);
}

/** What proves that an installed plugin works. */
export function liveCanary(
  context: CommandContext,
  parts: Pick<PluginCommandParts, "registry" | "settings" | "auditSink">,
): Promise<LiveCanary> {
  return Promise.resolve(async (pluginId, signal) => {
    const done = showProgress(`trying ${oneLine(pluginId)}`, context.host);
    try {
      return await withCommandRuntime(
        context,
        parts,
        (runtime) => runtime.liveCanary(pluginId, signal),
      );
    } finally {
      done();
    }
  });
}

/** What is said of a plugin that nothing here can confine. */
export const NO_SANDBOX = "none on this machine, so the plugin does not start";

/** A confinement in one line. */
export function sandboxLine({ backend, fs, network }: SandboxReport): string {
  return `${backend} (writes ${fs}, network ${network})`;
}

/** The confinement a plugin would get; undefined where none can be had. */
export function sandboxOf(
  context: CommandContext,
): (row: LockRow, signal: AbortSignal) => Promise<SandboxReport | undefined> {
  return async (row) => {
    const { host, profile, log } = context;
    const { findGumError } = await import("../lib/errors/mod.ts");
    const { chooseSandbox } = await import("../lib/plugin/sandbox/mod.ts");
    const { config: directory } = profileDirectories(baseDirectories(host.environment), profile);
    const { config } = await loadConfig({ profileName: profile, directory, log });
    try {
      const { report } = await chooseSandbox(row, {
        environment: host.environment,
        settings: {
          isDev: setting(config, "profile.is_dev"),
          backend: setting(config, "plugins.sandbox"),
          network: setting(config, "plugins.sandbox_network"),
          read: setting(config, "plugins.sandbox_read"),
        },
        hidden: [],
      });
      return report;
    } catch (error) {
      if (findGumError(error, "PLUGIN_SANDBOX_UNSUPPORTED") === undefined) throw error;
      return undefined;
    }
  };
}
