/**
 * What was probably meant: the known words closest to a mistyped one. Pure, without imports, so
 * that every surface and the kernel suggest alike.
 *
 * @module
 */

/** How far and how many. */
export interface NearestOptions {
  /** Most edits between the words; default max(2, half the length of the typed word). */
  within?: number;
  /** Most suggestions; default 3. */
  most?: number;
}

/**
 * Candidates within the allowed number of edits, letter case ignored: nearest first, ties by code
 * unit. A candidate that would have to be replaced whole is not near.
 */
export function nearestWords(
  typed: string,
  candidates: Iterable<string>,
  options: NearestOptions = {},
): string[] {
  const wanted = typed.toLowerCase();
  const limit = options.within ?? Math.max(2, Math.floor(typed.length / 2));
  const near: { candidate: string; distance: number }[] = [];
  for (const candidate of candidates) {
    const distance = editDistance(wanted, candidate.toLowerCase(), { limit });
    if (distance <= limit && distance < candidate.length) near.push({ candidate, distance });
  }
  return near
    .sort((a, b) => a.distance - b.distance || (a.candidate < b.candidate ? -1 : 1))
    .slice(0, options.most ?? 3)
    .map(({ candidate }) => candidate);
}

/** Levenshtein distance over UTF-16 units; anything above `limit` is `limit + 1`. */
export function editDistance(
  from: string,
  to: string,
  { limit = Infinity }: { limit?: number } = {},
): number {
  if (Math.abs(from.length - to.length) > limit) return limit + 1;
  let previous = Array.from({ length: to.length + 1 }, (_, column) => column);
  for (let row = 1; row <= from.length; row++) {
    const current = [row];
    let best = row;
    for (let column = 1; column <= to.length; column++) {
      const replaced = (previous[column - 1] ?? 0) + (from[row - 1] === to[column - 1] ? 0 : 1);
      const others = 1 + Math.min(previous[column] ?? 0, current[column - 1] ?? 0);
      const cost = Math.min(replaced, others);
      current.push(cost);
      if (cost < best) best = cost;
    }
    if (best > limit) return limit + 1;
    previous = current;
  }
  return Math.min(previous[to.length] ?? 0, limit + 1);
}

/** `; did you mean "json"?`, or nothing without a word to offer. */
export function didYouMean(near: string | undefined): string {
  return near === undefined ? "" : `; did you mean ${JSON.stringify(near)}?`;
}
