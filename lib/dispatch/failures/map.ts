/** Turns whatever an adapter throws into the one error type (spec 02 §3.8.4, §3.8.5, §3.9). */

import { findGumError, GumError } from "../../errors/mod.ts";
import { OversizeFailure, TransportFailure, UpstreamFailure } from "../../errors/wire/mod.ts";
import type { JsonObject } from "../../json/mod.ts";
import type { ResolvedVariant } from "../types.ts";
import { authDetails, authUserMessage, setupCommand } from "./auth_details.ts";
import { rowFor } from "./reason_table.ts";
import type { Siblings } from "./siblings.ts";
import { isCrash, scrubbed, withoutCredentials } from "./unexpected.ts";

/** A mapped failure and what it means beyond its envelope. */
export interface MappedFailure {
  error: GumError;
  /** The adapter has a bug: logged with its stack, audited as a crash. */
  crashed: boolean;
  /** The call reached the service, so its cached answers may be out of date. */
  reachedUpstream: boolean;
}

/** What makes a mapped failure more helpful; each part may be unknown. */
export interface FailureContext {
  siblings?: Siblings;
  /** Account profile name. */
  profileName?: string;
}

/** Maps a throw of `adapter.execute`. */
export function mapFailure(
  thrown: unknown,
  variant: ResolvedVariant,
  context: FailureContext = {},
): MappedFailure {
  const resolved: FailedCall = { ...variant, ...context };
  const opId = resolved.op.op_id;
  if (thrown instanceof UpstreamFailure) {
    return { error: upstreamError(thrown, resolved), crashed: false, reachedUpstream: true };
  }
  if (thrown instanceof TransportFailure) {
    return {
      error: transportError(thrown, resolved),
      crashed: false,
      reachedUpstream: thrown.requestStarted,
    };
  }
  if (thrown instanceof OversizeFailure) {
    return { error: oversizeError(thrown, resolved), crashed: false, reachedUpstream: true };
  }
  const known = findGumError(thrown);
  if (known !== undefined) {
    // An adapter's own error says nothing about how far it got, so it counts as far.
    return { error: completed(known, resolved), crashed: false, reachedUpstream: true };
  }
  if (isCrash(thrown)) {
    const error = new GumError("SERVICE_DOWN", {
      message: "internal error; see audit log",
      details: { op_id: opId, ...uncertain(resolved, "unknown") },
      userMessage: "GUM itself failed while it made this call.",
      suggestion: "Run `gum doctor`, and report the problem if it stays.",
      retryable: false,
      cause: thrown,
    });
    return { error, crashed: true, reachedUpstream: true };
  }
  const error = new GumError("SERVICE_DOWN", {
    message: scrubbed(thrown instanceof Error ? thrown.message : String(thrown)),
    details: { op_id: opId, ...uncertain(resolved, "unknown") },
    retryable: false,
    cause: thrown,
  });
  return { error, crashed: false, reachedUpstream: true };
}

type FailedCall = ResolvedVariant & FailureContext;

function upstreamError(failure: UpstreamFailure, resolved: FailedCall): GumError {
  const { facts } = failure;
  const { op, variant } = resolved;
  const row = rowFor(facts);
  const details: JsonObject = { op_id: op.op_id, ...factDetails(failure) };
  if (row.code === "RATE_LIMITED") details.source = "upstream";
  if (row.quotaExhausted) details.quota_exhausted = true;
  if (row.code === "INVALID_ARGS") {
    Object.assign(details, { source: "upstream", missing: [], unknown: [], type_errors: [] });
  }
  if (row.components !== undefined) {
    const components = row.components === "strategy" ? undefined : row.components;
    const { profileName } = resolved;
    Object.assign(details, authDetails(variant, { opId: op.op_id, components, profileName }));
  }
  if (row.code === "SCOPE_MISSING") {
    const scopes = variant.scopes ?? [];
    details.required_scopes = [...scopes.length > 0 ? scopes : facts.challengeScopes].sort();
  }
  const personal = row.components === undefined
    ? undefined
    : authUserMessage(variant, { opId: op.op_id, because: row.because });
  // A refusal was not executed; what an earlier attempt of the same request did is another matter.
  if (failure.status >= 500 || failure.priorAttemptUncertain) {
    const acted = failure.priorSuccessStatus !== undefined;
    Object.assign(details, uncertain(resolved, acted ? "succeeded" : "unknown"));
  }
  const needsSetup = row.code === "SCOPE_MISSING" || facts.httpStatus === 401;
  return new GumError(row.code, {
    message: row.message?.(facts) ?? withoutCredentials(facts.message),
    details,
    userMessage: personal,
    suggestion: suggestionFor(resolved, {
      uncertain: details.write_outcome !== undefined,
      otherwise: needsSetup
        ? `Run \`${setupCommand(variant, op.op_id)}\`.`
        : row.code === "RESOURCE_NOT_FOUND" && namesOneOfItsKind(resolved)
        ? `Check the id: \`gum read ${resolved.siblings?.list}\` lists the existing ones.`
        : row.code === "INVALID_ARGS" && facts.fieldViolations.length === 0
        ? `Correct what the message names; \`gum describe ${op.op_id}\` shows the arguments.`
        : row.code === "RATE_LIMITED" && row.retryable && facts.retryAfterMs === undefined
        ? "Wait a minute before the next call, and ask for fewer or smaller pages."
        : row.suggestion,
    }),
    retryable: row.retryable ?? false,
    cause: failure,
  });
}

/** What is missing is one of what `list` shows; to a `create` or a `list` only the parent can be. */
function namesOneOfItsKind({ op, siblings }: FailedCall): boolean {
  const { list } = siblings ?? {};
  return list !== undefined && list !== op.op_id && !makesSomething(op.op_id);
}

/** Whether what an operation is about does not exist before it, so that it has no id yet. */
function makesSomething(opId: string): boolean {
  return /^(?:create|insert|add|append|import|batchCreate)/.test(
    opId.slice(opId.lastIndexOf(".") + 1),
  );
}

function factDetails(failure: UpstreamFailure): JsonObject {
  const { facts } = failure;
  const details: JsonObject = { http_status: facts.httpStatus };
  const named: [string, string | undefined][] = [
    ["google_status", facts.googleStatus],
    ["upstream_reason", facts.upstreamReason],
    ["service", facts.service],
    ["project", facts.project],
    ["quota_metric", facts.quotaMetric],
    ["quota_limit", facts.quotaLimit],
    ["request_id", facts.requestId],
    ["help_url", facts.helpUrl],
  ];
  for (const [key, value] of named) if (value !== undefined) details[key] = value;
  if (facts.retryAfterMs !== undefined) details.retry_after_ms = facts.retryAfterMs;
  if (facts.fieldViolations.length > 0) {
    details.field_violations = facts.fieldViolations.map((violation) => ({
      ...violation,
      description: withoutCredentials(violation.description),
    }));
  }
  return details;
}

function transportError(failure: TransportFailure, resolved: FailedCall): GumError {
  const succeeded = failure.status !== undefined && failure.status >= 200 && failure.status < 300;
  const outcome = failure.requestStarted
    ? uncertain(resolved, succeeded ? "succeeded" : "unknown")
    : {};
  return new GumError("SERVICE_DOWN", {
    message: scrubbed(failure.message),
    details: {
      op_id: resolved.op.op_id,
      reason: failure.reason,
      ...(failure.status === undefined ? {} : { http_status: failure.status }),
      ...outcome,
    },
    suggestion: suggestionFor(resolved, { uncertain: "write_outcome" in outcome }),
    retryable: false,
    cause: failure,
  });
}

function oversizeError(failure: OversizeFailure, resolved: ResolvedVariant): GumError {
  const succeeded = failure.status >= 200 && failure.status < 300;
  return new GumError("RESPONSE_TOO_LARGE", {
    message: failure.message,
    details: {
      op_id: resolved.op.op_id,
      cap_bytes: failure.capBytes,
      http_status: failure.status,
      ...uncertain(resolved, succeeded ? "succeeded" : "unknown"),
    },
    ...(resolved.variant.capabilities.includes("media_download")
      ? { suggestion: "Repeat the call with --download <file>: files may be larger." }
      : {}),
    retryable: false,
    cause: failure,
  });
}

/** An adapter's own envelope keeps its code; what every kernel error carries is filled in. */
function completed(error: GumError, resolved: FailedCall): GumError {
  const { op, variant } = resolved;
  const defaults: JsonObject = { op_id: op.op_id };
  if (error.code === "RATE_LIMITED") defaults.source = "upstream";
  if (error.code === "AUTH_REQUIRED" || error.code === "SCOPE_MISSING") {
    const { profileName } = resolved;
    Object.assign(defaults, authDetails(variant, { opId: op.op_id, profileName }));
  }
  const absent = Object.fromEntries(
    Object.entries(defaults).filter(([key]) => !Object.hasOwn(error.details, key)),
  );
  const named = Object.keys(absent).length === 0 ? error : error.with(absent);
  const message = withoutCredentials(named.message);
  if (message === named.message) return named;
  return named.restated({ message, userMessage: withoutCredentials(named.userMessage) });
}

/** Whether a write may have happened; reads have no outcome to doubt. */
export function uncertain(
  resolved: ResolvedVariant,
  outcome: "unknown" | "succeeded",
): JsonObject {
  return resolved.variant.risk_class === "read" ? {} : { write_outcome: outcome };
}

function suggestionFor(
  resolved: FailedCall,
  state: { uncertain: boolean; otherwise?: string },
): string | undefined {
  if (!state.uncertain) return state.otherwise;
  const { op, siblings } = resolved;
  const reader = makesSomething(op.op_id)
    ? siblings?.list ?? siblings?.get
    : siblings?.get ?? siblings?.list;
  const how = reader === undefined ? "read the resource back" : `look with \`gum read ${reader}\``;
  return `The change may have been made: ${how} before running ${op.op_id} again.`;
}
