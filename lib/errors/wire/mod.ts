/**
 * What a failed wire says about itself: transport failures, refusals of a service, and the facts of
 * Google's error bodies. Loaded by whatever makes calls, not by what only looks things up.
 *
 * @module
 */

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
