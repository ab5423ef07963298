/** The SQLite tier: rows of the cache file (spec 07 §3.5, §3.5.1). */

import type { DatabaseSync } from "node:sqlite";
import type { CacheEntry } from "./entry.ts";
import { createRowFacts } from "./row_facts.ts";
import { lowestScores } from "./vaac.ts";
import { rollBack } from "../sqlite/mod.ts";
import type { TtlPolicy } from "./ttl.ts";

/** Counters of the file, added to and never set. */
export type CounterName =
  | "semantic_hits"
  | "semantic_misses"
  | "evictions"
  | "http_hits"
  | "http_misses";

/** Bounds of the file and what the score of a row needs to know. */
export interface RowLimits {
  maxBytes: number;
  maxEntries: number;
  ttl: TtlPolicy;
}

/** Use of a row since the last flush. */
export interface RowUse {
  lastAccess: number;
  hits: number;
}

/** Over the byte cap, rows leave until this share of it is used, so that not every put evicts. */
const LOW_WATER = 0.9;

/** Statements over an open cache file. Every change is one transaction; a failed one leaves nothing. */
export interface CacheRows {
  /** Changes when another connection has committed something. */
  dataVersion(): number;
  find(key: string): CacheEntry | undefined;
  /** Inserts or replaces, then evicts down to the caps; returns how many rows left. */
  put(key: string, put: { entry: CacheEntry; now: number; limits: RowLimits }): number;
  renew(key: string, until: { freshUntil: number; retainUntil: number; now: number }): void;
  delete(key: string): void;
  deleteScope(scope: { service: string; fingerprint: string }): void;
  /** Removes rows that are neither fresh nor good for revalidation; returns their keys. */
  deleteExpired(now: number): string[];
  /** Writes uses and counters. */
  flush(
    deltas: { uses: ReadonlyMap<string, RowUse>; counters: ReadonlyMap<CounterName, number> },
  ): void;
  counters(): Record<string, number>;
  measure(now: number): { entries: number; bytes: number; tagged: number; taggedBytes: number };
  close(): void;
}

/** Prepares the statements. */
export function cacheRows(database: DatabaseSync): CacheRows {
  const statement = (sql: string) => database.prepare(sql);
  const version = statement("PRAGMA data_version");
  const find = statement("SELECT * FROM entry WHERE key = ?");
  const sizeOf = statement("SELECT size_bytes FROM entry WHERE key = ?");
  const upsert = statement(`
    INSERT INTO entry (key, op_id, variant_id, service, auth_fp, etag, body, size_bytes,
                       inserted_ms, fresh_until_ms, retain_until_ms, last_access_ms)
    VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)
    ON CONFLICT (key) DO UPDATE SET
      op_id = excluded.op_id, variant_id = excluded.variant_id, service = excluded.service,
      auth_fp = excluded.auth_fp, etag = excluded.etag, body = excluded.body,
      size_bytes = excluded.size_bytes, fresh_until_ms = excluded.fresh_until_ms,
      retain_until_ms = excluded.retain_until_ms, last_access_ms = excluded.last_access_ms`);
  const count = statement("SELECT count(*) AS n FROM entry");
  const add = statement("UPDATE counter SET value = value + ? WHERE name = ?");
  const bytes = statement("SELECT value FROM counter WHERE name = 'bytes'");
  const remove = statement("DELETE FROM entry WHERE key = ? RETURNING key, size_bytes");
  const removeScope = statement(
    "DELETE FROM entry WHERE service = ? AND auth_fp = ? RETURNING key, size_bytes",
  );
  const removeExpired = statement(`
    DELETE FROM entry WHERE fresh_until_ms <> 0 AND fresh_until_ms <= ?1
      AND (etag IS NULL OR retain_until_ms <= ?1) RETURNING key, size_bytes`);
  const renew = statement(
    "UPDATE entry SET fresh_until_ms = ?, retain_until_ms = ?, last_access_ms = ? WHERE key = ?",
  );
  const use = statement(
    "UPDATE entry SET last_access_ms = max(last_access_ms, ?), hits = hits + ? WHERE key = ?",
  );
  const oldest = statement("SELECT key, size_bytes FROM entry ORDER BY last_access_ms, key");
  const scored = statement(
    "SELECT key, op_id, hits, size_bytes, inserted_ms, last_access_ms FROM entry",
  );
  const fresh = statement(`
    SELECT count(*) AS entries, coalesce(sum(size_bytes), 0) AS bytes FROM entry
    WHERE fresh_until_ms = 0 OR fresh_until_ms > ?`);
  const tagged = statement(`
    SELECT count(*) AS entries, coalesce(sum(size_bytes), 0) AS bytes FROM entry
    WHERE etag IS NOT NULL AND retain_until_ms > ?`);

  const dataVersion = () => Number(version.get()?.data_version);
  const facts = createRowFacts(() =>
    scored.all().map((row) => ({
      key: String(row.key),
      opId: String(row.op_id),
      hits: Number(row.hits),
      sizeBytes: Number(row.size_bytes),
      insertedMs: Number(row.inserted_ms),
      lastAccessMs: Number(row.last_access_ms),
    }))
  );
  const transaction = <T>(work: () => T): T => {
    database.exec("BEGIN IMMEDIATE");
    try {
      const result = work();
      database.exec("COMMIT");
      return result;
    } catch (error) {
      facts.forget();
      rollBack(database);
      throw error;
    }
  };
  const total = (rows: Record<string, unknown>[]) =>
    rows.reduce((sum, row) => sum + Number(row.size_bytes), 0);
  const removed = (rows: Record<string, unknown>[]) => {
    if (rows.length === 0) return;
    add.run(-total(rows), "bytes");
    facts.removed(rows.map((row) => String(row.key)));
  };
  const evictByScore = (now: number, limits: RowLimits): number => {
    const over = Number(count.get()?.n) - limits.maxEntries;
    if (over <= 0) return 0;
    const rows = facts.all(dataVersion());
    const leaving = lowestScores(rows, { now, count: over, ttl: limits.ttl });
    for (const key of leaving) removed(remove.all(key));
    return leaving.length;
  };
  const evictBySize = (limits: RowLimits): number => {
    let used = Number(bytes.get()?.value);
    if (used <= limits.maxBytes) return 0;
    const leaving: string[] = [];
    for (const row of oldest.iterate()) {
      if (used <= limits.maxBytes * LOW_WATER) break;
      leaving.push(String(row.key));
      used -= Number(row.size_bytes);
    }
    for (const key of leaving) removed(remove.all(key));
    return leaving.length;
  };

  return {
    dataVersion,
    find(key) {
      const row = find.get(key);
      return row === undefined ? undefined : entryOf(row);
    },
    put(key, { entry, now, limits }) {
      return transaction(() => {
        const before = Number(sizeOf.get(key)?.size_bytes ?? 0);
        upsert.run(
          key,
          entry.opId,
          entry.variantId,
          entry.service,
          entry.fingerprint,
          entry.etag ?? null,
          entry.body,
          entry.body.length,
          now,
          entry.freshUntil,
          entry.retainUntil,
          now,
        );
        add.run(entry.body.length - before, "bytes");
        facts.stored({
          key,
          opId: entry.opId,
          hits: 0,
          sizeBytes: entry.body.length,
          insertedMs: now,
          lastAccessMs: now,
        });
        const evicted = evictByScore(now, limits) + evictBySize(limits);
        if (evicted > 0) add.run(evicted, "evictions");
        return evicted;
      });
    },
    renew(key, { freshUntil, retainUntil, now }) {
      renew.run(freshUntil, retainUntil, now, key);
      facts.used(key, { lastAccess: now, hits: 0 });
    },
    delete(key) {
      transaction(() => removed(remove.all(key)));
    },
    deleteScope({ service, fingerprint }) {
      transaction(() => removed(removeScope.all(service, fingerprint)));
    },
    deleteExpired(now) {
      return transaction(() => {
        const rows = removeExpired.all(now);
        removed(rows);
        return rows.map((row) => String(row.key));
      });
    },
    flush({ uses, counters }) {
      if (uses.size === 0 && counters.size === 0) return;
      transaction(() => {
        for (const [key, { lastAccess, hits }] of uses) {
          use.run(lastAccess, hits, key);
          facts.used(key, { lastAccess, hits });
        }
        for (const [name, delta] of counters) add.run(delta, name);
      });
    },
    counters() {
      const rows = database.prepare("SELECT name, value FROM counter").all();
      return Object.fromEntries(rows.map((row) => [String(row.name), Number(row.value)]));
    },
    measure(now) {
      const [plain, withTag] = [fresh.get(now), tagged.get(now)];
      return {
        entries: Number(plain?.entries),
        bytes: Number(plain?.bytes),
        tagged: Number(withTag?.entries),
        taggedBytes: Number(withTag?.bytes),
      };
    },
    close: () => database.close(),
  };
}

function entryOf(row: Record<string, unknown>): CacheEntry {
  return {
    body: row.body instanceof Uint8Array ? row.body : new Uint8Array(),
    etag: typeof row.etag === "string" ? row.etag : undefined,
    opId: String(row.op_id),
    variantId: String(row.variant_id),
    service: String(row.service),
    fingerprint: String(row.auth_fp),
    freshUntil: Number(row.fresh_until_ms),
    retainUntil: Number(row.retain_until_ms),
  };
}
