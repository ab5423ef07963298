/** How long a process may take to end after it was asked to. */

import { loadConfig, setting } from "../lib/config/mod.ts";
import { isGumError } from "../lib/errors/mod.ts";
import { silentLogger } from "../lib/log/mod.ts";
import { earlyProfile } from "./early_profile.ts";
import type { CommandHost } from "./types.ts";

/** What work in flight may take to notice a signal. */
export const SHORTEST_WIND_DOWN_MS = 5_000;
/** Beside the audit log's own time: closing connections, the ledger, the database. */
const OTHERS_MS = 3_000;

/**
 * Long enough for what the profile grants its audit log (`audit.drain_timeout_seconds`); a
 * configuration that cannot be read grants nothing.
 */
export async function windDownMs(
  place: Pick<CommandHost, "argv" | "environment">,
): Promise<number> {
  const profile = earlyProfile(place);
  if (profile === undefined) return SHORTEST_WIND_DOWN_MS;
  try {
    const { config } = await loadConfig({
      profileName: profile.profileName,
      directory: profile.own.config,
      log: silentLogger,
    });
    const drain = 1_000 * setting(config, "audit.drain_timeout_seconds");
    return Math.max(SHORTEST_WIND_DOWN_MS, drain + OTHERS_MS);
  } catch (error) {
    // A command that gave up reading files has no audit log to drain either.
    if (isGumError(error) || error instanceof Deno.errors.NotCapable) return SHORTEST_WIND_DOWN_MS;
    throw error;
  }
}
