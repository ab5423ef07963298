/**
 * Start-up activation: plugins that were installed since the last start become active
 * (spec 06 §3.10, 08 §3.2). On every command's way, so it loads nothing unless there is work.
 *
 * @module
 */

import type { Clock } from "../../clock/mod.ts";
import type { AuditSink } from "../../dispatch/types.ts";
import { isAbsent } from "../../files/absent/mod.ts";
import { defaultLogger, type Logger } from "../../log/mod.ts";

/** A held lock must not stall a command that has nothing to do with plugins. */
const LOCK_TIMEOUT_MS = 2_000;

const PENDING = "installed_pending_restart";

/** How plugins are activated. */
export interface ActivationOptions {
  clock: Clock;
  /** Start of the process or session, milliseconds since the epoch; default: now. */
  sessionStartedAt?: number;
  logger?: Logger;
  auditSink?: AuditSink;
}

/**
 * Activates what waits for a restart and returns the names. Never fails: a command does not suffer
 * from a plugin. Creates nothing where nothing is pending.
 *
 * @param directories The profile's directories; `data` is `<data>/gum/<profile>`.
 */
export async function promotePending(
  directories: { data: string },
  options: ActivationOptions,
): Promise<string[]> {
  try {
    if (!mayBePending(directories.data)) return [];
    const { activatePending } = await import("./activate.ts");
    return await activatePending(directories.data, { ...options, lockTimeoutMs: LOCK_TIMEOUT_MS });
  } catch (error) {
    (options.logger ?? defaultLogger()).log("warn", "waiting plugins were not activated", {
      event: "plugin_activation_skipped",
      error: error instanceof Error ? error.message : String(error),
    });
    return [];
  }
}

/** Looks at the state file's text alone: parsing it would cost more than it could tell. */
function mayBePending(profileDir: string): boolean {
  try {
    const text = Deno.readTextFileSync(`${profileDir}/plugin-state.json`);
    return text.includes(PENDING) || hasStagedState(profileDir);
  } catch (error) {
    if (isAbsent(error)) return hasCatalog(profileDir);
    throw error;
  }
}

/** A crash between the renames leaves the state's new version staged. */
function hasStagedState(profileDir: string): boolean {
  for (const { name } of Deno.readDirSync(profileDir)) {
    if (name.startsWith("plugin-state.json.tmp.")) return true;
  }
  return false;
}

/** The state is renamed last: a catalog without one is half of a first publish. */
function hasCatalog(profileDir: string): boolean {
  try {
    return Deno.statSync(`${profileDir}/plugin-catalog.json`).isFile;
  } catch (error) {
    if (isAbsent(error)) return false;
    throw error;
  }
}
