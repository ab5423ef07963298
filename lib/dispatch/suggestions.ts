/** Near misses of an operation id (spec 02 §3.2). Pure. */

const MOST = 3;

/** Up to three ids within max(2, half the query) edits, nearest first, ties by id. */
export function nearestIds(query: string, ids: Iterable<string>): string[] {
  const wanted = query.toLowerCase();
  const limit = Math.max(2, Math.floor(wanted.length / 2));
  const near: { id: string; distance: number }[] = [];
  for (const id of ids) {
    if (Math.abs(id.length - wanted.length) > limit) continue;
    const distance = editDistance(wanted, id.toLowerCase());
    if (distance <= limit) near.push({ id, distance });
  }
  near.sort((a, b) => a.distance - b.distance || (a.id < b.id ? -1 : 1));
  return near.slice(0, MOST).map(({ id }) => id);
}

/** Levenshtein distance, two rows at a time. */
function editDistance(left: string, right: string): number {
  let previous = Array.from({ length: right.length + 1 }, (_, column) => column);
  for (let row = 1; row <= left.length; row++) {
    const current = [row];
    for (let column = 1; column <= right.length; column++) {
      const change = left[row - 1] === right[column - 1] ? 0 : 1;
      current.push(Math.min(
        (previous[column] ?? 0) + 1,
        (current[column - 1] ?? 0) + 1,
        (previous[column - 1] ?? 0) + change,
      ));
    }
    previous = current;
  }
  return previous[right.length] ?? 0;
}
