/** Signing out (spec 05 §3.9). */

import { AuthError } from "./errors.ts";
import { loadClient, type RegisteredClient } from "./grants/client.ts";
import { type OAuthGrant, parseGrant } from "./grants/grant.ts";
import type { GrantView } from "./grants/state.ts";
import { purgeManaged } from "./managed/purge.ts";
import { revokeToken } from "./oauth/token_client.ts";
import { secret } from "./secret.ts";
import { byoClientAccount, byoGrantAccount, hostedClientAccount } from "./store/mod.ts";
import type { AuthParts } from "./types.ts";

/** How to sign out. */
export interface LogoutRequest {
  forgetClient?: boolean;
  /** Leave the grant at Google alone. */
  keepRemote?: boolean;
  /**
   * Whether another profile of this machine uses the same client for the same account: revoking
   * at Google would sign that one out too.
   */
  sharedElsewhere?: (grant: SharedGrant) => Promise<boolean>;
  signal: AbortSignal;
}

/** A grant as another profile may hold one, too. */
export interface SharedGrant extends Pick<OAuthGrant, "principal" | "principalKind" | "sub"> {
  clientId: string;
}

/** What a logout did. */
export interface LogoutResult {
  grantCleared: boolean;
  clientForgotten: boolean;
  remoteRevoked: boolean;
  /** The client was to be forgotten and there was none. */
  forgetClientSkipped: boolean;
  managedCleared: number;
  note?: string;
}

/** Removes the profile's grant, at Google too where that hurts nobody else. */
export async function signOut(
  parts: AuthParts,
  view: GrantView,
  request: LogoutRequest,
): Promise<LogoutResult> {
  const call = { signal: request.signal };
  const result: LogoutResult = {
    grantCleared: false,
    clientForgotten: false,
    remoteRevoked: false,
    forgetClientSkipped: false,
    managedCleared: 0,
  };
  const client = await registeredClient(parts, call);
  if (client === undefined) {
    result.forgetClientSkipped = request.forgetClient ?? false;
  } else if (client === "damaged") {
    await clearEveryGrant(parts, { request, result });
  } else {
    await clearGrant(parts, { client, request, result });
  }
  result.managedCleared = await purgeManaged(parts, call);
  if (client !== undefined && request.forgetClient) {
    await parts.store.delete(byoClientAccount(parts.profileName), call);
    await parts.store.delete(hostedClientAccount(parts.profileName), call);
    await parts.config.change({ expectedSubject: { strategy: "byo_oauth", fingerprint: null } });
    result.clientForgotten = true;
  }
  view.forget();
  return result;
}

async function registeredClient(
  parts: AuthParts,
  call: { signal: AbortSignal },
): Promise<RegisteredClient | "damaged" | undefined> {
  try {
    return await loadClient(parts.store, parts.profileName, call);
  } catch (error) {
    if (!(error instanceof AuthError)) throw error;
    // A damaged registration must not keep anyone from signing out.
    return "damaged";
  }
}

/** Without a readable client nobody knows which grant is its own: all of the profile go. */
async function clearEveryGrant(
  parts: AuthParts,
  at: { request: LogoutRequest; result: LogoutResult },
): Promise<void> {
  const call = { signal: at.request.signal };
  const prefix = (await byoGrantAccount(parts.profileName, "")).replace(/[0-9a-f]{64}$/, "");
  for (const account of await parts.store.accounts()) {
    if (!account.startsWith(prefix)) continue;
    await parts.store.delete(account, call);
    await parts.tokenCache?.drop(account, call);
    at.result.grantCleared = true;
  }
}

async function clearGrant(
  parts: AuthParts,
  at: { client: RegisteredClient; request: LogoutRequest; result: LogoutResult },
): Promise<void> {
  const { client, request, result } = at;
  const call = { signal: request.signal };
  const account = await byoGrantAccount(parts.profileName, client.id);
  const text = await parts.store.get(account, call);
  if (text === null) return;
  const grant = parseGrant(text.reveal());
  result.grantCleared = true;
  if (grant !== undefined && !request.keepRemote) {
    const shared = await request.sharedElsewhere?.({ ...grant, clientId: client.id });
    if (shared) {
      result.note =
        "another profile uses the same client and account, so the grant at Google stays";
    } else {
      result.remoteRevoked = await revokeToken(parts.http, {
        url: parts.endpoints.revocation,
        token: secret(grant.refreshToken),
      }, request.signal);
    }
  }
  await parts.store.delete(account, call);
  await parts.tokenCache?.drop(account, call);
}
