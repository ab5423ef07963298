/** Counting uses and events until they are written down (spec 07 §3.7). */

import type { CounterName, RowUse } from "./rows.ts";

/** Events between two writes of the counters. */
const FLUSH_EVERY = 64;

/** Counts since the last flush, and since the start. */
export interface Tally {
  count(name: CounterName, by?: number): void;
  used(key: string, at: number): void;
  /** True when enough has gathered to be written. */
  due(): boolean;
  pending(): { uses: Map<string, RowUse>; counters: Map<CounterName, number> };
  /** Forgets what is pending: it has been written. */
  settle(): void;
  /** Everything counted in this process. */
  totals(): Record<CounterName, number>;
}

/** Makes an empty tally. */
export function createTally(): Tally {
  const uses = new Map<string, RowUse>();
  const counters = new Map<CounterName, number>();
  const totals: Record<CounterName, number> = {
    semantic_hits: 0,
    semantic_misses: 0,
    evictions: 0,
    http_hits: 0,
    http_misses: 0,
  };
  let events = 0;
  return {
    count(name, by = 1) {
      totals[name] += by;
      counters.set(name, (counters.get(name) ?? 0) + by);
      events++;
    },
    used(key, at) {
      uses.set(key, { lastAccess: at, hits: (uses.get(key)?.hits ?? 0) + 1 });
    },
    due: () => events >= FLUSH_EVERY,
    pending: () => ({ uses, counters }),
    settle() {
      uses.clear();
      counters.clear();
      events = 0;
    },
    totals: () => ({ ...totals }),
  };
}
