/** Building a search index from operations, and adding operations to one. */

import { GumError } from "../../errors/mod.ts";
import type { Op } from "../types.ts";
import { byCodeUnit } from "./order.ts";
import { packPostings, unpackPostings } from "./postings.ts";
import {
  FIELD_NAMES,
  type FieldName,
  type FieldParams,
  type IndexedOperation,
  type IndexParams,
  type Posting,
  type SearchIndex,
  type SearchTables,
  WEIGHT_SCALE,
} from "./types.ts";
import { operationVerbClass } from "./verbs.ts";
import { tokenize } from "./words.ts";

const K1 = 1.2;
const FIELD_WEIGHTS: Record<FieldName, Omit<FieldParams, "avg_len">> = {
  id: { weight: 3, b: 0.2 },
  title: { weight: 2, b: 0.4 },
  summary: { weight: 1, b: 0.6 },
  alias: { weight: 1.5, b: 0.2 },
  param: { weight: 0.3, b: 0.7 },
};
/** No aliases and no synonyms. */
export const EMPTY_TABLES: SearchTables = { service_aliases: {}, synonyms: {} };

/** Input of {@link buildIndex} beside the operations. */
export interface BuildIndexOptions {
  /** Lower-case hex digest of the catalog bytes the operations came from. */
  catalogSha256: string;
  tables: SearchTables;
  /** 1 (default) for curated operations. */
  tier?: 0 | 1;
  /** Text of the field `id`; default: the op id with dots as spaces. */
  idText?: (op: Op) => string;
  /** Other weights and length damping than the curated tier's. */
  fields?: Partial<Record<FieldName, Omit<FieldParams, "avg_len">>>;
}

/**
 * Indexes every operation.
 *
 * @throws GumError `BM25_CATALOG_EMPTY` when there are none.
 */
export function buildIndex(ops: readonly Op[], options: BuildIndexOptions): SearchIndex {
  if (ops.length === 0) {
    throw new GumError("BM25_CATALOG_EMPTY", { message: "the catalog has no operations to index" });
  }
  const sorted = [...ops].sort((left, right) => byCodeUnit(left.op_id, right.op_id));
  const { idText } = options;
  const texts = sorted.map((op) => {
    const tokens = fieldTokens(op, options.tables);
    return idText === undefined ? tokens : { ...tokens, id: tokenize(idText(op)) };
  });
  const params = indexParams(texts, { ...FIELD_WEIGHTS, ...options.fields });
  const lists = new Map<string, Posting[]>();
  const docs = sorted.map((op, doc) => {
    const tokens = texts[doc] ?? noTokens();
    addDocument(lists, { doc, tokens, params });
    return indexedOperation(op, tokens, options.tier ?? 1);
  });
  return packIndex({
    catalogSha256: options.catalogSha256,
    params,
    docs,
    tables: options.tables,
    lists,
  });
}

/**
 * A copy of an index with further operations, such as those of active plugins. Field averages stay
 * those of the base index, so existing documents keep their weights; operations that are already
 * indexed are left alone.
 */
export function extendIndex(base: SearchIndex, ops: readonly Op[]): SearchIndex {
  const known = new Set(base.docs.map((doc) => doc.op_id));
  const added = ops.filter((op) => !known.has(op.op_id) && known.add(op.op_id));
  if (added.length === 0) return base;

  const incoming = added.map((op) => {
    const tokens = fieldTokens(op, base.tables);
    return { record: indexedOperation(op, tokens, 1), tokens };
  });
  const docs = [...base.docs, ...incoming.map(({ record }) => record)]
    .sort((left, right) => byCodeUnit(left.op_id, right.op_id));
  const position = new Map(docs.map((doc, at) => [doc.op_id, at]));
  const params: IndexParams = { ...base.params, n: docs.length };

  const lists = new Map<string, Posting[]>();
  const moved = base.docs.map((doc) => position.get(doc.op_id) ?? 0);
  base.terms.forEach((term, termIndex) =>
    lists.set(
      term,
      unpackPostings(base, termIndex).map(({ doc, wtf }) => ({ doc: moved[doc] ?? 0, wtf })),
    )
  );
  for (const { record, tokens } of incoming) {
    addDocument(lists, { doc: position.get(record.op_id) ?? 0, tokens, params });
  }
  for (const postings of lists.values()) postings.sort((left, right) => left.doc - right.doc);
  return packIndex({ ...base, params, docs, lists });
}

type FieldTokens = Record<FieldName, string[]>;

function noTokens(): FieldTokens {
  return { id: [], title: [], summary: [], alias: [], param: [] };
}

function fieldTokens(op: Op, tables: SearchTables): FieldTokens {
  const serviceWords = Object.hasOwn(tables.service_aliases, op.service)
    ? tables.service_aliases[op.service] ?? []
    : [];
  return {
    id: tokenize(op.op_id.replaceAll(".", " "), { keepStopWords: true }),
    title: tokenize(op.title),
    summary: tokenize(op.summary),
    alias: tokenize([...serviceWords, ...(op.aliases ?? [])].join(" ")),
    param: tokenize(argumentNames(op).join(" ")),
  };
}

/** Arguments that say what the operation is about; optional query options do not. */
function argumentNames(op: Op): string[] {
  return (op.request_fields ?? [])
    .filter(({ location, required }) => location === "path" || location === "body" || required)
    .map(({ name }) => name);
}

function indexParams(
  texts: readonly FieldTokens[],
  weights: Record<FieldName, Omit<FieldParams, "avg_len">>,
): IndexParams {
  const fields = {} as Record<FieldName, FieldParams>;
  for (const field of FIELD_NAMES) {
    const total = texts.reduce((sum, tokens) => sum + tokens[field].length, 0);
    // Four decimals keep the file byte-equal on every platform and are what scoring uses, too.
    const avg_len = Math.round((total / texts.length) * 1e4) / 1e4;
    fields[field] = { ...weights[field], avg_len };
  }
  return { k1: K1, fields, n: texts.length };
}

function indexedOperation(op: Op, tokens: FieldTokens, tier: 0 | 1): IndexedOperation {
  const variant = op.variants.find(({ variant_id }) => variant_id === op.default_variant_id) ??
    op.variants[0];
  const len = {} as Record<FieldName, number>;
  for (const field of FIELD_NAMES) len[field] = tokens[field].length;
  return {
    op_id: op.op_id,
    len,
    verb: operationVerbClass(op.op_id),
    tier,
    summary: op.summary,
    risk_class: variant?.risk_class ?? "destructive",
    auth_strategy: variant?.auth_strategy ?? "none",
  };
}

function addDocument(
  lists: Map<string, Posting[]>,
  document: { doc: number; tokens: FieldTokens; params: IndexParams },
): void {
  for (const [term, weight] of weightedTerms(document.tokens, document.params)) {
    const wtf = Math.min(255, Math.max(1, Math.round(weight * WEIGHT_SCALE)));
    const postings = lists.get(term);
    if (postings === undefined) lists.set(term, [{ doc: document.doc, wtf }]);
    else postings.push({ doc: document.doc, wtf });
  }
}

/** BM25F: each field's frequency is damped by its own length before the fields are added up. */
function weightedTerms(tokens: FieldTokens, params: IndexParams): Map<string, number> {
  const weights = new Map<string, number>();
  for (const field of FIELD_NAMES) {
    const { weight, b, avg_len } = params.fields[field];
    const words = tokens[field];
    const damping = avg_len === 0 ? 1 : 1 - b + (b * words.length) / avg_len;
    for (const term of words) weights.set(term, (weights.get(term) ?? 0) + weight / damping);
  }
  return weights;
}

interface UnpackedIndex extends Pick<SearchIndex, "catalogSha256" | "params" | "docs" | "tables"> {
  lists: Map<string, Posting[]>;
}

function packIndex(content: UnpackedIndex): SearchIndex {
  const terms = [...content.lists.keys()].sort(byCodeUnit);
  const offsets = new Uint32Array(terms.length + 1);
  const packed: number[] = [];
  terms.forEach((term, at) => {
    offsets[at] = packed.length;
    packPostings(packed, content.lists.get(term) ?? []);
  });
  offsets[terms.length] = packed.length;
  return {
    catalogSha256: content.catalogSha256,
    params: content.params,
    docs: content.docs,
    terms,
    offsets,
    postings: Uint8Array.from(packed),
    tables: content.tables,
  };
}
