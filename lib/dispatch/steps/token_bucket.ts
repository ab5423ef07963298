/** Step 6: local pacing, one bucket a service family. */

import type { Call } from "../call.ts";
import type { AuthorizedCall } from "../stages.ts";

/** Runs step 6; waits for a token, or throws `RATE_LIMITED` with `source: "local"`. */
export async function tokenBucket(call: Call, authorized: AuthorizedCall): Promise<void> {
  const { op } = authorized;
  await call.deps.limiter.take({ family: op.service_family ?? "", opId: op.op_id }, call.signal);
}
