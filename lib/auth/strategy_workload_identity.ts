/** `workload_identity`: a reserved name. */

import { reservedStrategy } from "./strategy_impersonation.ts";

/** Refuses. */
export const workloadIdentityStrategy = reservedStrategy("workload_identity");
