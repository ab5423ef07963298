/** Where the commands get a live canary from: the process host, when this build has one. */

import type { LiveCanary, LockRow, SandboxReport } from "../lib/plugin/types.ts";
import type { PluginCommandParts } from "./plugin_parts.ts";
import type { CommandContext } from "./types.ts";

/** What proves that an installed plugin works; undefined while this build cannot start plugins. */
export function liveCanary(
  _context: CommandContext,
  _parts: Pick<PluginCommandParts, "registry" | "settings" | "auditSink">,
): Promise<LiveCanary | undefined> {
  return Promise.resolve(undefined);
}

/** The confinement a plugin would get; undefined while this build cannot start plugins. */
export function sandboxOf(
  _context: CommandContext,
): ((row: LockRow, signal: AbortSignal) => Promise<SandboxReport | undefined>) | undefined {
  return undefined;
}
