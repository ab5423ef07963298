/** Where a request that carries a credential may go (spec 02 §3.11.2). */

import { GumError } from "../errors/mod.ts";

/** Headers that carry or select a credential; dropped on a hop to another host. */
export const CREDENTIAL_HEADERS: readonly string[] = [
  "authorization",
  "cookie",
  "x-goog-api-key",
  "x-goog-user-project",
  "developer-token",
  "login-customer-id",
];

/** Query parameters that carry a credential. */
export const CREDENTIAL_PARAMETERS: readonly string[] = ["key"];

/**
 * True for `https` on `googleapis.com` or below it, default port, no userinfo, no fragment, or for
 * an extra entry (host, `host:port` or origin; a port that is given must match).
 */
export function credentialHostAllowed(url: URL, extraHosts: readonly string[] = []): boolean {
  if (url.username !== "" || url.password !== "" || url.hash !== "") return false;
  if (extraHosts.some((entry) => matchesEntry(url, entry))) return true;
  const host = url.hostname;
  return url.protocol === "https:" && url.port === "" &&
    (host === "googleapis.com" || host.endsWith(".googleapis.com"));
}

function matchesEntry(url: URL, entry: string): boolean {
  if (entry.includes("://")) return url.origin === entry;
  if (url.protocol !== "https:") return false;
  return /:[0-9]+$/.test(entry) ? url.host === entry : url.hostname === entry && url.port === "";
}

/** Refuses a credentialed request to a foreign host. */
export function requireCredentialHost(url: URL, extraHosts: readonly string[]): void {
  if (credentialHostAllowed(url, extraHosts)) return;
  throw new GumError("POLICY_DENIED", {
    message: `credentials are never sent to ${url.host}`,
    details: { reason: "credential_host_not_allowed", host: url.host },
    userMessage: "GUM sends credentials to Google hosts only, and this request goes elsewhere.",
    suggestion: "Check the operation's address with `gum describe`; it must be on googleapis.com.",
  });
}
