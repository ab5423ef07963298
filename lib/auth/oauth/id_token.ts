/** Who signed in: the claims of an id_token (spec 05 §3.6 step 12). */

import { isJsonObject, type JsonObject } from "../../json/mod.ts";

const SKEW_MS = 60_000;
const ISSUERS: ReadonlySet<unknown> = new Set([
  "https://accounts.google.com",
  "accounts.google.com",
]);

/** What an id_token said, or why it cannot be believed. */
export type Identity =
  | { kind: "identity"; sub: string; email?: string }
  | { kind: "absent" }
  | { kind: "unusable"; why: string };

/**
 * Reads an id_token that came straight from the token endpoint over TLS, which is why its signature
 * is not checked again.
 */
export function readIdentity(
  idToken: string | undefined,
  expected: { clientId: string; nonce: string; now: number },
): Identity {
  if (idToken === undefined) return { kind: "absent" };
  const claims = claimsOf(idToken);
  if (claims === undefined) return unusable("it is not a JWT");
  if (!ISSUERS.has(claims.iss)) return unusable("it has another issuer");
  if (!forClient(claims, expected.clientId)) return unusable("it is for another client");
  if (claims.nonce !== expected.nonce) return unusable("it answers another request");
  if (typeof claims.exp !== "number" || claims.exp * 1000 + SKEW_MS <= expected.now) {
    return unusable("it has expired; check this machine's clock");
  }
  const { sub, email } = claims;
  if (typeof sub !== "string" || sub === "") return unusable("it names no subject");
  return {
    kind: "identity",
    sub,
    ...(typeof email === "string" && email !== "" ? { email: email.toLowerCase() } : {}),
  };
}

function forClient(claims: JsonObject, clientId: string): boolean {
  return claims.aud === clientId || (Array.isArray(claims.aud) && claims.aud.length === 1 &&
    claims.aud[0] === clientId);
}

function claimsOf(token: string): JsonObject | undefined {
  const parts = token.split(".");
  const [, payload] = parts;
  if (parts.length !== 3 || payload === undefined) return undefined;
  try {
    const bytes = Uint8Array.fromBase64(payload, { alphabet: "base64url" });
    const claims: unknown = JSON.parse(new TextDecoder("utf-8", { fatal: true }).decode(bytes));
    return isJsonObject(claims) ? claims : undefined;
  } catch {
    // Base64, UTF-8 and JSON fail in their own ways; the outcome is the same.
    return undefined;
  }
}

function unusable(why: string): Identity {
  return { kind: "unusable", why };
}
