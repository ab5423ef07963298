/** How the emulated Sheets prints a spreadsheet, grid data included. */

import type { JsonObject } from "../../json/mod.ts";
import { copyOf, type NativeFile } from "../drive/mod.ts";
import type { Rectangle } from "./a1_notation.ts";
import {
  type Cell,
  type CellValue,
  ERRORS,
  FORMAT_PATTERNS,
  formattedText,
  unformatted,
} from "./cells.ts";
import {
  Calculation,
  cellAt,
  type StoredNamedRange,
  type StoredSheet,
  type StoredSpreadsheet,
} from "./store.ts";

/** What of the grid to print: none, or these areas by sheet. */
export type GridSelection = { sheet: StoredSheet; area: Rectangle }[];

const WHITE: JsonObject = { red: 1, green: 1, blue: 1 };

const DEFAULT_FORMAT: JsonObject = {
  backgroundColor: WHITE,
  padding: { top: 2, right: 3, bottom: 2, left: 3 },
  verticalAlignment: "BOTTOM",
  wrapStrategy: "OVERFLOW_CELL",
  textFormat: {
    foregroundColor: {},
    fontFamily: "arial,sans,sans-serif",
    fontSize: 10,
    bold: false,
    italic: false,
    strikethrough: false,
    underline: false,
    foregroundColorStyle: { rgbColor: {} },
  },
  backgroundColorStyle: { rgbColor: WHITE },
};

const THEME_COLORS: readonly (readonly [string, string])[] = [
  ["TEXT", "000000"],
  ["BACKGROUND", "ffffff"],
  ["ACCENT1", "4285f4"],
  ["ACCENT2", "ea4335"],
  ["ACCENT3", "fbbc04"],
  ["ACCENT4", "34a853"],
  ["ACCENT5", "ff6d01"],
  ["ACCENT6", "46bdc6"],
  ["LINK", "1155cc"],
];

function rgb(hex: string): JsonObject {
  const color: JsonObject = {};
  for (const [index, name] of ["red", "green", "blue"].entries()) {
    const value = parseInt(hex.slice(index * 2, index * 2 + 2), 16) / 255;
    if (value > 0) color[name] = Number(value.toFixed(8));
  }
  return color;
}

/** The whole resource; `grid` selects the cells to print. */
export function spreadsheetView(
  spreadsheet: StoredSpreadsheet,
  { file, grid, sheets, now }: {
    file: NativeFile;
    grid: GridSelection | undefined;
    /** Sheets to print; all of them by default. */
    sheets?: readonly StoredSheet[];
    now: number;
  },
): JsonObject {
  const calculation = new Calculation(spreadsheet, now);
  const view: JsonObject = {
    spreadsheetId: spreadsheet.id,
    properties: {
      title: file.title,
      locale: spreadsheet.locale,
      autoRecalc: "ON_CHANGE",
      timeZone: spreadsheet.zone,
      defaultFormat: copyOf(DEFAULT_FORMAT),
      spreadsheetTheme: {
        primaryFontFamily: "Arial",
        themeColors: THEME_COLORS.map(([colorType, hex]) => ({
          colorType,
          color: { rgbColor: rgb(hex) },
        })),
      },
    },
    sheets: (sheets ?? spreadsheet.sheets).map((sheet): JsonObject => {
      const printed: JsonObject = { properties: sheetProperties(spreadsheet, sheet) };
      if (grid !== undefined) {
        printed.data = grid.filter((item) => item.sheet === sheet)
          .map((item) => gridData(item, calculation));
      }
      return printed;
    }),
  };
  if (spreadsheet.namedRanges.length > 0) {
    view.namedRanges = spreadsheet.namedRanges.map(namedRangeView);
  }
  view.spreadsheetUrl = `https://docs.google.com/spreadsheets/d/${spreadsheet.id}/edit`;
  return view;
}

/** A named range. */
export function namedRangeView(range: StoredNamedRange): JsonObject {
  return {
    namedRangeId: range.id,
    name: range.name,
    range: {
      sheetId: range.sheetId,
      startRowIndex: range.area.startRow,
      endRowIndex: range.area.endRow,
      startColumnIndex: range.area.startColumn,
      endColumnIndex: range.area.endColumn,
    },
  };
}

/** Properties of one sheet. */
export function sheetProperties(spreadsheet: StoredSpreadsheet, sheet: StoredSheet): JsonObject {
  const properties: JsonObject = {
    sheetId: sheet.sheetId,
    title: sheet.title,
    index: spreadsheet.sheets.indexOf(sheet),
    sheetType: "GRID",
    gridProperties: {
      rowCount: sheet.rowCount,
      columnCount: sheet.columnCount,
      ...(sheet.frozenRows > 0 ? { frozenRowCount: sheet.frozenRows } : {}),
    },
  };
  if (sheet.hidden) properties.hidden = true;
  if (sheet.tabColor !== undefined) {
    properties.tabColor = { ...sheet.tabColor };
    properties.tabColorStyle = { rgbColor: { ...sheet.tabColor } };
  }
  return properties;
}

function gridData(
  { sheet, area }: { sheet: StoredSheet; area: Rectangle },
  calculation: Calculation,
): JsonObject {
  const view: JsonObject = {};
  if (area.startRow > 0) view.startRow = area.startRow;
  if (area.startColumn > 0) view.startColumn = area.startColumn;
  const rows: JsonObject[] = [];
  for (let row = area.startRow; row < Math.min(area.endRow, sheet.rows.length); row++) {
    const width = Math.min(area.endColumn, sheet.rows[row]?.length ?? 0);
    const values: JsonObject[] = [];
    for (let column = area.startColumn; column < width; column++) {
      values.push(cellView(cellAt(sheet, { row, column }), calculation.value(sheet, row, column)));
    }
    rows.push(values.length === 0 ? {} : { values });
  }
  if (rows.length > 0) view.rowData = rows;
  view.rowMetadata = Array.from({ length: area.endRow - area.startRow }, () => ({ pixelSize: 21 }));
  view.columnMetadata = Array.from(
    { length: area.endColumn - area.startColumn },
    () => ({ pixelSize: 100 }),
  );
  return view;
}

function cellView(cell: Cell | undefined, value: CellValue): JsonObject {
  if (cell === undefined) return {};
  const entered = cell.formula === undefined
    ? extendedValue(value)
    : { formulaValue: cell.formula };
  const numberFormat = cell.format === undefined
    ? undefined
    : { type: cell.format, pattern: FORMAT_PATTERNS[cell.format] };
  const view: JsonObject = { userEnteredValue: entered, effectiveValue: extendedValue(value) };
  view.formattedValue = formattedText(value, cell.format);
  if (numberFormat !== undefined) view.userEnteredFormat = { numberFormat: { ...numberFormat } };
  view.effectiveFormat = {
    ...(numberFormat === undefined ? {} : { numberFormat }),
    ...copyOf(DEFAULT_FORMAT),
    horizontalAlignment: value.type === "number"
      ? "RIGHT"
      : value.type === "text"
      ? "LEFT"
      : "CENTER",
    hyperlinkDisplayType: "PLAIN_TEXT",
  };
  return view;
}

function extendedValue(value: CellValue): JsonObject {
  switch (value.type) {
    case "number":
      return { numberValue: unformatted(value) };
    case "boolean":
      return { boolValue: value.value };
    case "error":
      return { errorValue: { ...ERRORS[value.code] } };
    case "text":
      return { stringValue: value.text };
    case "empty":
      return {};
  }
}
