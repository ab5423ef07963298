/** The kernel's two ends of a page loop (spec 02 §8.3). */

import { keepAnswer } from "./artifacts.ts";
import type { Call } from "./call.ts";
import type { Answer, AuthorizedCall } from "./stages.ts";
import { shapeResponse } from "./steps/shape_response.ts";
import type { ShapedResponse } from "./types.ts";

/** Whether this call is one page of a loop. */
export function isPage(call: Call): boolean {
  return call.invocation.shaping?.kind === "page";
}

/** A page as the service sent it; the loop parses it and shapes the whole at its end. */
export function pageResponse(
  call: Call,
  page: { authorized: AuthorizedCall; answer: Answer },
): ShapedResponse {
  const { authorized, answer } = page;
  return {
    body: answer.body,
    format: "raw",
    opId: authorized.op.op_id,
    variantId: authorized.resolved.variant.variant_id,
    notice: { cli: "", mcp: "" },
    validationWarnings: [...call.warnings],
    droppedPaths: [],
    dedupedRows: 0,
    limitedRows: 0,
    annotationPaths: [],
    upstreamBytes: answer.body,
  };
}

/**
 * Steps 7c and 8 over the gathered body. Nothing is sent, and nothing is recorded: every page left
 * its own rows.
 */
export async function shapeGathered(
  call: Call,
  authorized: AuthorizedCall,
): Promise<ShapedResponse> {
  const { shaping } = call.invocation;
  if (shaping?.kind !== "gathered") throw new TypeError("there is nothing to shape");
  const answer: Answer = {
    kind: "body",
    body: shaping.body,
    format: "json",
    cacheStatus: "not_applicable",
  };
  const { profile } = authorized;
  const whole: AuthorizedCall = {
    ...authorized,
    // The artifact of one page must not be mistaken for that of all of them.
    wireCanonical: authorized.wireCanonical + `#pages=${shaping.pages}` +
      (shaping.items === undefined ? "" : `&items=${shaping.items}`),
    // An unmasked second request would fetch one page only.
    profile: profile === undefined ? undefined : { ...profile, field_mask_mode: "upstream" },
  };
  const artifact = shaping.partial || authorized.principalLost
    ? undefined
    : await keepAnswer(call, { authorized: whole, answer });
  return await shapeResponse(call, { authorized: whole, answer, artifact });
}
