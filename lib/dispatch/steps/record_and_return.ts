/** Step 9: the audit row and the gain row. Neither can fail a call. */

import type { GumError } from "../../errors/mod.ts";
import { UpstreamFailure } from "../../errors/wire/mod.ts";
import type { JsonObject } from "../../json/mod.ts";
import { type Call, emit, type Execution } from "../call.ts";
import type { Answer, AuthorizedCall, CacheOutcome } from "../stages.ts";
import type { GainRecord, ShapedResponse } from "../types.ts";

/** What step 9 records. */
export interface RecordedCall {
  authorized: AuthorizedCall;
  answer: Answer;
  shaped: ShapedResponse;
}

/** Runs step 9. */
export function recordAndReturn(call: Call, recorded: RecordedCall): ShapedResponse {
  const { authorized, answer, shaped } = recorded;
  const { upstreamRequestId, media } = answer.kind === "body" ? answer : {};
  appendAudit(call, {
    ...auditRowOf(call, { authorized, argsHash: authorized.wireHash }),
    ...(call.known.riskClass !== "read" && upstreamRequestId !== undefined
      ? { upstream_request_id: upstreamRequestId }
      : {}),
    ...(media === undefined ? {} : { media_bytes: media.sizeBytes, media_sha256: media.sha256 }),
    ...(call.invocation.format === "raw" ? { shaping_bypassed: true } : {}),
  });
  recordGain(call, recorded);
  return shaped;
}

/** The row of a call that failed after step 7 had begun. */
export function recordFailure(call: Call, error: GumError): void {
  const { execution } = call;
  if (execution === undefined || execution.recorded) return;
  const outcome = error.details.write_outcome;
  appendAudit(call, {
    ...executionRow(call, execution),
    error_code: error.code,
    ...(outcome === undefined ? {} : { write_outcome: outcome }),
    ...(execution.crashed ? { panic: true } : {}),
  });
  recordFailedGain(call, error);
}

/** The keys every audit row of this call has. */
export function auditRowOf(
  call: Call,
  row: { authorized: AuthorizedCall; argsHash: string },
): JsonObject {
  const { variant } = row.authorized.resolved;
  return executionRow(call, {
    argsHash: row.argsHash,
    riskOverride: variant.risk_override ?? false,
    riskOverrideReason: variant.risk_override_reason,
    resourceKey: call.execution?.resourceKey,
    auditFacts: call.execution?.auditFacts,
    answered: true,
    crashed: false,
    recorded: false,
  });
}

function executionRow(call: Call, execution: Execution): JsonObject {
  const { riskOverride, riskOverrideReason, resourceKey } = execution;
  const row: JsonObject = {
    op_id: call.known.opId ?? call.invocation.opId,
    variant_id: call.known.variantId,
    args_hash: execution.argsHash,
    client_id: call.invocation.caller ?? "unknown",
    risk_class: call.known.riskClass,
    risk_override: riskOverride,
    request_id: call.requestId,
    ...execution.auditFacts,
  };
  const { parentRequestId } = call.invocation;
  if (parentRequestId !== undefined) row.parent_request_id = parentRequestId;
  if (riskOverride && riskOverrideReason) row.risk_override_reason = riskOverrideReason;
  if (resourceKey) row.resource_key = resourceKey;
  return row;
}

/** Writes the row, then the row of an unmasked second request when there was one. */
function appendAudit(call: Call, row: JsonObject): void {
  if (call.execution !== undefined) call.execution.recorded = true;
  const rows = call.dualFetchRow === undefined ? [row] : [row, call.dualFetchRow];
  try {
    for (const entry of rows) call.deps.audit.append(entry);
  } catch (error) {
    warn(call, { message: "audit row lost", error });
  }
}

/** What a gain row says about a call besides its bodies. */
export function gainFacts(
  call: Call,
  found: { authorized: AuthorizedCall; cached: CacheOutcome },
): Omit<GainRecord, "rawBody" | "shapedBody"> {
  const { authorized, cached } = found;
  return {
    opId: authorized.op.op_id,
    variantId: authorized.resolved.variant.variant_id,
    profileName: authorized.profile?.name ?? "_default",
    argsHash: authorized.wireHash,
    fingerprint: authorized.fingerprint,
    request: authorized.wireArgs,
    cacheStatus: cached.kind,
    fieldMaskStatus: authorized.mask.status,
    batch: call.invocation.batch,
  };
}

function recordGain(call: Call, recorded: RecordedCall): void {
  const { authorized, answer, shaped } = recorded;
  tellGain(call, () => ({
    ...gainFacts(call, { authorized, cached: { kind: "not_applicable" } }),
    rawBody: answer.body,
    innerBodies: answer.kind === "body" ? answer.ownText?.innerBodies : undefined,
    shapedBody: shaped.body,
    cacheStatus: answer.kind === "unchanged" ? "etag_304" : answer.cacheStatus,
  }));
}

/** A failed call cost tokens too: the service's error body, and the envelope that was shown. */
function recordFailedGain(call: Call, error: GumError): void {
  const facts = call.execution?.gain;
  if (facts === undefined) return;
  const upstream = error.cause instanceof UpstreamFailure ? error.cause.body : new Uint8Array();
  tellGain(call, () => ({
    ...facts,
    rawBody: upstream,
    shapedBody: new TextEncoder().encode(JSON.stringify(error.toEnvelope())),
    errorCode: error.code,
    ...(error.code === "CANCELLED" ? { cancelled: true } : {}),
  }));
}

function tellGain(call: Call, record: () => GainRecord): void {
  try {
    call.deps.gain.record(record());
  } catch (error) {
    warn(call, { message: "gain row lost", error });
  }
}

function warn(call: Call, lost: { message: string; error: unknown }): void {
  emit(call, {
    level: "warn",
    message: lost.message,
    fields: { request_id: call.requestId, op_id: call.known.opId, reason: `${lost.error}` },
  });
}
