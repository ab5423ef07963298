/** One installation or removal of a plugin at a time (spec 06 §3.4). */

import { GumError } from "../../errors/mod.ts";
import { FileLockTimeout, withFileLock } from "../../files/mod.ts";
import type { PluginFileSystem } from "../file_system.ts";
import { INSTALL_LOCK_TIMEOUT_MS } from "../registry/mod.ts";
import type { PluginPaths } from "../types.ts";

/**
 * Runs `work` while no other process installs or removes the same plugin. The registry's own lock
 * covers the publish alone; without this one, sweeping older install roots could take away the root
 * that another installation is about to publish.
 *
 * @throws GumError `PLUGIN_INSTALL_LOCK_TIMEOUT`
 */
export async function withPluginLock<T>(
  pluginId: string,
  at: { paths: PluginPaths; fs: PluginFileSystem; signal: AbortSignal },
  work: () => Promise<T>,
): Promise<T> {
  await at.fs.makeDirectory(at.paths.staging, 0o700);
  const path = `${at.paths.staging}/${pluginId}.lock`;
  try {
    return await withFileLock(
      path,
      { timeoutMs: INSTALL_LOCK_TIMEOUT_MS, signal: at.signal },
      work,
    );
  } catch (error) {
    if (!(error instanceof FileLockTimeout) || error.path !== path) throw error;
    throw new GumError("PLUGIN_INSTALL_LOCK_TIMEOUT", {
      message: `another process is installing or removing ${pluginId}`,
      details: { path },
      cause: error,
    });
  }
}
