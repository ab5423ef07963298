/** How much of the long tail the commands see that open no session (spec 04 §10). */

import type { LongTailExposure } from "../lib/catalog/longtail/types.ts";
import type { Environment } from "../lib/config/environment.ts";
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
 * A glance instead of the configuration's reader, which would cost as much as the search: most
 * files never name the key. What cannot be read shows curated operations alone.
 */
async function exposureOf({ own }: EarlyProfile): Promise<LongTailExposure> {
  const file = `${own.config}/config.toml`;
  if (!fileExists(file)) return "read";
  const { glanceAtSetting } = await import("../lib/config/glance.ts");
  return await glanceAtSetting(file, {
    key: "catalog.long_tail",
    unset: "read",
    unreadable: "off",
  });
}
