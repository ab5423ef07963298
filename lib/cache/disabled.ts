/** The cache of a session that wants none. */

import type { ResponseCache } from "../dispatch/types.ts";
import { statistics } from "./profile_cache.ts";

/** Stores nothing; every read goes upstream and is accounted as not cacheable. */
export const disabledResponseCache: ResponseCache = {
  cacheable: () => false,
  get: () => Promise.resolve(undefined),
  put: () => Promise.resolve(),
  renew: () => Promise.resolve(),
  evict: () => Promise.resolve(),
  invalidate: () => Promise.resolve(),
  stats: () => statistics({}, { entries: 0, bytes: 0, tagged: 0, taggedBytes: 0 }),
};
