/** Access tokens of the profile's own client: reused, shared between processes, renewed (§3.7). */

import { sha256Hex } from "../../digest/mod.ts";
import type { Secret } from "../../dispatch/types.ts";
import { orAborted } from "../abortable.ts";
import { AuthError, loginCommand } from "../errors.ts";
import { tokenFailure } from "../oauth/failures.ts";
import { requestToken, type TokenAnswer, type TokenGranted } from "../oauth/token_client.ts";
import { scopesSatisfied } from "../scopes.ts";
import { secret } from "../secret.ts";
import type { AuthParts, CredentialRequest, ResolvedCredentials } from "../types.ts";
import type { RegisteredClient } from "./client.ts";
import { grantedAtMs, grantedScopes, grantText, type OAuthGrant, parseGrant } from "./grant.ts";
import { withRefreshLock } from "./refresh_lock.ts";
import { type GrantState, type GrantView, requireClient } from "./state.ts";

const REUSE_MARGIN_MS = 30_000;
const REFUSED_FOR_MS = 60_000;
const DEFAULT_LIFETIME_S = 3_600;
/** Calls refused together ask for one new token, not for one each. */
const RENEW_PAUSE_MS = 2_000;

interface HeldToken {
  /** What it was made from; another grant makes it useless. */
  source: string;
  token: Secret;
  expiresAt: number;
  scopes: readonly string[];
  fingerprint: string;
  /** When this process got it from the token service; 0 for a token of another process. */
  obtainedAt: number;
}

interface RefusedGrant {
  source: string;
  generation: string;
  until: number;
  error: AuthError;
}

interface LiveGrant {
  state: GrantState;
  client: RegisteredClient;
  grant: OAuthGrant;
  source: string;
}

/** Gives access tokens of the registered client's grant. */
export interface AccessTokens {
  resolve(request: CredentialRequest): Promise<ResolvedCredentials>;
  /** Forgets the tokens of this process. */
  forget(): void;
}

/** Access tokens over a live view of the profile's grant. */
export function createAccessTokens(parts: AuthParts, view: GrantView): AccessTokens {
  const { clock, lifetime } = parts;
  let held: HeldToken | undefined;
  let refused: RefusedGrant | undefined;
  let flight: { source: string; renew: boolean; token: Promise<HeldToken> } | undefined;

  const usable = (live: LiveGrant): HeldToken | undefined =>
    held !== undefined && held.source === live.source &&
      held.expiresAt - clock.now() > REUSE_MARGIN_MS
      ? held
      : undefined;

  const standingRefusal = ({ source, state }: LiveGrant): AuthError | undefined =>
    refused?.source === source && refused.generation === state.generation &&
      clock.now() < refused.until
      ? refused.error
      : undefined;

  const fromCache = async (live: LiveGrant): Promise<HeldToken | undefined> => {
    if (parts.tokenCache === undefined || !(await view.config()).tokenCache) return undefined;
    const found = await parts.tokenCache.read(live.state.account, { signal: lifetime });
    if (found === undefined || found.subjectFingerprint !== live.state.fingerprint) {
      return undefined;
    }
    if (!scopesSatisfied(found.scopes, live.grant.scopes)) return undefined;
    const { token, expiresAt, scopes, subjectFingerprint } = found;
    return {
      source: live.source,
      token,
      expiresAt,
      scopes,
      fingerprint: subjectFingerprint,
      obtainedAt: 0,
    };
  };

  const keep = async (live: LiveGrant, token: HeldToken): Promise<HeldToken> => {
    held = token;
    if (parts.tokenCache !== undefined && (await view.config()).tokenCache) {
      await parts.tokenCache.write(live.state.account, {
        token: token.token,
        scopes: token.scopes,
        expiresAt: token.expiresAt,
        subjectFingerprint: token.fingerprint,
        generation: live.state.generation,
      }, { signal: lifetime });
    }
    return token;
  };

  /** Inside the lock: someone else may have renewed it while this process waited. */
  const renewed = async (avoid: Secret | undefined): Promise<HeldToken> => {
    let live = await liveGrant(await view.current(lifetime, { fresh: true }), []);
    const cached = await fromCache(live);
    if (cached !== undefined) {
      if (cached.token.reveal() !== avoid?.reveal()) return held = cached;
      await parts.tokenCache?.drop(live.state.account, { signal: lifetime });
    }
    const known = standingRefusal(live);
    if (known !== undefined) throw known;
    let answer = await ask(live);
    for (let tries = 1;; tries++) {
      const accepted = answer.kind === "granted" ? await accept(live, answer) : undefined;
      if (accepted !== undefined) return accepted;
      if (answer.kind === "outage") break;
      // A login may have replaced the grant, or a logout removed it, while the answer was under way.
      const now = await liveGrant(await view.current(lifetime, { fresh: true }), []);
      if (answer.kind === "refused" && (now.source === live.source || tries > 1)) break;
      if (tries > 1) throw replacedAgain();
      live = now;
      answer = await ask(live);
    }
    const error = tokenFailure(answer, {
      code: "AUTH_REFRESH_FAILED",
      strategy: "byo_oauth",
      now: clock.now(),
      grantedAt: grantedAtMs(live.grant) ?? 0,
    });
    if (answer.kind === "refused" && answer.error.includes("invalid_grant")) {
      await parts.tokenCache?.drop(live.state.account, { signal: lifetime });
      held = undefined;
      const { generation } = live.state;
      refused = { source: live.source, generation, until: clock.now() + REFUSED_FOR_MS, error };
    }
    throw error;
  };

  const ask = ({ client, grant }: LiveGrant): Promise<TokenAnswer> =>
    requestToken(parts.http, {
      url: parts.endpoints.token,
      form: {
        grant_type: "refresh_token",
        refresh_token: grant.refreshToken,
        client_id: client.id,
        client_secret: client.secret,
      },
    }, lifetime);

  /** The token, kept; undefined when the grant it came from is no longer the profile's. */
  const accept = async (
    live: LiveGrant,
    answer: TokenGranted,
  ): Promise<HeldToken | undefined> => {
    const now = clock.now();
    const reported = answer.scopes === undefined ? undefined : grantedScopes(answer.scopes);
    const scopes = reported === undefined
      ? live.grant.scopes
      : live.grant.scopes.filter((scope) => reported.includes(scope));
    const changed: OAuthGrant = {
      ...live.grant,
      refreshToken: answer.refreshToken?.reveal() ?? live.grant.refreshToken,
      scopes,
    };
    const rotated = changed.refreshToken !== live.grant.refreshToken;
    // A new refresh token is safe on disk before the access token that came with it is used: the
    // old one may be dead already.
    const after = rotated || scopes.length < live.grant.scopes.length
      ? await replaceStored(live, { ...changed, updatedAt: new Date(now).toISOString() })
      : live;
    if (after === undefined) return undefined;
    return await keep(after, {
      source: after.source,
      token: answer.accessToken,
      expiresAt: now + (answer.expiresIn ?? DEFAULT_LIFETIME_S) * 1_000,
      scopes: after.grant.scopes,
      fingerprint: after.state.fingerprint,
      obtainedAt: now,
    });
  };

  /**
   * Writes the renewed grant, unless a login or a logout came in between: theirs stands, and the
   * token at hand may be another account's than the one that is signed in now.
   */
  const replaceStored = async (
    live: LiveGrant,
    changed: OAuthGrant,
  ): Promise<LiveGrant | undefined> => {
    const { account } = live.state;
    // Not of this session's life: the old token may be dead, and a session that closes now must not
    // take the only new one with it.
    const call = { signal: new AbortController().signal };
    const written = await parts.store.exclusive(async (entries) => {
      const stored = await entries.get(account, call);
      const present = stored === null ? undefined : parseGrant(stored.reveal());
      if (present?.refreshToken !== live.grant.refreshToken) return false;
      await entries.set(account, secret(grantText(changed)), call);
      return true;
    }, call);
    if (!written) return undefined;
    const state = await view.current(lifetime, { fresh: true });
    if (state.client === undefined || state.grant === undefined) return undefined;
    const { client, grant } = state;
    const source = await grantSource(client, grant);
    return source === await grantSource(live.client, changed)
      ? { state, client, grant, source }
      : undefined;
  };

  const shared = (live: LiveGrant, renew: boolean): Promise<HeldToken> => {
    if (flight?.source === live.source && (flight.renew || !renew)) return flight.token;
    const avoid = renew ? held?.token : undefined;
    const work = withRefreshLock(parts, () => renewed(avoid));
    const mine = { source: live.source, renew, token: work };
    flight = mine;
    const done = () => {
      if (flight === mine) flight = undefined;
    };
    work.then(done, done);
    return work;
  };

  const tokenFor = async (
    live: LiveGrant,
    wanted: { renew: boolean; signal: AbortSignal },
  ): Promise<HeldToken> => {
    const ready = usable(live);
    const justRenewed = ready !== undefined && clock.now() - ready.obtainedAt < RENEW_PAUSE_MS;
    if (ready !== undefined && (!wanted.renew || justRenewed)) return ready;
    const known = standingRefusal(live);
    if (known !== undefined) throw known;
    if (!wanted.renew) {
      const cached = await fromCache(live);
      if (cached !== undefined) return held = cached;
    }
    return await orAborted(shared(live, wanted.renew), wanted.signal);
  };

  return {
    async resolve({ scopes, renew, signal }) {
      // Unreadable settings may hold the check of whose token it must be.
      await view.config();
      for (let attempt = 0;; attempt++) {
        const live = await liveGrant(await view.current(signal), scopes);
        const token = await tokenFor(live, { renew: renew === true && attempt === 0, signal });
        // The person may have taken back a part: then the grant says so, and asks for a login.
        if (scopesSatisfied(token.scopes, scopes)) return credentialsOf(token);
        if (attempt > 0) throw notCovered(scopes, token.scopes);
      }
    },
    forget() {
      held = undefined;
      refused = undefined;
    },
  };
}

/** The grant of a state, when it covers the scopes. */
async function liveGrant(state: GrantState, scopes: readonly string[]): Promise<LiveGrant> {
  const client = requireClient(state, scopes);
  const { grant } = state;
  if (grant === undefined || !scopesSatisfied(grant.scopes, scopes)) {
    throw notCovered(scopes, grant?.scopes ?? []);
  }
  return { state, client, grant, source: await grantSource(client, grant) };
}

function notCovered(required: readonly string[], have: readonly string[]): AuthError {
  return new AuthError({
    code: "NO_REFRESH_TOKEN",
    strategy: "byo_oauth",
    remediation: have.length === 0
      ? "nobody has signed in to this profile yet"
      : "the sign-in of this profile does not cover what the call needs",
    requiredScopes: required,
    haveScopes: have,
    nextCommand: loginCommand("gum login", required),
    retryable: true,
  });
}

/** Somebody signs in over and over, or two processes refresh without a lock that both can write. */
function replacedAgain(): AuthError {
  return new AuthError({
    code: "AUTH_STORE_BUSY",
    strategy: "byo_oauth",
    remediation: "the sign-in of this profile was replaced twice while its token was renewed",
  });
}

/** Tells one grant from another without keeping its token. */
const sources = new WeakMap<OAuthGrant, Promise<string>>();

function grantSource(client: RegisteredClient, grant: OAuthGrant): Promise<string> {
  let source = sources.get(grant);
  if (source === undefined) {
    source = sha256Hex(JSON.stringify([client.id, grant.refreshToken, grant.scopes]));
    sources.set(grant, source);
  }
  return source;
}

function credentialsOf(token: HeldToken): ResolvedCredentials {
  return {
    token: token.token,
    expiresAt: token.expiresAt,
    scopes: token.scopes,
    signInStrategy: "byo_oauth",
    subjectFingerprint: token.fingerprint,
  };
}
