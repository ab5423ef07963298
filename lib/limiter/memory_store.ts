/** Buckets of one process. */

import type { Bucket, BucketStore } from "./limiter.ts";

/** Makes an empty store. */
export function createMemoryBucketStore(): BucketStore {
  const buckets = new Map<string, Bucket>();
  return {
    update(family, change) {
      const { bucket, result } = change(buckets.get(family));
      buckets.set(family, bucket);
      return result;
    },
    close() {},
  };
}
