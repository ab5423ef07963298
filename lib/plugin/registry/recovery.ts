/** Bringing the registry to one complete generation, under its lock (spec 06 §3.8). */

import { GumError } from "../../errors/mod.ts";
import type { JsonObject, JsonValue } from "../../json/mod.ts";
import { isJsonObject } from "../../json/mod.ts";
import type { Logger } from "../../log/mod.ts";
import type { PluginFileSystem } from "../file_system.ts";
import type { PluginPaths } from "../types.ts";
import { finalPath, type RegistryKind, type RegistryMember } from "./files.ts";
import type { SyncGuard } from "./fsync_warning.ts";
import { readFinals, type SelectedGeneration, selectGeneration, withStaged } from "./generation.ts";

/** What recovery works with. */
export interface RecoveryParts {
  paths: PluginPaths;
  fs: PluginFileSystem;
  logger: Logger;
  guard: SyncGuard;
  /** Build a new base from what is left where no generation is complete. */
  repair: boolean;
}

/**
 * Finishes a publish that had begun, moves the rest aside, and gives the base of a transaction.
 *
 * @throws GumError `PLUGIN_REGISTRY_INCONSISTENT` when nothing is complete and nobody asked to repair.
 */
export async function recoverUnderLock(parts: RecoveryParts): Promise<SelectedGeneration> {
  const { paths, fs, logger, guard } = parts;
  const found = withStaged(readFinals(paths), paths);
  const selected = selectGeneration(found);
  if (!selected.ok && !parts.repair) throw inconsistent(selected);
  for (const member of selected.finish) {
    await fs.rename(member.path, finalPath(paths, member.kind));
  }
  if (selected.finish.length > 0) {
    await guard(paths.profileDir, () => fs.syncDirectory(paths.profileDir));
    logger.log("warn", "an interrupted change of the plugin registry was completed", {
      event: "plugin_registry_recovered",
      install_generation: selected.install_generation,
    });
  }
  const damaged = selected.ok ? [] : found.malformed.map((kind) => finalPath(paths, kind));
  for (const path of [...selected.orphans, ...damaged]) await moveAside(path, parts);
  if (selected.ok) return selected;
  logger.log("warn", "the plugin registry was incomplete and is built anew from what is left", {
    event: "plugin_registry_repaired",
    install_generation: selected.install_generation,
  });
  return { ...selected, members: repaired(selected.members) };
}

/** The refusal of everything that needs a complete registry. */
export function inconsistent(selected: { install_generation: number }): GumError {
  return new GumError("PLUGIN_REGISTRY_INCONSISTENT", {
    message: "the three plugin registry files do not belong to one generation",
    details: { generations: [selected.install_generation] },
  });
}

async function moveAside(path: string, { paths, fs, logger }: RecoveryParts): Promise<void> {
  await fs.makeDirectory(paths.orphans, 0o700);
  const name = path.slice(paths.profileDir.length + 1);
  const aside = `${paths.orphans}/${name}.${crypto.getRandomValues(new Uint8Array(4)).toHex()}`;
  try {
    await fs.rename(path, aside);
  } catch (error) {
    if (error instanceof Deno.errors.NotFound) return;
    throw error;
  }
  logger.log("warn", "a leftover of an interrupted plugin installation was moved aside", {
    event: "plugin_registry_orphan_quarantined",
    path,
  });
}

/** Rows that lock and state agree on, and the operations of their owners. */
function repaired(
  members: Record<RegistryKind, RegistryMember>,
): Record<RegistryKind, RegistryMember> {
  const names = (kind: "lock" | "state") =>
    new Set(rows(members[kind].content.plugins).map((row) => row.name));
  const inState = names("state");
  const both = new Set([...names("lock")].filter((name) => inState.has(name)));
  const kept = (member: RegistryMember, place: { list: string; key: string }): RegistryMember => ({
    ...member,
    content: {
      ...member.content,
      [place.list]: rows(member.content[place.list]).filter((row) => both.has(row[place.key])),
    },
  });
  return {
    catalog: kept(members.catalog, { list: "variants", key: "owner_plugin" }),
    lock: kept(members.lock, { list: "plugins", key: "name" }),
    state: kept(members.state, { list: "plugins", key: "name" }),
  };
}

function rows(list: JsonValue | undefined): JsonObject[] {
  return Array.isArray(list) ? list.filter(isJsonObject) : [];
}
