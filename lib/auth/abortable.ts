/** Waiting for shared work without owning it. */

/** The outcome of `work`, or the signal's reason as soon as it aborts; the work itself goes on. */
export function orAborted<T>(work: Promise<T>, signal: AbortSignal): Promise<T> {
  return new Promise((resolve, reject) => {
    const onAbort = () => reject(signal.reason);
    // Attached first in any case: nobody else may be left to see the work fail.
    work.then(resolve, reject).finally(() => signal.removeEventListener("abort", onAbort));
    if (signal.aborted) onAbort();
    else signal.addEventListener("abort", onAbort, { once: true });
  });
}
