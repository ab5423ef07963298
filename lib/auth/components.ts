/** The parts of a compound credential: which are there, which are not (spec 05 §2.4, §3.14). */

import type { AuthComponent, Variant } from "../catalog/types.ts";
import type { JsonObject } from "../json/mod.ts";
import { loginCommand } from "./errors.ts";
import { scopesSatisfied } from "./scopes.ts";

/** How a component stands. */
export type ComponentStatus = "satisfied" | "missing" | "external" | "acknowledged";

/** One judged component. Kinds only, never values. */
export interface JudgedComponent {
  kind: string;
  optional: boolean;
  status: ComponentStatus;
  displayName?: string;
  setupHint?: string;
  nextCommand?: string;
}

/** What is known about a profile when components are judged. */
export interface ComponentFacts {
  opId: string;
  variant: Variant;
  /** Arguments of the call; absent when only the set-up is looked at. */
  args?: JsonObject;
  client: "none" | "public" | "confidential";
  /** What the grant covers. */
  covered: readonly string[];
  apiKey: boolean;
  developerToken: boolean;
  serviceAccountKey: boolean;
  acknowledged: readonly string[];
}

/** Refused even when declared optional: nobody but an administrator can lift them. */
const ADMINISTRATORS_ONLY: ReadonlySet<string> = new Set([
  "workspace_admin_trust",
  "org_policy_exception",
]);

const ARGUMENT_OF: Readonly<Record<string, string>> = {
  customer_id: "customerId",
  login_customer_id: "loginCustomerId",
};

/** The declared components, the first of each kind, in order. */
export function distinctComponents(variant: Variant): AuthComponent[] {
  const seen = new Set<string>();
  return (variant.auth_components ?? []).filter(({ kind }) => {
    if (seen.has(kind)) return false;
    seen.add(kind);
    return true;
  });
}

/**
 * The components a strategy needs, as a list: what the variant declares for `compound`, the usual
 * ones for the simpler strategies.
 */
export function componentsOf(variant: Variant): AuthComponent[] {
  const developerToken: AuthComponent[] = needsDeveloperToken(variant)
    ? [{ kind: "developer_token", display_name: "Google Ads developer token" }]
    : [];
  switch (variant.auth_strategy) {
    case "compound":
      return distinctComponents(variant);
    case "byo_oauth":
      return [
        { kind: "oauth_client", display_name: "OAuth client of your own" },
        { kind: "oauth_client_secret", display_name: "Secret of that client", optional: true },
        { kind: "oauth_scopes", display_name: "Sign-in" },
        ...developerToken,
      ];
    case "gum_oauth":
      return [{ kind: "oauth_scopes", display_name: "Sign-in" }];
    case "api_key":
      return [{ kind: "api_key", display_name: "API key" }];
    case "service_account":
      return [{ kind: "service_account_key", display_name: "Service-account key" }];
    default:
      return [];
  }
}

/** True for variants whose adapter sends a developer token. */
export function needsDeveloperToken(variant: Variant): boolean {
  return variant.backend_kind === "google-ads-sdk" ||
    (variant.auth_components ?? []).some(({ kind, optional }) =>
      kind === "developer_token" && !optional
    );
}

/** Judges components in order. */
export function judgeComponents(
  components: readonly AuthComponent[],
  facts: ComponentFacts,
): JudgedComponent[] {
  return components.map((component) => {
    const { status, nextCommand } = judge(component, facts);
    return {
      kind: component.kind,
      optional: component.optional ?? false,
      status,
      ...(component.display_name === undefined ? {} : { displayName: component.display_name }),
      ...(component.setup_hint === undefined ? {} : { setupHint: component.setup_hint }),
      ...(status === "satisfied" || nextCommand === undefined ? {} : { nextCommand }),
    };
  });
}

/** True when the judged components forbid the call. */
export function componentsRefuse(judged: readonly JudgedComponent[]): boolean {
  return judged.some(({ kind, optional, status }) =>
    unmet(status) && (!optional || ADMINISTRATORS_ONLY.has(kind))
  );
}

/** Kinds that are not met, optional ones included, in order. */
export function unmetKinds(judged: readonly JudgedComponent[]): string[] {
  return judged.filter(({ status }) => unmet(status)).map(({ kind }) => kind);
}

function unmet(status: ComponentStatus): boolean {
  return status === "missing" || status === "external";
}

function judge(
  component: AuthComponent,
  facts: ComponentFacts,
): { status: ComponentStatus; nextCommand?: string } {
  const { kind } = component;
  const present = (there: boolean, nextCommand: string) => ({
    status: there ? "satisfied" as const : "missing" as const,
    nextCommand,
  });
  switch (kind) {
    case "oauth_client":
      return present(
        facts.client !== "none",
        "gum auth use-oauth-client --client-id <id> --secret-stdin",
      );
    case "oauth_client_secret":
      return present(
        facts.client === "confidential",
        "gum auth use-oauth-client --client-id <id> --secret-stdin",
      );
    case "oauth_scopes": {
      const scopes = component.scopes ?? facts.variant.scopes ?? [];
      return present(scopesSatisfied(facts.covered, scopes), loginCommand("gum login", scopes));
    }
    case "api_key":
      return present(facts.apiKey, "gum auth use-api-key --stdin");
    case "developer_token":
      return present(facts.developerToken, "gum auth use-ads-developer-token --stdin");
    case "service_account_key":
      return present(facts.serviceAccountKey, "gum auth use-service-account <key.json>");
    case "customer_id":
    case "login_customer_id":
      return argumentStatus(ARGUMENT_OF[kind] ?? kind, facts);
    default:
      return facts.acknowledged.includes(`${facts.opId}:${kind}`)
        ? { status: "acknowledged" }
        : { status: "external", nextCommand: `gum auth setup ${facts.opId}` };
  }
}

/** An argument can only be judged when there is a call; until then it is nobody's set-up step. */
function argumentStatus(
  argument: string,
  facts: ComponentFacts,
): { status: ComponentStatus; nextCommand?: string } {
  if (facts.args === undefined) return { status: "satisfied" };
  const value = facts.args[argument];
  const given = typeof value === "number" || (typeof value === "string" && value !== "");
  return {
    status: given ? "satisfied" : "missing",
    nextCommand: `gum describe ${facts.opId}`,
  };
}
