/** A grant: what an account allowed a client to do (spec 05 §2.5, §3.6). */

import type { AuthStrategy } from "../../catalog/types.ts";
import { isJsonObject, type JsonObject } from "../../json/mod.ts";
import { fingerprint } from "../fingerprint.ts";
import { sortedScopes } from "../scopes.ts";

/** A stored grant. */
export interface OAuthGrant {
  refreshToken: string;
  /** Sorted, unique, full URLs, never `openid`. */
  scopes: readonly string[];
  /** Account identity that the fingerprint is derived from; absent in grants without one. */
  principal?: string;
  principalKind?: "email" | "sub";
  /** Subject of the id_token, to recognise a later login. */
  sub?: string;
  /** For people to read; says nothing about identity. */
  address?: string;
  /** RFC 3339. */
  grantedAt: string;
  updatedAt: string;
  /** Everything found in the store, so that unknown fields survive a rewrite. */
  readonly stored?: JsonObject;
}

/** Reads a stored grant; undefined for text that is none ("no grant"). */
export function parseGrant(text: string): OAuthGrant | undefined {
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch {
    return undefined; // damaged text is no grant; signing in writes a new one
  }
  if (!isJsonObject(value)) return undefined;
  const { refresh_token: refreshToken, scopes, principal, principal_kind: kind, sub, address } =
    value;
  if (typeof refreshToken !== "string" || refreshToken === "") return undefined;
  return {
    refreshToken,
    scopes: Array.isArray(scopes) ? grantedScopes(scopes.filter((s) => typeof s === "string")) : [],
    ...(typeof principal === "string" && principal !== "" ? { principal } : {}),
    ...(kind === "email" || kind === "sub" ? { principalKind: kind } : {}),
    ...(typeof sub === "string" && sub !== "" ? { sub } : {}),
    ...(typeof address === "string" && address !== "" ? { address } : {}),
    grantedAt: typeof value.granted_at === "string" ? value.granted_at : "",
    updatedAt: typeof value.updated_at === "string" ? value.updated_at : "",
    stored: value,
  };
}

/** The text to store. */
export function grantText(grant: OAuthGrant): string {
  const document: JsonObject = {
    ...grant.stored,
    v: 1,
    refresh_token: grant.refreshToken,
    scopes: grantedScopes(grant.scopes),
    granted_at: grant.grantedAt,
    updated_at: grant.updatedAt,
  };
  for (
    const [key, value] of [
      ["principal", grant.principal],
      ["principal_kind", grant.principalKind],
      ["sub", grant.sub],
      ["address", grant.address],
    ] as const
  ) {
    if (value === undefined) delete document[key];
    else document[key] = value;
  }
  return JSON.stringify(document);
}

/**
 * Two grants of one account as one: all scopes, the newer token. Grants of different accounts are
 * not mixed: then the newer one stands alone.
 */
export function uniteGrants(older: OAuthGrant | undefined, newer: OAuthGrant): OAuthGrant {
  if (older === undefined || older.principal !== newer.principal) return newer;
  return {
    ...newer,
    scopes: grantedScopes([...older.scopes, ...newer.scopes]),
    grantedAt: newer.grantedAt,
    stored: { ...older.stored, ...newer.stored },
  };
}

/** Scopes as they are recorded. */
export function grantedScopes(scopes: readonly string[]): string[] {
  return sortedScopes(scopes.filter((scope) => scope !== "openid" && scope !== ""));
}

/** The principal's fingerprint; a grant without a principal falls back to its refresh token. */
export async function grantFingerprint(
  strategy: AuthStrategy & ("byo_oauth" | "gum_oauth"),
  grant: OAuthGrant,
): Promise<string> {
  return await fingerprint(strategy, grant.principal ?? grant.refreshToken);
}

/** Milliseconds since the epoch; undefined for a grant without a date. */
export function grantedAtMs(grant: OAuthGrant): number | undefined {
  const at = Date.parse(grant.grantedAt);
  return Number.isNaN(at) ? undefined : at;
}
