/**
 * The address of the account behind a grant, for people to read in confirmations (spec 11 §6). It
 * is never part of a fingerprint, a cache key, a log or an audit row.
 */

import type { Secret } from "../../dispatch/types.ts";
import { isJsonObject, type JsonObject, type JsonValue } from "../../json/mod.ts";
import type { AuthParts } from "../types.ts";
import type { OAuthGrant } from "./grant.ts";

/** A login waits no longer for something that is only nice to have. */
const LEARN_MS = 3_000;
const ANSWER_CAP = 64 * 1024;

/** Services that know whose account it is, with the scopes that let one ask. */
const WITNESSES: readonly {
  scopes: RegExp;
  url: string;
  address(body: JsonObject): JsonValue | undefined;
}[] = [
  {
    scopes:
      /^https:\/\/(mail\.google\.com\/|www\.googleapis\.com\/auth\/gmail\.(modify|readonly|compose|metadata))$/,
    url: "https://gmail.googleapis.com/gmail/v1/users/me/profile",
    address: (body) => body.emailAddress,
  },
  {
    scopes: /\/auth\/drive(\.(readonly|file|metadata|metadata\.readonly))?$/,
    url: "https://www.googleapis.com/drive/v3/about?fields=user%2FemailAddress",
    address: ({ user }) => isJsonObject(user) ? user.emailAddress : undefined,
  },
  {
    scopes: /\/auth\/calendar(\.(readonly|calendars|calendars\.readonly))?$/,
    url: "https://www.googleapis.com/calendar/v3/calendars/primary",
    address: (body) => body.id,
  },
];

/** The address that a grant knows. */
export function grantAddress(grant: OAuthGrant | undefined): string | undefined {
  if (grant === undefined) return undefined;
  return grant.address ?? (grant.principalKind === "email" ? grant.principal : undefined);
}

/** Asks a service that the new token may call; undefined when none says. Never fails a login. */
export async function learnAddress(
  parts: Pick<AuthParts, "http" | "log">,
  about: { token: Secret; scopes: readonly string[] },
  signal: AbortSignal,
): Promise<string | undefined> {
  const limit = AbortSignal.any([signal, AbortSignal.timeout(LEARN_MS)]);
  for (const witness of WITNESSES) {
    if (!about.scopes.some((scope) => witness.scopes.test(scope))) continue;
    try {
      const answer = await parts.http.send({
        method: "GET",
        url: new URL(witness.url),
        headers: { authorization: `Bearer ${about.token.reveal()}`, accept: "application/json" },
        credentialed: true,
        capBytes: ANSWER_CAP,
      }, limit);
      const body: unknown = JSON.parse(new TextDecoder().decode(answer.body));
      const found = answer.status === 200 && isJsonObject(body) ? witness.address(body) : undefined;
      if (typeof found === "string" && isAddress(found)) return found;
    } catch (error) {
      signal.throwIfAborted();
      parts.log.log("debug", "the account's address could not be learned", {
        error: error instanceof Error ? error.name : "unknown",
      });
    }
    if (limit.aborted) return undefined;
  }
  return undefined;
}

/** Text that may stand in a confirmation: an address, and nothing that could pass for more. */
export function isAddress(text: string): boolean {
  return /^[^\s@<>()"',;:\\]{1,64}@[A-Za-z0-9.-]{1,190}$/.test(text);
}
