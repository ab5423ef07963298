/** Tokens for a service account: a signed assertion exchanged for one (spec 05 §3.12). */

import type { AuthStrategy } from "../../catalog/types.ts";
import type { ErrorCode } from "../../errors/mod.ts";
import { AuthError } from "../errors.ts";
import { tokenFailure } from "../oauth/failures.ts";
import { base64Url } from "../oauth/random_values.ts";
import { requestToken, type TokenGranted } from "../oauth/token_client.ts";
import type { AuthParts } from "../types.ts";
import type { ServiceAccountKey } from "./key.ts";

const GRANT_TYPE = "urn:ietf:params:oauth:grant-type:jwt-bearer";
const ASSERTION_LIFETIME_S = 3_600;

/** Who asks for what. */
export interface AssertionRequest {
  key: ServiceAccountKey;
  scopes: readonly string[];
  /** User the account acts for. */
  subject?: string;
  /** How a refusal is reported. */
  report: { code: ErrorCode; strategy: AuthStrategy };
}

/** Exchanges an assertion. @throws AuthError under the request's code. */
export async function serviceAccountToken(
  parts: Pick<AuthParts, "http" | "clock" | "log">,
  request: AssertionRequest,
  signal: AbortSignal,
): Promise<TokenGranted> {
  const { key, report } = request;
  const { hostname } = new URL(key.tokenUri);
  if (hostname !== "googleapis.com" && !hostname.endsWith(".googleapis.com")) {
    parts.log.log("warn", "the service-account key names a token service outside Google", {
      host: hostname,
    });
  }
  const assertion = await signedAssertion(request, parts.clock.now());
  const answer = await requestToken(parts.http, {
    url: key.tokenUri,
    form: { grant_type: GRANT_TYPE, assertion },
  }, signal);
  if (answer.kind === "granted") return answer;
  if (
    answer.kind === "refused" && answer.error === "unauthorized_client" &&
    request.subject !== undefined
  ) {
    throw new AuthError({
      ...report,
      remediation: "the service account may not act for that user with these scopes",
      missingComponents: ["domain_wide_delegation"],
      userMessage: "An administrator has to allow the service account's client id these scopes " +
        "under domain-wide delegation in the Admin console.",
      details: { provider_error: answer.error },
    });
  }
  throw tokenFailure(answer, { ...report, now: parts.clock.now(), grantedAt: 0 });
}

/** A compact RS256 JWT for the token service. */
async function signedAssertion(request: AssertionRequest, now: number): Promise<string> {
  const { key, scopes, subject } = request;
  const issuedAt = Math.floor(now / 1_000);
  const header = {
    alg: "RS256",
    typ: "JWT",
    ...(key.privateKeyId === undefined ? {} : { kid: key.privateKeyId }),
  };
  const claims = {
    iss: key.clientEmail,
    scope: scopes.join(" "),
    aud: key.tokenUri,
    iat: issuedAt,
    exp: issuedAt + ASSERTION_LIFETIME_S,
    ...(subject === undefined ? {} : { sub: subject }),
  };
  const part = (value: object) => base64Url(new TextEncoder().encode(JSON.stringify(value)));
  const signed = `${part(header)}.${part(claims)}`;
  const signature = await crypto.subtle.sign(
    "RSASSA-PKCS1-v1_5",
    key.signingKey,
    new TextEncoder().encode(signed),
  );
  return `${signed}.${base64Url(new Uint8Array(signature))}`;
}
