/** What the scores of all rows are made of, kept beside the file (spec 07 §3.5.1). */

import type { ScoredRow } from "./vaac.ts";

/** Facts about every row, as long as nobody else changes the file. */
export interface RowFacts {
  /** All rows; read from the file the first time and after another connection has committed. */
  all(version: number): Iterable<ScoredRow>;
  stored(row: ScoredRow): void;
  used(key: string, use: { lastAccess: number; hits: number }): void;
  removed(keys: readonly string[]): void;
  /** What is known may be wrong: a transaction was rolled back. */
  forget(): void;
}

/**
 * Reading a thousand rows for each row that has to leave takes longer than everything else a put
 * does, so they are read once and then followed.
 */
export function createRowFacts(readAll: () => ScoredRow[]): RowFacts {
  let rows: Map<string, ScoredRow> | undefined;
  let seen = 0;
  return {
    all(version) {
      if (rows === undefined || version !== seen) {
        rows = new Map(readAll().map((row) => [row.key, row]));
        seen = version;
      }
      return rows.values();
    },
    stored(row) {
      const former = rows?.get(row.key);
      // As in the file, a replaced row keeps its age and its hits.
      if (former !== undefined) {
        Object.assign(row, { insertedMs: former.insertedMs, hits: former.hits });
      }
      rows?.set(row.key, row);
    },
    used(key, { lastAccess, hits }) {
      const row = rows?.get(key);
      if (row === undefined) return;
      row.lastAccessMs = Math.max(row.lastAccessMs, lastAccess);
      row.hits += hits;
    },
    removed(keys) {
      for (const key of keys) rows?.delete(key);
    },
    forget: () => void (rows = undefined),
  };
}
