/** What `gum cache` and the health probe do with a cache file (spec 07 §3.8, §3.21). */

import type { DatabaseSync } from "node:sqlite";
import { GumError } from "../errors/mod.ts";
import { ensurePrivateDir, FileLockTimeout, isAbsent, withFileLock } from "../files/mod.ts";
import type { JsonObject } from "../json/mod.ts";
import { sqliteFault } from "../sqlite/mod.ts";
import { CACHE_FILE, ensureCacheFile, loadSqlite, openCacheFile } from "./file.ts";
import { cacheRows } from "./rows.ts";
import { bringUpToDate, SCHEMA_STEPS, type SchemaStep, schemaVersion } from "./schema.ts";
import { statistics } from "./profile_cache.ts";

const LOCK_WAIT_MS = 5_000;
const BUSY_TIMEOUT_MS = 5_000;

/** State of a cache file. */
export type CacheFileState =
  | { kind: "absent" }
  | { kind: "ready"; version: number }
  | { kind: "older" | "newer"; version: number }
  | { kind: "busy" | "corrupt" | "unusable"; reason: string };

/** Looks at the file of a profile's cache directory without changing it. */
export async function inspectCacheFile(directory: string): Promise<CacheFileState> {
  const path = `${directory}/${CACHE_FILE}`;
  const size = await fileSize(path);
  if (size === undefined) return { kind: "absent" };
  const Database = await loadSqlite();
  let database: DatabaseSync | undefined;
  try {
    database = new Database(path);
    const version = schemaVersion(database);
    if (version === SCHEMA_STEPS.length) return { kind: "ready", version };
    return { kind: version > SCHEMA_STEPS.length ? "newer" : "older", version };
  } catch (error) {
    const fault = sqliteFault(error);
    const kind = fault === "corrupt" || fault === "busy" ? fault : "unusable";
    return { kind, reason: error instanceof Error ? error.message : String(error) };
  } finally {
    database?.close();
  }
}

/** Cumulative counters of a profile's file; zeroes where there is none. */
export async function readCacheStats(
  directory: string,
  options: { now: number },
): Promise<{ semantic: JsonObject; http: JsonObject }> {
  const state = await inspectCacheFile(directory);
  if (state.kind !== "ready") {
    return statistics({}, { entries: 0, bytes: 0, tagged: 0, taggedBytes: 0 });
  }
  return await withRows(
    directory,
    (rows) => statistics(rows.counters(), rows.measure(options.now)),
  );
}

/**
 * Deletes every row, zeroes the counters and gives the space back.
 *
 * @throws GumError `CACHE_CORRUPT`, `CACHE_SCHEMA_UNSUPPORTED`, `CACHE_STORE_FAILED`
 */
export async function clearCache(
  directory: string,
): Promise<{ removed: number; bytesFreed: number }> {
  if (!await isUsable(directory)) return { removed: 0, bytesFreed: 0 };
  return await stored(directory, (database) => {
    const before = database.prepare(
      "SELECT count(*) AS n, coalesce(sum(size_bytes), 0) AS bytes FROM entry",
    ).get();
    database.exec("BEGIN IMMEDIATE; DELETE FROM entry; UPDATE counter SET value = 0; COMMIT");
    // Each step gives back one page, and exec would take only the first.
    database.prepare("PRAGMA incremental_vacuum").all();
    database.exec("PRAGMA wal_checkpoint(TRUNCATE)");
    return { removed: Number(before?.n), bytesFreed: Number(before?.bytes) };
  });
}

/**
 * Deletes the rows that can serve nobody any more; 0 when there is no file.
 *
 * @throws GumError `CACHE_CORRUPT`, `CACHE_SCHEMA_UNSUPPORTED`, `CACHE_STORE_FAILED`
 */
export async function clearExpired(
  directory: string,
  options: { now: number; busyTimeoutMs?: number },
): Promise<number> {
  if (!await isUsable(directory)) return 0;
  return await stored(
    directory,
    (database) => cacheRows(database).deleteExpired(options.now).length,
    options.busyTimeoutMs,
  );
}

/** What {@link migrateCache} did; keys as `gum cache migrate` prints them. */
export type MigrationReport = JsonObject & {
  ok: boolean;
  entries_kept?: number;
  recreated?: boolean;
  error?: string;
};

/**
 * Brings the file to the current tables: all steps or none. A file that cannot be read is reported
 * and left alone, or with `force` replaced by an empty one.
 */
export async function migrateCache(
  directory: string,
  options: { force: boolean; steps?: readonly SchemaStep[]; lockWaitMs?: number },
): Promise<MigrationReport> {
  const { force, steps = SCHEMA_STEPS } = options;
  await ensurePrivateDir(directory);
  const lock = `${directory}/${CACHE_FILE}.lock`;
  try {
    return await withFileLock(
      lock,
      { timeoutMs: options.lockWaitMs ?? LOCK_WAIT_MS },
      () => migrateLocked(directory, { force, steps }),
    );
  } catch (error) {
    if (error instanceof FileLockTimeout || sqliteFault(error) === "busy") throw storeFailed(error);
    throw error;
  }
}

async function migrateLocked(
  directory: string,
  options: { force: boolean; steps: readonly SchemaStep[] },
): Promise<MigrationReport> {
  const existed = await fileSize(`${directory}/${CACHE_FILE}`) !== undefined;
  const state = await inspectCacheFile(directory);
  const refusal = state.kind === "corrupt" || state.kind === "unusable"
    ? refused("CACHE_CORRUPT", "rerun with --force to discard and recreate the cache file")
    : state.kind === "newer" && state.version > options.steps.length
    ? {
      ...refused("CACHE_SCHEMA_UNSUPPORTED", "upgrade gum, or rerun with --force to discard it"),
      found: state.version,
      supported: options.steps.length,
    }
    : undefined;
  if (refusal !== undefined && !options.force) return refusal;
  if (refusal !== undefined) await discardFile(directory);
  const Database = await loadSqlite();
  using database = new Database(await ensureCacheFile(directory));
  database.exec(`PRAGMA busy_timeout = ${BUSY_TIMEOUT_MS}`);
  const before = schemaVersion(database);
  if (before === 0) database.exec("PRAGMA auto_vacuum = INCREMENTAL");
  database.exec("PRAGMA journal_mode = WAL");
  if (before < options.steps.length) bringUpToDate(database, options.steps);
  const kept = database.prepare("SELECT count(*) AS n FROM entry").get();
  return {
    ok: true,
    profile_dir: directory,
    file_existed: existed,
    schema_version_before: existed && refusal === undefined ? before : null,
    schema_version_after: schemaVersion(database),
    entries_kept: Number(kept?.n),
    recreated: refusal !== undefined,
  };
}

function refused(error: string, hint: string): MigrationReport {
  return { ok: false, error, hint };
}

async function discardFile(directory: string): Promise<void> {
  for (const suffix of ["", "-wal", "-shm"]) {
    await Deno.remove(`${directory}/${CACHE_FILE}${suffix}`).catch((error) => {
      if (!(error instanceof Deno.errors.NotFound)) throw error;
    });
  }
}

/** Names of cache files of other programs that lie in the directory and are never opened. */
export async function unusedLeftovers(directory: string): Promise<string[]> {
  const found: string[] = [];
  for (const name of ["http.db", "http.db.bak"]) {
    if (await fileSize(`${directory}/${name}`) !== undefined) found.push(name);
  }
  return found;
}

/** True when there is a file to work on; refuses one this build cannot read. */
async function isUsable(directory: string): Promise<boolean> {
  const state = await inspectCacheFile(directory);
  const path = `${directory}/${CACHE_FILE}`;
  switch (state.kind) {
    case "absent":
      return false;
    case "newer":
      throw new GumError("CACHE_SCHEMA_UNSUPPORTED", {
        message: `the cache file has schema ${state.version}`,
        details: { path, found: state.version, supported: SCHEMA_STEPS.length },
      });
    case "corrupt":
    case "unusable":
      throw new GumError("CACHE_CORRUPT", {
        message: state.reason,
        details: { path, hint: "rerun gum cache migrate --force" },
      });
    default:
      return true;
  }
}

async function withRows<T>(
  directory: string,
  work: (rows: ReturnType<typeof cacheRows>) => T,
): Promise<T> {
  const rows = cacheRows(await openCacheFile(directory, { busyTimeoutMs: BUSY_TIMEOUT_MS }));
  try {
    return work(rows);
  } finally {
    rows.close();
  }
}

async function stored<T>(
  directory: string,
  work: (database: DatabaseSync) => T,
  busyTimeoutMs = BUSY_TIMEOUT_MS,
): Promise<T> {
  try {
    using database = await openCacheFile(directory, { busyTimeoutMs });
    return work(database);
  } catch (error) {
    throw storeFailed(error);
  }
}

function storeFailed(error: unknown): GumError {
  return new GumError("CACHE_STORE_FAILED", {
    message: error instanceof Error ? error.message : String(error),
    userMessage: "The response cache could not be changed.",
    suggestion: "Another gum may hold the file; try again.",
    details: { sqlite_code: sqliteFault(error) },
    cause: error,
  });
}

async function fileSize(path: string): Promise<number | undefined> {
  try {
    return (await Deno.stat(path)).size;
  } catch (error) {
    if (isAbsent(error)) return undefined;
    throw error;
  }
}
