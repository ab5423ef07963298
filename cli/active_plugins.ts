/** Operations of active plugins, for the commands that open no session (spec 06 §3.10, §3.21). */

import type { Op } from "../lib/catalog/types.ts";
import { baseDirectories, profileDirectories, selectProfile } from "../lib/config/directories.ts";
import type { Environment } from "../lib/config/environment.ts";
import { isGumError } from "../lib/errors/mod.ts";
import type { JsonObject } from "../lib/json/mod.ts";

/** What a profile's plugins add to the catalog. */
export interface ActivePlugins {
  ops: readonly Op[];
  /** A schema of an active plugin. */
  schema: (ref: string) => JsonObject | undefined;
}

/** No plugins. */
export const NO_PLUGINS: ActivePlugins = { ops: [], schema: () => undefined };

/**
 * The active plugins of the profile that the words or the environment name. A profile without
 * plugins costs one look at one file, and loads nothing.
 */
export async function activePlugins(
  argv: readonly string[],
  given: { environment: Environment; now: number },
): Promise<ActivePlugins> {
  const profileDir = profileData(argv, given.environment);
  if (profileDir === undefined || !exists(`${profileDir}/plugin-state.json`)) return NO_PLUGINS;
  const { openPluginView, pluginOps, pluginPaths } = await import("../lib/plugin/status/mod.ts");
  const view = openPluginView({ paths: pluginPaths(profileDir), sessionStartedAt: given.now });
  return { ops: pluginOps(view.snapshot(), given.now), schema: (ref) => view.schema(ref) };
}

function profileData(argv: readonly string[], environment: Environment): string | undefined {
  try {
    const profile = selectProfile({ flag: profileFlag(argv), environment });
    return profileDirectories(baseDirectories(environment), profile).data;
  } catch (error) {
    // The command itself will say what is wrong with the profile.
    if (isGumError(error)) return undefined;
    throw error;
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
