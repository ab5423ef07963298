/** Numbers for a keyword: the same text always has the same ones. */

import type { JsonObject } from "../../json/mod.ts";
import type { SeededRandom } from "../service.ts";

const MONTHS = [
  "JANUARY",
  "FEBRUARY",
  "MARCH",
  "APRIL",
  "MAY",
  "JUNE",
  "JULY",
  "AUGUST",
  "SEPTEMBER",
  "OCTOBER",
  "NOVEMBER",
  "DECEMBER",
];

/** Search metrics of a keyword over the twelve months before `now`. */
export function keywordMetrics(
  text: string,
  world: { random: SeededRandom; now: number },
): JsonObject {
  const random = world.random.fork(text);
  const level = Math.round(10 ** (1 + random.next() * 4) / 10) * 10;
  const index = random.int(0, 100);
  const low = random.int(5, 400) * 10_000;
  return {
    avgMonthlySearches: String(level),
    competition: index < 34 ? "LOW" : index < 67 ? "MEDIUM" : "HIGH",
    competitionIndex: String(index),
    lowTopOfPageBidMicros: String(low),
    highTopOfPageBidMicros: String(low + random.int(10, 600) * 10_000),
    monthlySearchVolumes: lastMonths(world.now).map(({ month, year }) => ({
      month,
      year: String(year),
      monthlySearches: String(Math.max(10, Math.round(level * (0.6 + random.next() * 0.8)))),
    })),
  };
}

function lastMonths(now: number): { month: string; year: number }[] {
  const first = new Date(now);
  return Array.from({ length: 12 }, (_unused, back) => {
    const at = new Date(Date.UTC(first.getUTCFullYear(), first.getUTCMonth() - 12 + back, 1));
    return { month: MONTHS[at.getUTCMonth()] ?? "JANUARY", year: at.getUTCFullYear() };
  });
}

/** The text that Google would put on the row of a keyword: lower case, single blanks, no plural. */
function canonicalKeyword(keyword: string): string {
  return keyword.trim().toLowerCase().replace(/\s+/g, " ")
    .replace(/(\p{L}{3,}[^s])s\b/gu, "$1");
}

/** Rows of historical metrics: close variants share one, in the order of their first input. */
export function foldedRows(
  keywords: readonly string[],
  world: { random: SeededRandom; now: number },
): JsonObject[] {
  const rows = new Map<string, { text: string; others: Set<string> }>();
  for (const keyword of keywords) {
    const text = keyword.trim().toLowerCase().replace(/\s+/g, " ");
    const canonical = canonicalKeyword(keyword);
    const row = rows.get(canonical);
    if (row === undefined) rows.set(canonical, { text, others: new Set() });
    else if (row.text !== text) row.others.add(text);
  }
  return [...rows].map(([canonical, { text, others }]) => ({
    text,
    ...(others.size > 0 ? { closeVariants: [...others] } : {}),
    keywordMetrics: keywordMetrics(canonical, world),
  }));
}

const ENDINGS = [
  "near me",
  "online",
  "price",
  "cheap",
  "best",
  "reviews",
  "ideas",
  "for beginners",
  "for kids",
  "second hand",
  "rental",
  "shop",
  "delivery",
  "how to choose",
  "vs",
  "2026",
  "wholesale",
  "black friday",
  "repair",
  "accessories",
];
const OPENINGS = ["", "used ", "small ", "large ", "waterproof ", "vegan ", "organic ", "custom "];

/** How many ideas there are for any seed. */
const IDEAS = 243;

/** Ideas around the seeds, always the same ones in the same order. */
export function keywordIdeas(
  seeds: readonly string[],
  world: { random: SeededRandom; now: number },
): JsonObject[] {
  const texts = new Set<string>();
  for (let round = 0; texts.size < IDEAS; round++) {
    for (const seed of seeds) {
      const opening = OPENINGS[Math.floor(round / (ENDINGS.length + 1)) % OPENINGS.length] ?? "";
      const ending = ENDINGS[round % (ENDINGS.length + 1) - 1] ?? "";
      const series = Math.floor(round / ((ENDINGS.length + 1) * OPENINGS.length));
      texts.add(`${opening}${seed} ${ending}${series > 0 ? ` ${series + 1}` : ""}`.trim());
      if (texts.size === IDEAS) break;
    }
  }
  return [...texts].map((text) => ({
    text,
    keywordIdeaMetrics: keywordMetrics(text, world),
    keywordAnnotations: {},
  }));
}
