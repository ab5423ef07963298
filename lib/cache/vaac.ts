/** Which rows leave when there are too many (spec 07 §3.5.1). */

import type { TtlPolicy } from "./ttl.ts";

/** What the score of a row is made of. */
export interface ScoredRow {
  key: string;
  opId: string;
  hits: number;
  sizeBytes: number;
  insertedMs: number;
  lastAccessMs: number;
}

/** Time now, and how long answers of an operation live; 0 = age does not count against them. */
export interface Scoring {
  now: number;
  ttl: TtlPolicy;
}

/** Worth of a row: much used and dear to fetch again, against idle and old for its lifetime. */
export function vaacScore(row: ScoredRow, { now, ttl }: Scoring): number {
  const idle = Math.max(0, now - row.lastAccessMs) / 1000;
  const ttlMs = ttl(row.opId);
  const aging = ttlMs > 0 ? 1 + Math.max(0, now - row.insertedMs) / ttlMs : 1;
  const score = ((row.hits + 1) * (row.sizeBytes + 1)) / ((idle + 1) * aging);
  return Number.isFinite(score) ? score : 0;
}

/** Keys of the `count` least worthy rows; of equals the longer unused, then the lower key. */
export function lowestScores(
  rows: Iterable<ScoredRow>,
  options: Scoring & { count: number },
): string[] {
  const scored = (row: ScoredRow) => ({ row, score: vaacScore(row, options) });
  if (options.count === 1) {
    // The everyday case: one row comes, one leaves.
    let lowest: { row: ScoredRow; score: number } | undefined;
    for (const row of rows) {
      const candidate = scored(row);
      if (lowest === undefined || byWorth(candidate, lowest) < 0) lowest = candidate;
    }
    return lowest === undefined ? [] : [lowest.row.key];
  }
  return Array.from(rows, scored).sort(byWorth).slice(0, options.count).map(({ row }) => row.key);
}

function byWorth(
  left: { row: ScoredRow; score: number },
  right: { row: ScoredRow; score: number },
): number {
  return left.score - right.score || left.row.lastAccessMs - right.row.lastAccessMs ||
    (left.row.key < right.row.key ? -1 : 1);
}
