/** The registry of one profile (spec 06 §3.7–§3.9). */

import type { AuditSink } from "../../dispatch/types.ts";
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
import { syncGuard } from "./fsync_warning.ts";
import {
  finalsAgree,
  type FoundFiles,
  readFinals,
  selectGeneration,
  withStaged,
} from "./generation.ts";
import { snapshotOf } from "./inventory.ts";
import { runTransaction, type TransactionOptions, underRegistryLock } from "./transaction.ts";

/** Importing the audit log for this would load all of it. */
const NO_AUDIT: AuditSink = { append() {} };

const TORN_POLL_MS = 25;
const TORN_WAIT_MS = 1_000;

/** A registry whose transactions take the options of {@link TransactionOptions}. */
export interface OwnPluginRegistry extends PluginRegistry {
  writeTransaction(mutate: RegistryMutation, options: TransactionOptions): Promise<RegistryCommit>;
  /** Runs `work` while no other process publishes. It must not write the registry itself. */
  whileLocked<T>(
    options: { signal: AbortSignal; lockTimeoutMs?: number },
    work: (snapshot: RegistrySnapshot) => Promise<T>,
  ): Promise<T>;
}

/** Opens the registry of a profile. Nothing is touched before it is used. */
export function openPluginRegistry(
  options: RegistryOptions & { fs?: PluginFileSystem },
): OwnPluginRegistry {
  const paths = pluginPaths(options.profileDir);
  const logger = () => options.logger ?? defaultLogger();
  const auditSink = options.auditSink ?? NO_AUDIT;
  const loadSnapshot = async (): Promise<RegistrySnapshot> => {
    const deadline = performance.now() + TORN_WAIT_MS;
    for (;;) {
      const found = readFinals(paths);
      if (finalsAgree(found)) return snapshotOf(selectGeneration(found));
      const settled = readSettled(paths);
      if (settled !== undefined || performance.now() >= deadline) {
        return snapshotOf(selectGeneration(withStaged(settled ?? found, paths)));
      }
      // Another process is between two renames.
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
      return await runTransaction(mutate, { ...transaction, parts });
    },
    whileLocked: (locked, work) =>
      underRegistryLock(
        { paths, ...locked },
        async () => await work(snapshotOf(selectGeneration(withStaged(readFinals(paths), paths)))),
      ),
  };
}

/** The files while nobody can be publishing; undefined when somebody is. */
function readSettled(paths: PluginPaths): FoundFiles | undefined {
  try {
    using file = Deno.openSync(paths.installLock, { read: true });
    // Shared, so that readers do not wait for each other. It ends with the file.
    return file.tryLockSync(false) ? readFinals(paths) : undefined;
  } catch (error) {
    // No lock file: no transaction ever ran here.
    if (error instanceof Deno.errors.NotFound) return readFinals(paths);
    throw error;
  }
}
