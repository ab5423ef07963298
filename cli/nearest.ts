/** Spelling suggestions for commands and flags. */

/** The candidate at edit distance ≤ 2 that is closest to `word`; ties go to the earlier one. */
export function nearest(word: string, candidates: readonly string[]): string | undefined {
  let best: { candidate: string; distance: number } | undefined;
  for (const candidate of candidates) {
    const distance = editDistance(word.toLowerCase(), candidate.toLowerCase());
    if (distance <= 2 && distance < candidate.length && distance < (best?.distance ?? 3)) {
      best = { candidate, distance };
    }
  }
  return best?.candidate;
}

/** Levenshtein distance over UTF-16 units; long words are not compared at all. */
export function editDistance(a: string, b: string): number {
  if (Math.abs(a.length - b.length) > 2 || a.length > 128) return Infinity;
  let previous = Array.from({ length: b.length + 1 }, (_, column) => column);
  for (let row = 1; row <= a.length; row++) {
    const current = [row];
    for (let column = 1; column <= b.length; column++) {
      const substitution = (previous[column - 1] ?? 0) + (a[row - 1] === b[column - 1] ? 0 : 1);
      current.push(
        Math.min(substitution, (previous[column] ?? 0) + 1, (current[column - 1] ?? 0) + 1),
      );
    }
    previous = current;
  }
  return previous[b.length] ?? Infinity;
}
