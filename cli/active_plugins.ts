/** Operations of active plugins, for the commands that open no session (spec 06 §3.10, §3.21). */

import type { Op } from "../lib/catalog/types.ts";
import type { Environment } from "../lib/config/environment.ts";
import type { JsonObject } from "../lib/json/mod.ts";
import { earlyProfile, fileExists } from "./early_profile.ts";

/** What a profile's plugins add to the catalog. */
export interface ActivePlugins {
  ops: readonly Op[];
  /** A schema of an active plugin. */
  schema: (ref: string) => JsonObject | undefined;
}

/**
 * What to do about an operation whose plugin this profile does not have; undefined for every other
 * operation.
 */
export async function missingPluginHint(
  op: Op,
  given: { argv: readonly string[]; environment: Environment },
): Promise<string | undefined> {
  if (!op.variants.some(({ backend_kind: kind }) => kind === "mcp-plugin")) return undefined;
  const { installHint, openPluginView, pluginOf, pluginPaths } = await import(
    "../lib/plugin/status/mod.ts"
  );
  const plugin = pluginOf(op);
  if (plugin === undefined) return undefined;
  const profileDir = earlyProfile(given)?.own.data;
  const isThere = profileDir !== undefined &&
    openPluginView({ paths: pluginPaths(profileDir) }).rows().some(({ name }) => name === plugin);
  return isThere ? undefined : installHint(plugin);
}

/** No plugins. */
const NO_PLUGINS: ActivePlugins = { ops: [], schema: () => undefined };

/**
 * The active plugins of the profile that the words or the environment name. A profile without
 * plugins costs one look at one file, and loads nothing.
 */
export async function activePlugins(
  argv: readonly string[],
  given: { environment: Environment; now: number },
): Promise<ActivePlugins> {
  const profileDir = earlyProfile({ argv, environment: given.environment })?.own.data;
  if (profileDir === undefined || !fileExists(`${profileDir}/plugin-state.json`)) return NO_PLUGINS;
  const { openPluginView, pluginOps, pluginPaths } = await import("../lib/plugin/status/mod.ts");
  const view = openPluginView({ paths: pluginPaths(profileDir), sessionStartedAt: given.now });
  return { ops: pluginOps(view.snapshot(), given.now), schema: (ref) => view.schema(ref) };
}
