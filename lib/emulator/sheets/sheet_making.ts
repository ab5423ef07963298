/** Sheets that are added, copied and resized: ids and titles are unique within a spreadsheet. */

import type { JsonObject } from "../../json/mod.ts";
import { booleanMember, invalid, objectMember, textMember } from "../drive/mod.ts";
import type { SeededRandom } from "../service.ts";
import { blankSheet, type StoredSheet, type StoredSpreadsheet } from "./store.ts";

/** A new sheet from properties; 400 when id or title is taken. */
export function sheetFrom(
  properties: JsonObject,
  { spreadsheet, ids }: { spreadsheet: StoredSpreadsheet; ids: SeededRandom },
): StoredSheet {
  const { sheetId } = properties;
  const sheet = blankSheet({
    sheetId: typeof sheetId === "number"
      ? sheetId
      : spreadsheet.sheets.length === 0
      ? 0
      : freshSheetId(spreadsheet, ids),
    title: textMember(properties, "title") ??
      freshTitle(spreadsheet, `Sheet${spreadsheet.sheets.length + 1}`),
    hidden: booleanMember(properties, "hidden") ?? false,
  });
  refuseTaken(spreadsheet, sheet);
  applyGrid(sheet, objectMember(properties, "gridProperties") ?? {});
  return sheet;
}

/** @throws EmulatedError 400 when another sheet has the id or the title. */
export function refuseTaken(
  spreadsheet: StoredSpreadsheet,
  { sheetId, title }: { sheetId: number; title: string },
): void {
  if (spreadsheet.sheets.some((sheet) => sheet.title.toLowerCase() === title.toLowerCase())) {
    throw invalid(
      `A sheet with the name "${title}" already exists. Please enter another name.`,
      "badRequest",
    );
  }
  if (spreadsheet.sheets.some((sheet) => sheet.sheetId === sheetId)) {
    throw invalid(`Sheet with id ${sheetId} already exists.`, "badRequest");
  }
}

/** An unused sheet id. */
export function freshSheetId(spreadsheet: StoredSpreadsheet, ids: SeededRandom): number {
  let id = ids.int(1, 2_000_000_000);
  while (spreadsheet.sheets.some((sheet) => sheet.sheetId === id)) id = ids.int(1, 2_000_000_000);
  return id;
}

/** A title that no sheet has yet. */
export function freshTitle(spreadsheet: StoredSpreadsheet, wanted: string): string {
  let title = wanted;
  for (let number = 2; spreadsheet.sheets.some((sheet) => sheet.title === title); number++) {
    title = `${wanted} ${number}`;
  }
  return title;
}

/** A copy of a sheet under another id and title. */
export function copySheet(
  source: StoredSheet,
  given: { sheetId: number; title: string },
): StoredSheet {
  return { ...source, ...given, rows: source.rows.map((row) => [...row]) };
}

/** Brings a sheet to the size and the frozen rows that were asked for. */
export function applyGrid(sheet: StoredSheet, grid: JsonObject): void {
  const { rowCount, columnCount, frozenRowCount } = grid;
  if (typeof rowCount === "number" && rowCount > 0) {
    sheet.rowCount = rowCount;
    sheet.rows.splice(rowCount);
  }
  if (typeof columnCount === "number" && columnCount > 0) {
    sheet.columnCount = columnCount;
    for (const row of sheet.rows) row.splice(columnCount);
  }
  if (typeof frozenRowCount === "number") sheet.frozenRows = frozenRowCount;
}
