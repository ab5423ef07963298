/** State of the emulated Sheets: spreadsheets, sheets, cells, and their computed values. */

import { invalid, type NativeFiles, notFound } from "../drive/mod.ts";
import { EmulatedError, type SeededRandom } from "../service.ts";
import { type A1Range, formatRange, parseA1, type Rectangle } from "./a1_notation.ts";
import { type Cell, type CellValue, serialOf } from "./cells.ts";
import { evaluateFormula } from "./formulas.ts";

/** One sheet (tab). `rows[r][c]` is absent for an empty cell. */
export interface StoredSheet {
  sheetId: number;
  title: string;
  rowCount: number;
  columnCount: number;
  frozenRows: number;
  hidden: boolean;
  tabColor?: { red: number; green: number; blue: number };
  rows: (Cell | undefined)[][];
}

/** A named range. */
export interface StoredNamedRange {
  id: string;
  name: string;
  sheetId: number;
  area: Rectangle;
}

/** A spreadsheet; its title lives with the native file. */
export interface StoredSpreadsheet {
  id: string;
  locale: string;
  zone: string;
  sheets: StoredSheet[];
  namedRanges: StoredNamedRange[];
}

/** Everything the Sheets routes work on. */
export interface SheetsStore {
  native: NativeFiles;
  /** The spreadsheet of an id, built on first use; 404 when there is none. */
  open(id: string): StoredSpreadsheet;
  ids: SeededRandom;
}

/** Google's answer for an unknown spreadsheet. */
export function unknownSpreadsheet(): EmulatedError {
  return notFound("Requested entity was not found.");
}

/** A sheet of the default size. */
export function blankSheet(
  given: Pick<StoredSheet, "sheetId" | "title"> & Partial<StoredSheet>,
): StoredSheet {
  return { rowCount: 1000, columnCount: 26, frozenRows: 0, hidden: false, rows: [], ...given };
}

/** The cell at a place. */
export function cellAt(
  sheet: StoredSheet,
  { row, column }: { row: number; column: number },
): Cell | undefined {
  return sheet.rows[row]?.[column];
}

/** Puts a cell, or clears it with undefined. */
export function putCell(
  sheet: StoredSheet,
  { row, column, cell }: { row: number; column: number; cell: Cell | undefined },
): void {
  while (sheet.rows.length <= row) sheet.rows.push([]);
  const cells = sheet.rows[row] as (Cell | undefined)[];
  const format = cells[column]?.format;
  if (
    cell !== undefined && cell.format === undefined && format !== undefined &&
    cell.value.type === "number"
  ) {
    cells[column] = { ...cell, format };
  } else cells[column] = cell;
}

/** Formulas that may wait for one another at once. */
const DEEPEST = 250;

/** Computes values of a spreadsheet for one answer; each cell once, circles become `#REF!`. */
export class Calculation {
  #known = new Map<Cell, CellValue>();
  #open = new Set<Cell>();
  #prepared = new Set<StoredSheet>();

  constructor(readonly spreadsheet: StoredSpreadsheet, readonly now: number) {}

  /** The value that a cell shows. */
  value(sheet: StoredSheet, row: number, column: number): CellValue {
    const cell = cellAt(sheet, { row, column });
    if (cell === undefined) return { type: "empty" };
    if (cell.formula === undefined) return cell.value;
    if (!this.#prepared.has(sheet)) {
      // Top to bottom first: a running total of a thousand rows then never recurses deeply.
      this.#prepared.add(sheet);
      for (const [r, cells] of sheet.rows.entries()) {
        for (const c of cells.keys()) if (cells[c]?.formula !== undefined) this.value(sheet, r, c);
      }
    }
    const known = this.#known.get(cell);
    if (known !== undefined) return known;
    if (this.#open.has(cell) || this.#open.size > DEEPEST) return { type: "error", code: "#REF!" };
    this.#open.add(cell);
    const named = (title: string | undefined) =>
      title === undefined ? sheet : this.spreadsheet.sheets.find((item) => item.title === title);
    const value = evaluateFormula(cell.formula, {
      now: serialOf(this.now),
      value: (title, r, c) => {
        const target = named(title);
        return target === undefined ? undefined : this.value(target, r, c);
      },
      size: (title) => {
        const target = named(title);
        return target === undefined
          ? undefined
          : { rows: target.rows.length || 1, columns: target.columnCount };
      },
    });
    this.#open.delete(cell);
    this.#known.set(cell, value);
    return value;
  }
}

/** A range of a spreadsheet, closed by the grid. */
export interface ResolvedRange {
  sheet: StoredSheet;
  area: Rectangle;
  /** The sides that the caller left open. */
  open: { rows: boolean; columns: boolean };
}

/**
 * Finds the sheet and rectangle of an A1 range or named range.
 *
 * @throws EmulatedError 400 when the range does not parse, names no sheet, or starts outside the grid.
 */
export function resolveRange(spreadsheet: StoredSpreadsheet, text: string): ResolvedRange {
  const named = spreadsheet.namedRanges.find((item) => item.name === text);
  if (named !== undefined) {
    const sheet = spreadsheet.sheets.find((item) => item.sheetId === named.sheetId);
    if (sheet !== undefined) {
      return { sheet, area: { ...named.area }, open: { rows: false, columns: false } };
    }
  }
  // A title that looks like a cell still wins over the cell when the sheet exists.
  const exact = spreadsheet.sheets.find((item) => item.title === text);
  const range: A1Range = exact === undefined ? parseA1(text) : { sheet: text };
  const title = range.sheet;
  const sheet = title === undefined
    ? spreadsheet.sheets[0]
    : spreadsheet.sheets.find((item) => item.title === title) ??
      spreadsheet.sheets.find((item) => item.title.toLowerCase() === title.toLowerCase());
  if (sheet === undefined) throw invalid(`Unable to parse range: ${text}`, "badRequest");
  const area: Rectangle = {
    startRow: range.startRow ?? 0,
    endRow: range.endRow ?? sheet.rowCount,
    startColumn: range.startColumn ?? 0,
    endColumn: range.endColumn ?? sheet.columnCount,
  };
  if (area.startRow >= sheet.rowCount || area.startColumn >= sheet.columnCount) {
    throw new EmulatedError(
      400,
      `Range (${
        formatRange(sheet.title, area)
      }) exceeds grid limits. Max rows: ${sheet.rowCount}, max columns: ${sheet.columnCount}`,
      { reason: "badRequest", status: "INVALID_ARGUMENT" },
    );
  }
  area.endRow = Math.min(area.endRow, sheet.rowCount);
  area.endColumn = Math.min(area.endColumn, sheet.columnCount);
  return {
    sheet,
    area,
    open: { rows: range.endRow === undefined, columns: range.endColumn === undefined },
  };
}
