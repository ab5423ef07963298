/**
 * The security token service and the impersonation of service accounts, and what the machines of
 * other clouds say of themselves (spec 05 §3.11).
 */

import type { JsonObject } from "../json/mod.ts";
import type { EmulatedAccount, IssuedToken } from "./credentials.ts";
import { oauthError, plain } from "./identity_answers.ts";
import type { IdentityCall, IdentityEndpoint, IdentitySwitches } from "./identity.ts";
import type { EmulatedAnswer } from "./service.ts";

/** What the endpoints are served from. */
export interface FederationSource {
  switches: IdentitySwitches;
  account: EmulatedAccount;
  issue(input: { account: EmulatedAccount; scopes: readonly string[]; expiresAt: number }): string;
  token(text: string): IssuedToken | undefined;
}

const CLOUD_PLATFORM = "https://www.googleapis.com/auth/cloud-platform";
const TOKEN_EXCHANGE = "urn:ietf:params:oauth:grant-type:token-exchange";
const GENERATE = /^\/v1\/projects\/-\/serviceAccounts\/([^/:]+):generateAccessToken$/;

/** The endpoint at this address; undefined for every other one. */
export function federationRoute(
  host: string,
  path: string,
  source: FederationSource,
): IdentityEndpoint | undefined {
  if (host === "sts.googleapis.com") {
    if (path === "/v1/token") return (call) => exchange(call, source);
    if (path === "/v1/oauthtoken") return (call) => renew(call, source);
  }
  if (host === "iamcredentials.googleapis.com" && GENERATE.test(path)) {
    return (call) => impersonate(call, source);
  }
  return undefined;
}

function exchange(call: IdentityCall, source: FederationSource): EmulatedAnswer {
  const form = formOf(call);
  if (form.get("grant_type") !== TOKEN_EXCHANGE) {
    return oauthError(400, "unsupported_grant_type", "Invalid grant_type");
  }
  if (!(form.get("audience") ?? "").startsWith("//iam.googleapis.com/")) {
    return oauthError(
      400,
      "invalid_target",
      "The target service indicated by the audience is " +
        "invalid.",
    );
  }
  const subject = form.get("subject_token") ?? "";
  const accepted = source.switches.subjectTokens;
  if (subject === "" || (accepted !== undefined && !accepted.includes(subject))) {
    return oauthError(400, "invalid_grant", "The subject token could not be verified.");
  }
  return issued(source, { scopes: (form.get("scope") ?? "").split(" "), now: call.now });
}

function renew(call: IdentityCall, source: FederationSource): EmulatedAnswer {
  const form = formOf(call);
  const accepted = source.switches.subjectTokens;
  const refresh = form.get("refresh_token") ?? "";
  if (!/^Basic \S+$/.test(call.headers.get("authorization") ?? "")) {
    return oauthError(401, "invalid_client", "The OAuth client was not found.");
  }
  if (
    form.get("grant_type") !== "refresh_token" || refresh === "" ||
    (accepted !== undefined && !accepted.includes(refresh))
  ) return oauthError(400, "invalid_grant", "The refresh token is not valid.");
  return issued(source, { scopes: [CLOUD_PLATFORM], now: call.now });
}

function issued(
  source: FederationSource,
  to: { scopes: readonly string[]; now: number },
): EmulatedAnswer {
  const expiresIn = source.switches.expiresIn ?? 3599;
  const { account } = source;
  const expiresAt = to.now + expiresIn * 1000;
  return {
    body: {
      access_token: source.issue({ account, scopes: to.scopes, expiresAt }),
      issued_token_type: "urn:ietf:params:oauth:token-type:access_token",
      token_type: "Bearer",
      expires_in: expiresIn,
    },
  };
}

function impersonate(call: IdentityCall, source: FederationSource): EmulatedAnswer {
  const bearer = /^Bearer (\S+)$/i.exec(call.headers.get("authorization") ?? "")?.[1] ?? "";
  const held = source.token(bearer);
  if (held === undefined) return refused(401, "UNAUTHENTICATED", "Invalid credentials.");
  if (
    source.switches.impersonationDenied || (held.scopes !== undefined &&
      !held.scopes.includes(CLOUD_PLATFORM))
  ) {
    return refused(
      403,
      "PERMISSION_DENIED",
      "Permission 'iam.serviceAccounts.getAccessToken' denied on resource (or it may not exist).",
    );
  }
  const asked = JSON.parse(new TextDecoder().decode(call.bodyBytes)) as JsonObject;
  const lifetime = Number(/^([0-9]+)s$/.exec(String(asked.lifetime ?? "3600s"))?.[1] ?? 3600);
  const scopes = Array.isArray(asked.scope) ? asked.scope.map(String) : [];
  const expiresAt = call.now + lifetime * 1000;
  return {
    body: {
      accessToken: source.issue({ account: source.account, scopes, expiresAt }),
      expireTime: new Date(expiresAt).toISOString(),
    },
  };
}

/** Paths of other clouds' instance metadata, on the link-local address they share with Google's. */
export function foreignMetadata(call: IdentityCall): EmulatedAnswer | undefined {
  const { path, method, headers } = call;
  if (path === "/metadata/identity/oauth2/token") {
    return headers.get("metadata") === "True"
      ? { body: { access_token: "emulated-azure-identity", expires_in: "3599" } }
      : plain(400, "Required metadata header not specified");
  }
  if (path === "/latest/api/token") {
    return method === "PUT" ? plain(200, "emulated-imds-session") : plain(405, "PUT only");
  }
  if (!path.startsWith("/latest/meta-data/")) return undefined;
  if (headers.get("x-aws-ec2-metadata-token") !== "emulated-imds-session") {
    return plain(401, "Unauthorized");
  }
  switch (path.slice("/latest/meta-data/".length)) {
    case "placement/availability-zone":
      return plain(200, "us-east-2b");
    case "iam/security-credentials":
      return plain(200, "emulated-role");
    case "iam/security-credentials/emulated-role":
      return {
        body: {
          AccessKeyId: "EMULATEDKEYID",
          SecretAccessKey: "emulated-aws-secret",
          Token: "emulated-aws-session",
        },
      };
  }
  return plain(404, "not found");
}

function formOf(call: IdentityCall): URLSearchParams {
  return new URLSearchParams(new TextDecoder().decode(call.bodyBytes));
}

function refused(code: number, status: string, message: string): EmulatedAnswer {
  return { status: code, body: { error: { code, message, status } } };
}
