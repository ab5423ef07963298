/** Grid data as plain rows, with formulas, notes and links beside them by cell address. */

import { isJsonObject, type JsonObject, type JsonValue } from "../../json/mod.ts";
import { type AnnotatedBody, at, scalarAt, textOf } from "./derive.ts";

/** Adds `rows` and, where there are any, `formulas`, `notes` and `links` to each block of data. */
export function annotateSpreadsheet(body: JsonObject): AnnotatedBody | undefined {
  const added = new Set<string>();
  if (!Array.isArray(body.sheets)) return undefined;
  const sheets = body.sheets.map((sheet): JsonValue => {
    if (!isJsonObject(sheet) || !Array.isArray(sheet.data)) return sheet;
    const data = sheet.data.map((block) => {
      if (!isJsonObject(block) || !Array.isArray(block.rowData)) return block;
      const fields = blockFields(block);
      for (const name of Object.keys(fields)) {
        if (Object.hasOwn(block, name)) delete fields[name];
        else added.add(`sheets.data.${name}`);
      }
      return { ...block, ...fields };
    });
    return { ...sheet, data };
  });
  if (added.size === 0) return undefined;
  return { body: { ...body, sheets }, addedPaths: [...added].sort() };
}

function blockFields(block: JsonObject): JsonObject {
  const top = typeof block.startRow === "number" ? block.startRow : 0;
  const left = typeof block.startColumn === "number" ? block.startColumn : 0;
  const beside: Record<"formulas" | "notes" | "links", JsonObject> = {
    formulas: {},
    notes: {},
    links: {},
  };
  const rowData = Array.isArray(block.rowData) ? block.rowData : [];
  const rows = rowData.map((row, rowIndex): JsonValue[] => {
    const cells = isJsonObject(row) && Array.isArray(row.values) ? row.values : [];
    const shown = cells.map((cell, columnIndex): JsonValue => {
      if (!isJsonObject(cell)) return null;
      const address = `${columnName(left + columnIndex)}${top + rowIndex + 1}`;
      const formula = textOf(at(cell, "userEnteredValue.formulaValue"));
      if (formula !== undefined) beside.formulas[address] = formula;
      if (textOf(cell.note) !== undefined) beside.notes[address] = cell.note as string;
      const link = textOf(cell.hyperlink);
      if (link !== undefined && link !== cell.formattedValue) beside.links[address] = link;
      return shownValue(cell);
    });
    return shown.slice(0, shown.findLastIndex((cell) => cell !== null) + 1);
  });
  const used = rows.slice(0, rows.findLastIndex((row) => row.length > 0) + 1);
  return {
    rows: used,
    ...Object.fromEntries(
      Object.entries(beside).filter(([, cells]) => Object.keys(cells).length > 0),
    ),
  };
}

/** What the cell shows; its bare value where the caller left what it shows out of the answer. */
function shownValue(cell: JsonObject): JsonValue {
  const shown = textOf(cell.formattedValue);
  if (shown !== undefined) return shown;
  for (const member of ["effectiveValue", "userEnteredValue"]) {
    for (const kind of ["stringValue", "numberValue", "boolValue", "errorValue.type"]) {
      const value = scalarAt(cell, `${member}.${kind}`);
      if (value !== undefined && value !== "") return value;
    }
  }
  return null;
}

/** 0 is A, 26 is AA. */
export function columnName(index: number): string {
  let name = "";
  for (let rest = index + 1; rest > 0; rest = Math.floor((rest - 1) / 26)) {
    name = String.fromCharCode(65 + (rest - 1) % 26) + name;
  }
  return name;
}
