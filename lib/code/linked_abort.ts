/** One signal out of several, which the lasting ones forget when the script is over. */

/** A signal that aborts with the first of its sources, until it is disposed. */
export function linkedAbort(
  sources: readonly AbortSignal[],
): { readonly signal: AbortSignal } & Disposable {
  const controller = new AbortController();
  const follow = (event: Event) => {
    const source = event.target;
    controller.abort(source instanceof AbortSignal ? source.reason : undefined);
  };
  for (const source of sources) {
    if (source.aborted) controller.abort(source.reason);
    else source.addEventListener("abort", follow, { once: true });
  }
  return {
    signal: controller.signal,
    [Symbol.dispose]() {
      for (const source of sources) source.removeEventListener("abort", follow);
    },
  };
}
