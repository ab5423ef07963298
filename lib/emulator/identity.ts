/**
 * OAuth and identity endpoints of the emulated Google: authorization with a consent page, tokens,
 * revocation, the metadata server (spec 00 §10, "OAuth and identity").
 *
 * The consent page works without a browser: `GET` the authorization URL with `gum_decision=allow`
 * (and `gum_account=<address>`, `gum_scopes=<granted list>`) and follow the redirect. Without a
 * decision the page is HTML whose links carry one. {@link IdentityProvider.switches} misbehaves.
 */

import type { JsonObject } from "../json/mod.ts";
import { consentPage } from "./consent_page.ts";
import type { EmulatedAccount, IssuedToken } from "./credentials.ts";
import { sha256Hex } from "../digest/mod.ts";
import { base64Url, utf8 } from "./encoding.ts";
import { federationRoute } from "./federation.ts";
import { oauthErrorBody } from "./error_body.ts";
import {
  describeTokenError,
  isLoopbackRedirect,
  oauthError,
  plain,
  readJwt,
  redirectTo,
} from "./identity_answers.ts";
import { type Grant, idToken, TokenRegistry } from "./identity_tokens.ts";
import { answerMetadata } from "./metadata_server.ts";
import type { EmulatedAnswer } from "./service.ts";

/** A request to an identity endpoint. */
export interface IdentityCall {
  method: string;
  host: string;
  path: string;
  query: URLSearchParams;
  headers: Headers;
  bodyBytes: Uint8Array;
  now: number;
}

/** How the identity endpoints shall misbehave; all off by default. */
export interface IdentitySwitches {
  /** Authorization answers `error=…`: `access_denied`, `admin_policy_enforced`, `org_internal`. */
  authorizationError?: string;
  /** The redirect carries another `state`, or none. */
  state?: "wrong" | "missing";
  /** Only these of the asked scopes are granted. */
  grantOnly?: readonly string[];
  noRefreshToken?: boolean;
  rotateRefreshToken?: boolean;
  noIdToken?: boolean;
  /** `iss` without the scheme. */
  bareIssuer?: boolean;
  /** Claims laid over those of the id_token. */
  idTokenClaims?: JsonObject;
  /** Token endpoint answers this OAuth error: `invalid_grant`, `invalid_client`, … */
  tokenError?: string;
  /** `error_description` and, for `invalid_rapt`, `error_subtype`. */
  tokenErrorDescription?: string;
  /** Scope that the token response reports instead of the real one. */
  reportedScope?: string;
  /** Client ids that exist; absent = any. A value is the secret that must be sent. */
  clients?: Readonly<Record<string, string | undefined>>;
  revocationDown?: boolean;
  /** Metadata server answers without `Metadata-Flavor`. */
  metadataFlavorMissing?: boolean;
  metadataDown?: boolean;
  /** The tokens that federation accepts; absent = any. */
  subjectTokens?: readonly string[];
  impersonationDenied?: boolean;
  /** Lifetime of access tokens, seconds; default 3599. */
  expiresIn?: number;
}

/** A handler of one identity endpoint. */
export type IdentityEndpoint = (call: IdentityCall) => EmulatedAnswer | Promise<EmulatedAnswer>;

const AUTHORIZATION_PATHS: ReadonlySet<string> = new Set([
  "/o/oauth2/v2/auth",
  "/o/oauth2/auth",
]);
const METADATA_HOSTS: ReadonlySet<string> = new Set([
  "metadata.google.internal",
  "169.254.169.254",
  "metadata",
]);

/** Issues tokens and knows them again. */
export class IdentityProvider {
  /** Set and unset at any time. */
  switches: IdentitySwitches = {};
  readonly #tokens: TokenRegistry;

  constructor(readonly options: { accounts: readonly EmulatedAccount[]; seed: number }) {
    this.#tokens = new TokenRegistry(options);
  }

  /** The token's record; undefined when nobody issued it, or it was revoked. */
  token(text: string): IssuedToken | undefined {
    return this.#tokens.token(text);
  }

  /** Issues an access token without any flow, for tests of scopes and expiry. */
  issue(input: { account: EmulatedAccount; scopes: readonly string[]; expiresAt: number }): string {
    return this.#tokens.issue(input);
  }

  /** The endpoint at this address; undefined for all that is no identity endpoint. */
  route(host: string, path: string): IdentityEndpoint | undefined {
    if (host === "accounts.google.com") {
      if (AUTHORIZATION_PATHS.has(path)) return (call) => this.#authorize(call);
      if (path === "/o/oauth2/revoke") return (call) => this.#revoke(call);
      if (path === "/.well-known/openid-configuration") {
        return () => ({ body: OPENID_CONFIGURATION });
      }
      return undefined;
    }
    if (host === "oauth2.googleapis.com") {
      if (path === "/token") return (call) => this.#token(call);
      if (path === "/revoke") return (call) => this.#revoke(call);
      if (path === "/tokeninfo") return (call) => this.#tokenInfo(call);
      return undefined;
    }
    if (host === "openidconnect.googleapis.com" && path === "/v1/userinfo") {
      return (call) => this.#userInfo(call);
    }
    const [first] = this.options.accounts;
    if (first !== undefined) {
      const federation = federationRoute(host, path, {
        switches: this.switches,
        account: first,
        issue: (input) => this.issue(input),
        token: (text) => this.token(text),
      });
      if (federation !== undefined) return federation;
    }
    if (METADATA_HOSTS.has(host)) {
      return (call) =>
        answerMetadata(call, {
          switches: this.switches,
          account: this.options.accounts[0],
          issue: (input) => this.issue(input),
        });
    }
    return undefined;
  }

  #authorize({ query, method }: IdentityCall): EmulatedAnswer {
    if (method !== "GET") return plain(405, "method not allowed");
    const clientId = query.get("client_id");
    const redirectUri = query.get("redirect_uri");
    if (!clientId || !this.#clientKnown(clientId)) {
      return plain(401, "Error 401: invalid_client\nThe OAuth client was not found.");
    }
    if (!redirectUri || !isLoopbackRedirect(redirectUri)) {
      return plain(400, "Error 400: redirect_uri_mismatch");
    }
    if (query.get("response_type") !== "code") {
      return plain(400, "Error 400: invalid_request\nresponse_type must be code");
    }
    const scopes = (query.get("scope") ?? "").split(/\s+/).filter((scope) => scope !== "");
    if (scopes.length === 0) return plain(400, "Error 400: invalid_request\nMissing scope");
    const challenge = query.get("code_challenge");
    if (challenge && query.get("code_challenge_method") !== "S256") {
      return plain(400, "Error 400: invalid_request\nOnly S256 is supported");
    }
    const decision = query.get("gum_decision");
    if (decision === null) {
      return {
        contentType: "text/html; charset=utf-8",
        headers: { "cache-control": "no-store", "content-security-policy": "default-src 'none'" },
        body: utf8(consentPage({ query, scopes, accounts: this.options.accounts })),
      };
    }
    const redirect = new URL(redirectUri);
    const { switches } = this;
    if (query.has("state") && switches.state !== "missing") {
      redirect.searchParams.set(
        "state",
        switches.state === "wrong" ? "not-the-state-you-sent" : query.get("state") ?? "",
      );
    }
    const refusal = switches.authorizationError ??
      (decision === "deny" ? "access_denied" : undefined);
    if (refusal !== undefined) {
      redirect.searchParams.set("error", refusal);
      return redirectTo(redirect);
    }
    const account = this.#accountOf(query.get("gum_account") ?? query.get("login_hint"));
    if (account === undefined) return plain(400, "Error 400: no such account");
    const chosen = query.get("gum_scopes")?.split(/\s+/);
    const only = switches.grantOnly ?? chosen;
    const granted = only === undefined
      ? scopes
      : scopes.filter((scope) => scope === "openid" || only.includes(scope));
    const code = this.#tokens.issueCode({
      grant: { account, clientId, scopes: granted, revoked: false },
      redirectUri,
      offline: query.get("access_type") === "offline" &&
        (query.get("prompt") ?? "consent").includes("consent"),
      used: false,
      ...(challenge ? { challenge } : {}),
      ...(query.get("nonce") ? { nonce: query.get("nonce") as string } : {}),
    });
    redirect.searchParams.set("code", code);
    redirect.searchParams.set("scope", granted.join(" "));
    redirect.searchParams.set("authuser", String(account.index));
    redirect.searchParams.set("prompt", "consent");
    return redirectTo(redirect);
  }

  async #token(call: IdentityCall): Promise<EmulatedAnswer> {
    if (call.method !== "POST") return oauthError(405, "invalid_request", "Only POST is allowed.");
    const form = new URLSearchParams(new TextDecoder().decode(call.bodyBytes));
    const { switches } = this;
    if (switches.tokenError !== undefined) {
      const body = oauthErrorBody(
        switches.tokenError === "invalid_rapt" ? "invalid_grant" : switches.tokenError,
        switches.tokenErrorDescription ?? describeTokenError(switches.tokenError),
      );
      if (switches.tokenError === "invalid_rapt") body.error_subtype = "invalid_rapt";
      return { status: switches.tokenError === "invalid_client" ? 401 : 400, body };
    }
    switch (form.get("grant_type")) {
      case "authorization_code":
        return await this.#exchangeCode(form, call.now);
      case "refresh_token":
        return this.#refresh(form, call.now);
      case "urn:ietf:params:oauth:grant-type:jwt-bearer":
        return this.#jwtBearer(form, call.now);
      default:
        return oauthError(400, "unsupported_grant_type", "Invalid grant_type");
    }
  }

  async #exchangeCode(form: URLSearchParams, now: number): Promise<EmulatedAnswer> {
    const client = this.#checkClient(form);
    if (client !== undefined) return client;
    const pending = this.#tokens.code(form.get("code") ?? "");
    if (pending === undefined || pending.used) {
      return oauthError(400, "invalid_grant", "Malformed auth code.");
    }
    if (pending.grant.clientId !== form.get("client_id")) {
      return oauthError(401, "unauthorized_client", "Unauthorized");
    }
    if (pending.redirectUri !== form.get("redirect_uri")) {
      return oauthError(400, "redirect_uri_mismatch", "Bad Request");
    }
    if (pending.challenge !== undefined) {
      const verifier = form.get("code_verifier");
      if (!verifier) return oauthError(400, "invalid_grant", "Missing code verifier.");
      if (base64Url(Uint8Array.fromHex(await sha256Hex(verifier))) !== pending.challenge) {
        return oauthError(400, "invalid_grant", "Invalid code verifier.");
      }
    }
    pending.used = true;
    const { switches } = this;
    const body = this.#tokens.tokenResponse(pending.grant, { now, switches });
    if (pending.offline && !switches.noRefreshToken) {
      body.refresh_token = this.#tokens.issueRefreshToken(pending.grant);
    }
    if (pending.grant.scopes.includes("openid") && !switches.noIdToken) {
      body.id_token = idToken(pending, { now, switches });
    }
    return { body };
  }

  #refresh(form: URLSearchParams, now: number): EmulatedAnswer {
    const client = this.#checkClient(form);
    if (client !== undefined) return client;
    const token = form.get("refresh_token") ?? "";
    const grant = this.#tokens.refreshGrant(token);
    if (grant === undefined || grant.revoked) {
      return oauthError(400, "invalid_grant", "Token has been expired or revoked.");
    }
    if (grant.clientId !== form.get("client_id")) {
      return oauthError(401, "unauthorized_client", "Unauthorized");
    }
    const { switches } = this;
    const body = this.#tokens.tokenResponse(grant, { now, switches });
    if (switches.rotateRefreshToken) body.refresh_token = this.#tokens.rotate(token, grant);
    return { body };
  }

  #jwtBearer(form: URLSearchParams, now: number): EmulatedAnswer {
    const claims = readJwt(form.get("assertion") ?? "");
    if (claims === undefined) return oauthError(400, "invalid_grant", "Invalid JWT: malformed.");
    if (claims.aud !== "https://oauth2.googleapis.com/token") {
      return oauthError(400, "invalid_grant", "Invalid JWT: audience.");
    }
    const expiry = Number(claims.exp) * 1000;
    if (!Number.isFinite(expiry) || expiry <= now - 300_000 || expiry > now + 3_900_000) {
      return oauthError(
        400,
        "invalid_grant",
        "Invalid JWT: Token must be a short-lived token (60 minutes) and in a reasonable " +
          "timeframe. Check your iat and exp values in the JWT claim.",
      );
    }
    const account = this.#accountOf(typeof claims.sub === "string" ? claims.sub : null);
    if (account === undefined) {
      return oauthError(400, "invalid_grant", "Invalid email or User ID");
    }
    const grant: Grant = {
      account,
      clientId: String(claims.iss),
      scopes: String(claims.scope ?? "").split(/\s+/).filter((scope) => scope !== ""),
      revoked: false,
    };
    const body = this.#tokens.tokenResponse(grant, { now, switches: this.switches });
    delete body.scope;
    return { body };
  }

  #revoke(call: IdentityCall): EmulatedAnswer {
    if (this.switches.revocationDown) return { status: 503, body: { error: "backend_error" } };
    const form = new URLSearchParams(new TextDecoder().decode(call.bodyBytes));
    const token = form.get("token") ?? call.query.get("token") ?? "";
    if (!this.#tokens.revoke(token)) {
      return oauthError(400, "invalid_token", "Token expired or revoked");
    }
    return { status: 200, body: {} };
  }

  #tokenInfo(call: IdentityCall): EmulatedAnswer {
    const issued = this.#tokens.token(call.query.get("access_token") ?? "");
    if (issued === undefined) return oauthError(400, "invalid_token", "Invalid Value");
    return {
      body: {
        sub: issued.account.subject,
        email: issued.account.person.email,
        email_verified: "true",
        scope: (issued.scopes ?? []).join(" "),
        expires_in: String(
          Math.floor(((issued.expiresAt ?? call.now + 3_599_000) - call.now) / 1000),
        ),
      },
    };
  }

  #userInfo(call: IdentityCall): EmulatedAnswer {
    const bearer = /^Bearer (\S+)$/i.exec(call.headers.get("authorization") ?? "")?.[1] ?? "";
    const issued = this.#tokens.token(bearer);
    if (issued === undefined) return oauthError(401, "invalid_request", "Invalid Credentials");
    const { person, subject } = issued.account;
    return {
      body: { sub: subject, name: person.displayName, email: person.email, email_verified: true },
    };
  }

  #clientKnown(clientId: string): boolean {
    const { clients } = this.switches;
    return clients === undefined || Object.hasOwn(clients, clientId);
  }

  #checkClient(form: URLSearchParams): EmulatedAnswer | undefined {
    const clientId = form.get("client_id") ?? "";
    if (clientId === "") {
      return oauthError(400, "invalid_request", "Could not determine client ID from request.");
    }
    if (!this.#clientKnown(clientId)) {
      return oauthError(401, "invalid_client", "The OAuth client was not found.");
    }
    const secret = this.switches.clients?.[clientId];
    if (secret === undefined) return undefined;
    const sent = form.get("client_secret");
    if (sent === null) return oauthError(400, "invalid_request", "client_secret is missing.");
    return sent === secret ? undefined : oauthError(401, "invalid_client", "Unauthorized");
  }

  #accountOf(email: string | null): EmulatedAccount | undefined {
    const { accounts } = this.options;
    if (email === null || email === "") return accounts[0];
    return accounts.find((account) => account.person.email === email.toLowerCase());
  }
}

const OPENID_CONFIGURATION: JsonObject = {
  issuer: "https://accounts.google.com",
  authorization_endpoint: "https://accounts.google.com/o/oauth2/v2/auth",
  token_endpoint: "https://oauth2.googleapis.com/token",
  revocation_endpoint: "https://oauth2.googleapis.com/revoke",
  userinfo_endpoint: "https://openidconnect.googleapis.com/v1/userinfo",
  code_challenge_methods_supported: ["S256"],
};
