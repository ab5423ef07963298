/** Sign-in and tokens of the client this project would run (spec 05 §3.10). Dormant by manifest. */

import { orAborted } from "../abortable.ts";
import { AuthError, loginCommand } from "../errors.ts";
import { fingerprint } from "../fingerprint.ts";
import {
  grantedAtMs,
  grantedScopes,
  grantText,
  type OAuthGrant,
  parseGrant,
} from "../grants/grant.ts";
import { subjectMismatch } from "../grants/identity.ts";
import { runConsent } from "../oauth/consent.ts";
import { tokenFailure } from "../oauth/failures.ts";
import { readIdentity } from "../oauth/id_token.ts";
import { requestToken } from "../oauth/token_client.ts";
import { scopesMissing, scopesSatisfied, sortedScopes } from "../scopes.ts";
import { secret } from "../secret.ts";
import {
  type CredentialEntries,
  managedGrantAccount,
  managedIndexAccount,
  managedSubjectAccount,
  type StoreCall,
} from "../store/mod.ts";
import type { LoginRequest, LoginResult } from "../login.ts";
import type { AuthParts, CredentialRequest, ResolvedCredentials } from "../types.ts";
import type { ManagedScopes } from "../../catalog/mod.ts";
import { canStartGumOAuth } from "./manifest.ts";
import { managedAccounts } from "./purge.ts";

const REUSE_MARGIN_MS = 30_000;
const DEFAULT_LIFETIME_S = 3_600;

/** The managed client of one profile. */
export interface ManagedClient {
  resolve(request: CredentialRequest): Promise<ResolvedCredentials>;
  login(request: LoginRequest): Promise<LoginResult>;
}

/** Which account signed in, and what it allowed. */
interface Subject {
  fingerprint: string;
  grant: OAuthGrant;
}

/** Makes the managed client. It holds no state but tokens, so one instance serves all callers. */
export function createManagedClient(parts: AuthParts, manifest: ManagedScopes): ManagedClient {
  const clientId = parts.managedClientId ?? "";
  const tokens = new Map<string, ResolvedCredentials & { expiresAt: number }>();
  const flights = new Map<string, Promise<ResolvedCredentials & { expiresAt: number }>>();

  const refresh = async (subject: Subject) => {
    const answer = await requestToken(parts.http, {
      url: parts.endpoints.token,
      form: {
        grant_type: "refresh_token",
        refresh_token: subject.grant.refreshToken,
        client_id: clientId,
      },
    }, parts.lifetime);
    const now = parts.clock.now();
    if (answer.kind !== "granted") {
      throw tokenFailure(answer, {
        code: "AUTH_REFRESH_FAILED",
        strategy: "gum_oauth",
        now,
        grantedAt: grantedAtMs(subject.grant) ?? 0,
      });
    }
    if (answer.refreshToken !== undefined) {
      const account = managedGrantAccount(parts.profileName, subject.fingerprint);
      const rotated = { ...subject.grant, refreshToken: answer.refreshToken.reveal() };
      await parts.store.set(account, secret(grantText(rotated)), { signal: parts.lifetime });
    }
    return {
      token: answer.accessToken,
      expiresAt: now + (answer.expiresIn ?? DEFAULT_LIFETIME_S) * 1_000,
      scopes: subject.grant.scopes,
      signInStrategy: "gum_oauth" as const,
      subjectFingerprint: subject.fingerprint,
    };
  };

  return Object.freeze({
    async resolve({ scopes, renew, signal }: CredentialRequest) {
      canStartGumOAuth(manifest, scopes);
      if (clientId === "") throw noClientId();
      const subject = await storedSubject(parts.store, parts.profileName, { signal });
      if (subject === undefined || !scopesSatisfied(subject.grant.scopes, scopes)) {
        throw loginRequired(scopes, subject?.grant.scopes ?? []);
      }
      const key = `${subject.fingerprint} ${subject.grant.grantedAt} ${subject.grant.scopes}`;
      const known = tokens.get(key);
      if (!renew && known !== undefined && known.expiresAt - parts.clock.now() > REUSE_MARGIN_MS) {
        return known;
      }
      let flight = flights.get(key);
      if (flight === undefined) {
        flight = refresh(subject).finally(() => flights.delete(key));
        flights.set(key, flight);
      }
      const fresh = await orAborted(flight, signal);
      tokens.set(key, fresh);
      return fresh;
    },
    async login(request: LoginRequest) {
      canStartGumOAuth(manifest, request.scopes);
      if (clientId === "") throw noClientId();
      const call = { signal: request.signal };
      const previous = await storedSubject(parts.store, parts.profileName, call);
      const carried = request.switchAccount ? [] : previous?.grant.scopes ?? [];
      const desired = sortedScopes([...request.scopes, ...carried]);
      // One scope outside the manifest refuses the lot, also one that was granted long ago.
      canStartGumOAuth(manifest, desired);
      const next = await consented({ parts, clientId, desired, request });
      if (
        previous !== undefined && !request.switchAccount &&
        previous.fingerprint !== next.fingerprint
      ) {
        throw subjectMismatch({
          strategy: "gum_oauth",
          expected: previous.fingerprint,
          actual: next.fingerprint,
        });
      }
      await parts.store.exclusive(
        (entries) => storeSubject(entries, { profileName: parts.profileName, next }, call),
        call,
      );
      tokens.clear();
      return {
        scopes: next.grant.scopes,
        scopesRequested: desired,
        scopesDenied: [],
        subjectFingerprint: next.fingerprint,
        tokenBytes: next.tokenBytes,
        expiresAt: next.expiresAt,
      };
    },
  });
}

async function consented(
  flow: { parts: AuthParts; clientId: string; desired: string[]; request: LoginRequest },
): Promise<Subject & { tokenBytes: number; expiresAt: number | undefined }> {
  const { parts, clientId, desired, request } = flow;
  const { answer, nonce } = await runConsent(parts, {
    strategy: "gum_oauth",
    client: { id: clientId },
    scopes: desired,
    prompt: request.switchAccount ? "select_account consent" : "consent",
    openBrowser: request.openBrowser,
    manualEntry: true,
    io: request.io,
    signal: request.signal,
  });
  const now = parts.clock.now();
  if (answer.kind !== "granted") {
    throw tokenFailure(answer, {
      code: "GUM_OAUTH_TOKEN_EXCHANGE_FAILED",
      strategy: "gum_oauth",
      now,
      requiredScopes: desired,
    });
  }
  const refuse = (code: ConstructorParameters<typeof AuthError>[0]["code"], remediation: string) =>
    new AuthError({ code, strategy: "gum_oauth", remediation, requiredScopes: desired });
  if (answer.refreshToken === undefined) {
    throw refuse("GUM_OAUTH_NO_REFRESH_TOKEN", "Google gave no lasting sign-in; start again");
  }
  const identity = readIdentity(answer.idToken, { clientId, nonce, now });
  if (identity.kind === "absent") {
    throw refuse("GUM_OAUTH_ID_TOKEN_MISSING", "Google named no account; start again");
  }
  if (identity.kind === "unusable") {
    throw refuse("GUM_OAUTH_ID_TOKEN_INVALID", `the account cannot be told: ${identity.why}`);
  }
  const scopes = grantedScopes(answer.scopes ?? desired);
  const missing = scopesMissing(scopes, desired);
  if (missing.length > 0) {
    throw refuse(
      "GUM_OAUTH_TOKEN_EXCHANGE_FAILED",
      `not every scope was granted: ${missing.join(", ")}`,
    );
  }
  const at = new Date(now).toISOString();
  return {
    fingerprint: await fingerprint("gum_oauth", identity.sub),
    grant: {
      refreshToken: answer.refreshToken.reveal(),
      scopes,
      principal: identity.sub,
      principalKind: "sub",
      sub: identity.sub,
      grantedAt: at,
      updatedAt: at,
    },
    tokenBytes: answer.accessToken.reveal().length,
    expiresAt: answer.expiresIn === undefined ? undefined : now + answer.expiresIn * 1_000,
  };
}

async function storedSubject(
  entries: Pick<CredentialEntries, "get">,
  profileName: string,
  call: StoreCall,
): Promise<Subject | undefined> {
  const selected = await entries.get(managedSubjectAccount(profileName), call);
  if (selected === null) return undefined;
  const text = await entries.get(managedGrantAccount(profileName, selected.reveal()), call);
  const grant = text === null ? undefined : parseGrant(text.reveal());
  return grant === undefined ? undefined : { fingerprint: selected.reveal(), grant };
}

async function storeSubject(
  entries: CredentialEntries,
  at: { profileName: string; next: Subject },
  call: StoreCall,
): Promise<void> {
  const { profileName, next } = at;
  const account = managedGrantAccount(profileName, next.fingerprint);
  // The index first: an entry that nothing names could never be removed again.
  const known = await managedAccounts(entries, profileName, call);
  const index = [...new Set([...known, account])].join("\n");
  await entries.set(managedIndexAccount(profileName), secret(index), call);
  await entries.set(account, secret(grantText(next.grant)), call);
  await entries.set(managedSubjectAccount(profileName), secret(next.fingerprint), call);
}

function noClientId(): AuthError {
  return new AuthError({
    code: "GUM_OAUTH_CLIENT_ID_MISSING",
    strategy: "gum_oauth",
    remediation: "this build carries no sign-in client",
    setupCommand: "gum auth use-oauth-client",
    missingComponents: ["oauth_client"],
  });
}

function loginRequired(required: readonly string[], have: readonly string[]): AuthError {
  return new AuthError({
    code: "AUTH_LOGIN_REQUIRED",
    strategy: "gum_oauth",
    remediation: "nobody has signed in for these scopes yet",
    requiredScopes: required,
    haveScopes: have,
    nextCommand: loginCommand("gum auth login", required),
    retryable: true,
  });
}
