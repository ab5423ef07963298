/** Opaque names of principals: stable, short, and telling nothing (spec 05 §3.8). */

import { sha256Hex } from "../digest/mod.ts";

/** What a fingerprint is derived from; domains keep equal texts of different kinds apart. */
export type FingerprintDomain = "byo_oauth" | "gum_oauth" | "service_account" | "adc" | "api_key";

/** 16 hex digits for a principal; "" for an unknown one. */
export async function fingerprint(domain: FingerprintDomain, material: string): Promise<string> {
  if (material === "") return "";
  return (await sha256Hex(`${domain}:${material}`)).slice(0, 16);
}

/** Fingerprint of an API key. Hashed twice, so that no search for the key's digest finds it. */
export async function apiKeyFingerprint(key: string): Promise<string> {
  return key === "" ? "" : await fingerprint("api_key", await sha256Hex(await sha256Hex(key)));
}
