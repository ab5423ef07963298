/** `compound`: several parts that must all be there before anything is sent (spec 05 §3.14). */

import { componentsRefuse, distinctComponents, judgeComponents, unmetKinds } from "./components.ts";
import { AuthError } from "./errors.ts";
import { componentFacts } from "./facts.ts";
import type { GrantView } from "./grants/state.ts";
import type { AuthParts, StrategyResolver } from "./types.ts";

/** The strategies a compound credential is made of. */
export interface CompoundParts {
  byoOAuth: StrategyResolver;
  apiKey: StrategyResolver;
  serviceAccount: StrategyResolver;
}

/** Resolves compound credentials over the simple strategies. */
export function createCompoundStrategy(
  parts: AuthParts,
  made: { view: GrantView; strategies: CompoundParts },
): StrategyResolver {
  return {
    async resolve(request) {
      const { variant, opId = "", args = {}, signal } = request;
      const components = variant === undefined ? [] : distinctComponents(variant);
      if (variant === undefined || components.length === 0) throw refused(["see_setup_command"]);
      const kinds = new Set(components.map(({ kind }) => kind));
      const facts = await componentFacts(parts, made.view, { opId, variant, args, kinds, signal });
      const judged = judgeComponents(components, facts);
      if (componentsRefuse(judged)) throw refused(unmetKinds(judged));
      const { byoOAuth, apiKey, serviceAccount } = made.strategies;
      if (kinds.has("oauth_scopes")) {
        const scopes = components.find(({ kind }) => kind === "oauth_scopes")?.scopes ??
          request.scopes;
        return await byoOAuth.resolve({ ...request, scopes });
      }
      if (kinds.has("api_key")) return await apiKey.resolve(request);
      if (kinds.has("service_account_key")) return await serviceAccount.resolve(request);
      return undefined;
    },
  };
}

function refused(kinds: readonly string[]): AuthError {
  return new AuthError({
    code: "AUTH_REQUIRED",
    strategy: "compound",
    remediation: `this operation needs more set-up: ${kinds.join(", ")}`,
    missingComponents: kinds,
  });
}
