/** Two corpora, one list (spec 04 §10 "Search"). */

import type { SearchHit } from "../types.ts";
import type { RankedHit } from "./rank.ts";

/** What being curated is worth, in shares of the query. */
const CURATED_BONUS = 0.3;

/**
 * Curated and long-tail hits, best first: by the share of the query they explain, in quarters and
 * with a bonus for curated ones, then by tier, then by score. A long-tail row so rises above
 * curated ones only when it explains clearly more, as when it names its API.
 */
export function mergeTiers(
  curated: readonly RankedHit[],
  longTail: readonly RankedHit[],
): SearchHit[] {
  const levels = curated.map(({ coverage }) => Math.round((coverage + CURATED_BONUS) * 4));
  // Within a tier the order of its own ranking stays: a row is worth what any row below it is.
  for (let at = levels.length - 2; at >= 0; at--) {
    levels[at] = Math.max(levels[at] ?? 0, levels[at + 1] ?? 0);
  }
  const rows = [
    ...curated.map(({ hit }, at) => ({
      hit: { ...hit, tier: "curated" as const },
      level: levels[at] ?? 0,
      tier: 1,
      at,
    })),
    ...longTail.map(({ hit, coverage }, at) => ({
      hit: { ...hit, tier: "long_tail" as const },
      level: Math.round(coverage * 4),
      tier: 0,
      at,
    })),
  ];
  return rows
    .sort((a, b) => b.level - a.level || b.tier - a.tier || a.at - b.at)
    .map(({ hit }) => hit);
}
