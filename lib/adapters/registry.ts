/** Finding the adapter of a binding. */

import type { Adapter, AdapterRegistry } from "../dispatch/types.ts";

/** Adapter keys of the one REST executor; they differ by catalog rules only. */
const REST_KEYS = ["rest.typed-rest-sdk", "rest.discovery-rest", "rest.raw-http"];

/**
 * A registry over exact adapter keys. A key nobody registered finds nothing, and the kernel
 * refuses the call before any request: no adapter ever guesses.
 */
export function createAdapterRegistry(
  adapters: { rest?: Adapter; others?: Readonly<Record<string, Adapter>> },
): AdapterRegistry {
  const byKey = new Map<string, Adapter>(Object.entries(adapters.others ?? {}));
  if (adapters.rest !== undefined) { for (const key of REST_KEYS) byKey.set(key, adapters.rest); }
  return { find: (adapterKey) => byKey.get(adapterKey) };
}
