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
  responseSchema,
} from "./discovery.ts";
export {
  applyCapabilities,
  type CapabilityCuration,
  sortCapabilities,
  stampLROReturn,
} from "./capabilities.ts";
export {
  BODY_FIELD_LIMIT,
  bodyFields,
  type DerivedFields,
  deriveFields,
  type FieldCuration,
  type FieldsCuration,
  inOrder,
  mergeFields,
  parameterFields,
} from "./fields.ts";
export { type IdPrefixes, methodIdOf, operationId, stabilityOfVersion, variantId } from "./ids.ts";
export { projectResponse } from "./projection.ts";
export {
  type ApiContext,
  applyHostDefaults,
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
export { chooseScope, FULL_ACCESS_SCOPES, type ScopeChoice } from "./scopes.ts";
export {
  clip,
  deriveDescription,
  deriveSummary,
  deriveTitle,
  DESCRIPTION_LIMIT,
  plainText,
  shortApiTitle,
  SUMMARY_LIMIT,
} from "./text.ts";
export { isVerb, singular, splitWords } from "./words.ts";
