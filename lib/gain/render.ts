/** A gain report as text and as csv (spec 07 §3.14). */

import { type Cell, detailTable } from "./columns.ts";
import type { GainResult } from "./result.ts";

/** RFC 4180 with `\n`: a header row, then one row a detail row; null is empty, lists join with `;`. */
export function gainCsv(result: GainResult): string {
  const { columns, rows } = detailTable(result);
  const line = (cells: readonly Cell[]) => cells.map((cell) => quoted(plain(cell))).join(",");
  return [columns, ...rows].map((cells) => line(cells) + "\n").join("");
}

function plain(cell: Cell): string {
  if (cell === null) return "";
  return typeof cell === "object" ? cell.join(";") : String(cell);
}

function quoted(text: string): string {
  return /[",\r\n]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text;
}

/** Cells of the longest bar. */
const BAR_CELLS = 24;
const KEPT = "█";
const SAVED = "░";

/** For people: the totals, then an aligned table whose last column draws each row to scale. */
export function gainText(result: GainResult): string {
  const tokens = (count: number) => `${grouped(count)} tokens`;
  const endToEnd = result.end_to_end_savings === null
    ? "n/a (no fixture-backed rows)"
    : percent(result.end_to_end_savings);
  const head = [
    `window      ${result.window}, counted as ${result.tokenizer}`,
    `baseline    ${tokens(result.baseline_tokens)}`,
    `actual      ${tokens(result.actual_tokens)}`,
    `saved       ${tokens(result.savings_tokens)} (${percent(result.savings_pct)})`,
    `end to end  ${endToEnd}`,
  ];
  if (result.batch_envelope_overhead !== 0) {
    head.push(`batches     ${tokens(result.batch_envelope_overhead)} of overhead`);
  }
  const { columns, rows, bars } = detailTable(result);
  if (rows.length === 0) return head.join("\n") + "\n";
  const largest = Math.max(...bars.map((bar) => Math.max(bar.baseline, bar.actual)));
  const cells = [
    [...columns, `${KEPT} sent ${SAVED} saved`],
    ...rows.map((row, index) => [
      ...row.map((cell, column) => shown(cell, columns[column] ?? "")),
      bar(bars[index] ?? { baseline: 0, actual: 0 }, largest),
    ]),
  ];
  return head.join("\n") + "\n\n" + aligned(cells, rows[0] ?? []) + "\n";
}

function bar(row: { baseline: number; actual: number }, largest: number): string {
  if (largest === 0) return "";
  const cells = (count: number) =>
    count > 0 ? Math.max(1, Math.round(BAR_CELLS * count / largest)) : 0;
  const sent = cells(row.actual);
  return KEPT.repeat(sent) + SAVED.repeat(Math.max(0, cells(row.baseline) - sent));
}

function shown(cell: Cell, column: string): string {
  if (cell === null) return "n/a";
  if (typeof cell === "number") return column === "savings_pct" ? percent(cell) : grouped(cell);
  return typeof cell === "string" ? cell : cell.join(";");
}

function percent(value: number | null): string {
  return value === null ? "n/a" : `${value.toFixed(2)} %`;
}

function grouped(count: number): string {
  return String(count).replace(/\B(?=([0-9]{3})+$)/g, ",");
}

/** Numbers to the right, words to the left, two spaces between. */
function aligned(rows: readonly string[][], kinds: readonly Cell[]): string {
  const widths = (rows[0] ?? []).map((_, column) =>
    Math.max(...rows.map((row) => row[column]?.length ?? 0))
  );
  return rows.map((row) =>
    row.map((text, column) => {
      const width = widths[column] ?? 0;
      const isNumber = typeof kinds[column] === "number" || kinds[column] === null;
      return isNumber ? text.padStart(width) : text.padEnd(width);
    }).join("  ").trimEnd()
  ).join("\n");
}
