/** The cache of a session that wants none. */

import type { ResponseCache } from "../dispatch/types.ts";

/** Stores nothing; every read goes upstream and is accounted as not cacheable. */
export const disabledResponseCache: ResponseCache = {
  cacheable: () => false,
  get: () => Promise.resolve(undefined),
  put: () => Promise.resolve(),
  renew: () => Promise.resolve(),
  evict: () => Promise.resolve(),
  invalidate: () => Promise.resolve(),
  stats: () => ({ backend: "disabled", entries: 0, bytes: 0 }),
};
