/** A query as terms: weights, the verbs it names, and how much of it a document explains. */

import { type VerbClass, verbClassOf } from "./verbs.ts";
import { stem, tokenize } from "./words.ts";

const SYNONYM_WEIGHT = 0.5;
/** Bits of a coverage mask; further tokens do not count. */
const MAX_COUNTED = 30;

/** One term to look up. */
export interface QueryTerm {
  term: string;
  /** 1 for a word of the query, less for a synonym of one. */
  weight: number;
  /** Bit of the counted word it is; 0 for a verb or a synonym. */
  own: number;
  /** Bits of the counted words it is a synonym of. */
  synonymOf: number;
}

/** A query ready for lookup. */
export interface Query {
  terms: QueryTerm[];
  verbs: ReadonlySet<VerbClass>;
  /** Words that say what the request is about, verbs aside. */
  counted: number;
}

/** Reads a query; terms at full weight, then their synonyms at half. One that is both stays full. */
export function readQuery(
  text: string,
  synonyms: ReadonlyMap<string, readonly string[]>,
): Query {
  const asked = new Set(tokenize(text));
  const terms = new Map<string, QueryTerm>();
  const verbs = new Set<VerbClass>();
  let counted = 0;
  for (const term of asked) {
    const verbClass = verbClassOf(term);
    if (verbClass !== undefined) verbs.add(verbClass);
    const counts = verbClass === undefined && counted < MAX_COUNTED;
    terms.set(term, { term, weight: 1, own: counts ? 1 << counted++ : 0, synonymOf: 0 });
  }
  for (const term of asked) {
    const bit = terms.get(term)?.own ?? 0;
    for (const synonym of tokenize((synonyms.get(term) ?? []).join(" "))) {
      const known = terms.get(synonym);
      if (known !== undefined) known.synonymOf |= bit;
      else terms.set(synonym, { term: synonym, weight: SYNONYM_WEIGHT, own: 0, synonymOf: bit });
    }
  }
  return { terms: [...terms.values()], verbs, counted };
}

/** Share of the counted words that a document explains; a synonym explains half a word. */
export function coverage(
  masks: { own: number; synonym: number },
  counted: number,
): number {
  if (counted === 0) return 0;
  return (bitCount(masks.own) + 0.5 * bitCount(masks.synonym & ~masks.own)) / counted;
}

function bitCount(mask: number): number {
  let count = 0;
  for (let rest = mask; rest !== 0; rest &= rest - 1) count++;
  return count;
}

/** Synonyms by stem; the words on the right are stemmed only when a query asks for them. */
export function synonymsByStem(synonyms: Record<string, string[]>): Map<string, string[]> {
  const byStem = new Map<string, string[]>();
  for (const [word, others] of Object.entries(synonyms)) {
    const term = stem(word.toLowerCase());
    byStem.set(term, [...(byStem.get(term) ?? []), ...others]);
  }
  return byStem;
}
