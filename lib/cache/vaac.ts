/** Which rows leave when there are too many (spec 07 §3.5.1). */

/** What the score of a row is made of. */
export interface ScoredRow {
  key: string;
  hits: number;
  sizeBytes: number;
  insertedMs: number;
  lastAccessMs: number;
  /** 0 = no lifetime: age does not count against it. */
  ttlMs: number;
}

/** Worth of a row: much used and dear to fetch again, against idle and old for its lifetime. */
export function vaacScore(row: ScoredRow, now: number): number {
  const idle = Math.max(0, now - row.lastAccessMs) / 1000;
  const aging = row.ttlMs > 0 ? 1 + Math.max(0, now - row.insertedMs) / row.ttlMs : 1;
  const score = ((row.hits + 1) * (row.sizeBytes + 1)) / ((idle + 1) * aging);
  return Number.isFinite(score) ? score : 0;
}

/** Keys of the `count` least worthy rows; of equals the longer unused, then the lower key. */
export function lowestScores(
  rows: readonly ScoredRow[],
  options: { now: number; count: number },
): string[] {
  return rows
    .map((row) => ({ row, score: vaacScore(row, options.now) }))
    .sort((left, right) =>
      left.score - right.score || left.row.lastAccessMs - right.row.lastAccessMs ||
      (left.row.key < right.row.key ? -1 : 1)
    )
    .slice(0, options.count)
    .map(({ row }) => row.key);
}
