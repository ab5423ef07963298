/** Expression profiles of active plugins, for the profile resolver (spec 06 §3.4). */

import type { Profile } from "../../profile/mod.ts";
import { defaultLogger, type Logger } from "../../log/mod.ts";
import type { RegistrySnapshot } from "../types.ts";
import { activePlugins } from "./resolve.ts";

/**
 * Profiles that active plugins ship, by name. They are read from the install roots, so that they
 * always belong to the generation that the registry names. A file that cannot be read is left out.
 */
export async function pluginProfiles(
  snapshot: RegistrySnapshot,
  options: { sessionStartedAt?: number; logger?: Logger } = {},
): Promise<Map<string, Profile>> {
  const found = new Map<string, Profile>();
  const active = activePlugins(snapshot, options.sessionStartedAt);
  if (active.size === 0) return found;
  // Commands that only look operations up start without it.
  const { parseProfileFile } = await import("../../profile/mod.ts");
  for (const row of snapshot.lock.plugins) {
    if (!active.has(row.name)) continue;
    const used = snapshot.catalog.variants.some((variant) =>
      variant.owner_plugin === row.name && variant.output_profile !== undefined
    );
    // A plugin without a profile of its own costs no look at the disk.
    if (!used) continue;
    const root: string | undefined = row.executable?.install_root;
    if (root === undefined) continue;
    const folder = `${root}/profiles`;
    for (const path of tomlFiles(folder)) {
      try {
        const { profiles } = await parseProfileFile(Deno.readTextFileSync(path), { path });
        for (const [name, profile] of profiles) if (!found.has(name)) found.set(name, profile);
      } catch (error) {
        (options.logger ?? defaultLogger()).log("warn", "a plugin's profile cannot be used", {
          plugin: row.name,
          path,
          error: error instanceof Error ? error.message : String(error),
        });
      }
    }
  }
  return found;
}

function tomlFiles(folder: string): string[] {
  try {
    return [...Deno.readDirSync(folder)]
      .filter((entry) => entry.isFile && entry.name.endsWith(".toml"))
      .map((entry) => `${folder}/${entry.name}`)
      .sort();
  } catch {
    // The plugin names a profile of GUM's own.
    return [];
  }
}
