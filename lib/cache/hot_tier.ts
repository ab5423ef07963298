/** The answers of this process, least recently used out first (spec 07 §3.4). */

import { type CacheEntry, isFresh } from "./entry.ts";

const MAX_ENTRIES = 256;
const MAX_BYTES = 32 * 1024 * 1024;

/** Bounds of the tier. */
export interface HotTierLimits {
  /** Default 256. */
  entries?: number;
  /** Default 32 MiB. */
  bytes?: number;
}

/** A bounded map from key to answer. */
export interface HotTier {
  get(key: string): CacheEntry | undefined;
  /** Returns how many entries had to leave for it. */
  set(key: string, entry: CacheEntry): number;
  delete(key: string): void;
  deleteWhere(matches: (entry: CacheEntry) => boolean): void;
  clear(): void;
  /** Fresh entries and their bytes, and those with an ETag. */
  measure(now: number): { entries: number; bytes: number; tagged: number; taggedBytes: number };
}

/** Makes an empty tier. A `Map` keeps insertion order, so re-inserting on use makes it an LRU. */
export function createHotTier(limits: HotTierLimits = {}): HotTier {
  const { entries: maxEntries = MAX_ENTRIES, bytes: maxBytes = MAX_BYTES } = limits;
  const kept = new Map<string, CacheEntry>();
  let bytes = 0;
  const drop = (key: string) => {
    const entry = kept.get(key);
    if (entry === undefined) return;
    bytes -= entry.body.length;
    kept.delete(key);
  };
  return {
    get(key) {
      const entry = kept.get(key);
      if (entry === undefined) return undefined;
      kept.delete(key);
      kept.set(key, entry);
      return entry;
    },
    set(key, entry) {
      drop(key);
      if (entry.body.length > maxBytes) return 0;
      kept.set(key, entry);
      bytes += entry.body.length;
      let left = 0;
      for (const oldest of kept.keys()) {
        if (kept.size <= maxEntries && bytes <= maxBytes) break;
        drop(oldest);
        left++;
      }
      return left;
    },
    delete: drop,
    deleteWhere(matches) {
      for (const [key, entry] of kept) if (matches(entry)) drop(key);
    },
    clear() {
      kept.clear();
      bytes = 0;
    },
    measure(now) {
      const sum = { entries: 0, bytes: 0, tagged: 0, taggedBytes: 0 };
      for (const entry of kept.values()) {
        if (isFresh(entry, now)) {
          sum.entries++;
          sum.bytes += entry.body.length;
        }
        if (entry.etag !== undefined && now < entry.retainUntil) {
          sum.tagged++;
          sum.taggedBytes += entry.body.length;
        }
      }
      return sum;
    },
  };
}
