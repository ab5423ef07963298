/** How much of the long tail the commands see that open no session (spec 04 §10). */

import type { LongTailExposure } from "../lib/catalog/longtail/types.ts";
import { baseDirectories, selectProfile } from "../lib/config/directories.ts";
import type { Environment } from "../lib/config/environment.ts";
import { findGumError } from "../lib/errors/mod.ts";

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
  const directory = profileDirectory(argv, environment);
  if (directory === undefined) return { exposure: "read" };
  return { exposure: await exposureOf(directory), updates: directory.updates };
}

/**
 * The configuration's reader is loaded only when there is a file; one that cannot be read shows
 * curated operations alone, because it may say so.
 */
async function exposureOf(
  directory: { profileName: string; path: string },
): Promise<LongTailExposure> {
  if (!exists(`${directory.path}/config.toml`)) return "read";
  const { loadConfig, setting } = await import("../lib/config/mod.ts");
  try {
    const { config } = await loadConfig({
      profileName: directory.profileName,
      directory: directory.path,
    });
    return setting(config, "catalog.long_tail");
  } catch (error) {
    if (findGumError(error) === undefined) throw error;
    return "off";
  }
}

function profileDirectory(
  argv: readonly string[],
  environment: Environment,
): { profileName: string; path: string; updates: string } | undefined {
  try {
    const profileName = selectProfile({ flag: profileFlag(argv), environment });
    const { config, data } = baseDirectories(environment);
    return {
      profileName,
      path: `${config}/gum/${profileName}`,
      updates: `${data}/gum/${profileName}/longtail`,
    };
  } catch (error) {
    // A bad name is the command's to report; without a home there is no configuration.
    if (findGumError(error) === undefined) throw error;
    return undefined;
  }
}

function profileFlag(argv: readonly string[]): string | undefined {
  for (const [at, word] of argv.entries()) {
    if (word === "--") return undefined;
    if (word === "--profile") return argv[at + 1];
    if (word.startsWith("--profile=")) return word.slice("--profile=".length);
  }
  return undefined;
}

function exists(path: string): boolean {
  try {
    return Deno.statSync(path).isFile;
  } catch (error) {
    if (error instanceof Deno.errors.NotFound || error instanceof Deno.errors.NotCapable) {
      return false;
    }
    throw error;
  }
}
