/** The kernel: nine steps, top to bottom. */

import { checkArtifactSecret, keepAnswer } from "./artifacts.ts";
import { type Call, openCall, stepsOf } from "./call.ts";
import { answerDryRun } from "./dry_run.ts";
import { finalError } from "./failures/final.ts";
import type { Answer, AuthorizedCall, CacheOutcome } from "./stages.ts";
import { cacheCheck } from "./steps/cache_check.ts";
import { isPage, pageResponse, shapeGathered } from "./page_shaping.ts";
import { evaluatePolicy } from "./steps/evaluate_policy.ts";
import { executeAdapter } from "./steps/execute_adapter.ts";
import { parseAndValidate } from "./steps/parse_and_validate.ts";
import { recordAndReturn, recordFailure } from "./steps/record_and_return.ts";
import { resolveAuth } from "./steps/resolve_auth.ts";
import { resolveVariant } from "./steps/resolve_variant.ts";
import { shapeResponse } from "./steps/shape_response.ts";
import { tokenBucket } from "./steps/token_bucket.ts";
import type { Kernel, KernelDeps, ShapedResponse } from "./types.ts";

/** Builds a kernel from everything it calls. */
export function createKernel(deps: KernelDeps): Kernel {
  return {
    dispatch: (invocation, signal) => run(openCall(deps, { invocation, signal })),
    serviceFamily: (opId) => deps.catalog.findOp(opId)?.service_family ?? "",
    returnsLro: (opId) => returnsLro(deps, opId),
    cacheStats: () => deps.cache.stats(),
  };
}

async function run(call: Call): Promise<ShapedResponse> {
  const step = stepsOf(call);
  try {
    const parsed = await step("parse_and_validate", () => parseAndValidate(call));
    const confirmation = await step("evaluate_policy", () => evaluatePolicy(call, parsed));
    const routed = await step("resolve_variant", () => resolveVariant(call, parsed));
    const authorized = await step("resolve_auth", () => resolveAuth(call, routed));
    if (call.invocation.dryRun) return await answerDryRun(call, authorized);
    if (call.invocation.shaping?.kind === "gathered") return await shapeGathered(call, authorized);
    const cached = await step("cache_check", () => cacheCheck(call, authorized));
    if (cached.kind !== "hit") await step("token_bucket", () => tokenBucket(call, authorized));
    const answer = cached.kind === "hit"
      ? await answerFromCache(call, { authorized, cached })
      : await step(
        "execute_adapter",
        () => executeAdapter(call, { authorized, confirmation, cached }),
      );
    const artifact = await keepAnswer(call, { authorized, answer });
    const shaped = await step(
      "shape_response",
      () =>
        isPage(call)
          ? pageResponse(call, { authorized, answer })
          : shapeResponse(call, { authorized, answer, artifact }),
    );
    return await step(
      "record_and_return",
      () => recordAndReturn(call, { authorized, answer, shaped }),
    );
  } catch (thrown) {
    const error = finalError(call, thrown);
    recordFailure(call, error);
    throw error;
  }
}

/** A hit proves the principal, takes no limiter token, and is refused for a bad secret like a miss. */
async function answerFromCache(
  call: Call,
  hit: { authorized: AuthorizedCall; cached: Extract<CacheOutcome, { kind: "hit" }> },
): Promise<Answer> {
  await checkArtifactSecret(call, hit.authorized);
  return { kind: "body", body: hit.cached.entry.body, format: "json", cacheStatus: "hit" };
}

function returnsLro(deps: KernelDeps, opId: string): boolean {
  const op = deps.catalog.findOp(opId);
  const variant = op?.variants.find((candidate) => candidate.variant_id === op.default_variant_id);
  return variant?.capabilities.includes("lro_return") ?? false;
}
