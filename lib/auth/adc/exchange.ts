/** From a credential file of the host to an access token, by the file's `type` (spec 05 §3.11). */

import type { Environment } from "../../config/environment.ts";
import { isJsonObject, type JsonObject } from "../../json/mod.ts";
import { AuthError } from "../errors.ts";
import { isAddress } from "../grants/address.ts";
import { tokenFailure } from "../oauth/failures.ts";
import { requestToken, type TokenGranted } from "../oauth/token_client.ts";
import { serviceAccountOf } from "../service_account/key.ts";
import { serviceAccountToken } from "../service_account/tokens.ts";
import { readKeyFile } from "../service_account/stored_key.ts";
import type { AuthParts } from "../types.ts";
import {
  ADC_REPORT,
  type AdcExchange,
  impersonatedEmail,
  textField,
  unusableFile,
} from "./document.ts";
import { adcFile } from "./source.ts";

/** Types whose modules load only when a file has one of them. */
const FEDERATED: ReadonlySet<unknown> = new Set([
  "external_account",
  "external_account_authorized_user",
  "impersonated_service_account",
]);

/** A token for what a credential file describes. @throws AuthError `ADC_TOKEN_FETCH_FAILED` */
export async function adcToken(parts: AuthParts, asked: AdcExchange): Promise<TokenGranted> {
  const { document } = asked;
  if (FEDERATED.has(document.type)) {
    const { federatedToken } = await import("./federated.ts");
    return await federatedToken(parts, asked);
  }
  return await directToken(parts, asked);
}

/** A token for the types that need no second service. */
export async function directToken(parts: AuthParts, asked: AdcExchange): Promise<TokenGranted> {
  const { document, path } = asked;
  switch (document.type) {
    case "authorized_user":
      return await refreshUser(parts, document);
    case "service_account":
      return await serviceAccountToken(parts, {
        key: await serviceAccountOf(document),
        scopes: asked.scopes,
        report: ADC_REPORT,
      }, parts.lifetime);
    default:
      throw new AuthError({
        ...ADC_REPORT,
        remediation: `the credential file has a type this build cannot use: ${
          JSON.stringify(String(document.type ?? "none")).slice(0, 60)
        }`,
        userMessage:
          "The host's credentials are of a kind GUM cannot use. User, service-account, " +
          "impersonation and workload-federation files work; `gcloud auth application-default " +
          "login` makes one.",
        details: { source: path },
      });
  }
}

async function refreshUser(parts: AuthParts, document: JsonObject): Promise<TokenGranted> {
  const answer = await requestToken(parts.http, {
    url: parts.endpoints.token,
    form: {
      grant_type: "refresh_token",
      refresh_token: textField(document, "refresh_token") ?? "",
      client_id: textField(document, "client_id") ?? "",
      client_secret: textField(document, "client_secret"),
    },
  }, parts.lifetime);
  if (answer.kind === "granted") return answer;
  if (answer.kind === "refused" && answer.error.includes("invalid_grant")) {
    throw new AuthError({
      ...ADC_REPORT,
      remediation: "the host's sign-in was revoked or has expired (invalid_grant)",
      userMessage: "The host's credentials are no longer valid. Renew them with " +
        "`gcloud auth application-default login`.",
      nextCommand: "gcloud auth application-default login",
      details: { provider_error: answer.subtype || answer.error },
    });
  }
  throw tokenFailure(answer, { ...ADC_REPORT, now: parts.clock.now(), grantedAt: 0 });
}

/** The address in the host's credential file; undefined where it has none. */
export async function adcAddress(environment: Environment): Promise<string | undefined> {
  const file = await adcFile(environment);
  if (file === undefined) return undefined;
  const document = await readCredentialFile(file.path);
  const named = textField(document, "client_email") ?? textField(document, "account") ??
    impersonatedEmail(document);
  return named !== undefined && isAddress(named) ? named : undefined;
}

/** Reads a credential file. @throws AuthError; the message never quotes it. */
export async function readCredentialFile(path: string): Promise<JsonObject> {
  let document: unknown;
  try {
    document = JSON.parse(await readKeyFile(path));
  } catch (error) {
    throw unusableFile(path, error instanceof AuthError ? error.message : "it is not JSON");
  }
  if (isJsonObject(document)) return document;
  throw unusableFile(path, "it is not a JSON object");
}
