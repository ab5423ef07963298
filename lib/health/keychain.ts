/** The `keychain` row: can credentials be kept, and where (spec 07 §3.21). */

import type { HealthProbe, HealthSample } from "./types.ts";

/** What a look at the credential store found; it reads no secret. */
export interface CredentialPlace {
  backend: string | undefined;
  available: boolean;
  reason?: string;
  detail?: string;
}

/** Longest a helper program of the system may take. */
const PROBE_LIMIT_MS = 2_000;

/** A probe over a credential store; without one, this session keeps no credentials at all. */
export function keychainProbe(
  look: ((signal: AbortSignal) => Promise<CredentialPlace>) | undefined,
): HealthProbe {
  if (look === undefined) {
    return () => ({ status: "healthy", detail: "not used: credentials are given from outside" });
  }
  return async () => keychainSample(await withTimeLimit(look));
}

/** The operating system's keychain is healthy, a vault in its place is second best. */
export function keychainSample(place: CredentialPlace): HealthSample {
  const { backend, available, reason, detail } = place;
  const why = [reason, detail].filter((part) => part !== undefined).join(": ");
  if (!available || backend === undefined) {
    return { status: "unavailable", detail: why || "credentials cannot be kept" };
  }
  return backend === "vault"
    ? { status: "degraded", detail: "only the encrypted vault is available" }
    : { status: "healthy", detail: `${backend} answers` };
}

async function withTimeLimit<T>(look: (signal: AbortSignal) => Promise<T>): Promise<T> {
  const limit = new AbortController();
  const timer = setTimeout(
    () => limit.abort(new Error("the keychain did not answer in time")),
    PROBE_LIMIT_MS,
  );
  try {
    return await look(limit.signal);
  } finally {
    clearTimeout(timer);
  }
}
