/**
 * Errors: the code table (spec 02 §4) and the one error type that carries it. What a failed wire says
 * about itself before it becomes one is in `./wire/mod.ts`.
 *
 * @module
 */
export {
  ERROR_CODES,
  type ErrorCode,
  type ErrorCodeEntry,
  type ErrorSurface,
  isKnownErrorCode,
} from "./table.ts";
export { findGumError, GumError, type GumErrorOptions, isGumError } from "./gum_error.ts";
