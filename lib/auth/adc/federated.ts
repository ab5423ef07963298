/**
 * Credential files that need a second service: workload and workforce federation through Google's
 * security token service, and impersonation of a service account (spec 05 §3.11).
 *
 * Loaded only when the host's file is of such a type.
 */

import { OversizeFailure, TransportFailure } from "../../errors/wire/mod.ts";
import { credentialHostAllowed } from "../../http/mod.ts";
import { isJsonObject, type JsonObject } from "../../json/mod.ts";
import { AuthError } from "../errors.ts";
import { tokenFailure } from "../oauth/failures.ts";
import { requestToken, type TokenAnswer, type TokenGranted } from "../oauth/token_client.ts";
import { redacted } from "../redact.ts";
import { secret } from "../secret.ts";
import type { AuthParts } from "../types.ts";
import { ADC_REPORT, type AdcExchange, textField, unusableFile } from "./document.ts";
import { directToken } from "./exchange.ts";
import { subjectToken } from "./subject_token.ts";

const CLOUD_PLATFORM = "https://www.googleapis.com/auth/cloud-platform";
const TOKEN_SERVICE = "https://sts.googleapis.com/v1/token";
const TOKEN_EXCHANGE = "urn:ietf:params:oauth:grant-type:token-exchange";
const ACCESS_TOKEN_TYPE = "urn:ietf:params:oauth:token-type:access_token";
const ANSWER_CAP = 64 * 1024;
const MIN_LIFETIME_S = 600;
const MAX_LIFETIME_S = 43_200;

/** A token for a federated or impersonating file. @throws AuthError `ADC_TOKEN_FETCH_FAILED` */
export async function federatedToken(
  parts: AuthParts,
  asked: AdcExchange,
): Promise<TokenGranted> {
  switch (asked.document.type) {
    case "external_account":
      return await externalAccount(parts, asked);
    case "external_account_authorized_user":
      return await externalUser(parts, asked);
    default:
      return await impersonatedAccount(parts, asked);
  }
}

async function externalAccount(parts: AuthParts, asked: AdcExchange): Promise<TokenGranted> {
  const { document, path, scopes } = asked;
  const impersonation = textField(document, "service_account_impersonation_url");
  const audience = required(asked, "audience");
  const subjectTokenType = required(asked, "subject_token_type");
  const tokenUrl = googleAddress(asked, "token_url") ?? TOKEN_SERVICE;
  if (impersonation !== undefined) googleAddress(asked, "service_account_impersonation_url");
  const wanted = impersonation === undefined && scopes.length > 0 ? scopes : [CLOUD_PLATFORM];
  const client = clientHeader(document);
  const userProject = textField(document, "workforce_pool_user_project");
  const answer = await requestToken(parts.http, {
    url: tokenUrl,
    headers: client,
    form: {
      grant_type: TOKEN_EXCHANGE,
      audience,
      scope: wanted.join(" "),
      requested_token_type: ACCESS_TOKEN_TYPE,
      subject_token: await subjectToken(parts, { document, path, audience, subjectTokenType }),
      subject_token_type: subjectTokenType,
      // A client of its own says which project pays; without one the file has to.
      options: userProject === undefined || "authorization" in client
        ? undefined
        : JSON.stringify({ userProject }),
    },
  }, parts.lifetime);
  const federated = grantedOr(parts, asked, answer);
  return impersonation === undefined
    ? federated
    : await impersonate(parts, { ...asked, address: impersonation, source: federated });
}

async function externalUser(parts: AuthParts, asked: AdcExchange): Promise<TokenGranted> {
  const tokenUrl = googleAddress(asked, "token_url");
  if (tokenUrl === undefined) throw unusableFile(asked.path, 'it has no "token_url"');
  const answer = await requestToken(parts.http, {
    url: tokenUrl,
    headers: clientHeader(asked.document),
    form: {
      grant_type: "refresh_token",
      refresh_token: required(asked, "refresh_token"),
    },
  }, parts.lifetime);
  return grantedOr(parts, asked, answer);
}

async function impersonatedAccount(parts: AuthParts, asked: AdcExchange): Promise<TokenGranted> {
  const { document, path } = asked;
  const address = googleAddress(asked, "service_account_impersonation_url");
  if (address === undefined) {
    throw unusableFile(path, 'it has no "service_account_impersonation_url"');
  }
  const { source_credentials: inner } = document;
  if (!isJsonObject(inner)) throw unusableFile(path, 'it has no "source_credentials"');
  // One level only: a file may not lead on and on.
  if (inner.type === "impersonated_service_account") {
    throw unusableFile(path, "its source credentials impersonate as well");
  }
  const base = { document: inner, path, scopes: [CLOUD_PLATFORM] };
  const source = inner.type === "external_account" ||
      inner.type === "external_account_authorized_user"
    ? await federatedToken(parts, base)
    : await directToken(parts, base);
  return await impersonate(parts, { ...asked, address, source });
}

/** A token of a service account, in exchange for one that may speak for it. */
async function impersonate(
  parts: AuthParts,
  asked: AdcExchange & { address: string; source: TokenGranted },
): Promise<TokenGranted> {
  const { document, scopes, source } = asked;
  const { delegates } = document;
  const outage = (reason: string, cause?: unknown) =>
    tokenFailure(
      { kind: "outage", reason, cause },
      { ...ADC_REPORT, now: parts.clock.now(), grantedAt: 0 },
    );
  const answer = await parts.http.send({
    method: "POST",
    url: new URL(asked.address),
    headers: {
      "content-type": "application/json",
      authorization: `Bearer ${source.accessToken.reveal()}`,
    },
    body: JSON.stringify({
      scope: scopes.length === 0 ? [CLOUD_PLATFORM] : scopes,
      lifetime: `${impersonationLifetime(document)}s`,
      ...(Array.isArray(delegates) ? { delegates } : {}),
    }),
    credentialed: true,
    capBytes: ANSWER_CAP,
  }, parts.lifetime).catch((error: unknown) => {
    const unreachable = error instanceof TransportFailure || error instanceof OversizeFailure;
    throw unreachable ? outage(redacted(error.message), error) : error;
  });
  const body = jsonOf(answer.body);
  if (answer.status === 200) {
    const token = textField(body, "accessToken");
    const expires = Date.parse(textField(body, "expireTime") ?? "");
    if (token !== undefined) {
      return {
        kind: "granted",
        accessToken: secret(token),
        ...(Number.isNaN(expires)
          ? {}
          : { expiresIn: Math.max(0, Math.floor((expires - parts.clock.now()) / 1_000)) }),
      };
    }
  }
  if (answer.status >= 500 || answer.status === 429) {
    throw outage(`the impersonation service answered HTTP ${answer.status}`);
  }
  const said = isJsonObject(body.error) ? textField(body.error, "message") ?? "" : "";
  throw new AuthError({
    ...ADC_REPORT,
    remediation: `the service account may not be impersonated (HTTP ${answer.status}: ${
      redacted(said, [])
    })`,
    userMessage: "Google refused to let the host's credentials act as the service account. They " +
      "need the role Service Account Token Creator on it, and its project the IAM Service " +
      "Account Credentials API.",
    missingComponents: ["account_permission"],
    details: { source: asked.path, http_status: answer.status },
  });
}

function impersonationLifetime(document: JsonObject): number {
  const { service_account_impersonation: options } = document;
  const asked = isJsonObject(options) ? Number(options.token_lifetime_seconds) : NaN;
  return Number.isInteger(asked) ? Math.min(Math.max(asked, MIN_LIFETIME_S), MAX_LIFETIME_S) : 3600;
}

function grantedOr(parts: AuthParts, asked: AdcExchange, answer: TokenAnswer): TokenGranted {
  if (answer.kind === "granted") return answer;
  if (answer.kind === "outage") {
    throw tokenFailure(answer, { ...ADC_REPORT, now: parts.clock.now(), grantedAt: 0 });
  }
  const said = [answer.error, answer.description].filter((part) => part !== "").join(": ");
  throw new AuthError({
    ...ADC_REPORT,
    remediation: `Google's security token service refused the exchange (HTTP ${answer.status}: ` +
      `${said})`,
    userMessage: "Google did not accept what the host's identity provider says of it. Check the " +
      "workload identity pool, its provider and the attribute conditions.",
    details: { source: asked.path, provider_error: answer.error },
  });
}

/** The file's own client, for the token service. */
function clientHeader(document: JsonObject): Record<string, string> {
  const id = textField(document, "client_id");
  const clientSecret = textField(document, "client_secret");
  if (id === undefined || clientSecret === undefined) return {};
  const pair = new TextEncoder().encode(`${id}:${clientSecret}`);
  return { authorization: `Basic ${pair.toBase64()}` };
}

function required({ document, path }: AdcExchange, key: string): string {
  const value = textField(document, key);
  if (value === undefined) throw unusableFile(path, `it has no "${key}"`);
  return value;
}

/** An address in the file that a credential goes to: Google's, or nobody's. */
function googleAddress({ document, path }: AdcExchange, key: string): string | undefined {
  const value = textField(document, key);
  if (value === undefined) return undefined;
  if (!URL.canParse(value) || !credentialHostAllowed(new URL(value))) {
    throw unusableFile(path, `its "${key}" is not an address of Google's`);
  }
  return value;
}

function jsonOf(bytes: Uint8Array): JsonObject {
  try {
    const value: unknown = JSON.parse(new TextDecoder().decode(bytes));
    return isJsonObject(value) ? value : {};
  } catch {
    // A proxy's page; its status says enough.
    return {};
  }
}
