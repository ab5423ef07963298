/** One retry budget per process and service family (spec 02 §8.4). */

import type { Clock } from "../clock/mod.ts";

const CAPACITY = 10;
const REFILL_PER_SECOND = 0.2;

/** Says whether a family may retry once more. Eight workers in an outage share one budget. */
export interface RetryBudget {
  /** Takes one retry; false when the family has used up its share for now. */
  take(family: string): boolean;
}

/** A budget of ten retries a family that fills up again by one every five seconds. */
export function createRetryBudget(clock: Clock): RetryBudget {
  const families = new Map<string, { left: number; at: number }>();
  return {
    take(family) {
      const now = clock.now();
      const known = families.get(family) ?? { left: CAPACITY, at: now };
      const refilled = (now - known.at) / 1000 * REFILL_PER_SECOND;
      const left = Math.min(CAPACITY, known.left + Math.max(0, refilled));
      const granted = left >= 1;
      families.set(family, { left: granted ? left - 1 : left, at: now });
      return granted;
    },
  };
}
