/** Ranking: BM25F over packed postings, synonyms at half weight, a prior for the verb. */

import type { OperationSearch, SearchHit } from "../types.ts";
import { byCodeUnit, findTerm } from "./order.ts";
import { unpackPostings } from "./postings.ts";
import { type IndexedOperation, type Posting, type SearchIndex, WEIGHT_SCALE } from "./types.ts";
import { type VerbClass, verbClassOf, verbPrior } from "./verbs.ts";
import { stem, tokenize } from "./words.ts";

const DEFAULT_TOP = 10;
const MAX_TOP = 50;
const SYNONYM_WEIGHT = 0.5;

/** Options of {@link createSearch}. */
export interface CreateSearchOptions {
  /** Leaves out operations that the session may not see. */
  visible?: (opId: string) => boolean;
}

/** A search over one index. Unpacked postings are kept, so repeated words get cheaper. */
export function createSearch(
  index: SearchIndex,
  options: CreateSearchOptions = {},
): OperationSearch {
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

  return {
    search(query: string, topK = DEFAULT_TOP): SearchHit[] {
      const asked = new Set(tokenize(query));
      const scores = new Map<number, number>();
      for (const [term, weight] of queryWeights(asked, synonyms)) {
        addScores(scores, { postings: postingsOf(term), weight, index });
      }
      const verbs = verbClasses(asked);
      const hits: RankedOperation[] = [];
      for (const [doc, raw] of scores) {
        const operation = index.docs[doc];
        if (operation === undefined) continue;
        if (options.visible !== undefined && !options.visible(operation.op_id)) continue;
        const score = Math.round(raw * verbPrior(operation, verbs) * 1e9) / 1e9;
        if (score > 0) hits.push({ operation, score });
      }
      return hits.sort(byRank).slice(0, rowLimit(topK)).map(searchHit);
    },
  };
}

interface RankedOperation {
  operation: IndexedOperation;
  score: number;
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

function rowLimit(topK: number): number {
  if (!(topK > 0)) return DEFAULT_TOP;
  return Math.min(Math.ceil(topK), MAX_TOP);
}

/** Query terms at full weight, then their synonyms at half; a term that is both stays full. */
function queryWeights(
  asked: ReadonlySet<string>,
  synonyms: ReadonlyMap<string, readonly string[]>,
): Map<string, number> {
  const weights = new Map<string, number>();
  for (const term of asked) weights.set(term, 1);
  for (const term of asked) {
    for (const synonym of tokenize((synonyms.get(term) ?? []).join(" "))) {
      if (!weights.has(synonym)) weights.set(synonym, SYNONYM_WEIGHT);
    }
  }
  return weights;
}

function addScores(
  scores: Map<number, number>,
  term: { postings: readonly Posting[]; weight: number; index: SearchIndex },
): void {
  const { k1, n } = term.index.params;
  const df = term.postings.length;
  const rarity = Math.log((n - df + 0.5) / (df + 0.5) + 1);
  for (const { doc, wtf } of term.postings) {
    const frequency = wtf / WEIGHT_SCALE;
    const gain = term.weight * rarity * frequency * (k1 + 1) / (k1 + frequency);
    scores.set(doc, (scores.get(doc) ?? 0) + gain);
  }
}

function verbClasses(terms: ReadonlySet<string>): Set<VerbClass> {
  const classes = new Set<VerbClass>();
  for (const term of terms) {
    const verbClass = verbClassOf(term);
    if (verbClass !== undefined) classes.add(verbClass);
  }
  return classes;
}

/** Synonyms by stem; the words on the right are stemmed only when a query asks for them. */
function synonymsByStem(synonyms: Record<string, string[]>): Map<string, string[]> {
  const byStem = new Map<string, string[]>();
  for (const [word, others] of Object.entries(synonyms)) {
    const term = stem(word.toLowerCase());
    byStem.set(term, [...(byStem.get(term) ?? []), ...others]);
  }
  return byStem;
}
