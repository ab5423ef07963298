/** Markdown: members as lines, records as a GFM table (spec 03 §3.13). Nothing is cut. */

import type { JsonValue } from "../json/mod.ts";
import { cellText } from "./cell_text.ts";
import type { TableText } from "./csv.ts";
import { countText, tableLayout } from "./table_layout.ts";

/** A value as markdown; undefined when the table would be almost nothing but empty cells. */
export function encodeMarkdown(value: JsonValue): TableText | undefined {
  const layout = tableLayout(value);
  if (layout === undefined) return undefined;
  const blocks: string[][] = [];
  const members = layout.envelope.filter(([, member]) => !Array.isArray(member));
  blocks.push(members.map(([key, member]) => `${oneLine(key)}: ${oneLine(cellText(member))}`));
  const hasTable = layout.rows.length > 0 && layout.columns.length > 0;
  blocks.push(hasTable ? tableLines(layout.columns, layout.rows) : ["(no rows)"]);
  blocks.push(
    layout.envelope.flatMap(([key, member]) =>
      Array.isArray(member) ? [`${oneLine(key)}: ${countText(member)}`] : []
    ),
  );
  const text = blocks.filter((lines) => lines.length > 0).map((lines) => lines.join("\n") + "\n");
  return { text: text.join("\n"), countedArrays: layout.countedArrays };
}

function tableLines(columns: string[], rows: (JsonValue | undefined)[][]): string[] {
  const line = (cells: string[]) => `| ${cells.join(" | ")} |`;
  return [
    line(columns.map(tableCell)),
    line(columns.map(() => "---")),
    ...rows.map((row) => line(row.map((cell) => tableCell(cellText(cell))))),
  ];
}

/** Backslashes before a pipe are doubled: else they would take the one that keeps it in its cell. */
function tableCell(text: string): string {
  return oneLine(text).replace(/(\\*)\|/g, "$1$1\\|");
}

function oneLine(text: string): string {
  return text.replace(/\r\n|[\r\n]/g, " ");
}
