/** The manifest that ships with this build. */

import { readAssetText } from "../../assets/mod.ts";
import { AuthError } from "../errors.ts";
import type { ManagedScopes } from "../../catalog/mod.ts";

let parsed: ManagedScopes | undefined;

/** The embedded manifest, read once. @throws AuthError `GUM_OAUTH_MANIFEST_INVALID`. */
export function embeddedManifest(): ManagedScopes {
  return parsed ??= parseManifest(readAssetText("catalog/data/auth-managed-scopes.v1.json"));
}

/** Decodes a manifest; its schema was checked when the build was made. */
export function parseManifest(text: string): ManagedScopes {
  try {
    return JSON.parse(text) as ManagedScopes; // held to its schema by the generator's gate
  } catch (cause) {
    throw new AuthError({
      code: "GUM_OAUTH_MANIFEST_INVALID",
      strategy: "gum_oauth",
      remediation: "the managed-scope manifest is not JSON",
      setupCommand: "gum auth use-oauth-client",
      cause,
    });
  }
}
