/**
 * The response cache behind the kernel's `ResponseCache` (spec 07 §3.1 to §3.8): a small LRU in
 * memory in front of one SQLite file a profile. A repeated read costs nothing, never crosses a
 * principal and never outlives its time.
 *
 * ```ts
 * import { systemClock } from "../clock/mod.ts";
 * import { createResponseCache } from "./mod.ts";
 *
 * const cache = createResponseCache({ clock: systemClock });
 * await cache.put("key", {
 *   body: new TextEncoder().encode("{}"),
 *   opId: "drive.files.list",
 *   variantId: "drive.v3.rest.files.list",
 *   service: "drive",
 *   fingerprint: "someone",
 * });
 * (await cache.get("key"))?.fresh; // true
 * cache.close();
 * ```
 *
 * @module
 */
export {
  createResponseCache,
  type ProfileResponseCache,
  type ResponseCacheOptions,
} from "./profile_cache.ts";
export { disabledResponseCache } from "./disabled.ts";
export { CACHE_FILE } from "./file.ts";
export { type TtlSources } from "./ttl.ts";
export {
  type CacheFileState,
  clearCache,
  clearExpired,
  inspectCacheFile,
  migrateCache,
  type MigrationReport,
  readCacheStats,
  unusedLeftovers,
} from "./maintenance.ts";
