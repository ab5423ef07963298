/** One kept answer, as both tiers hold it. */

/** A kept answer. */
export interface CacheEntry {
  body: Uint8Array;
  etag?: string;
  opId: string;
  variantId: string;
  service: string;
  fingerprint: string;
  /** Milliseconds since the epoch; 0 = never goes stale. */
  freshUntil: number;
  /** Until then a stale answer is still good for revalidation. */
  retainUntil: number;
}

/** True while the answer may be served without asking. */
export function isFresh(entry: Pick<CacheEntry, "freshUntil">, now: number): boolean {
  return entry.freshUntil === 0 || now < entry.freshUntil;
}

/** True while the answer is worth keeping: fresh, or good for revalidation. */
export function isRetained(
  entry: Pick<CacheEntry, "freshUntil" | "retainUntil" | "etag">,
  now: number,
): boolean {
  return isFresh(entry, now) || (entry.etag !== undefined && now < entry.retainUntil);
}
