/** The requests of `spreadsheets.batchUpdate` that the emulated Sheets carries out. */

import type { JsonObject, JsonValue } from "../../json/mod.ts";
import {
  booleanMember,
  invalid,
  type NativeFile,
  objectMember,
  objectsMember,
  type RequestRunner,
  runBatchRequest,
  textMember,
} from "../drive/mod.ts";
import type { SeededRandom } from "../service.ts";
import type { Rectangle } from "./a1_notation.ts";
import { type Cell, enteredCell } from "./cells.ts";
import {
  applyGrid,
  copySheet,
  freshSheetId,
  freshTitle,
  refuseTaken,
  sheetFrom,
} from "./sheet_making.ts";
import { namedRangeView, sheetProperties } from "./spreadsheet_view.ts";
import { cellAt, putCell, type StoredSheet, type StoredSpreadsheet } from "./store.ts";
import { appendRows } from "./value_routes.ts";

/** What the requests of one batch work on. */
export interface BatchContext {
  spreadsheet: StoredSpreadsheet;
  file: NativeFile;
  ids: SeededRandom;
}

/** Formatting requests: accepted, nothing to show for them. */
const WITHOUT_EFFECT = new Set([
  "addBanding",
  "addConditionalFormatRule",
  "addDimensionGroup",
  "addFilterView",
  "addProtectedRange",
  "autoFill",
  "autoResizeDimensions",
  "clearBasicFilter",
  "copyPaste",
  "deleteBanding",
  "deleteConditionalFormatRule",
  "deleteProtectedRange",
  "mergeCells",
  "setBasicFilter",
  "setDataValidation",
  "sortRange",
  "trimWhitespace",
  "unmergeCells",
  "updateBorders",
  "updateDimensionProperties",
  "addChart",
  "updateChartSpec",
]);

const RUNNERS: Readonly<Record<string, RequestRunner<BatchContext>>> = {
  addSheet(given, { spreadsheet, ids }) {
    const properties = objectMember(given, "properties") ?? {};
    const sheet = sheetFrom(properties, { spreadsheet, ids });
    const index = properties.index;
    spreadsheet.sheets.splice(
      typeof index === "number" ? index : spreadsheet.sheets.length,
      0,
      sheet,
    );
    return { addSheet: { properties: sheetProperties(spreadsheet, sheet) } };
  },
  deleteSheet(given, { spreadsheet }) {
    const sheet = sheetById(spreadsheet, given.sheetId);
    if (spreadsheet.sheets.length === 1) {
      throw invalid("You can't remove all the sheets in a document.", "badRequest");
    }
    spreadsheet.sheets.splice(spreadsheet.sheets.indexOf(sheet), 1);
    spreadsheet.namedRanges = spreadsheet.namedRanges.filter((range) =>
      range.sheetId !== sheet.sheetId
    );
    return {};
  },
  duplicateSheet(given, { spreadsheet, ids }) {
    const source = sheetById(spreadsheet, given.sourceSheetId);
    const copy = copySheet(source, {
      sheetId: typeof given.newSheetId === "number"
        ? given.newSheetId
        : freshSheetId(spreadsheet, ids),
      title: textMember(given, "newSheetName") ??
        freshTitle(spreadsheet, `Copy of ${source.title}`),
    });
    refuseTaken(spreadsheet, copy);
    const index = given.insertSheetIndex;
    spreadsheet.sheets.splice(
      typeof index === "number" ? index : spreadsheet.sheets.length,
      0,
      copy,
    );
    return { duplicateSheet: { properties: sheetProperties(spreadsheet, copy) } };
  },
  updateSheetProperties(given, { spreadsheet }) {
    const properties = objectMember(given, "properties") ?? {};
    const sheet = sheetById(spreadsheet, properties.sheetId);
    const fields = maskOf(given);
    const asked = (name: string) =>
      fields.includes("*") ||
      fields.some((field) => field === name || field.startsWith(`${name}.`));
    const title = textMember(properties, "title");
    if (asked("title") && title !== undefined && title !== sheet.title) {
      refuseTaken(spreadsheet, { sheetId: -1, title });
      sheet.title = title;
    }
    if (asked("hidden")) sheet.hidden = booleanMember(properties, "hidden") ?? false;
    const grid = objectMember(properties, "gridProperties");
    if (asked("gridProperties") && grid !== undefined) applyGrid(sheet, grid);
    if (asked("index") && typeof properties.index === "number") {
      spreadsheet.sheets.splice(spreadsheet.sheets.indexOf(sheet), 1);
      spreadsheet.sheets.splice(properties.index, 0, sheet);
    }
    return {};
  },
  updateSpreadsheetProperties(given, { spreadsheet, file }) {
    const properties = objectMember(given, "properties") ?? {};
    maskOf(given);
    file.title = textMember(properties, "title") ?? file.title;
    spreadsheet.locale = textMember(properties, "locale") ?? spreadsheet.locale;
    spreadsheet.zone = textMember(properties, "timeZone") ?? spreadsheet.zone;
    return {};
  },
  appendCells(given, { spreadsheet }) {
    maskOf(given);
    appendRows(sheetById(spreadsheet, given.sheetId), cellRows(given));
    return {};
  },
  updateCells(given, { spreadsheet }) {
    maskOf(given);
    const start = objectMember(given, "start");
    const range = objectMember(given, "range");
    const sheet = sheetById(spreadsheet, (start ?? range ?? {}).sheetId);
    const row = Number(start?.rowIndex ?? range?.startRowIndex ?? 0);
    const column = Number(start?.columnIndex ?? range?.startColumnIndex ?? 0);
    for (const [index, cells] of cellRows(given).entries()) {
      for (const [at, cell] of cells.entries()) {
        putCell(sheet, { row: row + index, column: column + at, cell });
      }
    }
    return {};
  },
  repeatCell(given, { spreadsheet }) {
    const fields = maskOf(given);
    const range = objectMember(given, "range") ?? {};
    const sheet = sheetById(spreadsheet, range.sheetId);
    if (!fields.some((field) => field === "*" || field.startsWith("userEnteredValue"))) return {};
    const area = gridArea(sheet, range);
    for (let row = area.startRow; row < area.endRow; row++) {
      for (let column = area.startColumn; column < area.endColumn; column++) {
        putCell(sheet, { row, column, cell: cellFrom(objectMember(given, "cell") ?? {}) });
      }
    }
    return {};
  },
  appendDimension(given, { spreadsheet }) {
    const sheet = sheetById(spreadsheet, given.sheetId);
    const length = Number(given.length ?? 0);
    if (given.dimension === "COLUMNS") sheet.columnCount += length;
    else sheet.rowCount += length;
    return {};
  },
  insertDimension: (given, context) => changeDimension(given, { context, insert: true }),
  deleteDimension: (given, context) => changeDimension(given, { context, insert: false }),
  findReplace: findAndReplace,
  addNamedRange(given, { spreadsheet, ids }) {
    const named = objectMember(given, "namedRange") ?? {};
    const name = textMember(named, "name") ?? "";
    const range = objectMember(named, "range") ?? {};
    const sheet = sheetById(spreadsheet, range.sheetId);
    if (!/^[A-Za-z_][A-Za-z0-9_]*$/.test(name)) {
      throw invalid(`Invalid name: ${name}`, "badRequest");
    }
    const made = {
      id: textMember(named, "namedRangeId") ?? ids.hex(12),
      name,
      sheetId: sheet.sheetId,
      area: gridArea(sheet, range),
    };
    spreadsheet.namedRanges.push(made);
    return { addNamedRange: { namedRange: namedRangeView(made) } };
  },
  deleteNamedRange(given, { spreadsheet }) {
    const id = textMember(given, "namedRangeId");
    if (!spreadsheet.namedRanges.some((range) => range.id === id)) {
      throw invalid(`No named range with id: ${id}`, "badRequest");
    }
    spreadsheet.namedRanges = spreadsheet.namedRanges.filter((range) => range.id !== id);
    return {};
  },
};

/** Runs one request; 400 for an unknown kind. The reply is empty where Sheets sends none. */
export function runRequest(request: JsonObject, context: BatchContext): JsonObject {
  return runBatchRequest(request, { context, runners: RUNNERS, withoutEffect: WITHOUT_EFFECT });
}

/** The `fields` mask of a request; required by Sheets. */
function maskOf(given: JsonObject): string[] {
  const fields = textMember(given, "fields");
  if (fields === undefined || fields === "") {
    throw invalid(
      "At least one field must be listed in 'fields'. (Use '*' to indicate all fields.)",
      "badRequest",
    );
  }
  return fields.split(",").map((field) => field.trim());
}

function sheetById(spreadsheet: StoredSpreadsheet, id: JsonValue | undefined): StoredSheet {
  const wanted = id ?? 0;
  const sheet = spreadsheet.sheets.find((item) => item.sheetId === wanted);
  if (sheet === undefined) throw invalid(`No grid with id: ${String(wanted)}`, "badRequest");
  return sheet;
}

function gridArea(sheet: StoredSheet, range: JsonObject): Rectangle {
  const bound = (name: string, fallback: number) =>
    typeof range[name] === "number" ? range[name] as number : fallback;
  return {
    startRow: bound("startRowIndex", 0),
    endRow: Math.min(bound("endRowIndex", sheet.rowCount), sheet.rowCount),
    startColumn: bound("startColumnIndex", 0),
    endColumn: Math.min(bound("endColumnIndex", sheet.columnCount), sheet.columnCount),
  };
}

function cellRows(given: JsonObject): (Cell | undefined)[][] {
  return objectsMember(given, "rows").map((row) => objectsMember(row, "values").map(cellFrom));
}

function cellFrom(data: JsonObject): Cell | undefined {
  const value = objectMember(data, "userEnteredValue");
  if (value === undefined) return undefined;
  const formula = textMember(value, "formulaValue");
  if (formula !== undefined) return enteredCell(formula, { parse: true });
  return enteredCell(value.numberValue ?? value.stringValue ?? value.boolValue ?? "", {
    parse: false,
  });
}

function changeDimension(
  given: JsonObject,
  { context, insert }: { context: BatchContext; insert: boolean },
): JsonObject {
  const range = objectMember(given, "range") ?? {};
  const sheet = sheetById(context.spreadsheet, range.sheetId);
  const start = Number(range.startIndex ?? 0);
  const columns = range.dimension === "COLUMNS";
  const end = Number(range.endIndex ?? (columns ? sheet.columnCount : sheet.rowCount));
  const count = end - start;
  const limit = columns ? sheet.columnCount : sheet.rowCount;
  if (count <= 0 || start > limit || (!insert && count >= limit)) {
    throw invalid("Invalid dimension range.", "badRequest");
  }
  if (columns) {
    sheet.columnCount += insert ? count : -count;
    for (const row of sheet.rows) {
      if (!insert) row.splice(start, count);
      else if (row.length > start) {
        row.splice(start, 0, ...new Array<undefined>(count).fill(undefined));
      }
    }
  } else {
    sheet.rowCount += insert ? count : -count;
    if (!insert) sheet.rows.splice(start, count);
    else if (sheet.rows.length > start) {
      sheet.rows.splice(start, 0, ...Array.from({ length: count }, () => []));
    }
  }
  return {};
}

function findAndReplace(given: JsonObject, { spreadsheet }: BatchContext): JsonObject {
  const find = textMember(given, "find") ?? "";
  if (find === "") throw invalid("The 'find' text must not be empty.", "badRequest");
  const replacement = textMember(given, "replacement") ?? "";
  const sheets = booleanMember(given, "allSheets")
    ? spreadsheet.sheets
    : [sheetById(spreadsheet, given.sheetId)];
  const whole = booleanMember(given, "matchEntireCell") ?? false;
  const pattern = new RegExp(
    find.replace(/[.*+?^${}()|[\]\\]/g, "\\$&"),
    booleanMember(given, "matchCase") ? "gu" : "giu",
  );
  const counts = { values: 0, rows: 0, sheets: 0, occurrences: 0 };
  for (const sheet of sheets) {
    const before = counts.values;
    for (let row = 0; row < sheet.rows.length; row++) {
      const inRow = counts.values;
      for (let column = 0; column < (sheet.rows[row]?.length ?? 0); column++) {
        const cell = cellAt(sheet, { row, column });
        if (cell?.value.type !== "text" || cell.formula !== undefined) continue;
        const { text } = cell.value;
        const hits = text.match(pattern)?.length ?? 0;
        if (hits === 0 || (whole && text.toLowerCase() !== find.toLowerCase())) continue;
        putCell(sheet, {
          row,
          column,
          cell: enteredCell(text.replace(pattern, () => replacement), { parse: false }),
        });
        counts.values++;
        counts.occurrences += hits;
      }
      if (counts.values > inRow) counts.rows++;
    }
    if (counts.values > before) counts.sheets++;
  }
  return {
    findReplace: {
      valuesChanged: counts.values,
      rowsChanged: counts.rows,
      sheetsChanged: counts.sheets,
      occurrencesChanged: counts.occurrences,
    },
  };
}
