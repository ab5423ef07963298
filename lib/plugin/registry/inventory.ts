/** Reading the registry without waiting, without its lock and without failing (spec 06 §2.3). */

import { GumError } from "../../errors/mod.ts";
import type { PluginPaths, RegistrySnapshot } from "../types.ts";
import { filesOf, MalformedRegistryFile } from "./files.ts";
import {
  finalsAgree,
  readFinals,
  type ReadRules,
  type SelectedGeneration,
  selectGeneration,
  withStaged,
} from "./generation.ts";

/**
 * What is on disk now, without waiting and without failing: files that cannot be read count as
 * absent and are reported (spec 06 §2.3, read-only surfaces).
 */
export function readInventory(
  paths: PluginPaths,
  report: (path: string, error: unknown) => void,
): RegistrySnapshot {
  const rules: ReadRules = { acceptUnversioned: true, lenient: report };
  try {
    const found = readFinals(paths, rules);
    const agreed = finalsAgree(found);
    return snapshotOf(selectGeneration(agreed ? found : withStaged(found, paths)));
  } catch (error) {
    report(paths.profileDir, error);
    const none = { finals: {}, staged: [], unreadable: [], malformed: [] };
    return { ...snapshotOf(selectGeneration(none)), ok: false };
  }
}

/**
 * Fails for a file of another version, and for one that is not readable at all, so that a command
 * that lists plugins does not show an empty list instead.
 *
 * @throws GumError `PLUGIN_…_SCHEMA_UNSUPPORTED`
 */
export function requireReadableVersions(paths: PluginPaths): void {
  readFinals(paths, {
    acceptUnversioned: true,
    lenient(_path, error) {
      if (error instanceof GumError) throw error;
      if (!(error instanceof MalformedRegistryFile)) throw error;
    },
  });
}

/** A selected generation as readers get it. */
export function snapshotOf(selected: SelectedGeneration): RegistrySnapshot {
  return {
    ...filesOf(selected.members),
    generation: selected.install_generation,
    txid: selected.install_txid,
    ok: selected.ok,
  };
}
