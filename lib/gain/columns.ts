/** The detail rows of a report as columns, shared by its csv and text forms (spec 07 §3.14). */

import type { GainView } from "./result.ts";
import { savedPercent } from "./result.ts";

/** One value of a detail row. */
export type Cell = string | number | null | readonly string[];

/** How a column is shown. */
export type ColumnKind = "text" | "list" | "count" | "percent";

/** A detail row; baseline and actual are what its bar is drawn from. */
export interface DetailRow {
  cells: readonly Cell[];
  baseline: number;
  actual: number;
}

/** Detail rows under their columns. The rows are made anew each time they are gone through. */
export interface DetailTable {
  columns: readonly { name: string; kind: ColumnKind }[];
  rows: Iterable<DetailRow>;
}

const KINDS: Record<string, ColumnKind> = {
  calls: "count",
  baseline_tokens: "count",
  actual_tokens: "count",
  savings_tokens: "count",
  savings_pct: "percent",
  op_families: "list",
};

/** The detail rows that the report's mode is about. */
export function detailTable(view: GainView): DetailTable {
  if (view.operations !== undefined) {
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
      view.operations,
    );
  }
  if (view.history !== undefined) {
    return table(
      ["session", "op_family", "baseline_tokens", "actual_tokens", "savings_pct"],
      view.history,
    );
  }
  if (view.by_tool !== undefined) {
    return table(
      ["op_id", "calls", "baseline_tokens", "actual_tokens", "savings_tokens", "savings_pct"],
      Array.from(view.by_tool, (row) => ({
        ...row,
        op_id: row.tool,
        savings_tokens: row.baseline_tokens === 0 ? null : row.baseline_tokens - row.actual_tokens,
        savings_pct: savedPercent(row.baseline_tokens, row.actual_tokens),
      })),
    );
  }
  return table(
    ["session", "calls", "baseline_tokens", "actual_tokens", "savings_pct", "op_families"],
    view.sessions ?? [],
  );
}

function table<Row extends { baseline_tokens: number; actual_tokens: number }>(
  columns: (keyof Row & string)[],
  rows: Iterable<Row>,
): DetailTable {
  return {
    columns: columns.map((name) => ({ name, kind: KINDS[name] ?? "text" })),
    rows: {
      *[Symbol.iterator]() {
        for (const row of rows) {
          yield {
            cells: columns.map((column) => row[column] as Cell),
            baseline: row.baseline_tokens,
            actual: row.actual_tokens,
          };
        }
      },
    },
  };
}
