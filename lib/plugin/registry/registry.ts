/** The registry of one profile (spec 06 §3.7–§3.9). */

import { disabledAuditSink } from "../../audit/mod.ts";
import { GumError } from "../../errors/mod.ts";
import { defaultLogger } from "../../log/mod.ts";
import { type PluginFileSystem, realFileSystem } from "../file_system.ts";
import { pluginPaths } from "../paths.ts";
import type {
  PluginPaths,
  PluginRegistry,
  RegistryCommit,
  RegistryMutation,
  RegistryOptions,
  RegistrySnapshot,
} from "../types.ts";
import { filesOf, MalformedRegistryFile } from "./files.ts";
import { syncGuard } from "./fsync_warning.ts";
import {
  finalsAgree,
  readFinals,
  type ReadRules,
  type SelectedGeneration,
  selectGeneration,
  withStaged,
} from "./generation.ts";
import { runTransaction, type TransactionOptions } from "./transaction.ts";

const TORN_POLL_MS = 25;
const TORN_WAIT_MS = 1_000;

/** A registry whose transactions take the options of {@link TransactionOptions}. */
export interface OwnPluginRegistry extends PluginRegistry {
  writeTransaction(mutate: RegistryMutation, options: TransactionOptions): Promise<RegistryCommit>;
}

/** Opens the registry of a profile. Nothing is touched before it is used. */
export function openPluginRegistry(
  options: RegistryOptions & { fs?: PluginFileSystem },
): OwnPluginRegistry {
  const paths = pluginPaths(options.profileDir);
  const logger = () => options.logger ?? defaultLogger();
  const auditSink = options.auditSink ?? disabledAuditSink;
  const loadSnapshot = async (): Promise<RegistrySnapshot> => {
    const deadline = performance.now() + TORN_WAIT_MS;
    for (;;) {
      const found = readFinals(paths);
      const waits = !finalsAgree(found) && performance.now() < deadline;
      if (!waits) return snapshotOf(selectGeneration(withStaged(found, paths)));
      // Another process may be between two renames.
      await options.clock.sleep(TORN_POLL_MS);
    }
  };
  return {
    paths,
    loadSnapshot,
    async writeTransaction(mutate, transaction) {
      const parts = {
        paths,
        fs: options.fs ?? realFileSystem,
        logger: logger(),
        guard: syncGuard(paths.profileDir, { logger: logger(), auditSink }),
        clock: options.clock,
      };
      const { changed } = await runTransaction(mutate, { ...transaction, parts });
      return { changed, snapshot: await loadSnapshot() };
    },
  };
}

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

function snapshotOf(selected: SelectedGeneration): RegistrySnapshot {
  return {
    ...filesOf(selected.members),
    generation: selected.install_generation,
    txid: selected.install_txid,
    ok: selected.ok,
  };
}
