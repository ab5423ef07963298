/** `service_account`: a key of the profile, signed assertions, no browser (spec 05 §3.12). */

import type { GrantView } from "./grants/state.ts";
import { sortedScopes } from "./scopes.ts";
import { parseServiceAccountKey, type ServiceAccountKey } from "./service_account/key.ts";
import { serviceAccountFingerprint, serviceAccountKeyText } from "./service_account/stored_key.ts";
import { serviceAccountToken } from "./service_account/tokens.ts";
import { createTokenMemory } from "./token_memory.ts";
import type { AuthParts, StrategyResolver } from "./types.ts";

const DEFAULT_LIFETIME_S = 3_600;

/** Resolves service-account tokens. A bad key file matters only when one is asked for. */
export function createServiceAccountStrategy(
  parts: AuthParts,
  view: Pick<GrantView, "config">,
): StrategyResolver {
  const memory = createTokenMemory(parts.clock);
  let parsed: { text: string; key: ServiceAccountKey } | undefined;
  return {
    async resolve({ scopes, renew, signal }) {
      const text = await serviceAccountKeyText(parts, signal);
      if (parsed?.text !== text) parsed = { text, key: await parseServiceAccountKey(text) };
      const { key } = parsed;
      const { serviceAccountSubject: subject } = await view.config();
      const principal = await serviceAccountFingerprint(key.clientEmail, subject);
      const wanted = sortedScopes(scopes);
      return await memory.get(`${principal} ${wanted.join(" ")}`, { renew, signal }, async () => {
        const answer = await serviceAccountToken(parts, {
          key,
          scopes: wanted,
          subject,
          report: { code: "AUTH_SA_TOKEN_EXCHANGE_FAILED", strategy: "service_account" },
        }, parts.lifetime);
        return {
          token: answer.accessToken,
          expiresAt: parts.clock.now() + (answer.expiresIn ?? DEFAULT_LIFETIME_S) * 1_000,
          scopes: wanted,
          signInStrategy: "service_account",
          subjectFingerprint: principal,
        };
      });
    },
  };
}
