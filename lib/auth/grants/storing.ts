/** The single place that writes a login's grant (spec 05 §3.6 steps 14 and 15). */

import { secret } from "../secret.ts";
import { byoGrantAccount } from "../store/mod.ts";
import type { AuthParts } from "../types.ts";
import { grantText, type OAuthGrant, parseGrant, uniteGrants } from "./grant.ts";

/**
 * Stores a grant. `union` folds in the scopes of a stored grant of the same account; `replace`
 * stores exactly what it is given. The expectation follows the grant: a crash in between leaves a
 * grant that dispatch refuses.
 */
export async function storeGrant(
  parts: Pick<AuthParts, "store" | "config" | "profileName">,
  given: {
    clientId: string;
    grant: OAuthGrant;
    mode: "union" | "replace";
    /**
     * Fingerprint to expect from now on; null: nobody in particular; absent: the expectation stays
     * as it is.
     */
    expected?: string | null;
  },
  call: { signal: AbortSignal },
): Promise<OAuthGrant> {
  const account = await byoGrantAccount(parts.profileName, given.clientId);
  return await parts.store.exclusive(async (entries) => {
    const stored = await entries.get(account, call);
    const older = stored === null ? undefined : parseGrant(stored.reveal());
    const grant = given.mode === "union" ? uniteGrants(older, given.grant) : given.grant;
    await entries.set(account, secret(grantText(grant)), call);
    if (given.expected !== undefined) {
      await parts.config.change({
        expectedSubject: { strategy: "byo_oauth", fingerprint: given.expected },
      });
    }
    return grant;
  }, call);
}
