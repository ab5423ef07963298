/**
 * Local pacing: token buckets behind the kernel's `RateLimiter`, kept over restarts.
 *
 * @module
 */
export {
  type Bucket,
  type BucketStore,
  createRateLimiter,
  type RateLimiterOptions,
} from "./limiter.ts";
export { createMemoryBucketStore } from "./memory_store.ts";
export { openBucketDatabase } from "./database_store.ts";
