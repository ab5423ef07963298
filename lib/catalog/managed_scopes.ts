/**
 * The managed-scope manifest and its one rule, shared by the generator's gates and by sign-in
 * (spec 05 §2.6, §3.10).
 */

/** One scope of the managed client. */
export interface ManagedScope {
  scope: string;
  service: string;
  category: "sensitive" | "restricted" | "non_sensitive";
  status: "active" | "planned";
  verification_state: "verified" | "pending" | "expired";
  project_evidence_state: "ready" | "pending";
  live_canary_state: "passing" | "pending" | "failing";
  workspace_admin_trust_may_be_required: boolean;
  testing_allowed?: boolean;
  evidence: string;
}

/** `auth-managed-scopes.v1.json`. */
export interface ManagedScopes {
  schema_version: 1;
  client_policy: {
    flow: "installed_app_pkce";
    embedded_client_secret: boolean;
    redirect_method: "loopback";
    scope_expansion_mode: "full_reconsent";
    active_scope_rule: string;
  };
  managed_project: {
    apis_enabled_evidence: string;
    oauth_consent_screen_evidence: string;
    publishing_status: "planned" | "testing" | "in_review" | "published";
    quota_project_strategy: "gum_managed_project" | "user_byo_project";
    billing_or_terms_evidence: string;
    token_exchange_canary_evidence: string;
    refresh_canary_evidence: string;
    release_rule: string;
  };
  scopes: ManagedScope[];
}

/**
 * True when a managed client may ask for the scope: everything about it is proved, or the project
 * is in its testing window and this scope takes part.
 */
export function isEligibleScope(manifest: ManagedScopes, scope: string): boolean {
  const row = manifest.scopes.find((candidate) => candidate.scope === scope);
  if (row === undefined) return false;
  const proved = row.status === "active" && row.verification_state === "verified" &&
    row.project_evidence_state === "ready" && row.live_canary_state === "passing";
  return proved ||
    (manifest.managed_project.publishing_status === "testing" && row.testing_allowed === true);
}
