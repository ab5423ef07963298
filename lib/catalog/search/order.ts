/** The one order of index tables, and looking a term up in it. */

/** Compares strings by UTF-16 code unit, never by locale. */
export function byCodeUnit(left: string, right: string): number {
  return left < right ? -1 : left > right ? 1 : 0;
}

/** Position of a term in a list sorted by {@link byCodeUnit}, -1 when absent. */
export function findTerm(terms: readonly string[], term: string): number {
  let low = 0;
  let high = terms.length - 1;
  while (low <= high) {
    const middle = (low + high) >> 1;
    const candidate = terms[middle] ?? "";
    if (candidate === term) return middle;
    if (candidate < term) low = middle + 1;
    else high = middle - 1;
  }
  return -1;
}
