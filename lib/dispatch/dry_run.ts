/** A call that stops before it costs anything (spec 02 §8.4). */

import type { JsonObject } from "../json/mod.ts";
import type { Call } from "./call.ts";
import { demandOf } from "./policy/confirmation.ts";
import { adapterRequest, requireAdapter } from "./request.ts";
import type { AuthorizedCall } from "./stages.ts";
import { shapeResponse } from "./steps/shape_response.ts";
import type { ShapedResponse } from "./types.ts";

/** The exact request that would be sent, with what is known about it; nothing is issued or spent. */
export async function answerDryRun(
  call: Call,
  authorized: AuthorizedCall,
): Promise<ShapedResponse> {
  const { op, resolved: { variant, adapterKey }, mask } = authorized;
  const preview = requireAdapter(call, authorized).preview?.(adapterRequest(call, authorized));
  const judged = { ...authorized, variant };
  const report: JsonObject = {
    dry_run: true,
    op_id: op.op_id,
    variant_id: variant.variant_id,
    adapter_key: adapterKey,
    risk_class: variant.risk_class,
    scopes: [...variant.scopes ?? []],
    args_hash: authorized.argsHash,
    confirmation_required: demandOf(call, judged) !== undefined,
    ...(mask.injected === undefined ? {} : { field_mask: mask.injected }),
    ...call.invocation.preview?.facts,
    ...(preview === undefined ? {} : { request: preview }),
  };
  const answer = {
    kind: "body",
    body: new TextEncoder().encode(JSON.stringify(report)),
    format: "json",
    cacheStatus: "not_applicable",
  } as const;
  // The report is GUM's own, so the operation's profile, mask and annotator do not apply to it.
  const plain: AuthorizedCall = {
    ...authorized,
    profile: undefined,
    mask: { status: "not_applicable" },
    resolved: { ...authorized.resolved, adapterKey: "" },
  };
  const { upstreamBytes: _own, ...response } = await shapeResponse(call, {
    authorized: plain,
    answer,
    artifact: undefined,
  });
  return response;
}
