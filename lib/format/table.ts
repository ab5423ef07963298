/** Tables for a terminal (spec 03 §3.13): padded columns, cells cut to 60, nothing invisible. */

import type { JsonValue } from "../json/mod.ts";
import { cellText } from "./cell_text.ts";
import { countText, tableLayout } from "./table_layout.ts";
import { cutToWidth, textWidth } from "./text_width.ts";
import { visibleText } from "./visible_text.ts";

/** Widest cell, in terminal columns. */
const CELL_COLUMNS = 60;
const GUTTER = "  ";

/** A value as a table; undefined when it would be almost nothing but empty cells. */
export function renderTable(value: JsonValue): string | undefined {
  const layout = tableLayout(value);
  if (layout === undefined) return undefined;
  const members = layout.envelope.filter(([, member]) => !Array.isArray(member));
  const blocks: string[][] = [
    members.map(([key, member]) => `${oneLine(key)}: ${oneLine(cellText(member))}`),
    layout.rows.length > 0 && layout.columns.length > 0
      ? tableLines(layout.columns, layout.rows)
      : ["(no rows)"],
    layout.envelope.flatMap(([key, member]) =>
      Array.isArray(member) ? [`${oneLine(key)}: ${countText(member)}`] : []
    ),
  ];
  return blocks.filter((lines) => lines.length > 0).map((lines) => lines.join("\n") + "\n").join(
    "\n",
  );
}

function tableLines(columns: string[], rows: (JsonValue | undefined)[][]): string[] {
  const header = columns.map(tableCell);
  const body = rows.map((row) => row.map((cell) => tableCell(cellText(cell))));
  const widths = header.map((name) => textWidth(name));
  for (const row of body) {
    row.forEach((cell, index) => {
      widths[index] = Math.max(widths[index] ?? 0, textWidth(cell));
    });
  }
  const line = (cells: string[]) =>
    cells.map((cell, index) => cell + " ".repeat((widths[index] ?? 0) - textWidth(cell)))
      .join(GUTTER).trimEnd();
  return [line(header), widths.map((width) => "-".repeat(width)).join(GUTTER), ...body.map(line)];
}

function tableCell(text: string): string {
  return cutToWidth(oneLine(text), CELL_COLUMNS);
}

function oneLine(text: string): string {
  return visibleText(text.replace(/\r\n|[\r\n\t]/g, " "));
}
