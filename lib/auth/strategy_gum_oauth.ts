/** `gum_oauth`: the client that this project would run (spec 05 §3.10). */

import { embeddedManifest } from "./managed/embedded.ts";
import { createManagedClient, type ManagedClient } from "./managed/managed_client.ts";
import type { ManagedScopes } from "../catalog/mod.ts";
import type { AuthParts, StrategyResolver } from "./types.ts";

/** Resolves managed tokens over the embedded manifest, or a given one. */
export function createGumOAuthStrategy(
  parts: AuthParts,
  manifest?: ManagedScopes,
): StrategyResolver {
  let client: ManagedClient | undefined;
  return {
    resolve: async (request) => {
      // Made once, on first use: the manifest is a file that most processes never need.
      client ??= createManagedClient(parts, manifest ?? embeddedManifest());
      return await client.resolve(request);
    },
  };
}
