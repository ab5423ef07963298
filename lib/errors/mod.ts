/**
 * Errors: the code table (spec 02 §4), the one error type that carries it, and what a failed wire
 * says about itself before it becomes one.
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
export {
  OversizeFailure,
  TransportFailure,
  type TransportReason,
  UpstreamFailure,
} from "./failures.ts";
export {
  type FailedAnswer,
  type FieldViolation,
  type GoogleErrorFacts,
  RATE_REASONS,
  readGoogleError,
  retryAfterMs,
} from "./google_error.ts";
