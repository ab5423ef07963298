/** Publishing three files as one (spec 06 §3.7). */

import { type Clock, rfc3339 } from "../../clock/mod.ts";
import { GumError } from "../../errors/mod.ts";
import { FileLockTimeout, withFileLock } from "../../files/mod.ts";
import type { JsonObject } from "../../json/mod.ts";
import { readIfPresent } from "../file_system.ts";
import type {
  PluginPaths,
  RegistryCommit,
  RegistryDraft,
  RegistryMutation,
  RegistryStamp,
} from "../types.ts";
import {
  filesOf,
  finalPath,
  REGISTRY_KINDS,
  type RegistryKind,
  serializeRegistryFile,
} from "./files.ts";
import { snapshotOf } from "./inventory.ts";
import { recoverUnderLock, type RecoveryParts } from "./recovery.ts";

/** How long a writer waits for another one. */
export const INSTALL_LOCK_TIMEOUT_MS = 30_000;

/** What a transaction works with. */
export interface TransactionParts extends Omit<RecoveryParts, "repair"> {
  clock: Clock;
}

/** How a transaction is run. */
export interface TransactionOptions {
  signal: AbortSignal;
  lockTimeoutMs?: number;
  /** The pair's id, when files were named by it beforehand; default: a random one. */
  txid?: string;
  /** Default true: an incomplete registry is built anew from what is left. */
  repair?: boolean;
}

/** An id for a publish: 8 lowercase hex digits. */
export function newTxid(): string {
  return crypto.getRandomValues(new Uint8Array(4)).toHex();
}

/**
 * Runs `mutate` under the registry lock and publishes what it made of the draft. The snapshot is that
 * of this very publish.
 */
export async function runTransaction(
  mutate: RegistryMutation,
  given: TransactionOptions & { parts: TransactionParts },
): Promise<RegistryCommit> {
  const { parts, signal } = given;
  const { paths, fs } = parts;
  signal.throwIfAborted();
  await fs.makeDirectory(paths.profileDir, 0o700);
  return await underRegistryLock({ paths, ...given }, () => underLock(mutate, given));
}

/** Runs `work` while holding the registry's lock. @throws GumError `PLUGIN_INSTALL_LOCK_TIMEOUT` */
export async function underRegistryLock<T>(
  at: { paths: PluginPaths; signal: AbortSignal; lockTimeoutMs?: number },
  work: () => Promise<T>,
): Promise<T> {
  const timeoutMs = at.lockTimeoutMs ?? INSTALL_LOCK_TIMEOUT_MS;
  const path = at.paths.installLock;
  try {
    return await withFileLock(path, { timeoutMs, signal: at.signal }, work);
  } catch (error) {
    if (!(error instanceof FileLockTimeout) || error.path !== path) throw error;
    throw new GumError("PLUGIN_INSTALL_LOCK_TIMEOUT", {
      message: `another process has held the plugin registry for ${timeoutMs} ms`,
      details: { path },
      cause: error,
    });
  }
}

async function underLock(
  mutate: RegistryMutation,
  { parts, signal, txid, repair }: TransactionOptions & { parts: TransactionParts },
): Promise<RegistryCommit> {
  const base = await recoverUnderLock({ ...parts, repair: repair ?? true });
  const contents = structuredClone({
    catalog: base.members.catalog.content,
    lock: base.members.lock.content,
    state: base.members.state.content,
  });
  const generations = REGISTRY_KINDS.map((kind) =>
    base.members[kind].stamp?.install_generation ?? 0
  );
  const next: RegistryStamp = {
    install_generation: 1 + Math.max(base.install_generation, ...generations),
    install_txid: txid ?? newTxid(),
  };
  const members = Object.fromEntries(
    REGISTRY_KINDS.map((kind) => [kind, { kind, stamp: next, content: contents[kind] }]),
  ) as Parameters<typeof filesOf>[0]; // every kind is there
  const draft: RegistryDraft = { ...filesOf(members), next };
  if (await mutate(draft) === false) return { changed: false, snapshot: snapshotOf(base) };
  signal.throwIfAborted();
  stampAndSort(draft, { now: rfc3339(parts.clock.now()) });
  const bytes = Object.fromEntries(
    REGISTRY_KINDS.map((kind) => [
      kind,
      serializeRegistryFile(kind, draft[kind] as unknown as JsonObject),
    ]),
  ) as Record<RegistryKind, Uint8Array>; // every kind is there
  await publish(bytes, { parts, signal, txid: next.install_txid });
  // Not read back: once the lock is free, the files may be those of another process's publish.
  const { catalog, lock, state } = draft;
  const { install_generation: generation, install_txid } = next;
  return {
    changed: true,
    snapshot: { catalog, lock, state, generation, txid: install_txid, ok: true },
  };
}

function stampAndSort(draft: RegistryDraft, { now }: { now: string }): void {
  for (const kind of REGISTRY_KINDS) Object.assign(draft[kind], draft.next);
  draft.catalog.updated_at = now;
  draft.catalog.variants.sort((a, b) => byCodeUnit(a.variant_id, b.variant_id));
  draft.lock.plugins.sort((a, b) => byCodeUnit(a.name, b.name));
  draft.state.plugins.sort((a, b) => byCodeUnit(a.name, b.name));
}

function byCodeUnit(a: string, b: string): number {
  return a < b ? -1 : a > b ? 1 : 0;
}

interface PublishParts {
  parts: TransactionParts;
  signal: AbortSignal;
  txid: string;
}

async function publish(
  bytes: Record<RegistryKind, Uint8Array>,
  { parts, signal, txid }: PublishParts,
): Promise<void> {
  const { paths, fs, guard } = parts;
  const staged = (kind: RegistryKind) => `${finalPath(paths, kind)}.tmp.${txid}`;
  const previous = new Map<RegistryKind, Uint8Array | undefined>();
  for (const kind of REGISTRY_KINDS) {
    previous.set(kind, await readIfPresent(finalPath(paths, kind)));
  }
  const syncDirectory = () => guard(paths.profileDir, () => fs.syncDirectory(paths.profileDir));
  try {
    for (const kind of REGISTRY_KINDS) {
      await writeStaged(staged(kind), { bytes: bytes[kind], parts });
    }
    await syncDirectory();
    signal.throwIfAborted();
  } catch (error) {
    for (const kind of REGISTRY_KINDS) await fs.remove(staged(kind));
    throw error;
  }
  // From here on the publish is finished or undone, whoever wants to stop.
  const renamed: RegistryKind[] = [];
  try {
    for (const kind of REGISTRY_KINDS) {
      await fs.rename(staged(kind), finalPath(paths, kind));
      renamed.push(kind);
    }
    await syncDirectory();
  } catch (error) {
    await rollBack(error, { renamed, previous, staged, parts });
    throw error;
  }
}

async function rollBack(
  original: unknown,
  { renamed, previous, staged, parts }: {
    renamed: readonly RegistryKind[];
    previous: ReadonlyMap<RegistryKind, Uint8Array | undefined>;
    staged: (kind: RegistryKind) => string;
    parts: TransactionParts;
  },
): Promise<void> {
  const { paths, fs, guard } = parts;
  const failures: unknown[] = [];
  const attempt = async (work: () => Promise<void>) => {
    try {
      await work();
    } catch (error) {
      failures.push(error);
    }
  };
  for (const kind of renamed.toReversed()) {
    const before = previous.get(kind);
    await attempt(async () => {
      if (before === undefined) return await fs.remove(finalPath(paths, kind));
      await writeStaged(staged(kind), { bytes: before, parts });
      await fs.rename(staged(kind), finalPath(paths, kind));
    });
  }
  for (const kind of REGISTRY_KINDS) await attempt(() => fs.remove(staged(kind)));
  try {
    await guard(paths.profileDir, () => fs.syncDirectory(paths.profileDir));
  } catch (error) {
    // With every rename done it was this very sync that failed, and it is the original failure.
    if (renamed.length < REGISTRY_KINDS.length) failures.push(error);
  }
  if (failures.length === 0) return;
  throw new AggregateError(
    [original, ...failures],
    "the plugin registry could not be changed: rollback incomplete",
    { cause: original },
  );
}

async function writeStaged(
  path: string,
  { bytes, parts }: { bytes: Uint8Array; parts: TransactionParts },
): Promise<void> {
  const file = await parts.fs.createFile(path, 0o600);
  try {
    await file.write(bytes);
    await parts.guard(path, () => file.sync());
  } finally {
    file.close();
  }
}
