/** Tokens of this process by what they are for, with one request for everyone who waits. */

import type { Clock } from "../clock/mod.ts";
import { orAborted } from "./abortable.ts";
import type { ResolvedCredentials } from "./types.ts";

const REUSE_MARGIN_MS = 30_000;

/** A credential that ends. */
export type ExpiringCredentials = ResolvedCredentials & { expiresAt: number };

/** Remembers credentials by key. */
export interface TokenMemory {
  /** A credential with more than 30 s to live, else what `obtain` gives; shared by all callers. */
  get(
    key: string,
    options: { renew?: boolean; signal: AbortSignal },
    obtain: () => Promise<ExpiringCredentials>,
  ): Promise<ExpiringCredentials>;
}

/** An empty memory. */
export function createTokenMemory(clock: Clock): TokenMemory {
  const held = new Map<string, ExpiringCredentials>();
  const flights = new Map<string, Promise<ExpiringCredentials>>();
  return {
    async get(key, { renew, signal }, obtain) {
      signal.throwIfAborted();
      const known = held.get(key);
      if (!renew && known !== undefined && known.expiresAt - clock.now() > REUSE_MARGIN_MS) {
        return known;
      }
      let flight = flights.get(key);
      if (flight === undefined) {
        flight = obtain().then((credentials) => {
          held.set(key, credentials);
          return credentials;
        }).finally(() => flights.delete(key));
        flights.set(key, flight);
      }
      return await orAborted(flight, signal);
    },
  };
}
