/** Signing in with the profile's own OAuth client (spec 05 §3.6). */

import { AuthError, loginCommand } from "./errors.ts";
import { isAddress, learnAddress } from "./grants/address.ts";
import { grantedScopes, grantFingerprint, type OAuthGrant } from "./grants/grant.ts";
import { choosePrincipal, type Principal, subjectMismatch } from "./grants/identity.ts";
import { type GrantState, type GrantView, requireClient } from "./grants/state.ts";
import { storeGrant } from "./grants/storing.ts";
import type { BrowserOpener } from "./oauth/browser.ts";
import { runConsent, type SignInIo } from "./oauth/consent.ts";
import { tokenFailure } from "./oauth/failures.ts";
import { readIdentity } from "./oauth/id_token.ts";
import type { TokenGranted } from "./oauth/token_client.ts";
import { pruneLoginScopes, scopesMissing, sortedScopes } from "./scopes.ts";
import type { AuthParts } from "./types.ts";

/** Roughly what Google lets an unverified app hold. */
const UNVERIFIED_SCOPE_LIMIT = 25;

/** What to sign in for. */
export interface LoginRequest {
  /** Full names; what was granted before is asked for again with them. */
  scopes: readonly string[];
  /** Any account is fine; only these scopes are asked for. */
  switchAccount?: boolean;
  /** Absent: the person opens the address. */
  openBrowser?: BrowserOpener;
  io: SignInIo;
  signal: AbortSignal;
}

/** What a login stored. No token is part of it. */
export interface LoginResult {
  scopes: readonly string[];
  scopesRequested: readonly string[];
  /** Asked for and not granted. */
  scopesDenied: readonly string[];
  subjectFingerprint: string;
  tokenBytes: number;
  /** Milliseconds since the epoch. */
  expiresAt: number | undefined;
}

/** A consent that passed every check and is not stored yet. */
export interface VerifiedConsent {
  clientId: string;
  grant: OAuthGrant;
  principal: Principal;
  requested: readonly string[];
  answer: TokenGranted;
}

/**
 * Runs the browser flow and stores the grant.
 *
 * @throws AuthError for every refusal; then nothing is stored.
 */
export async function signIn(
  parts: AuthParts,
  view: GrantView,
  request: LoginRequest,
): Promise<LoginResult> {
  const consent = await obtainConsent(parts, view, request);
  return await storeConsent(parts, view, { consent, signal: request.signal });
}

/** The flow up to the point where something would be stored. */
export async function obtainConsent(
  parts: AuthParts,
  view: GrantView,
  request: LoginRequest,
): Promise<VerifiedConsent> {
  const { signal, switchAccount = false } = request;
  const config = await view.config();
  const state = await view.current(signal, { fresh: true });
  const client = requireClient(state, request.scopes);
  const requested = desiredScopes(request, state);
  warnOfScopeLimit(requested, request.io);
  const { answer, nonce } = await runConsent(parts, {
    strategy: "byo_oauth",
    client,
    scopes: requested,
    prompt: "select_account consent",
    openBrowser: request.openBrowser,
    manualEntry: config.allowManualCode,
    io: request.io,
    signal,
  });
  const now = parts.clock.now();
  if (answer.kind !== "granted") {
    throw tokenFailure(answer, {
      code: "BYO_OAUTH_TOKEN_EXCHANGE_FAILED",
      strategy: "byo_oauth",
      now,
      requiredScopes: request.scopes,
    });
  }
  if (answer.refreshToken === undefined) {
    throw new AuthError({
      code: "BYO_OAUTH_NO_REFRESH_TOKEN",
      strategy: "byo_oauth",
      remediation: "Google gave no lasting sign-in; repeat the consent, and use a client of type " +
        "Desktop app",
      nextCommand: "gum login",
    });
  }
  const expected = switchAccount ? undefined : config.expectedSubjects.byo_oauth;
  const identity = readIdentity(answer.idToken, { clientId: client.id, nonce, now });
  const principal = await choosePrincipal(identity, expected);
  if (expected !== undefined) {
    if (identity.kind !== "identity") {
      const why = identity.kind === "absent" ? "Google named no account" : identity.why;
      throw new AuthError({
        code: "AUTH_SUBJECT_MISMATCH",
        strategy: "byo_oauth",
        remediation: `the account of this sign-in cannot be told: ${why}`,
        setupCommand: "gum login --switch-account",
        missingComponents: [],
        userMessage: "It could not be checked that this is the profile's account, so nothing " +
          "was stored.",
        details: { expected_subject_fingerprint: expected, actual_subject_fingerprint: "" },
      });
    }
    if (principal.fingerprint !== expected) {
      throw subjectMismatch({ strategy: "byo_oauth", expected, actual: principal.fingerprint });
    }
  }
  const { fingerprint: _fingerprint, ...identityFields } = principal;
  const scopes = scopesOf(answer, { requested, previous: state.grant, principal });
  const named = identity.kind === "identity" ? identity.email : undefined;
  const address = named !== undefined && isAddress(named)
    ? named
    : await learnAddress(parts, { token: answer.accessToken, scopes }, signal);
  const at = new Date(now).toISOString();
  return {
    clientId: client.id,
    principal,
    requested,
    answer,
    grant: {
      refreshToken: answer.refreshToken.reveal(),
      scopes,
      ...identityFields,
      ...(address === undefined ? {} : { address }),
      grantedAt: at,
      updatedAt: at,
    },
  };
}

/** Stores a verified consent and lets this process see it at once. */
export async function storeConsent(
  parts: AuthParts,
  view: GrantView,
  given: { consent: VerifiedConsent; signal: AbortSignal },
): Promise<LoginResult> {
  const { clientId, grant, principal, requested, answer } = given.consent;
  const { expectedSubjects } = await view.config();
  await storeGrant(parts, {
    clientId,
    grant,
    mode: "replace",
    // A switch to an account that Google did not name must not leave the old one expected: every
    // call would be refused, and no further switch could mend it.
    expected: principal.fingerprint !== ""
      ? principal.fingerprint
      : expectedSubjects.byo_oauth === undefined
      ? undefined
      : null,
  }, given);
  view.forget();
  const state = await view.current(given.signal);
  const subjectFingerprint = await grantFingerprint("byo_oauth", grant);
  // Somebody else may have signed in since: then this token is not of the grant that is stored.
  const stands = state.grant?.refreshToken === grant.refreshToken;
  const expiresAt = answer.expiresIn === undefined
    ? undefined
    : parts.clock.now() + answer.expiresIn * 1_000;
  if (stands && expiresAt !== undefined && (await view.config()).tokenCache) {
    // The next command starts with this token instead of asking for another.
    await parts.tokenCache?.write(state.account, {
      token: answer.accessToken,
      scopes: grant.scopes,
      expiresAt,
      subjectFingerprint,
      generation: state.generation,
    }, given);
  }
  return {
    scopes: grant.scopes,
    scopesRequested: sortedScopes(requested),
    scopesDenied: scopesMissing(grant.scopes, requested),
    subjectFingerprint,
    tokenBytes: answer.accessToken.reveal().length,
    expiresAt,
  };
}

/** The whole set is named each time: what Google adds by itself is not dependable for desktop apps. */
function desiredScopes(request: LoginRequest, state: GrantState): string[] {
  const previous = request.switchAccount ? [] : state.grant?.scopes ?? [];
  const scopes = pruneLoginScopes(sortedScopes([...request.scopes, ...previous]));
  if (request.scopes.length > 0) return scopes;
  throw new AuthError({
    code: "BYO_OAUTH_NO_SCOPES",
    strategy: "byo_oauth",
    remediation: "a sign-in needs at least one scope",
    nextCommand: loginCommand("gum login", ["gmail.readonly"]),
  });
}

/** Never the scopes of another account: what the answer does not say, the same account keeps. */
function scopesOf(
  answer: TokenGranted,
  known: { requested: readonly string[]; previous: OAuthGrant | undefined; principal: Principal },
): string[] {
  if (answer.scopes !== undefined) return grantedScopes(answer.scopes);
  const { previous, principal, requested } = known;
  const same = previous !== undefined && previous.principal === principal.principal;
  return grantedScopes(same ? [...requested, ...previous.scopes] : requested);
}

function warnOfScopeLimit(scopes: readonly string[], io: SignInIo): void {
  if (scopes.length <= UNVERIFIED_SCOPE_LIMIT) return;
  io.say(
    `This sign-in asks for ${scopes.length} scopes; an app that Google has not verified can hold ` +
      `about ${UNVERIFIED_SCOPE_LIMIT}. If Google blocks it, ask for less: ` +
      "gum login --service gmail,calendar,drive",
  );
}
