/** Google's error bodies in every form clients meet (spec 02 §3.9). */

import type { JsonObject, JsonValue } from "../json/mod.ts";
import type { EmulatedError } from "./service.ts";

/** Canonical `google.rpc.Code` name of an HTTP status. */
export function googleStatus(status: number): string {
  switch (status) {
    case 400:
      return "INVALID_ARGUMENT";
    case 401:
      return "UNAUTHENTICATED";
    case 403:
      return "PERMISSION_DENIED";
    case 404:
      return "NOT_FOUND";
    case 409:
      return "ABORTED";
    case 412:
      return "FAILED_PRECONDITION";
    case 429:
      return "RESOURCE_EXHAUSTED";
    case 499:
      return "CANCELLED";
    case 501:
      return "UNIMPLEMENTED";
    case 503:
      return "UNAVAILABLE";
    case 504:
      return "DEADLINE_EXCEEDED";
    default:
      return status >= 500 ? "INTERNAL" : "UNKNOWN";
  }
}

/** The lower-camel reason that Google's older services give for a status. */
export function legacyReason(status: number): string {
  switch (status) {
    case 400:
      return "badRequest";
    case 401:
      return "authError";
    case 403:
      return "forbidden";
    case 404:
      return "notFound";
    case 409:
      return "conflict";
    case 410:
      return "deleted";
    case 412:
      return "conditionNotMet";
    case 429:
      return "rateLimitExceeded";
    default:
      return status >= 500 ? "backendError" : "invalid";
  }
}

/** What an error body says. */
export interface GoogleErrorParts {
  status: number;
  message: string;
  /** Upper-case reasons go to `ErrorInfo`, lower-camel ones to the legacy `errors[]`. */
  reason?: string;
  googleStatus?: string;
  details?: readonly JsonValue[];
  /** Service name for `ErrorInfo.metadata`. */
  service?: string;
  /** The query parameter that is wrong; legacy `errors[]` names it. */
  parameter?: string;
}

/** `{"error":{code,message,errors,status,details}}`. */
export function googleErrorBody(parts: GoogleErrorParts): JsonObject {
  const details = detailsOf(parts);
  const error: JsonObject = {
    code: parts.status,
    message: parts.message,
    errors: [{
      message: parts.message,
      domain: parts.status === 403 && /quota|rateLimit|dailyLimit/i.test(parts.reason ?? "")
        ? "usageLimits"
        : "global",
      reason: isUpper(parts.reason) || parts.reason === undefined
        ? legacyReason(parts.status)
        : parts.reason,
      ...(parts.parameter === undefined
        ? {}
        : { locationType: "parameter", location: parts.parameter }),
    }],
    status: parts.googleStatus ?? googleStatus(parts.status),
  };
  if (details.length > 0) error.details = details;
  return { error };
}

/** An upper-case reason stands in `ErrorInfo`, before the other details. */
function detailsOf({ reason, service, details = [] }: GoogleErrorParts): JsonValue[] {
  if (!isUpper(reason)) return [...details];
  return [errorInfo(reason, service === undefined ? {} : { service }), ...details];
}

function isUpper(reason: string | undefined): reason is string {
  return reason !== undefined && /^[A-Z0-9_]+$/.test(reason);
}

/** Body of an {@link EmulatedError}. */
export function bodyOfEmulatedError(error: EmulatedError, service: string): JsonObject {
  return googleErrorBody({
    status: error.status,
    message: error.message,
    service,
    ...(error.info.reason === undefined ? {} : { reason: error.info.reason }),
    ...(error.info.status === undefined ? {} : { googleStatus: error.info.status }),
    ...(error.info.details === undefined ? {} : { details: error.info.details }),
    ...(error.info.parameter === undefined ? {} : { parameter: error.info.parameter }),
  });
}

/** The same error inside a one-element array, as streaming methods send it. */
export function arrayErrorBody(parts: GoogleErrorParts): JsonValue[] {
  return [googleErrorBody(parts)];
}

/** `{"error","error_description"}` of OAuth endpoints. */
export function oauthErrorBody(error: string, description?: string): JsonObject {
  return description === undefined ? { error } : { error, error_description: description };
}

/** A bare `google.rpc.Status` without the `error` wrapper. */
export function bareStatusBody(parts: GoogleErrorParts): JsonObject {
  return { code: parts.status, message: parts.message, details: detailsOf(parts) };
}

/** `google.rpc.ErrorInfo`. */
export function errorInfo(
  reason: string,
  metadata: Record<string, string> = {},
  domain = "googleapis.com",
): JsonObject {
  return { "@type": "type.googleapis.com/google.rpc.ErrorInfo", reason, domain, metadata };
}

/** `google.rpc.BadRequest`. */
export function badRequest(
  violations: readonly { field: string; description: string; reason?: string }[],
): JsonObject {
  return {
    "@type": "type.googleapis.com/google.rpc.BadRequest",
    fieldViolations: violations.map((violation) => ({ ...violation })),
  };
}

/** `google.rpc.RetryInfo`; `delay` like `"2s"`. */
export function retryInfo(delay: string): JsonObject {
  return { "@type": "type.googleapis.com/google.rpc.RetryInfo", retryDelay: delay };
}

/** `google.rpc.RequestInfo`. */
export function requestInfo(requestId: string): JsonObject {
  return { "@type": "type.googleapis.com/google.rpc.RequestInfo", requestId };
}

/** `google.rpc.Help` with one link. */
export function helpLink(url: string, description = "Google developers console"): JsonObject {
  return { "@type": "type.googleapis.com/google.rpc.Help", links: [{ description, url }] };
}

/** `google.rpc.QuotaFailure`. */
export function quotaFailure(subject: string, description: string): JsonObject {
  return {
    "@type": "type.googleapis.com/google.rpc.QuotaFailure",
    violations: [{ subject, description }],
  };
}

/** A `GoogleAdsFailure` with one error, as a detail. */
export function googleAdsFailure(options: {
  /** `{"requestError": "REQUIRED_FIELD_MISSING"}`. */
  errorCode: Record<string, string>;
  message: string;
  fieldPath?: readonly string[];
  requestId: string;
}): JsonObject {
  const { errorCode, fieldPath, message, requestId } = options;
  const item: JsonObject = { errorCode, message };
  if (fieldPath !== undefined) {
    item.location = { fieldPathElements: fieldPath.map((fieldName) => ({ fieldName })) };
  }
  return {
    "@type": "type.googleapis.com/google.ads.googleads.v24.errors.GoogleAdsFailure",
    errors: [item],
    requestId,
  };
}
