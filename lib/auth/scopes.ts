/** OAuth scopes: full names, what covers what, what a login asks for (spec 05 §3.5). */

const PREFIX = "https://www.googleapis.com/auth/";

const METADATA = `${PREFIX}gmail.metadata`;

/** Gmail refuses full reads to a token that carries `gmail.metadata`, so these replace it. */
const COVERED_BY: ReadonlyMap<string, readonly string[]> = new Map([
  [METADATA, [`${PREFIX}gmail.readonly`, `${PREFIX}gmail.modify`, "https://mail.google.com/"]],
]);

/** Full names; empty strings go, URLs stay, order is kept. */
export function normaliseScopes(scopes: readonly string[]): string[] {
  return scopes.filter((scope) => scope !== "").map((scope) =>
    /^https?:\/\//.test(scope) ? scope : PREFIX + scope
  );
}

/** What a login asks for: without a scope that another one covers. The input stays as it is. */
export function pruneLoginScopes(scopes: readonly string[]): string[] {
  return scopes.filter((scope) => !coveredIn(scope, scopes));
}

/** The granted scopes and everything they cover. */
export function expandGranted(granted: readonly string[]): string[] {
  const implied = [...COVERED_BY.keys()].filter((scope) =>
    !granted.includes(scope) && coveredIn(scope, granted)
  );
  return [...granted, ...implied];
}

/** True when the granted scopes cover every required one. */
export function scopesSatisfied(granted: readonly string[], required: readonly string[]): boolean {
  return scopesMissing(granted, required).length === 0;
}

/** The required scopes that nothing granted covers, sorted and unique. */
export function scopesMissing(granted: readonly string[], required: readonly string[]): string[] {
  const covered = new Set(expandGranted(granted));
  return sortedScopes(required.filter((scope) => !covered.has(scope)));
}

/** Sorted, without repetitions. */
export function sortedScopes(scopes: Iterable<string>): string[] {
  return [...new Set(scopes)].sort();
}

/** Short form for people: without Google's common prefix. */
export function scopeLabel(scope: string): string {
  return scope.startsWith(PREFIX) ? scope.slice(PREFIX.length) : scope;
}

function coveredIn(scope: string, scopes: readonly string[]): boolean {
  return COVERED_BY.get(scope)?.some((wider) => scopes.includes(wider)) ?? false;
}
