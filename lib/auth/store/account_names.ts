/** Names of the entries in a credential store (spec 05 §2.5). */

import { sha256Hex } from "../../digest/mod.ts";

/** The service all entries belong to. */
export const STORE_SERVICE = "gum";

/** Letters, digits, `_` and `-` stay; every other byte is percent-encoded, so names never collide. */
export function encodeNamePart(part: string): string {
  let encoded = "";
  for (const byte of new TextEncoder().encode(part)) {
    const character = String.fromCharCode(byte);
    encoded += /[A-Za-z0-9_-]/.test(character)
      ? character
      : `%${byte.toString(16).toUpperCase().padStart(2, "0")}`;
  }
  return encoded;
}

/** The registered OAuth client of a profile. */
export function byoClientAccount(profileName: string): string {
  return `gum.byo_oauth_client.${encodeNamePart(profileName)}`;
}

/** The client of a profile for agents that somebody else hosts; GUM itself never signs in with it. */
export function hostedClientAccount(profileName: string): string {
  return `gum.hosted_oauth_client.${encodeNamePart(profileName)}`;
}

/** The grant of a profile for one OAuth client. */
export async function byoGrantAccount(profileName: string, clientId: string): Promise<string> {
  return `gum.byo_oauth.${encodeNamePart(profileName)}.${await sha256Hex(clientId)}`;
}

/** The managed-client grant of one subject. */
export function managedGrantAccount(profileName: string, subjectFingerprint: string): string {
  return `gum.gum_oauth.${encodeNamePart(profileName)}.${encodeNamePart(subjectFingerprint)}`;
}

/** Fingerprint of the subject the managed client uses. */
export function managedSubjectAccount(profileName: string): string {
  return `gum.gum_oauth.${encodeNamePart(profileName)}._subject`;
}

/** List of the managed-client entries written, one a line. */
export function managedIndexAccount(profileName: string): string {
  return `gum.gum_oauth.${encodeNamePart(profileName)}._index`;
}

/** The API key of a profile. */
export function apiKeyAccount(profileName: string): string {
  return `gum.api_key.${encodeNamePart(profileName)}`;
}

/** The service-account key file of a profile, verbatim. */
export function serviceAccountAccount(profileName: string): string {
  return `gum.service_account.${encodeNamePart(profileName)}`;
}

/** The Google Ads developer token of a profile. */
export function developerTokenAccount(profileName: string): string {
  return `gum.google_ads.developer_token.${encodeNamePart(profileName)}`;
}

/** One secret of a plugin. */
export function pluginCredentialAccount(
  profileName: string,
  credential: { plugin: string; alias: string },
): string {
  const parts = [profileName, credential.plugin, credential.alias];
  return `gum.plugin.${parts.map(encodeNamePart).join(".")}`;
}

/** The key that the access-token cache is encrypted with. */
export function tokenCacheKeyAccount(profileName: string): string {
  return `gum.token_cache_key.${encodeNamePart(profileName)}`;
}
