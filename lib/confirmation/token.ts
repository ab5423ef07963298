/** The text of a confirmation token: building, splitting, signing (spec 02 §3.5). */

import { sha256Hex } from "../digest/mod.ts";
import { jcs } from "../format/jcs.ts";
import type { ConfirmationBinding } from "../dispatch/types.ts";

/** Milliseconds a token stays valid. */
export const TOKEN_TTL_MS = 5 * 60_000;

/** Changed whenever the binding rules change, which voids tokens issued under the old ones. */
const EPOCH = "gum-confirmation-1";

const PURPOSES: ReadonlySet<string> = new Set<ConfirmationBinding["purpose"]>([
  "gum_confirm_destructive",
  "gum_confirm_write",
  "gum_code_write",
  "gum_code_destructive",
]);

/** The seven fields of a token, still unverified. */
export interface TokenFields {
  issuedMs: number;
  expiresMs: number;
  nonce: string;
  purpose: string;
  binding: string;
  mac: string;
  /** Everything before the last dot: what the MAC covers. */
  signed: string;
}

/** Splits a token; undefined when it is not seven fields of the right version and times. */
export function splitToken(token: string): TokenFields | undefined {
  const fields = token.split(".");
  const [version, issued, expires, nonce, purpose, binding, mac] = fields;
  if (
    fields.length !== 7 || version !== "v1" || issued === undefined || expires === undefined ||
    nonce === undefined || purpose === undefined || binding === undefined || mac === undefined ||
    !/^[0-9]{1,15}$/.test(issued) || !/^[0-9]{1,15}$/.test(expires)
  ) return undefined;
  return {
    issuedMs: Number(issued),
    expiresMs: Number(expires),
    nonce,
    purpose,
    binding,
    mac,
    signed: token.slice(0, token.lastIndexOf(".")),
  };
}

/** True for a purpose of the closed set. */
export function isKnownPurpose(purpose: string): boolean {
  return PURPOSES.has(purpose);
}

/** Hex SHA-256 over everything a token stands for. */
export async function bindingHash(
  binding: ConfirmationBinding,
  profileName: string,
): Promise<string> {
  const scope = binding.purpose === "gum_confirm_write" ? "" : binding.scope;
  // The two empty places are resource key and subject: tokens belong to a profile, not a principal.
  const parts = [
    binding.opId,
    binding.variantId,
    binding.argsHash,
    "",
    "",
    profileName,
    scope,
    EPOCH,
  ];
  return await sha256Hex(jcs(parts));
}

/** Hex HMAC-SHA-256 of the signed part. */
export async function sign(signed: string, key: CryptoKey): Promise<string> {
  const mac = await crypto.subtle.sign("HMAC", key, new TextEncoder().encode(signed));
  return new Uint8Array(mac).toHex();
}

/** Compares two hex texts in time that depends on their length only. */
export function equalHex(left: string, right: string): boolean {
  if (left.length !== right.length) return false;
  let difference = 0;
  for (let index = 0; index < left.length; index++) {
    difference |= left.charCodeAt(index) ^ right.charCodeAt(index);
  }
  return difference === 0;
}
