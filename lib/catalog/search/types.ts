/** Shapes of the search index (spec 04 §2.11). */

import type { AuthStrategy, RiskClass } from "../types.ts";
import type { VerbClass } from "./verbs.ts";

/** Parts of an operation's text that are weighted apart. */
export type FieldName = "id" | "title" | "summary" | "alias" | "param";

/** All fields, in the order of the index file. */
export const FIELD_NAMES: readonly FieldName[] = ["id", "title", "summary", "alias", "param"];

/** Weights are stored in sixteenths. */
export const WEIGHT_SCALE = 16;

/** How one field counts. */
export interface FieldParams {
  weight: number;
  b: number;
  avg_len: number;
}

/** Scoring constants of an index. */
export interface IndexParams {
  k1: number;
  fields: Record<FieldName, FieldParams>;
  /** Number of documents. */
  n: number;
}

/** One indexed operation, with what a result row shows. */
export interface IndexedOperation {
  op_id: string;
  /** Tokens per field. */
  len: Record<FieldName, number>;
  verb: VerbClass | "";
  /** 1 for curated operations. */
  tier: 0 | 1;
  summary: string;
  risk_class: RiskClass;
  auth_strategy: AuthStrategy;
}

/** Word tables of the overrides manifest, `[search]`. */
export interface SearchTables {
  /** Extra words of every operation of a service. */
  service_aliases: Record<string, string[]>;
  /** Query word to further words, one direction, at half weight. */
  synonyms: Record<string, string[]>;
}

/**
 * An index ready for queries. Postings stay packed: per term the document count, then per
 * document the distance to the one before (LEB128) and one byte of weight.
 */
export interface SearchIndex {
  catalogSha256: string;
  params: IndexParams;
  /** Sorted by `op_id`. */
  docs: IndexedOperation[];
  /** Sorted by UTF-16 code unit. */
  terms: string[];
  /** Start of each term's postings; one more entry than terms. */
  offsets: Uint32Array;
  postings: Uint8Array;
  tables: SearchTables;
}

/** One document of a term. */
export interface Posting {
  doc: number;
  /** Weighted term frequency times 16, 1 to 255. */
  wtf: number;
}
