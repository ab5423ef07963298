/** How much of the long tail the commands see that open no session (spec 04 §10). */

import type { LongTailExposure } from "../lib/catalog/longtail/types.ts";
import { baseDirectories, selectProfile } from "../lib/config/directories.ts";
import type { Environment } from "../lib/config/environment.ts";
import { findGumError } from "../lib/errors/mod.ts";

/** Without a configuration file: reads only. */
const DEFAULT: LongTailExposure = "read";

/**
 * `catalog.long_tail` of the profile that the words or the environment name. The configuration's
 * reader is loaded only when there is a file; one that cannot be read shows curated operations
 * alone, because it may say so.
 */
export async function longTailExposure(
  argv: readonly string[],
  environment: Environment,
): Promise<LongTailExposure> {
  const directory = profileDirectory(argv, environment);
  if (directory === undefined || !exists(`${directory.path}/config.toml`)) return DEFAULT;
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
): { profileName: string; path: string } | undefined {
  try {
    const profileName = selectProfile({ flag: profileFlag(argv), environment });
    return { profileName, path: `${baseDirectories(environment).config}/gum/${profileName}` };
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
