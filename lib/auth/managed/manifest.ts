/** Gates in front of the client that this project would run (spec 05 §3.10). Pure rules. */

import { isEligibleScope, type ManagedScopes } from "../../catalog/scopes/mod.ts";
import { AuthError } from "../errors.ts";
import { sortedScopes } from "../scopes.ts";

/** Scopes the managed client is meant for, sorted. A list, not a permission. */
export function managedSupportedScopes(manifest: ManagedScopes): string[] {
  return sortedScopes(
    manifest.scopes
      .filter((row) => row.status === "active" || row.testing_allowed === true)
      .map((row) => row.scope),
  );
}

/** Checks a manifest's version and policy. @throws AuthError `GUM_OAUTH_MANIFEST_INVALID`. */
export function checkManifest(manifest: ManagedScopes): void {
  if (manifest.schema_version !== 1 || !Array.isArray(manifest.scopes)) {
    throw invalidManifest("it has another version or shape than this build reads");
  }
  if (manifest.client_policy?.embedded_client_secret === true) {
    throw invalidManifest("the client embeds a secret");
  }
}

/**
 * Gate in front of every managed sign-in. It looks at nothing but the manifest.
 *
 * @throws AuthError `GUM_OAUTH_MANAGED_CLIENT_NOT_READY` or `GUM_OAUTH_MANIFEST_INVALID`.
 */
export function canStartGumOAuth(manifest: ManagedScopes, scopes: readonly string[]): void {
  if (scopes.length === 0) {
    throw notReady({ missing: ["active_scope_required"], required: [] });
  }
  checkManifest(manifest);
  const ineligible = scopes.filter((scope) => !isEligibleScope(manifest, scope));
  if (ineligible.length > 0) {
    throw notReady({ missing: sortedScopes(ineligible), required: scopes });
  }
}

function notReady(about: { missing: readonly string[]; required: readonly string[] }): AuthError {
  return new AuthError({
    code: "GUM_OAUTH_MANAGED_CLIENT_NOT_READY",
    strategy: "gum_oauth",
    remediation: "this build has no sign-in client of its own for these scopes",
    requiredScopes: about.required,
    missingComponents: about.missing,
    setupCommand: "gum auth use-oauth-client",
    nextCommand: "gum auth use-oauth-client --client-id <id> --secret-stdin",
    userMessage: "GUM has no sign-in client of its own for this. Register one of yours with " +
      "`gum auth use-oauth-client`.",
  });
}

function invalidManifest(why: string): AuthError {
  return new AuthError({
    code: "GUM_OAUTH_MANIFEST_INVALID",
    strategy: "gum_oauth",
    remediation: `the managed-scope manifest cannot be used: ${why}`,
    setupCommand: "gum auth use-oauth-client",
    userMessage: "The sign-in manifest of this build cannot be used. Install GUM again, or " +
      "register a client of your own with `gum auth use-oauth-client`.",
  });
}
