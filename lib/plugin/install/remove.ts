/** Removing a plugin (spec 06 §3.11). */

import type { AuditSink } from "../../dispatch/types.ts";
import { pluginCredentialAccount } from "../../auth/store/mod.ts";
import type { CredentialStore } from "../../auth/store/types.ts";
import type { Logger } from "../../log/mod.ts";
import { type PluginFileSystem, realFileSystem } from "../file_system.ts";
import { requirePluginId } from "../paths.ts";
import type { OwnPluginRegistry } from "../registry/mod.ts";
import { sweepSchemas } from "../schemas/mod.ts";
import { dropRows } from "./rows.ts";
import { withPluginLock } from "./plugin_lock.ts";

/** What removing needs. */
export interface RemoveParts {
  registry: OwnPluginRegistry;
  auditSink: AuditSink;
  logger: Logger;
  profileName: string;
  /** Asked only for a purge. */
  credentials?: () => Pick<CredentialStore, "accounts" | "delete">;
  /** Default: the real one. */
  fs?: PluginFileSystem;
}

/**
 * Takes a plugin out of a profile with its namespace lease. Its data and secrets stay unless they
 * are purged. False: it was not installed.
 *
 * @throws GumError `PLUGIN_MANIFEST_INVALID` for a name that is no plugin id.
 */
export async function removePlugin(
  request: { pluginId: string; purge?: boolean; signal: AbortSignal },
  parts: RemoveParts,
): Promise<boolean> {
  const { signal } = request;
  const pluginId = requirePluginId(request.pluginId);
  const { paths } = parts.registry;
  const fs = parts.fs ?? realFileSystem;
  const before = await parts.registry.loadSnapshot();
  const known =
    [...before.lock.plugins, ...before.state.plugins].some(({ name }) => name === pluginId) ||
    before.catalog.variants.some((row) => row.owner_plugin === pluginId);
  if (!known && !request.purge) return false;
  return await withPluginLock(pluginId, { paths, fs, signal }, async () => {
    const version = before.lock.plugins.find(({ name }) => name === pluginId)?.version ?? "";
    const aliases = (before.state.plugins.find(({ name }) => name === pluginId)
      ?.credential_descriptors ?? []).map(({ alias }) => alias);
    const commit = await parts.registry.writeTransaction(
      (draft) => dropRows(draft, pluginId) ? undefined : false,
      { signal },
    );
    if (commit.changed) {
      parts.auditSink.append({ event: "plugin_removed", plugin: pluginId, version });
    }
    const folders = [paths.pluginRoot(pluginId), paths.profilesDir(pluginId)];
    if (request.purge) folders.push(paths.dataDir(pluginId));
    for (const folder of folders) await removeQuietly(folder, { fs, logger: parts.logger });
    await parts.registry.whileLocked(
      { signal },
      (snapshot) => sweepSchemas(snapshot.catalog.variants, { paths, fs }),
    );
    if (request.purge) await purgeSecrets(pluginId, { aliases, parts, signal });
    return commit.changed;
  });
}

async function removeQuietly(
  path: string,
  { fs, logger }: { fs: PluginFileSystem; logger: Logger },
): Promise<void> {
  try {
    await fs.remove(path);
  } catch (error) {
    logger.log("warn", "a directory of a removed plugin stays behind", {
      path,
      error: error instanceof Error ? error.message : String(error),
    });
  }
}

async function purgeSecrets(
  pluginId: string,
  { aliases, parts, signal }: {
    aliases: readonly string[];
    parts: RemoveParts;
    signal: AbortSignal;
  },
): Promise<void> {
  if (parts.credentials === undefined) return;
  const store = parts.credentials();
  const accountOf = (alias: string) =>
    pluginCredentialAccount(parts.profileName, { plugin: pluginId, alias });
  // Earlier versions, and a removal that kept them, leave secrets that no row names any more. They
  // would be handed to whoever takes the plugin's name next.
  const left = (await store.accounts()).filter((account) => account.startsWith(accountOf("")));
  for (const account of new Set([...aliases.map(accountOf), ...left])) {
    await store.delete(account, { signal });
  }
}
