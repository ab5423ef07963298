/** A limiter that never limits, for tests about something else. */

import type { RateLimiter } from "../../dispatch/types.ts";

/** Lets everything through. */
export const unlimitedRate: RateLimiter = { take: () => Promise.resolve(), freeze() {} };
