/** A 429 pauses the family of the operation that got it, and no other (spec 09 §7.1). */

import type { Clock } from "../clock/mod.ts";
import { GumError } from "../errors/mod.ts";
import { PAUSE } from "./request/mod.ts";

/** Pauses of one script execution. */
export interface FamilyGate {
  /**
   * Waits until the family may be called, staggered by worker.
   *
   * @throws GumError `RATE_LIMITED` at once when the pause lasts beyond the deadline.
   */
  pass(family: string, worker: number, signal: AbortSignal): Promise<void>;
  /** Remembers a pause; it extends an earlier one and never shortens it. */
  pause(family: string, retryAfterMs: number | undefined): void;
}

/** A gate without pauses; `deadlineMs` is the end of the script on the clock. */
export function openFamilyGate(clock: Clock, deadlineMs: number): FamilyGate {
  const pausedUntil = new Map<string, number>();
  return {
    async pass(family, worker, signal) {
      for (;;) {
        const until = family === "" ? undefined : pausedUntil.get(family);
        const now = clock.now();
        if (until === undefined || until <= now) return;
        if (until > deadlineMs) throw tooLong(family, until - now);
        await clock.sleep(until - now, signal);
        await clock.sleep(PAUSE.staggerMs * worker, signal);
      }
    },
    pause(family, retryAfterMs) {
      if (family === "") return;
      const asked = retryAfterMs !== undefined && retryAfterMs > 0
        ? retryAfterMs
        : PAUSE.fallbackMs;
      const until = clock.now() + Math.min(asked, PAUSE.longestMs);
      pausedUntil.set(family, Math.max(pausedUntil.get(family) ?? 0, until));
    },
  };
}

function tooLong(family: string, waitMs: number): GumError {
  return new GumError("RATE_LIMITED", {
    message: `${family} asked for a pause that lasts longer than this script may run`,
    details: { retry_after_ms: waitMs, source: "local", service_family: family },
    userMessage: "The service asked for a pause that lasts longer than the script.",
    suggestion: "Run the script again after the pause.",
    retryable: true,
  });
}
