/** The body of a `status` fault in every form that Google's error answers come in. */

import type { JsonValue } from "../json/mod.ts";
import {
  arrayErrorBody,
  badRequest,
  bareStatusBody,
  googleErrorBody,
  type GoogleErrorParts,
  helpLink,
  oauthErrorBody,
  quotaFailure,
  requestInfo,
  retryInfo,
} from "./error_body.ts";
import type { ErrorForm, FaultEffect } from "./types.ts";

/** Names of the forms; the first is what a fault without `form` gives. */
export const ERROR_FORMS: readonly ErrorForm[] = ["error", "array", "bare", "oauth"];

/** What the answer of a `status` fault says, in the form it asks for. */
export function statusFaultBody(effect: FaultEffect & { kind: "status" }): JsonValue {
  const parts: GoogleErrorParts = {
    status: effect.status,
    message: effect.message ?? `Emulated failure (HTTP ${effect.status}).`,
    details: detailsOf(effect),
    ...(effect.reason === undefined ? {} : { reason: effect.reason }),
  };
  switch (effect.form ?? "error") {
    case "error":
      return googleErrorBody(parts);
    case "array":
      return arrayErrorBody(parts);
    case "bare":
      return bareStatusBody(parts);
    case "oauth":
      return oauthErrorBody(effect.reason ?? "server_error", effect.message);
  }
}

function detailsOf(effect: FaultEffect & { kind: "status" }): JsonValue[] {
  const { fieldViolations, helpUrl, quota, requestId, retryDelay } = effect;
  return [
    ...(fieldViolations === undefined ? [] : [badRequest(fieldViolations)]),
    ...(retryDelay === undefined ? [] : [retryInfo(retryDelay)]),
    ...(requestId === undefined ? [] : [requestInfo(requestId)]),
    ...(helpUrl === undefined ? [] : [helpLink(helpUrl)]),
    ...(quota === undefined ? [] : [quotaFailure(quota.subject, quota.description)]),
    ...(effect.details ?? []),
  ];
}
