/**
 * The one clock. Everything that asks for the time or waits takes a {@link Clock} by construction,
 * so that tests can stand still or jump.
 *
 * @module
 */

/** Time source and timer. Milliseconds since the Unix epoch; waits are abortable. */
export interface Clock {
  /** Milliseconds since the Unix epoch. */
  now(): number;
  /** Resolves after `ms` milliseconds; rejects with the signal's reason when aborted, leaving no timer. */
  sleep(ms: number, signal?: AbortSignal): Promise<void>;
}

/** The machine's clock. */
export const systemClock: Clock = { now: () => Date.now(), sleep };

function sleep(ms: number, signal?: AbortSignal): Promise<void> {
  return new Promise((resolve, reject) => {
    if (signal?.aborted) return reject(signal.reason);
    const onAbort = () => {
      clearTimeout(timer);
      reject(signal?.reason);
    };
    const timer = setTimeout(() => {
      signal?.removeEventListener("abort", onAbort);
      resolve();
    }, ms);
    signal?.addEventListener("abort", onAbort, { once: true });
  });
}

/** RFC 3339 UTC text of an instant, at second precision (`2026-05-19T14:35:00Z`). */
export function rfc3339(milliseconds: number): string {
  return new Date(milliseconds).toISOString().replace(/\.[0-9]{3}Z$/, "Z");
}
