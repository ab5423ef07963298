/** Changing a profile's configuration (spec 05 §3.2). */

import { GumError } from "../errors/mod.ts";
import { ensurePrivateDir, FileLockTimeout, withFileLock, writeFileAtomic } from "../files/mod.ts";
import type { ConfigChange } from "./edit.ts";
import type { TomlValue } from "./keys.ts";
import {
  CONFIG_SCHEMA_VERSION,
  configPath,
  type ConfigSource,
  parseConfig,
  type ProfileConfig,
  readConfigFile,
} from "./load.ts";

const LOCK_TIMEOUT_MS = 10_000;

/** What a change did. */
export interface SavedConfig {
  config: ProfileConfig;
  /** The file had to be written anew; its comments are gone. */
  commentsDropped: boolean;
  /** False when the file said so already. */
  changed: boolean;
}

/** Where to save, and how to give up waiting. */
export type ConfigTarget = Omit<ConfigSource, "directory"> & {
  directory: string;
  signal?: AbortSignal;
};

/**
 * Sets or removes keys, under the profile's lock, atomically. Comments and unknown keys survive.
 *
 * @param values Flattened keys; undefined removes one.
 * @throws GumError `CONFIG_PARSE_ERROR`, `CONFIG_SCHEMA_UNSUPPORTED`; `SERVICE_DOWN` when another
 * process holds the lock for 10 s.
 */
export async function saveConfig(
  target: ConfigTarget,
  values: Readonly<Record<string, TomlValue | undefined>>,
): Promise<SavedConfig> {
  return await changeConfig(target, () => values);
}

/** Like {@link saveConfig}, with the change made from what the file says under the lock. */
export async function changeConfig(
  target: ConfigTarget,
  change: (current: ProfileConfig) => Readonly<Record<string, TomlValue | undefined>>,
): Promise<SavedConfig> {
  const { directory, profileName, signal } = target;
  await ensurePrivateDir(directory);
  const lock = `${directory}/config.lock`;
  try {
    return await withFileLock(lock, { timeoutMs: LOCK_TIMEOUT_MS, signal }, async () => {
      const path = await writtenPath(configPath(directory));
      const text = (await readConfigFile(path, profileName))?.text ?? "";
      const { config } = await parseConfig(text, { profileName, path });
      const changes = neededChanges(config, change(config));
      if (changes.length === 0) return { config, commentsDropped: false, changed: false };
      if (config.schemaVersion < CONFIG_SCHEMA_VERSION) {
        changes.unshift({ key: "config_schema_version", value: BigInt(CONFIG_SCHEMA_VERSION) });
      }
      const { editToml } = await import("./edit.ts");
      const edited = editToml(text, changes);
      const after = await parseConfig(edited.text, { profileName, path });
      await writeFileAtomic(path, new TextEncoder().encode(edited.text), { mode: 0o600 });
      return {
        config: after.config,
        commentsDropped: edited.commentsDropped,
        changed: true,
      };
    });
  } catch (error) {
    if (error instanceof FileLockTimeout && error.path === lock) throw busy(lock, error);
    throw error;
  }
}

function neededChanges(
  config: ProfileConfig,
  values: Readonly<Record<string, TomlValue | undefined>>,
): ConfigChange[] {
  return Object.entries(values)
    .filter(([key, value]) => value !== undefined || config.values.has(key))
    .map(([key, value]) => ({ key, value }));
}

// People keep their configuration elsewhere and link to it; the link should survive a change.
async function writtenPath(path: string): Promise<string> {
  try {
    return (await Deno.lstat(path)).isSymlink ? await Deno.realPath(path) : path;
  } catch (error) {
    if (error instanceof Deno.errors.NotFound) return path;
    throw error;
  }
}

function busy(path: string, cause: unknown): GumError {
  return new GumError("SERVICE_DOWN", {
    message: "another process is changing the configuration of this profile",
    details: { path, reason: "config_busy" },
    userMessage: "Another gum process is changing the configuration.",
    suggestion: "Try again in a moment.",
    retryable: true,
    cause,
  });
}
