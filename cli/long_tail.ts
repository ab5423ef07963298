/** How much of the long tail the commands see that open no session (spec 04 §10). */

import type { LongTailExposure } from "../lib/catalog/longtail/types.ts";
import type { Environment } from "../lib/config/environment.ts";
import { findGumError } from "../lib/errors/mod.ts";
import { type EarlyProfile, earlyProfile, fileExists } from "./early_profile.ts";

/** What a command sees of the long tail. */
export interface LongTailChoice {
  exposure: LongTailExposure;
  /** Folder of updates. */
  updates?: string;
}

/**
 * The choice of the profile that the words or the environment name: its `catalog.long_tail` (reads
 * only without a configuration) and its updates.
 */
export async function longTailChoice(
  argv: readonly string[],
  environment: Environment,
): Promise<LongTailChoice> {
  const profile = earlyProfile({ argv, environment });
  if (profile === undefined) return { exposure: "read" };
  return { exposure: await exposureOf(profile), updates: `${profile.own.data}/longtail` };
}

/**
 * The configuration's reader is loaded only when there is a file; one that cannot be read shows
 * curated operations alone, because it may say so.
 */
async function exposureOf({ profileName, own }: EarlyProfile): Promise<LongTailExposure> {
  const file = `${own.config}/config.toml`;
  // Reading the whole configuration costs as much as the search: most files never name the key.
  if (!fileExists(file) || !Deno.readTextFileSync(file).includes("long_tail")) return "read";
  const { loadConfig, setting } = await import("../lib/config/mod.ts");
  try {
    const { config } = await loadConfig({ profileName, directory: own.config });
    return setting(config, "catalog.long_tail");
  } catch (error) {
    if (findGumError(error) === undefined) throw error;
    return "off";
  }
}
