/** Remembering a pause that a service asked for (spec 02 §3.7 step 6). */

import type { GumError } from "../errors/mod.ts";
import type { Call } from "./call.ts";
import { CODE_OP } from "./policy/risk.ts";
import type { AuthorizedCall } from "./stages.ts";

/** Keeps the pause for every later call of that family, and for no other. */
export function keepPause(
  call: Call,
  found: { authorized: AuthorizedCall; error: GumError },
): void {
  const { code, details } = found.error;
  const pause = details.retry_after_ms;
  // A script passes on what one of its calls met; that call has frozen its own family already.
  if (found.authorized.op.op_id === CODE_OP) return;
  if (code === "RATE_LIMITED" && details.source === "upstream" && typeof pause === "number") {
    call.deps.limiter.freeze(found.authorized.op.service_family ?? "", pause);
  }
}
