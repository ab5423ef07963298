/** The cache file's tables and their versions (spec 07 §3.5). */

import type { DatabaseSync } from "node:sqlite";
import { rollBack } from "../sqlite/mod.ts";

/** Brings the tables from one version to the next. */
export type SchemaStep = (database: DatabaseSync) => void;

/**
 * Step `n` makes version `n + 1` out of version `n`. A key is the hash of everything an answer
 * depends on, its mask included, so one row serves freshness and revalidation alike.
 */
export const SCHEMA_STEPS: readonly SchemaStep[] = [
  (database) =>
    database.exec(`
      CREATE TABLE entry (
        key TEXT PRIMARY KEY,
        op_id TEXT NOT NULL, variant_id TEXT NOT NULL, service TEXT NOT NULL, auth_fp TEXT NOT NULL,
        etag TEXT, size_bytes INTEGER NOT NULL,
        inserted_ms INTEGER NOT NULL, fresh_until_ms INTEGER NOT NULL,
        retain_until_ms INTEGER NOT NULL,
        last_access_ms INTEGER NOT NULL, hits INTEGER NOT NULL DEFAULT 0,
        body BLOB NOT NULL  -- last: a scan over the columns before it reads no body
      ) STRICT;
      CREATE INDEX entry_lru    ON entry(last_access_ms);
      CREATE INDEX entry_retain ON entry(retain_until_ms);
      CREATE INDEX entry_scope  ON entry(service, auth_fp);
      CREATE TABLE counter (name TEXT PRIMARY KEY, value INTEGER NOT NULL) STRICT;
      INSERT INTO counter VALUES ('bytes', 0), ('semantic_hits', 0), ('semantic_misses', 0),
        ('evictions', 0), ('http_hits', 0), ('http_misses', 0);
    `),
];

/** Version that this build reads and writes. */
export const SCHEMA_VERSION = SCHEMA_STEPS.length;

/** The version a file says it has; 0 for an empty file. */
export function schemaVersion(database: DatabaseSync): number {
  return Number(database.prepare("PRAGMA user_version").get()?.user_version ?? 0);
}

/**
 * Runs the missing steps and stamps the version, all in one transaction: another connection sees
 * the file before or after, never between.
 */
export function bringUpToDate(
  database: DatabaseSync,
  steps: readonly SchemaStep[] = SCHEMA_STEPS,
): void {
  database.exec("BEGIN IMMEDIATE");
  try {
    // Read again inside: another process may have been faster.
    for (const step of steps.slice(schemaVersion(database))) step(database);
    database.exec(`PRAGMA user_version = ${steps.length}`);
    database.exec("COMMIT");
  } catch (error) {
    rollBack(database);
    throw error;
  }
}
