/**
 * `adc`: the host's own credentials, for profiles that chose them (spec 05 §3.11).
 *
 * The files are read here rather than by a library: a library's search would look at places nobody
 * agreed to, and may start other programs.
 */

import { isJsonObject, type JsonObject } from "../json/mod.ts";
import { adcFile, type AdcSource } from "./adc/source.ts";
import { createMetadataServer } from "./adc/metadata.ts";
import { AuthError } from "./errors.ts";
import { fingerprint } from "./fingerprint.ts";
import { tokenFailure } from "./oauth/failures.ts";
import { requestToken, type TokenGranted } from "./oauth/token_client.ts";
import { sortedScopes } from "./scopes.ts";
import { serviceAccountOf } from "./service_account/key.ts";
import { serviceAccountToken } from "./service_account/tokens.ts";
import { readKeyFile } from "./strategy_service_account.ts";
import { createTokenMemory, type ExpiringCredentials } from "./token_memory.ts";
import type { AuthParts, StrategyResolver } from "./types.ts";

const DEFAULT_LIFETIME_S = 45 * 60;
const REPORT = { code: "ADC_TOKEN_FETCH_FAILED", strategy: "adc" } as const;

/** Resolves the host's credentials. Whether that is allowed is the caller's question. */
export function createAdcStrategy(parts: AuthParts): StrategyResolver {
  const memory = createTokenMemory(parts.clock);
  const metadata = createMetadataServer(parts);

  const fromFile = async (
    file: Extract<AdcSource, { kind: "file" }>,
    scopes: readonly string[],
  ): Promise<ExpiringCredentials> => {
    const document = await credentialDocument(file.path);
    const answer = await exchange(parts, { document, path: file.path, scopes });
    const quota = parts.environment.text("GOOGLE_CLOUD_QUOTA_PROJECT") ??
      textField(document, "quota_project_id");
    return {
      token: answer.accessToken,
      expiresAt: parts.clock.now() + (answer.expiresIn ?? DEFAULT_LIFETIME_S) * 1_000,
      scopes,
      signInStrategy: "adc",
      subjectFingerprint: await fingerprint("adc", principalOf(document)),
      ...(quota === undefined ? {} : { quotaProjectId: quota }),
    };
  };

  const fromMetadata = async (scopes: readonly string[]): Promise<ExpiringCredentials> => {
    const email = await metadata.email(parts.lifetime);
    const answer = await metadata.token(scopes, parts.lifetime);
    if (answer === undefined) {
      throw new AuthError({
        ...REPORT,
        remediation: "the metadata server gave no token; give the machine a service account with " +
          "the scopes of this operation",
        details: { source: "metadata" },
      });
    }
    const quota = parts.environment.text("GOOGLE_CLOUD_QUOTA_PROJECT");
    return {
      token: answer.token,
      expiresAt: parts.clock.now() + (answer.expiresIn ?? DEFAULT_LIFETIME_S) * 1_000,
      scopes,
      signInStrategy: "adc",
      subjectFingerprint: await fingerprint("adc", email),
      ...(quota === undefined ? {} : { quotaProjectId: quota }),
    };
  };

  return {
    async resolve({ scopes, renew, signal }) {
      const wanted = sortedScopes(scopes);
      const file = await adcFile(parts.environment);
      if (file !== undefined) {
        const key = `${file.path} ${wanted.join(" ")}`;
        return await memory.get(key, { renew, signal }, () => fromFile(file, wanted));
      }
      if (!await metadata.present(signal)) throw noSource();
      return await memory.get(
        `metadata ${wanted.join(" ")}`,
        { renew, signal },
        () => fromMetadata(wanted),
      );
    },
  };
}

async function exchange(
  parts: AuthParts,
  given: { document: JsonObject; path: string; scopes: readonly string[] },
): Promise<TokenGranted> {
  const { document, path } = given;
  switch (document.type) {
    case "authorized_user":
      return await refreshUser(parts, document);
    case "service_account":
      return await serviceAccountToken(parts, {
        key: await serviceAccountOf(document),
        scopes: given.scopes,
        report: REPORT,
      }, parts.lifetime);
    default:
      throw new AuthError({
        ...REPORT,
        remediation: `the credential file has a type this build cannot use: ${
          JSON.stringify(String(document.type ?? "none")).slice(0, 60)
        }`,
        userMessage: "The host's credentials are of a kind GUM cannot use. User and " +
          "service-account files work; `gcloud auth application-default login` makes one.",
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
      ...REPORT,
      remediation: "the host's sign-in was revoked or has expired (invalid_grant)",
      userMessage: "The host's credentials are no longer valid. Renew them with " +
        "`gcloud auth application-default login`.",
      nextCommand: "gcloud auth application-default login",
      details: { provider_error: answer.subtype || answer.error },
    });
  }
  throw tokenFailure(answer, { ...REPORT, now: parts.clock.now(), grantedAt: 0 });
}

async function credentialDocument(path: string): Promise<JsonObject> {
  let document: unknown;
  try {
    document = JSON.parse(await readKeyFile(path));
  } catch (error) {
    const why = error instanceof AuthError ? error.message : "it is not JSON";
    throw new AuthError({
      ...REPORT,
      remediation: `the host's credential file cannot be used: ${why}`,
      details: { source: path },
    });
  }
  if (isJsonObject(document)) return document;
  throw new AuthError({
    ...REPORT,
    remediation: "the host's credential file is not a JSON object",
    details: { source: path },
  });
}

function principalOf(document: JsonObject): string {
  for (const key of ["client_email", "account", "refresh_token", "client_id"]) {
    const value = textField(document, key);
    if (value !== undefined) return value;
  }
  return JSON.stringify(document);
}

function textField(document: JsonObject, key: string): string | undefined {
  const value = document[key];
  return typeof value === "string" && value !== "" ? value : undefined;
}

function noSource(): AuthError {
  return new AuthError({
    code: "NO_ADC_CREDENTIALS",
    strategy: "adc",
    remediation: "this host has no application default credentials",
    userMessage: "The profile uses the host's credentials, and there are none: no file in " +
      "GOOGLE_APPLICATION_CREDENTIALS, none of gcloud's, no metadata server.",
    nextCommand: "gcloud auth application-default login",
    details: { source: "none" },
  });
}
