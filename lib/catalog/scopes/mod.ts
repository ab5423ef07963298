/**
 * OAuth scopes of operations, and which of them GUM's own client may ask for; nothing else of the
 * catalog is loaded.
 *
 * @module
 */

export { isEligibleScope, type ManagedScope, type ManagedScopes } from "../managed_scopes.ts";
export { allScopes, scopesForServices } from "../scopes.ts";
