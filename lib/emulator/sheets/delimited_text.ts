/** CSV and TSV: export of a spreadsheet's first sheet, import of an uploaded file. */

import { type Cell, enteredCell, formattedText } from "./cells.ts";
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
        cellAt(sheet, { row, column })?.format,
      );
      if (separator === "\t") return text.replace(/[\t\r\n]/g, " ");
      return /[",\r\n]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text;
    }).join(separator)
  ).join("\r\n");
}

/** Rows of comma- or tab-separated text, each field read as if typed in. */
export function importedRows(text: string): (Cell | undefined)[][] {
  const separator = /^[^",\n]*\t/.test(text) ? "\t" : ",";
  const rows: (Cell | undefined)[][] = [];
  let row: (Cell | undefined)[] = [];
  let field = "";
  let quoted = false;
  const endField = () => {
    row.push(enteredCell(field, { parse: true }));
    field = "";
  };
  const endRow = () => {
    endField();
    rows.push(row);
    row = [];
  };
  for (let at = 0; at < text.length; at++) {
    const sign = text.charAt(at);
    if (quoted) {
      if (sign !== '"') field += sign;
      else if (text.charAt(at + 1) === '"') {
        field += '"';
        at++;
      } else quoted = false;
    } else if (sign === '"' && field === "") quoted = true;
    else if (sign === separator) endField();
    else if (sign === "\n") endRow();
    else if (sign !== "\r") field += sign;
  }
  if (field !== "" || row.length > 0) endRow();
  return rows;
}
