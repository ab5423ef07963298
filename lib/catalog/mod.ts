/**
 * The operation catalog at run time: load, snapshot, search, suggestions, description, sanitizer
 * (spec 04). `gum search` imports `./search/mod.ts` alone.
 *
 * @module
 */

export type * from "./types.ts";
export { embeddedRequestSchema, EMPTY_CATALOG, loadCatalog, readCatalog } from "./load.ts";
export { embeddedCatalogBytes, embeddedCatalogSha256, embeddedIndexBytes } from "./embedded.ts";
export { checkOpVersions, parseCatalog, withCurrentNames } from "./parse.ts";
export {
  currentRevision,
  embeddedSource,
  type LongTailExposure,
  type LongTailMethod,
  longTailMethods,
  type LongTailPack,
  openSessionLongTail,
  shippedContext,
  type ShippedLock,
  shippedLock,
} from "./longtail/mod.ts";
export { createSnapshot, referencedSchemas, type SnapshotOptions } from "./snapshot.ts";
export { isSchemaRef, requestRef } from "./validate/ids.ts";
export {
  completeOpIds,
  HIDDEN_HINT,
  type OpIdCompletions,
  suggestOps,
  type SuggestOptions,
} from "./suggest.ts";
export { mustBeGiven, type OpArgument, operationArguments, requiredNames } from "./arguments.ts";
export { type SearchRow, searchRow } from "./search_rows.ts";
export { isEligibleScope, type ManagedScope, type ManagedScopes } from "./managed_scopes.ts";
export { allScopes, scopesForOp, scopesForServices } from "./scopes.ts";
export { type RiskOverrideRow, riskOverrides } from "./risk_overrides.ts";
export { CONVENIENCE_ROWS, type ConvenienceRow, convenienceRow } from "./convenience.ts";
export {
  sanitize,
  type SanitizedText,
  type SanitizeOptions,
  type SanitizerFinding,
  type SanitizerRule,
} from "./sanitizer.ts";
export * from "./search/indexing/mod.ts";
export * from "./search/mod.ts";
export * from "./describe/mod.ts";
