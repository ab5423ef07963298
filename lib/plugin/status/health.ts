/** The state of a profile's plugins in one line, for `gum doctor` (spec 06 §3.22). */

import { GumError } from "../../errors/mod.ts";
import { readInventory, requireReadableVersions } from "../registry/inventory.ts";
import type { PluginPaths } from "../types.ts";
import { resolveStatus } from "./resolve.ts";

/** What a look at the registry found; a failed look has a hint. */
export type PluginHealth =
  | { ok: true; summary: string }
  | { ok: false; summary: string; hint: string };

/** Reads only; starts nothing and waits for nobody. */
export function pluginHealth(paths: PluginPaths): PluginHealth {
  try {
    requireReadableVersions(paths);
  } catch (error) {
    if (!(error instanceof GumError)) throw error;
    return { ok: false, summary: error.message, hint: error.suggestion };
  }
  const unreadable: string[] = [];
  const snapshot = readInventory(paths, (path) => unreadable.push(path));
  const [damaged] = unreadable;
  if (damaged !== undefined) {
    return {
      ok: false,
      summary: `${damaged} cannot be read`,
      hint: "Install one plugin again; what is left of the registry is kept.",
    };
  }
  if (!snapshot.ok) {
    return {
      ok: false,
      summary: "the plugin registry is incomplete, so no plugin is active",
      hint: "Install one plugin again to repair it.",
    };
  }
  const { plugins } = snapshot.state;
  const quarantined = plugins
    .filter((row) => resolveStatus(row) === "quarantined")
    .map(({ name }) => name);
  if (quarantined.length > 0) {
    return {
      ok: false,
      summary: `${quarantined.length} of ${plugins.length} plugins quarantined`,
      hint: `Run gum plugin reload <id> for: ${quarantined.join(", ")}`,
    };
  }
  return {
    ok: true,
    summary: plugins.length === 0
      ? "no plugins installed"
      : `${plugins.length} plugin${plugins.length === 1 ? "" : "s"} installed`,
  };
}
