/** What a login asks for (spec 05 §3.19). */

import { normaliseScopes, pruneLoginScopes, sortedScopes } from "../lib/auth/account/mod.ts";
import { allScopes, scopesForServices } from "../lib/catalog/scopes/mod.ts";
import type { Op } from "../lib/catalog/types.ts";
import { invalidArg } from "./errors.ts";

/** One scope of an API that is not enabled makes Google refuse the whole consent, so: not more. */
export const CORE_SERVICES: readonly string[] = [
  "gmail",
  "calendar",
  "drive",
  "docs",
  "sheets",
  "slides",
  "tasks",
  "searchconsole",
  "admin",
];

/** How the person chose. */
export interface LoginChoice {
  scopes: readonly string[];
  services: readonly string[];
  all: boolean;
}

/**
 * Full scope URLs, pruned, never none. Named scopes win over services, those over everything, and
 * without a choice the core services decide.
 *
 * @throws CliArgError when nothing named exists.
 */
export function resolveLoginScopes(choice: LoginChoice, ops: () => readonly Op[]): string[] {
  const found = chosenScopes(choice, ops);
  return pruneLoginScopes(sortedScopes(normaliseScopes(found)));
}

function chosenScopes(choice: LoginChoice, ops: () => readonly Op[]): readonly string[] {
  if (choice.scopes.length > 0) return choice.scopes;
  if (choice.services.length > 0) {
    const scopes = scopesForServices(choice.services, ops());
    if (scopes !== undefined) return scopes;
    throw invalidArg("--service", `no scopes for ${choice.services.join(", ")}`);
  }
  const scopes = choice.all ? allScopes(ops()) : scopesForServices(CORE_SERVICES, ops());
  if (scopes === undefined) throw invalidArg("--scope", "the catalog names no scopes; give some");
  return scopes;
}
