/** The one scope a derived variant asks for (spec 04 §3.6). */
import type { RiskClass } from "../types.ts";
import { singular } from "../../resource_names/mod.ts";

/** Scopes that open a whole product or a whole cloud project: last resort only. */
const FULL_ACCESS_SCOPES: ReadonlySet<string> = new Set([
  "https://mail.google.com/",
  "https://www.googleapis.com/auth/cloud-platform",
  "https://www.googleapis.com/auth/cloud-platform.read-only",
]);

/** What the choice depends on. */
export interface ScopeChoice {
  riskClass: RiskClass;
  /** Preferred scopes of the service, best first. */
  preference?: readonly string[];
  /** Resource the method belongs to (`messages`), for write operations. */
  resource?: string;
  /** Product name (`gmail`), for write operations. */
  product?: string;
}

/** The narrowest sufficient scope of a method's alternatives; undefined when it lists none. */
export function chooseScope(
  accepted: readonly string[] | undefined,
  choice: ScopeChoice,
): string | undefined {
  if (accepted === undefined || accepted.length === 0) return undefined;
  const preferred = choice.preference?.find((scope) => accepted.includes(scope));
  if (preferred !== undefined && choice.riskClass === "read") return preferred;
  const narrow = accepted.filter((scope) => !FULL_ACCESS_SCOPES.has(scope) && !isSpecial(scope));
  const candidates = narrow.length > 0 ? narrow : [...accepted];
  if (choice.riskClass === "read") {
    const readOnly = candidates.filter((scope) => scope.endsWith(".readonly"));
    return simplest(readOnly.length > 0 ? readOnly : candidates);
  }
  const writable = candidates.filter((scope) => !/readonly$/.test(scope));
  const resources = [choice.resource, choice.resource && singular(choice.resource)];
  const byResource = writable.find((scope) => resources.includes(tail(scope)));
  if (byResource !== undefined) return byResource;
  const preferredWrite = choice.preference?.find((scope) => writable.includes(scope));
  if (preferredWrite !== undefined) return preferredWrite;
  const product = writable.find((scope) => lastPath(scope) === choice.product);
  return product ?? simplest(writable.length > 0 ? writable : candidates);
}

/** Scopes for add-ons, bots and imports: no ordinary user grant contains them. */
function isSpecial(scope: string): boolean {
  return /\.addons\.|chat\.(?:bot|import|app\.|admin\.)|\.app\.created$|\.appdata$/.test(scope);
}

function lastPath(scope: string): string {
  return scope.replace(/\/$/, "").slice(scope.replace(/\/$/, "").lastIndexOf("/") + 1);
}

function tail(scope: string): string {
  const name = lastPath(scope);
  return name.slice(name.lastIndexOf(".") + 1);
}

function simplest(scopes: readonly string[]): string | undefined {
  const dots = (scope: string): number => lastPath(scope).split(".").length;
  return [...scopes].sort((a, b) =>
    dots(a) - dots(b) || a.length - b.length || (a < b ? -1 : a > b ? 1 : 0)
  )[0];
}
