/**
 * Derivation of catalog operations from Discovery documents: pure functions, no I/O.
 *
 * The generator applies them to the pinned snapshot; the long-tail tier materialises operations
 * with the same functions at run time (spec 04 §3.6–§3.10, §10).
 *
 * @module
 */
export {
  answersWithOperation,
  bodySchema,
  type DiscoveryDocument,
  type DiscoveryMediaUpload,
  type DiscoveryMethod,
  type DiscoveryResource,
  type DiscoverySchema,
  indexMethods,
  methodReturnsLRO,
  resolveSchema,
} from "./discovery.ts";
export {
  applyCapabilities,
  type CapabilityCuration,
  sortCapabilities,
  stampLROReturn,
} from "./capabilities.ts";
export {
  bodyFields,
  type DerivedFields,
  deriveFields,
  type FieldCuration,
  type FieldsCuration,
  inOrder,
  isReserved,
  mergeFields,
  parameterFields,
} from "./fields.ts";
export { type IdPrefixes, methodIdOf, stabilityOfVersion, variantId } from "./ids.ts";
export { projectResponse } from "./projection.ts";
export {
  type ApiContext,
  type DerivationSource,
  type DerivedOperation,
  deriveOperation,
  type OperationCuration,
  orderVariantKeys,
  sortEffects,
} from "./operation.ts";
export {
  assignRequestRefs,
  buildRequestSchema,
  type RequestSchemaSource,
} from "./request_schema.ts";
export { deriveRisk, methodWords, type RiskFacts, type RiskVerdict } from "./risk.ts";
export { chooseScope, type ScopeChoice } from "./scopes.ts";
export {
  clip,
  deriveDescription,
  deriveSummary,
  deriveTitle,
  plainText,
  shortApiTitle,
} from "./text.ts";
export { isVerb, splitWords } from "./words.ts";
