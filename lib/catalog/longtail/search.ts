/** Ranking over the long tail's columns, with the formulas of the curated tier. */

import { coverage, readQuery, synonymsByStem } from "../search/query.ts";
import { findTerm } from "../search/order.ts";
import { type RankedHit, rowLimit } from "../search/rank.ts";
import { type ByteCursor, readByte, readVarint } from "../search/postings.ts";
import { askedPrior, browsePrior } from "../search/verbs.ts";
import { WEIGHT_SCALE } from "../search/types.ts";
import {
  type ColumnIndex,
  isReadRow,
  openColumns,
  rowFacts,
  rowOpId,
  rowSegments,
  rowSummary,
  rowVerb,
} from "./index_file.ts";
import type { LongTailExposure, PackSource } from "./types.ts";

/** A ranked search over a pack. */
export interface LongTailSearch {
  /** Operations that can be found. */
  readonly size: number;
  /** Best hits with their coverage. */
  ranked(query: string, topK?: number): RankedHit[];
}

/** Options of {@link openLongTailSearch}. */
export interface LongTailSearchOptions {
  exposure: Exclude<LongTailExposure, "off">;
  /** Query-side synonyms by stem. */
  synonyms: ReadonlyMap<string, readonly string[]>;
}

/** Reads a pack's index. @throws GumError `BM25_INDEX_CORRUPT` */
export async function openLongTailSearch(
  source: PackSource,
  options: LongTailSearchOptions,
): Promise<LongTailSearch> {
  return createLongTailSearch(await openColumns(source), options);
}

/** A search over columns. */
export function createLongTailSearch(
  index: ColumnIndex,
  options: LongTailSearchOptions,
): LongTailSearch {
  const { n } = index.params;
  const scores = new Float64Array(n);
  const own = new Uint32Array(n);
  const synonym = new Uint32Array(n);
  const synonyms = new Map(options.synonyms);
  for (const [word, others] of synonymsByStem(index.synonyms)) {
    synonyms.set(word, [...synonyms.get(word) ?? [], ...others]);
  }
  const onlyReads = options.exposure === "read";
  let size = n;
  if (onlyReads) { for (let row = 0; row < n; row++) if (!isReadRow(index, row)) size--; }

  return {
    size,
    ranked(text, topK = 10) {
      const query = readQuery(text, synonyms);
      const touched: number[] = [];
      for (const { term, weight, own: bit, synonymOf } of query.terms) {
        const at = findTerm(index.terms, term);
        if (at < 0) continue;
        addScores(index, { at, weight, bit, synonymOf, scores, own, synonym, touched });
      }
      const best = bestRows(touched, {
        limit: rowLimit(topK),
        rowOf(row) {
          if (onlyReads && !isReadRow(index, row)) return undefined;
          const prior = query.verbs.size === 0
            ? 1
            : askedPrior(rowFacts(index, row).verb, query.verbs);
          return {
            row,
            score: (scores[row] ?? 0) * prior,
            coverage: coverage({ own: own[row] ?? 0, synonym: synonym[row] ?? 0 }, query.counted),
            segments: rowSegments(index, row),
          };
        },
      });
      for (const row of touched) scores[row] = own[row] = synonym[row] = 0;
      if (query.verbs.size === 0) {
        // Reading the verb of every candidate would cost more than it can change.
        for (const hit of best) hit.score *= browsePrior(rowVerb(index, hit.row));
        best.sort(byRank);
      }
      return best.map(({ row, score, coverage }) => {
        const { riskClass, authStrategy } = rowFacts(index, row);
        return {
          coverage,
          hit: {
            op_id: rowOpId(index, row),
            score: Math.round(score * 1e9) / 1e9,
            summary: rowSummary(index, row),
            risk_class: riskClass,
            auth_strategy: authStrategy,
            tier: "long_tail",
          },
        };
      });
    },
  };
}

interface RankedRow {
  row: number;
  score: number;
  coverage: number;
  segments: number;
}

/** Coverage in quarters first, as the merge with the curated tier sees it. */
function byRank(left: RankedRow, right: RankedRow): number {
  return Math.round(right.coverage * 4) - Math.round(left.coverage * 4) ||
    right.score - left.score || left.segments - right.segments || left.row - right.row;
}

/** The first rows in rank order, without sorting all of them. */
function bestRows(
  touched: readonly number[],
  choice: { limit: number; rowOf: (row: number) => RankedRow | undefined },
): RankedRow[] {
  const best: RankedRow[] = [];
  for (const row of touched) {
    const candidate = choice.rowOf(row);
    if (candidate === undefined) continue;
    const last = best.at(-1);
    if (best.length >= choice.limit && last !== undefined && byRank(candidate, last) >= 0) continue;
    let low = 0;
    let high = best.length;
    while (low < high) {
      const middle = (low + high) >> 1;
      const other = best[middle];
      if (other !== undefined && byRank(candidate, other) < 0) high = middle;
      else low = middle + 1;
    }
    best.splice(low, 0, candidate);
    if (best.length > choice.limit) best.pop();
  }
  return best;
}

function addScores(
  index: ColumnIndex,
  term: {
    at: number;
    weight: number;
    bit: number;
    synonymOf: number;
    scores: Float64Array;
    own: Uint32Array;
    synonym: Uint32Array;
    touched: number[];
  },
): void {
  const { scores, own, synonym, touched } = term;
  const { k1, n } = index.params;
  const cursor: ByteCursor = { bytes: index.postings, at: index.offsets[term.at] ?? 0 };
  const df = readVarint(cursor);
  const rarity = Math.log((n - df + 0.5) / (df + 0.5) + 1);
  for (let left = df, row = -1; left > 0; left--) {
    row += readVarint(cursor) + 1;
    const frequency = readByte(cursor) / WEIGHT_SCALE;
    const before = scores[row] ?? 0;
    if (before === 0) touched.push(row);
    scores[row] = before + term.weight * rarity * frequency * (k1 + 1) / (k1 + frequency);
    own[row] = (own[row] ?? 0) | term.bit;
    synonym[row] = (synonym[row] ?? 0) | term.synonymOf;
  }
}
