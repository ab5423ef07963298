/**
 * Finding operations by what people call them (spec 04 §3.14). Importable alone: no Node built-in
 * and no package is on the path from here to a first result.
 *
 * ```ts ignore
 * const search = await openSearch();
 * search.search("send an email", 5)[0]?.op_id; // gmail.users.messages.send
 * ```
 *
 * @module
 */

export type {
  FieldName,
  FieldParams,
  IndexedOperation,
  IndexParams,
  Posting,
  SearchIndex,
  SearchTables,
} from "./types.ts";
export type { OperationSearch, SearchHit } from "../types.ts";
export { type LoadedSearch, openSearch, type OpenSearchOptions } from "./open.ts";
export { deferredSearch, type IndexSource } from "./open.ts";
export { createSearch, type CreateSearchOptions } from "./rank.ts";
export { decodeIndex, type DecodeIndexOptions } from "./index_file.ts";
export { encodeIndex } from "./index_file.ts";
export { unpackPostings } from "./postings.ts";
export { splitWords, stem, tokenize, type TokenizeOptions } from "./words.ts";
export { operationVerbClass, type VerbClass } from "./verbs.ts";
