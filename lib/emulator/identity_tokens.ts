/** What the emulated Google has issued: codes, access tokens, refresh tokens, id_tokens. */

import type { JsonObject } from "../json/mod.ts";
import type { EmulatedAccount, IssuedToken } from "./credentials.ts";
import { base64Url, utf8 } from "./encoding.ts";
import type { IdentitySwitches } from "./identity.ts";
import { hashHex } from "./random.ts";

/** What an account has allowed a client. */
export interface Grant {
  account: EmulatedAccount;
  clientId: string;
  scopes: string[];
  revoked: boolean;
}

/** An authorization code and what its exchange must match. */
export interface PendingCode {
  grant: Grant;
  redirectUri: string;
  challenge?: string;
  nonce?: string;
  offline: boolean;
  used: boolean;
}

/** Issues tokens and knows them again; one counter, so that a seed gives the same tokens. */
export class TokenRegistry {
  #tokens = new Map<string, IssuedToken>();
  #refreshTokens = new Map<string, Grant>();
  #codes = new Map<string, PendingCode>();
  #tokenGrants = new Map<string, Grant>();
  #counter = 0;

  constructor(readonly options: { accounts: readonly EmulatedAccount[]; seed: number }) {
    for (const account of options.accounts) this.#tokens.set(account.bearer, { account });
  }

  /** The access token's record; undefined when nobody issued it, or it was revoked. */
  token(text: string): IssuedToken | undefined {
    return this.#tokens.get(text);
  }

  /** Issues an access token. */
  issue(input: { account: EmulatedAccount; scopes: readonly string[]; expiresAt: number }): string {
    const token = this.#fresh("access");
    this.#tokens.set(token, input);
    return token;
  }

  /** Issues an authorization code. */
  issueCode(pending: PendingCode): string {
    const code = `4/0${this.#fresh("code").slice(14)}`;
    this.#codes.set(code, pending);
    return code;
  }

  /** What a code stands for; undefined when nobody issued it. */
  code(text: string): PendingCode | undefined {
    return this.#codes.get(text);
  }

  /** Issues a refresh token. */
  issueRefreshToken(grant: Grant): string {
    const token = `1//${this.#fresh("refresh")}`;
    this.#refreshTokens.set(token, grant);
    return token;
  }

  /** The grant of a refresh token; undefined when nobody issued it, or it was replaced. */
  refreshGrant(token: string): Grant | undefined {
    return this.#refreshTokens.get(token);
  }

  /** Issues another refresh token in place of `token`. */
  rotate(token: string, grant: Grant): string {
    this.#refreshTokens.delete(token);
    return this.issueRefreshToken(grant);
  }

  /** Ends the grant behind an access or refresh token; false when there is none. */
  revoke(token: string): boolean {
    const grant = this.#refreshTokens.get(token) ?? this.#tokenGrants.get(token);
    if (grant === undefined || grant.revoked) return false;
    grant.revoked = true;
    for (const [access, owner] of this.#tokenGrants) {
      if (owner === grant) this.#tokens.delete(access);
    }
    return true;
  }

  /** The body of a token endpoint's answer, with a new access token. */
  tokenResponse(
    grant: Grant,
    { now, switches }: { now: number; switches: IdentitySwitches },
  ): JsonObject {
    const lifetime = switches.expiresIn ?? 3599;
    const token = this.issue({
      account: grant.account,
      scopes: grant.scopes,
      expiresAt: now + lifetime * 1000,
    });
    this.#tokenGrants.set(token, grant);
    return {
      access_token: token,
      expires_in: lifetime,
      scope: switches.reportedScope ?? grant.scopes.join(" "),
      token_type: "Bearer",
    };
  }

  #fresh(kind: string): string {
    const serial = ++this.#counter;
    return `emulator-${kind}-${hashHex(`${kind} ${this.options.seed} ${serial}`, 40)}`;
  }
}

/** An id_token for the account of a code; its signature is none that anyone could check. */
export function idToken(
  pending: PendingCode,
  { now, switches }: { now: number; switches: IdentitySwitches },
): string {
  const { account, clientId, scopes } = pending.grant;
  const seconds = Math.floor(now / 1000);
  const withEmail = scopes.some((scope) => /(^|\/)(email|userinfo\.email)$/.test(scope));
  const claims: JsonObject = {
    iss: switches.bareIssuer ? "accounts.google.com" : "https://accounts.google.com",
    azp: clientId,
    aud: clientId,
    sub: account.subject,
    ...(withEmail ? { email: account.person.email, email_verified: true } : {}),
    ...(pending.nonce === undefined ? {} : { nonce: pending.nonce }),
    iat: seconds,
    exp: seconds + 3600,
    ...switches.idTokenClaims,
  };
  const part = (value: JsonObject) => base64Url(utf8(JSON.stringify(value)));
  const signature = base64Url(utf8(hashHex(JSON.stringify(claims), 64)));
  return `${part({ alg: "RS256", kid: "emulator", typ: "JWT" })}.${part(claims)}.${signature}`;
}
