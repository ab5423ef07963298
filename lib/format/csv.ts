/** CSV (RFC 4180, LF), with every top-level member kept and formulas disarmed (spec 03 §3.13). */

import { isRawNumber, type JsonValue } from "../json/mod.ts";
import { cellText } from "./cell_text.ts";
import { countText, tableLayout, uniqueName } from "./table_layout.ts";

/** Encoded text and the arrays it shows only as a count. */
export interface TableText {
  text: string;
  countedArrays: string[];
}

/** A value as CSV; undefined when the table would be almost nothing but empty cells. */
export function encodeCsv(value: JsonValue): TableText | undefined {
  const layout = tableLayout(value);
  if (layout === undefined) return undefined;
  const taken = new Set(layout.columns);
  const envelope = layout.envelope.map(([name, member]) => {
    const column = uniqueName(name, taken);
    taken.add(column);
    return { column, cell: Array.isArray(member) ? csvText(countText(member)) : csvCell(member) };
  });
  const header = [...layout.columns, ...envelope.map(({ column }) => column)].map(csvText);
  const tail = envelope.map(({ cell }) => cell);
  const noRecords = layout.kind === "records" && layout.rows.length === 0;
  if (noRecords && envelope.length === 0) return { text: "value\n", countedArrays: [] };
  const lines = [csvLine(header)];
  if (noRecords) lines.push(csvLine(tail));
  for (const row of layout.rows) lines.push(csvLine([...row.map(csvCell), ...tail]));
  return { text: lines.join("\n") + "\n", countedArrays: layout.countedArrays };
}

/** A line with nothing on it is no row to most readers, so a lone empty cell is quoted. */
function csvLine(cells: readonly string[]): string {
  return cells.length === 1 && cells[0] === "" ? '""' : cells.join(",");
}

function csvCell(value: JsonValue | undefined): string {
  const isNumber = typeof value === "number" || isRawNumber(value);
  const text = cellText(value);
  return isNumber ? text : csvText(text);
}

/** Spreadsheets run a cell that starts like a formula, also after whitespace: a quote disarms it. */
function csvText(text: string): string {
  const safe = /^\s*[=+\-@]/.test(text) ? `'${text}` : text;
  return /[",\r\n]|^[ \t]/.test(safe) ? `"${safe.replaceAll('"', '""')}"` : safe;
}
