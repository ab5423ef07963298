/**
 * The catalog ABI: closed enums, identifier grammars, and `validate`, which every generated
 * catalog must pass (spec 04 §2, §3.2).
 *
 * @module
 */
export { CatalogError, type CatalogErrorCode, type CatalogErrorPlace } from "./catalog_error.ts";
export { decodeDefault, type FieldWithDefault } from "./defaults.ts";
export {
  AUTH_COMPONENT_KINDS,
  AUTH_STRATEGY_ALIAS,
  AUTH_STRATEGY_VALUES,
  BACKEND_KINDS,
  BLAST_RADII,
  CAPABILITY_ORDER,
  EFFECT_ORDER,
  EXECUTION_SUPPORTS,
  GENERIC_CAPABILITIES,
  INTERFACE_KINDS,
  isExperimental,
  isKnownOrExperimental,
  RISK_CLASSES,
  STABILITIES,
  SUPPORTED_SCHEMA_VERSIONS,
} from "./enums.ts";
export {
  isSchemaRef,
  OP_ID_PATTERN,
  requestRef,
  ROUTING_PATH_PATTERN,
  VARIANT_ID_PATTERN,
  variantVersion,
} from "./ids.ts";
export {
  ANY_NAME,
  type MaskTree,
  parseMask,
  type ProjectionTree,
  unknownSelectors,
} from "./masks.ts";
export { checkFields, checkPathTemplate, templateNames } from "./fields.ts";
export { checkRoutingHeaders } from "./routing_headers.ts";
export { checkBinding } from "./binding.ts";
export { checkVariant, isExecutable } from "./variant.ts";
export { validate, validateOp, type ValidateOptions } from "./validate.ts";
