/**
 * The closed set of credential strategies and what a new one must bring along (spec 05 §2.1).
 *
 * @module
 */

import type { AuthStrategy } from "../catalog/types.ts";

/** Every strategy a catalog may name. */
export const AUTH_STRATEGIES = [
  "gum_oauth",
  "byo_oauth",
  "adc",
  "api_key",
  "service_account",
  "workload_identity",
  "impersonation",
  "none",
  "compound",
  "plugin_managed",
] as const satisfies readonly AuthStrategy[];

/** Strategies that were there when the gate was introduced; only later ones owe anything. */
export const BASELINE_STRATEGIES: readonly string[] = AUTH_STRATEGIES.slice(0, 10);

/** Where the traces of a new strategy are looked for. */
export interface StrategyEvidence {
  /** Text of `docs/catalog-abi.md`. */
  catalogAbiDoc: string;
  /** Paths of source files, from the root. */
  files: readonly string[];
  /** Text of `docs/test-matrix.md`. */
  matrixText: string;
}

/**
 * What is still missing for the strategies beyond the baseline, one sentence a step: the bullet in
 * the catalog ABI, the source file, the matrix row. Empty when a change is complete.
 */
export function residualStrategyChecks(
  values: readonly string[],
  baseline: readonly string[],
  evidence: StrategyEvidence,
): string[] {
  const bullet = strategyBullet(evidence.catalogAbiDoc);
  const missing: string[] = [];
  for (const value of values) {
    if (baseline.includes(value)) continue;
    if (!bullet.includes(`\`${value}\``)) {
      missing.push(`${value}: not in the auth_strategy bullet of docs/catalog-abi.md`);
    }
    const file = `lib/auth/strategy_${value}.ts`;
    if (!evidence.files.includes(file)) missing.push(`${value}: no file ${file}`);
    const proof = `TestAuthStrategy${camelName(value)}`;
    if (!new RegExp(`(^|[^A-Za-z0-9_])${proof}([^A-Za-z0-9_]|$)`).test(evidence.matrixText)) {
      missing.push(`${value}: no matrix row names ${proof}`);
    }
  }
  return missing;
}

/** The list item about `auth_strategy`, continuation lines included; a mention elsewhere is none. */
function strategyBullet(document: string): string {
  const lines = document.split("\n");
  const start = lines.findIndex((line) => /^\s*[-*]\s+`auth_strategy`/.test(line));
  if (start < 0) return "";
  const rest = lines.slice(start + 1);
  const end = rest.findIndex((line) => !/^\s{2,}\S/.test(line) || /^\s*[-*]\s/.test(line));
  return [lines[start], ...(end < 0 ? rest : rest.slice(0, end))].join("\n");
}

function camelName(value: string): string {
  return value.split("_").map((word) => word.slice(0, 1).toUpperCase() + word.slice(1)).join("");
}
