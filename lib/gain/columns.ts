/** The detail rows of a report as columns, shared by its csv and text forms (spec 07 §3.14). */

import type { GainResult } from "./result.ts";
import { savedPercent } from "./result.ts";

/** One value of a detail row. */
export type Cell = string | number | null | readonly string[];

/** Detail rows under their column names. */
export interface DetailTable {
  columns: readonly string[];
  rows: readonly (readonly Cell[])[];
  /** Baseline and actual tokens of each row, for the bars. */
  bars: readonly { baseline: number; actual: number }[];
}

/** The detail rows that the report's mode is about. */
export function detailTable(result: GainResult): DetailTable {
  if (result.operations !== undefined) {
    return table(
      [
        "op_id",
        "op_family",
        "calls",
        "baseline_tokens",
        "actual_tokens",
        "cache_status",
        "field_mask_status",
      ],
      result.operations,
    );
  }
  if (result.history !== undefined) {
    return table(
      ["session", "op_family", "baseline_tokens", "actual_tokens", "savings_pct"],
      result.history,
    );
  }
  if (result.by_tool !== undefined) {
    return table(
      ["op_id", "calls", "baseline_tokens", "actual_tokens", "savings_tokens", "savings_pct"],
      result.by_tool.map((row) => ({
        ...row,
        op_id: row.tool,
        savings_tokens: row.baseline_tokens === 0 ? null : row.baseline_tokens - row.actual_tokens,
        savings_pct: savedPercent(row.baseline_tokens, row.actual_tokens),
      })),
    );
  }
  return table(
    ["session", "calls", "baseline_tokens", "actual_tokens", "savings_pct", "op_families"],
    result.sessions ?? [],
  );
}

function table<Row extends { baseline_tokens: number; actual_tokens: number }>(
  columns: (keyof Row & string)[],
  rows: readonly Row[],
): DetailTable {
  return {
    columns,
    rows: rows.map((row) => columns.map((column) => row[column] as Cell)),
    bars: rows.map((row) => ({ baseline: row.baseline_tokens, actual: row.actual_tokens })),
  };
}
