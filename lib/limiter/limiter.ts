/** Token buckets, one a service family (spec 02 §3.7 step 6). */

import type { Clock } from "../clock/mod.ts";
import { GumError } from "../errors/mod.ts";
import { defaultLogger, type Logger } from "../log/mod.ts";
import type { RateLimiter } from "../dispatch/types.ts";
import { sqliteFault } from "../sqlite/mod.ts";
import { createMemoryBucketStore } from "./memory_store.ts";

/** No service asks for a longer pause. */
const LONGEST_PAUSE_MS = 24 * 3_600_000;

/** The state of one family's bucket. */
export interface Bucket {
  /** May be negative: callers already waiting have reserved what is to come. */
  tokens: number;
  /** Milliseconds since the epoch of the last refill. */
  updatedAt: number;
  /** Milliseconds since the epoch until which nothing passes; 0 = not frozen. */
  frozenUntil: number;
}

/** Where buckets live. An update is atomic, across processes too where the store is shared. */
export interface BucketStore {
  update<T>(
    family: string,
    change: (bucket: Bucket | undefined) => { bucket: Bucket; result: T },
  ): T;
  close(): void;
}

/** What a limiter is made from. */
export interface RateLimiterOptions {
  clock: Clock;
  /** Tokens a full bucket holds; default 100. */
  capacity?: number;
  /** Tokens a second; default 1. */
  refillPerSecond?: number;
  /** Longest wait for a token, milliseconds; default 5000. */
  maxWaitMs?: number;
  /** Opens the shared store on first use; memory is used when it fails. Absent: memory. */
  openStore?: () => BucketStore | Promise<BucketStore>;
  /** Own limits of a family, e.g. of a plugin. */
  familyLimits?: (family: string) => { capacity: number; refillPerSecond: number } | undefined;
  log?: Logger;
}

/** Makes a limiter. Close it when its owner ends. */
export function createRateLimiter(options: RateLimiterOptions): RateLimiter & Disposable {
  const { clock, maxWaitMs = 5000 } = options;
  const fallback = createMemoryBucketStore();
  let opened: BucketStore | undefined;
  let opening: Promise<BucketStore> | undefined;
  const limitsOf = (family: string) =>
    options.familyLimits?.(family) ??
      { capacity: options.capacity ?? 100, refillPerSecond: options.refillPerSecond ?? 1 };

  const open = async (): Promise<BucketStore> => {
    try {
      opened = await options.openStore?.() ?? fallback;
    } catch (error) {
      warn(options, error);
      opened = fallback;
    }
    return opened;
  };
  const update: BucketStore["update"] = (family, change) => {
    try {
      return (opened ?? fallback).update(family, change);
    } catch (error) {
      warn(options, error);
      // Another process that holds the file for a moment is no reason to go without it for good.
      if (sqliteFault(error) !== "busy") {
        opened?.close();
        opened = fallback;
      }
      return fallback.update(family, change);
    }
  };

  const pauseLeft = (family: string): number =>
    update(family, (bucket) => {
      const now = clock.now();
      const current = refilled(bucket, { now, limits: limitsOf(family) });
      return { bucket: current, result: Math.max(0, current.frozenUntil - now) };
    });

  return {
    async take({ family, opId }, signal) {
      signal.throwIfAborted();
      if (opened === undefined) await (opening ??= open());
      const limits = limitsOf(family);
      const wait = update(
        family,
        (bucket) => reserve(bucket, { now: clock.now(), limits, maxWaitMs }),
      );
      if (wait > maxWaitMs) throw refusal({ family, opId, wait });
      try {
        // A service may ask for a pause while a caller waits: then that caller waits for its end.
        for (let next = wait, waited = 0; next > 0; next = pauseLeft(family)) {
          waited += next;
          if (waited > maxWaitMs) throw refusal({ family, opId, wait: next });
          await clock.sleep(next, signal);
        }
      } catch (error) {
        update(family, (bucket) => giveBack(bucket, { now: clock.now(), limits }));
        throw error;
      }
    },
    freeze(family, ms) {
      const limits = limitsOf(family);
      update(family, (bucket) => {
        const now = clock.now();
        const current = refilled(bucket, { now, limits });
        const frozenUntil = Math.max(current.frozenUntil, now + Math.min(ms, LONGEST_PAUSE_MS));
        return { bucket: { ...current, frozenUntil }, result: undefined };
      });
    },
    [Symbol.dispose]() {
      opened?.close();
      opened = fallback;
    },
  };
}

interface Limits {
  capacity: number;
  refillPerSecond: number;
}

function refilled(bucket: Bucket | undefined, state: { now: number; limits: Limits }): Bucket {
  const { now, limits } = state;
  if (bucket === undefined) return { tokens: limits.capacity, updatedAt: now, frozenUntil: 0 };
  // A clock that went back must not take tokens away.
  const elapsed = Math.max(0, now - bucket.updatedAt) / 1000;
  const tokens = Math.min(limits.capacity, bucket.tokens + elapsed * limits.refillPerSecond);
  // Nor may a pause of a clock that ran ahead last until time has caught up with it.
  const frozenUntil = bucket.frozenUntil - now > LONGEST_PAUSE_MS ? 0 : bucket.frozenUntil;
  return { tokens, updatedAt: now, frozenUntil };
}

/** Takes a token, present or future; the result is the wait in milliseconds. */
function reserve(
  bucket: Bucket | undefined,
  state: { now: number; limits: Limits; maxWaitMs: number },
): { bucket: Bucket; result: number } {
  const current = refilled(bucket, state);
  const short = Math.max(0, 1 - current.tokens);
  const untilToken = Math.ceil(short / state.limits.refillPerSecond * 1000);
  const wait = Math.max(untilToken, Math.max(0, current.frozenUntil - state.now));
  // A refused caller reserves nothing, or waiting would only get longer.
  if (wait > state.maxWaitMs) return { bucket: current, result: wait };
  return { bucket: { ...current, tokens: current.tokens - 1 }, result: wait };
}

function giveBack(
  bucket: Bucket | undefined,
  state: { now: number; limits: Limits },
): { bucket: Bucket; result: undefined } {
  const current = refilled(bucket, state);
  const tokens = Math.min(state.limits.capacity, current.tokens + 1);
  return { bucket: { ...current, tokens }, result: undefined };
}

function refusal(refused: { family: string; opId: string; wait: number }): GumError {
  return new GumError("RATE_LIMITED", {
    message: `the local limit of ${
      refused.family === "" ? "this service" : refused.family
    } is used up`,
    details: {
      op_id: refused.opId,
      source: "local",
      family: refused.family,
      retry_after_ms: refused.wait,
    },
    retryable: true,
  });
}

function warn(options: RateLimiterOptions, error: unknown): void {
  (options.log ?? defaultLogger()).log("warn", "rate limits kept in memory only", {
    reason: `${error}`,
  });
}
