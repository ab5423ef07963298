/**
 * `adc`: the host's own credentials, for profiles that chose them (spec 05 §3.11).
 *
 * The files are read here rather than by a library: a library's search would look at places nobody
 * agreed to, and may start other programs.
 */

import { sha256Hex } from "../digest/mod.ts";
import { ADC_REPORT, type AdcExchange, adcPrincipal, textField } from "./adc/document.ts";
import { adcToken, readCredentialFile } from "./adc/exchange.ts";
import { adcFile } from "./adc/source.ts";
import { createMetadataServer } from "./adc/metadata.ts";
import { AuthError } from "./errors.ts";
import { fingerprint } from "./fingerprint.ts";
import { sortedScopes } from "./scopes.ts";
import { createTokenMemory, type ExpiringCredentials } from "./token_memory.ts";
import type { AuthParts, StrategyResolver } from "./types.ts";

const DEFAULT_LIFETIME_S = 45 * 60;

/** Resolves the host's credentials. Whether that is allowed is the caller's question. */
export function createAdcStrategy(parts: AuthParts): StrategyResolver {
  const memory = createTokenMemory(parts.clock);
  const metadata = createMetadataServer(parts);

  const fromFile = async (asked: AdcExchange): Promise<ExpiringCredentials> => {
    const { document, scopes } = asked;
    const answer = await adcToken(parts, asked);
    const quota = parts.environment.text("GOOGLE_CLOUD_QUOTA_PROJECT") ??
      textField(document, "quota_project_id");
    return {
      token: answer.accessToken,
      expiresAt: parts.clock.now() + (answer.expiresIn ?? DEFAULT_LIFETIME_S) * 1_000,
      scopes,
      signInStrategy: "adc",
      subjectFingerprint: await fingerprint("adc", adcPrincipal(document)),
      ...(quota === undefined ? {} : { quotaProjectId: quota }),
    };
  };

  const fromMetadata = async (scopes: readonly string[]): Promise<ExpiringCredentials> => {
    const email = await metadata.email(parts.lifetime);
    const answer = await metadata.token(scopes, parts.lifetime);
    if (answer === undefined) {
      throw new AuthError({
        ...ADC_REPORT,
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
        // Read for every call: somebody may have signed the host in as somebody else.
        const { path } = file;
        const document = await readCredentialFile(path);
        const content = await sha256Hex(JSON.stringify(document));
        return await memory.get(
          `${path} ${content} ${wanted.join(" ")}`,
          { renew, signal },
          () => fromFile({ document, path, scopes: wanted }),
        );
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
