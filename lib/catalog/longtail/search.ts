/** Ranking over the long tail's columns, with the formulas of the curated tier. */

import { coverage, readQuery, synonymsByStem } from "../search/query.ts";
import { type RankedHit, rowLimit } from "../search/rank.ts";
import { type ByteCursor, readByte, readVarint } from "../search/postings.ts";
import { askedPrior } from "../search/verbs.ts";
import { WEIGHT_SCALE } from "../search/types.ts";
import {
  type ColumnIndex,
  findPostings,
  firstRowFrom,
  isReadRow,
  openColumns,
  rowBrowsePrior,
  rowFacts,
  rowOf,
  rowSegments,
  rowText,
  rowVerbClass,
  VERB_CLASSES,
} from "./index_file.ts";
import type { SearchHit } from "../types.ts";
import type { LongTailExposure, PackSource } from "./types.ts";

/** A ranked search over a pack. */
export interface LongTailSearch {
  /** Operations that can be found. */
  readonly size: number;
  /** Best hits with their coverage. */
  ranked(query: string, topK?: number, within?: { service?: string }): RankedHit[];
  /** True when some operation answers a stemmed word. */
  knows(term: string): boolean;
  /** The operation of an id, and whether the exposure hides it. */
  named(opId: string): { hit: SearchHit; hidden: boolean } | undefined;
  /** The best hit among what the exposure hides; undefined where it hides nothing. */
  hiddenBest(query: string): RankedHit | undefined;
}

/** Options of {@link openLongTailSearch}. */
export interface LongTailSearchOptions {
  exposure: Exclude<LongTailExposure, "off">;
  /** Query-side synonyms by stem. */
  synonyms: ReadonlyMap<string, readonly string[]>;
}

/** Reads a pack's index. @throws GumError `BM25_INDEX_CORRUPT` */
export function openLongTailSearch(
  source: PackSource,
  options: LongTailSearchOptions,
): LongTailSearch {
  return createLongTailSearch(openColumns(source), options);
}

/** A search over columns. */
function createLongTailSearch(
  index: ColumnIndex,
  options: LongTailSearchOptions,
): LongTailSearch {
  const { n } = index.params;
  const scores = new Float64Array(n);
  const own = new Uint32Array(n);
  const synonym = new Uint32Array(n);
  // Kept between queries, like the columns above: a query that a third of the rows answer would
  // otherwise leave that much garbage.
  const touched: TouchedRows = { rows: new Uint32Array(n), count: 0 };
  const synonyms = new Map(options.synonyms);
  for (const [word, others] of synonymsByStem(index.synonyms)) {
    synonyms.set(word, [...synonyms.get(word) ?? [], ...others]);
  }
  const onlyReads = options.exposure === "read";

  // Whoever asks what is hidden has just searched for the same words.
  let hiddenOf: { query: string; best: RankedHit | undefined } | undefined;

  function ranked(
    text: string,
    topK = 10,
    { service }: { service?: string } = {},
  ): RankedHit[] {
    const query = readQuery(text, synonyms);
    touched.count = 0;
    for (const { term, weight, own: bit, synonymOf } of query.terms) {
      const at = findPostings(index, term);
      if (at < 0) continue;
      addScores(index, { at, weight, bit, synonymOf, scores, own, synonym, touched });
    }
    const asked = VERB_CLASSES.map((verb) => askedPrior(verb, query.verbs));
    const prior = query.verbs.size === 0
      ? (row: number) => rowBrowsePrior(index, row)
      : (row: number) => asked[rowVerbClass(index, row)] ?? 1;
    const answering = touched.rows.subarray(0, touched.count);
    const best = (limit: number, hidden: (row: number) => boolean) =>
      bestRows(answering, {
        limit,
        hidden,
        scoreOf: (row) => (scores[row] ?? 0) * prior(row),
        coverageOf: (row) =>
          coverage({ own: own[row] ?? 0, synonym: synonym[row] ?? 0 }, query.counted),
        segmentsOf: (row) => rowSegments(index, row),
      }).map((row) => shownRow(index, row));
    // Rows are in op-id order: those of a service are neighbours, and `/` is what follows a dot.
    const first = service === undefined ? 0 : firstRowFrom(index, `${service}.`);
    const end = service === undefined ? n : firstRowFrom(index, `${service}/`);
    const shown = best(
      rowLimit(topK),
      (row) => row < first || row >= end || (onlyReads && !isReadRow(index, row)),
    );
    if (onlyReads && service === undefined) {
      hiddenOf = {
        query: text,
        best: best(1, (row) => isReadRow(index, row))[0],
      };
    }
    for (const row of answering) scores[row] = own[row] = synonym[row] = 0;
    return shown;
  }

  return {
    size: onlyReads ? index.reads : n,
    ranked,
    knows: (term) => findPostings(index, term) >= 0,
    named(opId) {
      const row = rowOf(index, opId);
      if (row < 0) return undefined;
      const { hit } = shownRow(index, { row, score: 1, coverage: 1, segments: 0 });
      return { hit, hidden: onlyReads && !isReadRow(index, row) };
    },
    hiddenBest(query) {
      if (onlyReads && hiddenOf?.query !== query) ranked(query, 1);
      return hiddenOf?.best;
    },
  };
}

function shownRow(index: ColumnIndex, { row, score, coverage }: RankedRow): RankedHit {
  const { riskClass, authStrategy } = rowFacts(index, row);
  const { opId, summary } = rowText(index, row);
  return {
    coverage,
    hit: {
      op_id: opId,
      score: Math.round(score * 1e9) / 1e9,
      summary,
      risk_class: riskClass,
      auth_strategy: authStrategy,
      tier: "long_tail",
    },
  };
}

/** Rows that some term of the query names; the first `count` are valid. */
interface TouchedRows {
  rows: Uint32Array;
  count: number;
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
  touched: Uint32Array,
  choice: {
    limit: number;
    hidden: (row: number) => boolean;
    scoreOf: (row: number) => number;
    coverageOf: (row: number) => number;
    segmentsOf: (row: number) => number;
  },
): RankedRow[] {
  const best: RankedRow[] = [];
  // Thousands of rows share a common word; most are dropped before anything is made for them.
  let floor = -1;
  for (const row of touched) {
    const covered = choice.coverageOf(row);
    if (Math.round(covered * 4) < floor || choice.hidden(row)) continue;
    const last = best.at(-1);
    const score = choice.scoreOf(row);
    const full = best.length >= choice.limit;
    if (full && last !== undefined && Math.round(covered * 4) === floor && score < last.score) {
      continue;
    }
    const candidate = { row, score, coverage: covered, segments: choice.segmentsOf(row) };
    if (full && last !== undefined && byRank(candidate, last) >= 0) continue;
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
    if (best.length >= choice.limit) floor = Math.round((best.at(-1)?.coverage ?? 0) * 4);
  }
  return best;
}

function addScores(
  index: ColumnIndex,
  term: {
    /** Start of its postings. */
    at: number;
    weight: number;
    bit: number;
    synonymOf: number;
    scores: Float64Array;
    own: Uint32Array;
    synonym: Uint32Array;
    touched: TouchedRows;
  },
): void {
  const { scores, own, synonym, touched } = term;
  const { k1, n } = index.params;
  const cursor: ByteCursor = { bytes: index.postings, at: term.at };
  const df = readVarint(cursor);
  const rarity = Math.log((n - df + 0.5) / (df + 0.5) + 1);
  for (let left = df, row = -1; left > 0; left--) {
    row += readVarint(cursor) + 1;
    const frequency = readByte(cursor) / WEIGHT_SCALE;
    const before = scores[row] ?? 0;
    if (before === 0) touched.rows[touched.count++] = row;
    scores[row] = before + term.weight * rarity * frequency * (k1 + 1) / (k1 + frequency);
    own[row] = (own[row] ?? 0) | term.bit;
    synonym[row] = (synonym[row] ?? 0) | term.synonymOf;
  }
}
