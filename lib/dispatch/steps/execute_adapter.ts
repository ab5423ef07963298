/** Step 7: the request itself. Everything before it can be repeated; from here on it counts. */

import { GumError } from "../../errors/mod.ts";
import { UpstreamFailure } from "../../errors/wire/mod.ts";
import { checkArtifactSecret, keepFailure } from "../artifacts.ts";
import type { JsonObject } from "../../json/mod.ts";
import { type Call, emit } from "../call.ts";
import { mapFailure } from "../failures/map.ts";
import { siblingsOf } from "../failures/siblings.ts";
import { sanitizedStack } from "../failures/unexpected.ts";
import { keepPause } from "../pacing.ts";
import { adapterRequest, requireAdapter } from "../request.ts";
import { resourceKey } from "../resource_key.ts";
import type { Answer, AuthorizedCall, CacheOutcome, Confirmation } from "../stages.ts";
import type { Adapter, AdapterResponse } from "../types.ts";
import { gainFacts } from "./record_and_return.ts";
import { refreshAuth } from "./resolve_auth.ts";

const OAUTH_STRATEGIES: ReadonlySet<string> = new Set([
  "gum_oauth",
  "byo_oauth",
  "adc",
  "service_account",
  "compound",
]);

/** What step 7 needs beside the authorized call. */
export interface ExecutionPlan {
  authorized: AuthorizedCall;
  confirmation: Confirmation;
  cached: CacheOutcome;
}

/** Runs step 7. */
export async function executeAdapter(call: Call, plan: ExecutionPlan): Promise<Answer> {
  const { authorized, confirmation, cached } = plan;
  const adapter = requireAdapter(call, authorized);
  await checkArtifactSecret(call, authorized);
  call.signal.throwIfAborted();
  if (confirmation !== undefined) await call.deps.confirm.spend(confirmation);
  // A caller who gave up while the token was spent must not see the request go out.
  call.signal.throwIfAborted();
  const auditFacts = await adapter.auditFacts?.(authorized.args);
  call.signal.throwIfAborted();
  beginExecution(call, { authorized, cached, auditFacts });
  const ifNoneMatch = cached.kind === "miss" ? cached.stale?.etag : undefined;
  let response: AdapterResponse;
  try {
    const confirmed = confirmation !== undefined;
    response = await executeWithRefresh(call, { adapter, authorized, ifNoneMatch, confirmed });
  } catch (thrown) {
    throw await failed(call, { authorized, thrown });
  }
  if (call.execution !== undefined) call.execution.answered = true;
  // A dual fetch sends one more request.
  if (authorized.profile?.field_mask_mode !== "dual_fetch") await call.invocation.onAnswered?.();
  call.warnings.push(...response.warnings ?? []);
  if (response.status === 304 && cached.kind === "miss" && cached.stale !== undefined) {
    return await revalidated(call, { ...cached, stale: cached.stale });
  }
  return await accepted(call, { authorized, response, cached });
}

function beginExecution(
  call: Call,
  plan: Pick<ExecutionPlan, "authorized" | "cached"> & { auditFacts?: JsonObject },
): void {
  const { authorized, cached, auditFacts } = plan;
  const { variant } = authorized.resolved;
  const isWrite = variant.risk_class !== "read";
  call.execution = {
    argsHash: authorized.wireHash,
    riskOverride: variant.risk_override ?? false,
    riskOverrideReason: variant.risk_override_reason,
    ...(isWrite ? { resourceKey: resourceKey(authorized) } : {}),
    answered: false,
    crashed: false,
    recorded: false,
    auditFacts,
    gain: gainFacts(call, { authorized, cached }),
  };
}

/** A 401 was not executed, so one repeat with a fresh credential is safe for writes too. */
async function executeWithRefresh(
  call: Call,
  attempt: {
    adapter: Adapter;
    authorized: AuthorizedCall;
    ifNoneMatch: string | undefined;
    confirmed: boolean;
  },
): Promise<AdapterResponse> {
  const { adapter, authorized, ifNoneMatch, confirmed } = attempt;
  const request = { ...adapterRequest(call, authorized, { confirmed }), ifNoneMatch };
  try {
    return await adapter.execute(request, call.signal);
  } catch (thrown) {
    const refused = thrown instanceof UpstreamFailure && thrown.status === 401 &&
      OAUTH_STRATEGIES.has(authorized.resolved.variant.auth_strategy);
    if (!refused || call.signal.aborted) throw thrown;
    const refreshed = await refreshAuth(call, authorized);
    if (refreshed === undefined) throw thrown;
    call.refreshed = refreshed.credentials;
    return await adapter.execute(
      { ...request, credentials: refreshed.credentials },
      call.signal,
    );
  }
}

async function failed(
  call: Call,
  failure: { authorized: AuthorizedCall; thrown: unknown },
): Promise<unknown> {
  const { authorized, thrown } = failure;
  if (call.signal.aborted) {
    await dropStaleAnswers(call, authorized);
    return thrown;
  }
  const mapped = mapFailure(thrown, authorized.resolved, {
    siblings: siblingsOf(call.deps.catalog, authorized.op.op_id),
    profileName: call.deps.settings.profileName,
  });
  if (mapped.crashed) {
    if (call.execution !== undefined) call.execution.crashed = true;
    emit(call, {
      level: "error",
      message: "adapter crashed",
      fields: {
        request_id: call.requestId,
        op_id: authorized.op.op_id,
        adapter_key: authorized.resolved.adapterKey,
        stack: sanitizedStack(thrown),
      },
    });
  }
  if (mapped.reachedUpstream) await dropStaleAnswers(call, authorized);
  keepPause(call, { authorized, error: mapped.error });
  return await keepFailure(call, { authorized, error: mapped.error, thrown });
}

/** After a write the service's cached answers of this principal may be out of date. */
async function dropStaleAnswers(call: Call, authorized: AuthorizedCall): Promise<void> {
  const { op, resolved: { variant }, fingerprint } = authorized;
  if (variant.risk_class === "read") return;
  try {
    await call.deps.cache.invalidate({ service: op.service, fingerprint });
  } catch (error) {
    cacheWarning(call, error);
  }
}

async function revalidated(
  call: Call,
  outcome: Extract<CacheOutcome, { kind: "miss" }> & {
    stale: NonNullable<Extract<CacheOutcome, { kind: "miss" }>["stale"]>;
  },
): Promise<Answer> {
  const { key, stale } = outcome;
  try {
    await call.deps.cache.renew(key);
  } catch (error) {
    cacheWarning(call, error);
  }
  const diffOnly = call.deps.settings.diffOnly === true &&
    call.invocation.diffOnlyAllowed === true && stale.seen;
  return diffOnly
    ? { kind: "unchanged", etag: stale.etag, body: stale.body }
    : { kind: "body", body: stale.body, format: "json", cacheStatus: "hit" };
}

async function accepted(
  call: Call,
  found: { authorized: AuthorizedCall; response: AdapterResponse; cached: CacheOutcome },
): Promise<Answer> {
  const { authorized, response, cached } = found;
  if (response.status === 304) {
    const error = new GumError("UPSTREAM_REJECTED", {
      message: "the service answered 304 to a request without a condition",
      details: { op_id: authorized.op.op_id, http_status: 304 },
    });
    throw await keepFailure(call, { authorized, error, thrown: error });
  }
  if (response.format === "json") {
    const { op, resolved: { variant } } = authorized;
    call.deps.operations?.observe({ opId: op.op_id, variant, body: response.body });
  }
  await dropStaleAnswers(call, authorized);
  const storable = cached.kind === "miss" && response.format === "json" &&
    response.status >= 200 && response.status < 300;
  if (storable) {
    const { key, changes } = cached;
    await store(call, { authorized, response, key, changes });
  }
  return {
    kind: "body",
    body: response.body,
    format: response.format,
    contentType: response.contentType,
    cacheStatus: cached.kind === "not_applicable" ? "not_applicable" : "miss",
    upstreamRequestId: response.upstreamRequestId,
    media: response.media,
    ownText: response.ownText,
  };
}

async function store(
  call: Call,
  kept: {
    authorized: AuthorizedCall;
    response: AdapterResponse;
    key: string;
    changes: number | undefined;
  },
): Promise<void> {
  const { authorized, response, key, changes } = kept;
  const parsed = parseOrNothing(response.body);
  if (parsed === undefined) return;
  const { op, resolved: { variant }, fingerprint } = authorized;
  try {
    await call.deps.cache.put(key, {
      body: response.body,
      etag: response.etag ?? bodyEtag(parsed.value),
      opId: op.op_id,
      variantId: variant.variant_id,
      service: op.service,
      fingerprint,
      ...(changes === undefined ? {} : { changes }),
    });
  } catch (error) {
    cacheWarning(call, error);
  }
}

function parseOrNothing(body: Uint8Array): { value: unknown } | undefined {
  if (body.length === 0) return undefined;
  try {
    return { value: JSON.parse(new TextDecoder().decode(body)) };
  } catch {
    return undefined; // not JSON: never stored
  }
}

function bodyEtag(value: unknown): string | undefined {
  if (typeof value !== "object" || value === null || !("etag" in value)) return undefined;
  // It goes back in a header, which carries nothing else.
  return typeof value.etag === "string" && /^[\x20-\x7e]+$/.test(value.etag)
    ? value.etag
    : undefined;
}

function cacheWarning(call: Call, error: unknown): void {
  emit(call, {
    level: "warn",
    message: "cache_write_failed",
    fields: { request_id: call.requestId, reason: `${error}` },
  });
}
