/** The second, unmasked request of `dual_fetch` (spec 02 §3.8.3). */

import { sha256Hex } from "../digest/mod.ts";
import { GumError } from "../errors/mod.ts";
import { copyObject } from "./arguments/values.ts";
import type { Call } from "./call.ts";
import { canonicalArgs } from "./canonical.ts";
import { mapFailure } from "./failures/map.ts";
import { keepPause } from "./pacing.ts";
import { adapterRequest, requireAdapter } from "./request.ts";
import type { AuthorizedCall } from "./stages.ts";
import { auditRowOf } from "./steps/record_and_return.ts";
import { tokenBucket } from "./steps/token_bucket.ts";

/**
 * Fetches the same resource without its mask. Its audit row is queued behind the first request's.
 * A failure costs the artifact, never the call: undefined, and one warning.
 */
export async function unmaskedBody(
  call: Call,
  authorized: AuthorizedCall,
): Promise<Uint8Array | undefined> {
  const args = copyObject(authorized.wireArgs);
  delete args.fields;
  try {
    await tokenBucket(call, authorized);
    const adapter = requireAdapter(call, authorized);
    const request = { ...adapterRequest(call, authorized), args };
    const response = await adapter.execute(request, call.signal);
    const argsHash = await sha256Hex(canonicalArgs(args, call.deps.settings));
    call.dualFetchRow = { ...auditRowOf(call, { authorized, argsHash }), dual_fetch: true };
    return response.body;
  } catch (error) {
    if (call.signal.aborted) throw error;
    const failure = error instanceof GumError
      ? error
      : mapFailure(error, authorized.resolved).error;
    keepPause(call, { authorized, error: failure });
    call.warnings.push(
      `the unmasked second request failed (${failure.code}); no full result was kept`,
    );
    return undefined;
  }
}
