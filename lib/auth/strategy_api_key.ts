/** `api_key`: one key for a profile (spec 05 §3.13). */

import { AuthError } from "./errors.ts";
import { apiKeyFingerprint } from "./fingerprint.ts";
import { apiKeyAccount } from "./store/mod.ts";
import { storedOrGiven } from "./stored_secret.ts";
import type { AuthParts, StrategyResolver } from "./types.ts";

/** Resolves API keys. Scopes are echoed: a key has none. */
export function createApiKeyStrategy(parts: AuthParts): StrategyResolver {
  return {
    async resolve({ scopes, signal }) {
      const found = await storedOrGiven(parts, {
        account: apiKeyAccount(parts.profileName),
        variable: "GUM_API_KEY",
        signal,
      });
      if (found === undefined) {
        throw new AuthError({
          code: "AUTH_API_KEY_MISSING",
          strategy: "api_key",
          remediation: "no API key: store one with `gum auth use-api-key --stdin`, or set " +
            "GUM_API_KEY",
          missingComponents: ["api_key"],
          nextCommand: "gum auth use-api-key --stdin",
        });
      }
      return {
        apiKey: found.value,
        scopes,
        signInStrategy: "api_key",
        subjectFingerprint: await apiKeyFingerprint(found.value.reveal()),
      };
    },
  };
}
