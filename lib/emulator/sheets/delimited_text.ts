/** CSV and TSV export of a spreadsheet's first sheet. */

import { formattedText } from "./cells.ts";
import { Calculation, cellAt, type StoredSpreadsheet } from "./store.ts";

/** The first sheet as delimited text with CRLF line ends, values as displayed. */
export function delimitedText(
  spreadsheet: StoredSpreadsheet,
  { separator, now }: { separator: "," | "\t"; now: number },
): string {
  const sheet = spreadsheet.sheets[0];
  if (sheet === undefined) return "";
  const calculation = new Calculation(spreadsheet, now);
  const width = Math.max(0, ...sheet.rows.map((row) => row.length));
  return sheet.rows.map((_, row) =>
    Array.from({ length: width }, (_, column) => {
      const text = formattedText(
        calculation.value(sheet, row, column),
        cellAt(sheet, row, column)?.format,
      );
      if (separator === "\t") return text.replace(/[\t\r\n]/g, " ");
      return /[",\r\n]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text;
    }).join(separator)
  ).join("\r\n");
}
