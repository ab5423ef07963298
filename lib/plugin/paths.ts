/** Where one profile keeps its plugins (spec 06 §2.1). */

import { GumError } from "../errors/mod.ts";
import type { PluginPaths } from "./types.ts";

/** Grammar of a plugin id. */
const PLUGIN_ID_PATTERN = /^[a-z][a-z0-9-]{0,63}$/;

/** The paths below a profile's data directory. Pure: nothing is touched. */
export function pluginPaths(profileDir: string): PluginPaths {
  const plugins = `${profileDir}/plugins`;
  const schemas = `${profileDir}/plugin-schemas`;
  return {
    profileDir,
    catalog: `${profileDir}/plugin-catalog.json`,
    lock: `${profileDir}/plugins.lock`,
    state: `${profileDir}/plugin-state.json`,
    installLock: `${profileDir}/plugins.install.lock`,
    orphans: `${profileDir}/plugin-orphans`,
    plugins,
    staging: `${plugins}/.staging`,
    schemas,
    pluginRoot: (pluginId) => `${plugins}/${pluginId}`,
    installRoot: (pluginId, txid) => `${plugins}/${pluginId}/${txid}`,
    dataDir: (pluginId) => `${profileDir}/plugin-data/${pluginId}`,
    profilesDir: (pluginId) => `${profileDir}/plugin-profiles/${pluginId}`,
    schemaFile: (ref, sha256) => `${schemas}/${ref}.${sha256}.json`,
  };
}

/** The name when it may become part of a path. @throws GumError `PLUGIN_MANIFEST_INVALID` */
export function requirePluginId(name: string): string {
  if (PLUGIN_ID_PATTERN.test(name)) return name;
  const shown = JSON.stringify(name.length > 80 ? `${name.slice(0, 80)}…` : name);
  throw new GumError("PLUGIN_MANIFEST_INVALID", {
    message: `${shown} is not a plugin id`,
    details: { path: "/plugin/name" },
    userMessage: "That is not a plugin id.",
    suggestion: "A plugin id is a lowercase letter, then letters, digits and hyphens, at most 64.",
  });
}
