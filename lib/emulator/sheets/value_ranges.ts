/** Reading and writing rectangles of values. */

import type { JsonObject, JsonValue } from "../../json/mod.ts";
import { invalid } from "../drive/mod.ts";
import { EmulatedError } from "../service.ts";
import { formatRange, type Rectangle } from "./a1_notation.ts";
import { enteredCell, formattedText, unformatted } from "./cells.ts";
import {
  type Calculation,
  cellAt,
  putCell,
  type ResolvedRange,
  type StoredSheet,
} from "./store.ts";

/** How values are asked for. */
export interface RenderOptions {
  majorDimension: "ROWS" | "COLUMNS";
  value: "FORMATTED_VALUE" | "UNFORMATTED_VALUE" | "FORMULA";
  dateTime: "SERIAL_NUMBER" | "FORMATTED_STRING";
}

/** Reads an enumeration; 400 with Google's message for an unknown member. */
export function choice<T extends string>(
  given: string | null | undefined,
  { name, among, fallback }: {
    name: string;
    among: readonly T[];
    fallback: T;
  },
): T {
  if (given === null || given === undefined || given === "") return fallback;
  const known = among.find((item) => item === given);
  if (known === undefined) throw invalid(`Invalid value at '${name}' (TYPE_ENUM), "${given}"`);
  return known;
}

/** Render options from texts; the names are those of the query or body that carries them. */
export function renderOptions(given: {
  majorDimension?: string | null;
  valueRenderOption?: string | null;
  dateTimeRenderOption?: string | null;
}): RenderOptions {
  return {
    majorDimension: choice(given.majorDimension, {
      name: "major_dimension",
      among: ["ROWS", "COLUMNS"],
      fallback: "ROWS",
    }),
    value: choice(given.valueRenderOption, {
      name: "value_render_option",
      among: ["FORMATTED_VALUE", "UNFORMATTED_VALUE", "FORMULA"],
      fallback: "FORMATTED_VALUE",
    }),
    dateTime: choice(given.dateTimeRenderOption, {
      name: "date_time_render_option",
      among: ["SERIAL_NUMBER", "FORMATTED_STRING"],
      fallback: "SERIAL_NUMBER",
    }),
  };
}

/** A `ValueRange`: trailing empty rows and cells are left out, as Sheets does. */
export function readRange(
  { sheet, area }: Pick<ResolvedRange, "sheet" | "area">,
  { calculation, options }: { calculation: Calculation; options: RenderOptions },
): JsonObject {
  const rows: JsonValue[][] = [];
  for (let row = area.startRow; row < Math.min(area.endRow, sheet.rows.length); row++) {
    const cells: JsonValue[] = [];
    const width = Math.min(area.endColumn, sheet.rows[row]?.length ?? 0);
    for (let column = area.startColumn; column < width; column++) {
      cells.push(rendered(sheet, { row, column, calculation, options }));
    }
    rows.push(cells);
  }
  const answer: JsonObject = {
    range: formatRange(sheet.title, area),
    majorDimension: options.majorDimension,
  };
  const values = trimmed(options.majorDimension === "COLUMNS" ? transposed(rows) : rows);
  if (values.length > 0) answer.values = values;
  return answer;
}

function rendered(
  sheet: StoredSheet,
  { row, column, calculation, options }: {
    row: number;
    column: number;
    calculation: Calculation;
    options: RenderOptions;
  },
): JsonValue {
  const cell = cellAt(sheet, { row, column });
  if (cell === undefined) return "";
  if (options.value === "FORMULA" && cell.formula !== undefined) return cell.formula;
  const value = calculation.value(sheet, row, column);
  const dated = cell.format === "DATE" || cell.format === "DATE_TIME" || cell.format === "TIME";
  if (options.value === "FORMATTED_VALUE" || (dated && options.dateTime === "FORMATTED_STRING")) {
    return formattedText(value, cell.format);
  }
  return unformatted(value);
}

function transposed(rows: readonly JsonValue[][]): JsonValue[][] {
  const width = Math.max(0, ...rows.map((row) => row.length));
  return Array.from({ length: width }, (_, column) => rows.map((row) => row[column] ?? ""));
}

function trimmed(rows: readonly JsonValue[][]): JsonValue[][] {
  const cut = rows.map((row) => {
    let length = row.length;
    while (length > 0 && row[length - 1] === "") length--;
    return row.slice(0, length);
  });
  while (cut.length > 0 && cut.at(-1)?.length === 0) cut.pop();
  return cut;
}

/** The values of a body as rows; 400 unless they are an array of arrays of scalars. */
export function valueRows(body: JsonObject): JsonValue[][] {
  const { values } = body;
  if (values === undefined || values === null) return [];
  if (!Array.isArray(values) || values.some((row) => !Array.isArray(row))) {
    throw invalid("Invalid value at 'data.values' (type.googleapis.com/google.protobuf.ListValue)");
  }
  const rows = values as JsonValue[][];
  for (const [index, row] of rows.entries()) {
    for (const [at, value] of row.entries()) {
      if (
        Array.isArray(value) ||
        (typeof value === "object" && value !== null && !("rawJSON" in value))
      ) {
        throw invalid(`Invalid values[${index}][${at}]: struct_value`);
      }
    }
  }
  const major = choice(typeof body.majorDimension === "string" ? body.majorDimension : null, {
    name: "data.major_dimension",
    among: ["ROWS", "COLUMNS", "DIMENSION_UNSPECIFIED"],
    fallback: "ROWS",
  });
  if (major !== "COLUMNS") return rows;
  const height = Math.max(0, ...rows.map((row) => row.length));
  // A missing cell of a shorter column is null: it leaves what is there.
  return Array.from({ length: height }, (_, row) => rows.map((column) => column[row] ?? null));
}

/** What a write did. */
export interface WrittenArea {
  area: Rectangle;
  rows: number;
  columns: number;
  cells: number;
}

/**
 * Writes rows at the top left of a range; null leaves a cell as it is.
 *
 * @throws EmulatedError 400 when the rows do not fit the range or the grid.
 */
export function writeRows(
  { sheet, area, open }: ResolvedRange,
  { rows, parse }: { rows: readonly JsonValue[][]; parse: boolean },
): WrittenArea {
  const width = Math.max(0, ...rows.map((row) => row.length));
  const single = area.endRow - area.startRow === 1 && area.endColumn - area.startColumn === 1;
  const limit = {
    row: single || open.rows ? sheet.rowCount : area.endRow,
    column: single || open.columns ? sheet.columnCount : area.endColumn,
  };
  const tooFar = area.startRow + rows.length > limit.row
    ? `row [${limit.row + 1}]`
    : area.startColumn + width > limit.column
    ? `column [${columnName(limit.column)}]`
    : undefined;
  if (tooFar !== undefined) {
    throw new EmulatedError(
      400,
      `Requested writing within range [${
        formatRange(sheet.title, area)
      }], but tried writing to ${tooFar}`,
      { reason: "badRequest", status: "INVALID_ARGUMENT" },
    );
  }
  let cells = 0;
  for (const [index, row] of rows.entries()) {
    for (const [at, value] of row.entries()) {
      if (value === null) continue;
      putCell(sheet, {
        row: area.startRow + index,
        column: area.startColumn + at,
        cell: enteredCell(value, { parse }),
      });
      cells++;
    }
  }
  return {
    area: {
      startRow: area.startRow,
      endRow: area.startRow + Math.max(1, rows.length),
      startColumn: area.startColumn,
      endColumn: area.startColumn + Math.max(1, width),
    },
    rows: rows.length,
    columns: width,
    cells,
  };
}

function columnName(index: number): string {
  return formatRange("x", { startRow: 0, endRow: 1, startColumn: index, endColumn: index + 1 })
    .replace(/^x!|1$/g, "");
}
