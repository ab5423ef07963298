/** `impersonation`: a reserved name. */

import type { AuthStrategy } from "../catalog/types.ts";
import { AuthError } from "./errors.ts";
import type { StrategyResolver } from "./types.ts";

/** A strategy that is declared and not built. */
export function reservedStrategy(strategy: AuthStrategy): StrategyResolver {
  return {
    resolve: () =>
      Promise.reject(
        new AuthError({
          code: "AUTH_STRATEGY_NOT_IMPLEMENTED",
          strategy,
          remediation: `this build has no credentials of kind ${strategy}`,
        }),
      ),
  };
}

/** Refuses. */
export const impersonationStrategy: StrategyResolver = reservedStrategy("impersonation");
