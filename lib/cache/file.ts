/** Opening the cache file (spec 07 §3.5). */

import type { DatabaseSync } from "node:sqlite";
import { ensurePrivateDir } from "../files/mod.ts";
import { bringUpToDate, SCHEMA_VERSION, schemaVersion } from "./schema.ts";

/** Name of the cache file in a profile's cache directory. */
export const CACHE_FILE = "http-wal.db";

/** A file whose tables this build does not know. */
class NewerSchemaError extends Error {
  override readonly name = "NewerSchemaError";
  constructor(readonly found: number) {
    super(`the cache file has schema ${found}, this build reads ${SCHEMA_VERSION}`);
  }
}

/** Loads SQLite, which costs start-up time, only where a cache file is touched. */
export async function loadSqlite(): Promise<typeof DatabaseSync> {
  return (await import("node:sqlite")).DatabaseSync;
}

/** Makes the file, 0600 from its first byte, and its directory; tightens a looser file. */
export async function ensureCacheFile(directory: string): Promise<string> {
  await ensurePrivateDir(directory);
  const path = `${directory}/${CACHE_FILE}`;
  (await Deno.open(path, { write: true, create: true, mode: 0o600 })).close();
  if (Deno.build.os !== "windows") {
    const { mode } = await Deno.stat(path);
    if (((mode ?? 0) & 0o077) !== 0) await Deno.chmod(path, 0o600);
  }
  return path;
}

/**
 * Opens the file for use, with current tables.
 *
 * @throws NewerSchemaError, or what SQLite throws for a file that is none of its own.
 */
export async function openCacheFile(
  directory: string,
  options: { busyTimeoutMs: number },
): Promise<DatabaseSync> {
  const Database = await loadSqlite();
  const database = new Database(await ensureCacheFile(directory));
  try {
    database.exec(`PRAGMA busy_timeout = ${options.busyTimeoutMs}`);
    // The first statement that reads: a file that is not SQLite fails here and not later.
    const version = schemaVersion(database);
    if (version > SCHEMA_VERSION) throw new NewerSchemaError(version);
    if (version === 0) database.exec("PRAGMA auto_vacuum = INCREMENTAL");
    database.exec("PRAGMA journal_mode = WAL");
    database.exec("PRAGMA synchronous = NORMAL");
    database.exec("PRAGMA temp_store = MEMORY");
    if (version < SCHEMA_VERSION) bringUpToDate(database);
    return database;
  } catch (error) {
    database.close();
    throw error;
  }
}
