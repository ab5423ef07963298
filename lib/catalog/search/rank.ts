/** Ranking: BM25F over packed postings, synonyms at half weight, a prior for the verb. */

import type { OperationSearch, SearchHit, SearchWithin } from "../types.ts";
import { idsIn, namedAmong } from "./named.ts";
import { byCodeUnit, findTerm } from "./order.ts";
import { unpackPostings } from "./postings.ts";
import { coverage, type Query, readQuery, synonymsByStem } from "./query.ts";
import { type IndexedOperation, type Posting, type SearchIndex, WEIGHT_SCALE } from "./types.ts";
import { verbPrior } from "./verbs.ts";

const DEFAULT_TOP = 10;
const MAX_TOP = 50;

/** Options of {@link createSearch}. */
export interface CreateSearchOptions {
  /** Leaves out operations that the session may not see. */
  visible?: (opId: string) => boolean;
}

/** A hit and the share of the query it explains, for merging with another corpus. */
export interface RankedHit {
  hit: SearchHit;
  /** 0 to 1. */
  coverage: number;
}

/** A search whose hits can be merged with those of another corpus. */
export interface RankedSearch extends OperationSearch {
  /** Best hits with their coverage; `topK` as for `search`. */
  ranked(query: string, topK?: number, within?: SearchWithin): RankedHit[];
  /** Operations that the query names by their ids. */
  named(query: string): SearchHit[];
}

/** A search over one index. Unpacked postings are kept, so repeated words get cheaper. */
export function createSearch(
  index: SearchIndex,
  options: CreateSearchOptions = {},
): RankedSearch {
  const synonyms = synonymsByStem(index.tables.synonyms);
  const unpacked = new Map<string, readonly Posting[]>();

  function postingsOf(term: string): readonly Posting[] {
    let postings = unpacked.get(term);
    if (postings === undefined) {
      const at = findTerm(index.terms, term);
      postings = at < 0 ? [] : unpackPostings(index, at);
      // Only indexed terms are kept: a server must not remember every typo it was asked for.
      if (at >= 0) unpacked.set(term, postings);
    }
    return postings;
  }

  function rank(
    text: string,
    topK: number,
    { service }: SearchWithin,
  ): { query: Query; hits: RankedOperation[] } {
    const query = readQuery(text, synonyms);
    const found = new Map<number, Found>();
    for (const { term, weight, own, synonymOf } of query.terms) {
      addScores(found, { postings: postingsOf(term), weight, own, synonymOf, index });
    }
    const hits: RankedOperation[] = [];
    for (const [doc, { score: raw, own, synonym }] of found) {
      const operation = index.docs[doc];
      if (operation === undefined) continue;
      if (options.visible !== undefined && !options.visible(operation.op_id)) continue;
      if (service !== undefined && !operation.op_id.startsWith(`${service}.`)) continue;
      const score = Math.round(raw * verbPrior(operation, query.verbs) * 1e9) / 1e9;
      if (score > 0) hits.push({ operation, score, own, synonym });
    }
    return { query, hits: hits.sort(byRank).slice(0, rowLimit(topK)) };
  }

  return {
    search: (query, topK = DEFAULT_TOP, within = {}) =>
      rank(query, topK, within).hits.map(searchHit),
    named(text) {
      if (idsIn(text).length === 0) return [];
      const seen = options.visible === undefined
        ? index.docs
        : index.docs.filter(({ op_id }) => options.visible?.(op_id));
      const ids = new Set(namedAmong(text, seen.map(({ op_id }) => op_id)));
      return seen.filter(({ op_id }) => ids.has(op_id))
        .map((operation) => searchHit({ operation, score: 1, own: 0, synonym: 0 }));
    },
    ranked(text, topK = DEFAULT_TOP, within = {}) {
      const { query, hits } = rank(text, topK, within);
      return hits.map((ranked) => ({
        hit: searchHit(ranked),
        coverage: coverage(ranked, query.counted),
      }));
    },
  };
}

interface Found {
  score: number;
  own: number;
  synonym: number;
}

interface RankedOperation extends Found {
  operation: IndexedOperation;
}

function searchHit({ operation, score }: RankedOperation): SearchHit {
  const { op_id, summary, risk_class, auth_strategy } = operation;
  return { op_id, score, summary, risk_class, auth_strategy };
}

function byRank(left: RankedOperation, right: RankedOperation): number {
  return right.score - left.score ||
    segments(left.operation.op_id) - segments(right.operation.op_id) ||
    byCodeUnit(left.operation.op_id, right.operation.op_id);
}

function segments(opId: string): number {
  return opId.split(".").length;
}

/** Rows of an answer for a caller's `topK`. */
export function rowLimit(topK: number): number {
  if (!(topK > 0)) return DEFAULT_TOP;
  return Math.min(Math.ceil(topK), MAX_TOP);
}

function addScores(
  found: Map<number, Found>,
  term: {
    postings: readonly Posting[];
    weight: number;
    own: number;
    synonymOf: number;
    index: SearchIndex;
  },
): void {
  const { k1, n } = term.index.params;
  const df = term.postings.length;
  const rarity = Math.log((n - df + 0.5) / (df + 0.5) + 1);
  for (const { doc, wtf } of term.postings) {
    const frequency = wtf / WEIGHT_SCALE;
    const gain = term.weight * rarity * frequency * (k1 + 1) / (k1 + frequency);
    const entry = found.get(doc);
    if (entry === undefined) {
      found.set(doc, { score: gain, own: term.own, synonym: term.synonymOf });
    } else {
      entry.score += gain;
      entry.own |= term.own;
      entry.synonym |= term.synonymOf;
    }
  }
}
