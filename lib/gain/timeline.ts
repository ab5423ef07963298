/** The rows of a report added up over time and by how the cache answered, for its charts. */

import { createGroupTable } from "./groups.ts";
import { CACHE_STATUSES, type ScannedRow } from "./line_scanner.ts";

const HOUR_MS = 3_600_000;

/** Calls of one hour. */
export interface HourGain {
  /** Milliseconds since the epoch. */
  begins: number;
  calls: number;
  baseline: number;
  actual: number;
}

/** What {@link createTimeline} gathered. */
export interface GainTimeline {
  /** Hours with calls, oldest first; calls without a time are in none. */
  hours: readonly HourGain[];
  /** Calls by cache status, those with none left out. */
  cacheStatuses: readonly { status: string; calls: number }[];
}

/** Gathers rows in any order. */
export function createTimeline(): { add(row: ScannedRow): void; done(): GainTimeline } {
  const hours = createGroupTable();
  const statuses = CACHE_STATUSES.map(() => 0);
  return {
    add(row) {
      statuses[row.cacheStatus] = (statuses[row.cacheStatus] ?? 0) + 1;
      if (Number.isNaN(row.time)) return;
      hours.add(row, { first: Math.floor(row.time / HOUR_MS), second: 0, position: 0 });
    },
    done: () => ({
      hours: Array.from({ length: hours.size() }, (_, id) => ({
        begins: hours.first(id) * HOUR_MS,
        calls: hours.calls(id),
        baseline: hours.baseline(id),
        actual: hours.actual(id),
      })).sort((left, right) => left.begins - right.begins),
      cacheStatuses: CACHE_STATUSES
        .map((status, index) => ({ status, calls: statuses[index] ?? 0 }))
        .filter(({ calls }) => calls > 0),
    }),
  };
}
