/** Variants whose risk class a person decided against the rules (spec 04 §3.18). */

import { byCodeUnit } from "./search/order.ts";
import type { Op, RiskClass } from "./types.ts";

/** One row of `gum catalog list-overrides`. */
export interface RiskOverrideRow {
  variant_id: string;
  risk_class: RiskClass;
  risk_override_reason: string;
}

/** Rows of every overridden variant, sorted by variant id; the first of equal ids wins. */
export function riskOverrides(ops: readonly Op[]): RiskOverrideRow[] {
  const rows = new Map<string, RiskOverrideRow>();
  for (const { variants } of ops) {
    for (const { variant_id, risk_class, risk_override, risk_override_reason = "" } of variants) {
      if (risk_override !== true || !variant_id || rows.has(variant_id)) continue;
      rows.set(variant_id, { variant_id, risk_class, risk_override_reason });
    }
  }
  return [...rows.values()].sort((left, right) => byCodeUnit(left.variant_id, right.variant_id));
}
