/** Two corpora, one list (spec 04 §10 "Search"). */

import type { SearchHit } from "../types.ts";
import type { RankedHit } from "./rank.ts";

/** What being curated is worth, in shares of the query. */
const CURATED_BONUS = 0.3;
/** Share of a row's score from which a lower row counts as close to it. */
const CLOSE = 0.4;

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
  // The order within a tier is its own ranking's: a row is worth what a close row below it is, and
  // never less than what it would fall behind for.
  const lifted = curated.map(({ hit }, at) => {
    let level = levels[at] ?? 0;
    for (let below = at + 1; below < curated.length; below++) {
      if ((curated[below]?.hit.score ?? 0) < CLOSE * hit.score) break;
      level = Math.max(level, levels[below] ?? 0);
    }
    return level;
  });
  for (let at = 1; at < lifted.length; at++) {
    lifted[at] = Math.min(lifted[at] ?? 0, lifted[at - 1] ?? 0);
  }
  const known = new Set(curated.map(({ hit }) => hit.op_id));
  const rows = [
    ...curated.map(({ hit }, at) => ({
      hit: { ...hit, tier: "curated" as const },
      level: lifted[at] ?? 0,
      tier: 1,
      at,
    })),
    // An operation that was curated after the pack was built is in both.
    ...longTail.filter(({ hit }) => !known.has(hit.op_id)).map(({ hit, coverage }, at) => ({
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
