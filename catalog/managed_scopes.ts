/** The managed-scope manifest: which scopes a GUM-run OAuth client may ask for (spec 04 §2.12). */
import { isEligibleScope, type ManagedScopes } from "../lib/catalog/mod.ts";
import type { Catalog } from "../lib/catalog/types.ts";
import { CatalogError } from "../lib/catalog/validate/mod.ts";
import { firstSchemaProblem } from "./overrides.ts";

export { isEligibleScope, type ManagedScope, type ManagedScopes } from "../lib/catalog/mod.ts";

/**
 * Checks the manifest by itself.
 *
 * @throws CatalogError `GUM_OAUTH_MANIFEST_INVALID`.
 */
export async function parseManagedScopes(text: string, schema: object): Promise<ManagedScopes> {
  const document: ManagedScopes = JSON.parse(text);
  if (document.client_policy?.embedded_client_secret === true) {
    throw new CatalogError("GUM_OAUTH_MANIFEST_INVALID", "the client embeds a secret");
  }
  const problem = await firstSchemaProblem(document, schema);
  if (problem !== undefined) throw new CatalogError("GUM_OAUTH_MANIFEST_INVALID", problem);
  const seen = new Set<string>();
  for (const { scope } of document.scopes) {
    if (seen.has(scope)) throw new CatalogError("GUM_OAUTH_MANIFEST_INVALID", `${scope} twice`);
    seen.add(scope);
  }
  return document;
}

/** Reads and checks the manifest below the input folder. */
export async function readManagedScopes(inputs: URL): Promise<ManagedScopes> {
  const schema: object = JSON.parse(
    await Deno.readTextFile(new URL("data/auth-managed-scopes.v1.schema.json", inputs)),
  );
  const manifest = new URL("data/auth-managed-scopes.v1.json", inputs);
  return await parseManagedScopes(await Deno.readTextFile(manifest), schema);
}

/**
 * Every `gum_oauth` variant asks only for eligible scopes.
 *
 * @throws CatalogError `GUM_OAUTH_SCOPE_NOT_MANAGED`.
 */
export function checkManagedScopeUse(catalog: Catalog, manifest: ManagedScopes): void {
  for (const op of catalog.ops) {
    for (const variant of op.variants) {
      if (variant.auth_strategy !== "gum_oauth") continue;
      const bad = (variant.scopes ?? []).find((scope) => !isEligibleScope(manifest, scope));
      if (bad === undefined) continue;
      throw new CatalogError("GUM_OAUTH_SCOPE_NOT_MANAGED", bad, {
        opId: op.op_id,
        variantId: variant.variant_id,
      });
    }
  }
}

/**
 * A release may only carry active scopes whose evidence is complete; none at all is fine.
 *
 * @throws CatalogError `GUM_OAUTH_MANAGED_CLIENT_NOT_READY`.
 */
export function checkManagedClientReady(manifest: ManagedScopes): void {
  const active = manifest.scopes.filter((row) => row.status === "active");
  if (active.length === 0) return;
  for (const row of active) {
    if (row.category === "non_sensitive" || row.evidence.trim() !== "") continue;
    throw new CatalogError("GUM_OAUTH_MANAGED_CLIENT_NOT_READY", `${row.scope}: no evidence`);
  }
  const project = manifest.managed_project;
  const evidence = {
    apis_enabled_evidence: project.apis_enabled_evidence,
    oauth_consent_screen_evidence: project.oauth_consent_screen_evidence,
    token_exchange_canary_evidence: project.token_exchange_canary_evidence,
    refresh_canary_evidence: project.refresh_canary_evidence,
  };
  for (const [name, value] of Object.entries(evidence)) {
    if (value.trim() !== "") continue;
    throw new CatalogError("GUM_OAUTH_MANAGED_CLIENT_NOT_READY", `${name} is empty`);
  }
}
