/** Buckets in a small database, shared by the processes of a profile and kept over restarts. */

import { rollBack } from "../sqlite/mod.ts";
import type { Bucket, BucketStore } from "./limiter.ts";

const BUSY_WAIT_MS = 250;

/**
 * Opens (or creates, 0600) the database. SQLite is loaded here and not at start-up.
 *
 * @param path `<cache>/gum/<profile>/rate_limit.db`; its directory must exist.
 */
export async function openBucketDatabase(path: string): Promise<BucketStore> {
  const { DatabaseSync } = await import("node:sqlite");
  // Created here so that its mode is private from the first byte.
  (await Deno.open(path, { write: true, create: true, mode: 0o600 })).close();
  const database = new DatabaseSync(path);
  try {
    database.exec(`PRAGMA busy_timeout = ${BUSY_WAIT_MS}`);
    database.exec("PRAGMA journal_mode = WAL");
    database.exec("PRAGMA synchronous = OFF");
    database.exec(
      `CREATE TABLE IF NOT EXISTS bucket (
        family TEXT PRIMARY KEY, tokens REAL NOT NULL,
        updated_at INTEGER NOT NULL, frozen_until INTEGER NOT NULL) STRICT`,
    );
  } catch (error) {
    database.close();
    throw error;
  }
  const select = database.prepare(
    "SELECT tokens, updated_at, frozen_until FROM bucket WHERE family = ?",
  );
  const replace = database.prepare("INSERT OR REPLACE INTO bucket VALUES (?, ?, ?, ?)");
  return {
    update(family, change) {
      database.exec("BEGIN IMMEDIATE");
      try {
        const { bucket, result } = change(bucketOf(select.get(family)));
        replace.run(
          family,
          bucket.tokens,
          Math.round(bucket.updatedAt),
          Math.round(bucket.frozenUntil),
        );
        database.exec("COMMIT");
        return result;
      } catch (error) {
        rollBack(database);
        throw error;
      }
    },
    close: () => database.close(),
  };
}

function bucketOf(row: Record<string, unknown> | undefined): Bucket | undefined {
  if (row === undefined) return undefined;
  return {
    tokens: Number(row.tokens),
    updatedAt: Number(row.updated_at),
    frozenUntil: Number(row.frozen_until),
  };
}
