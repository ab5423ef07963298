/** `byo_oauth`: the operator's own OAuth client (spec 05 §3.4, §3.7). */

import { createAccessTokens } from "./grants/access_tokens.ts";
import type { GrantView } from "./grants/state.ts";
import type { AuthParts, StrategyResolver } from "./types.ts";

/**
 * Resolves the registered client's grant. A failure is final: no other identity ever steps in, and
 * a client built into this program never counts as registered.
 */
export function createByoOAuthStrategy(parts: AuthParts, view: GrantView): StrategyResolver {
  return createAccessTokens(parts, view);
}
