/** `sheets.spreadsheets.values.*` of the emulated Sheets. */

import type { JsonObject, JsonValue } from "../../json/mod.ts";
import {
  bodyObject,
  booleanMember,
  flag,
  invalid,
  objectsMember,
  textMember,
} from "../drive/mod.ts";
import { type RouteAddress, routesOf } from "../routes.ts";
import {
  type EmulatedAnswer,
  type EmulatedCall,
  EmulatedError,
  type EmulatedRoute,
} from "../service.ts";
import { formatRange, type Rectangle } from "./a1_notation.ts";
import {
  Calculation,
  putCell,
  type ResolvedRange,
  resolveRange,
  type SheetsStore,
  type StoredSheet,
  type StoredSpreadsheet,
} from "./store.ts";
import {
  choice,
  readRange,
  type RenderOptions,
  renderOptions,
  valueRows,
  writeRows,
  type WrittenArea,
} from "./value_ranges.ts";

const HOST = "sheets.googleapis.com";

/** The value routes. */
export function valueRoutes(store: SheetsStore): EmulatedRoute[] {
  const base = "/v4/spreadsheets/{spreadsheetId}/values";
  const routeAt = routesOf({ host: HOST, ids: "sheets.spreadsheets.values" });
  const route = (
    at: RouteAddress,
    handle: (spreadsheet: StoredSpreadsheet, call: EmulatedCall) => EmulatedAnswer,
  ) => routeAt(at, (call) => handle(store.open(call.params.spreadsheetId ?? ""), call));
  return [
    route({ id: "batchGet", method: "GET", pattern: `${base}:batchGet` }, (spreadsheet, call) => {
      const options = queryOptions(call);
      const calculation = new Calculation(spreadsheet, call.now);
      const ranges = call.query.getAll("ranges").map((text) => resolveRange(spreadsheet, text));
      return {
        body: {
          spreadsheetId: spreadsheet.id,
          valueRanges: ranges.map((range) => readRange(range, { calculation, options })),
        },
      };
    }),
    route(
      { id: "batchUpdate", method: "POST", pattern: `${base}:batchUpdate` },
      (spreadsheet, call) => batchUpdate(store, { spreadsheet, call }),
    ),
    route(
      { id: "batchClear", method: "POST", pattern: `${base}:batchClear` },
      (spreadsheet, call) => {
        const { ranges } = bodyObject(call);
        const found = (Array.isArray(ranges) ? ranges : []).map((text) =>
          resolveRange(spreadsheet, String(text))
        );
        for (const range of found) clear(range);
        changed(store, { spreadsheet, call });
        return {
          body: {
            spreadsheetId: spreadsheet.id,
            clearedRanges: found.map((range) => formatRange(range.sheet.title, range.area)),
          },
        };
      },
    ),
    route(
      { id: "append", method: "POST", pattern: `${base}/{range}:append` },
      (spreadsheet, call) => append(store, { spreadsheet, call }),
    ),
    route(
      { id: "clear", method: "POST", pattern: `${base}/{range}:clear` },
      (spreadsheet, call) => {
        const range = resolveRange(spreadsheet, call.params.range ?? "");
        clear(range);
        changed(store, { spreadsheet, call });
        return {
          body: {
            spreadsheetId: spreadsheet.id,
            clearedRange: formatRange(range.sheet.title, range.area),
          },
        };
      },
    ),
    route({ id: "get", method: "GET", pattern: `${base}/{range}` }, (spreadsheet, call) => ({
      body: readRange(resolveRange(spreadsheet, call.params.range ?? ""), {
        calculation: new Calculation(spreadsheet, call.now),
        options: queryOptions(call),
      }),
    })),
    route({ id: "update", method: "PUT", pattern: `${base}/{range}` }, (spreadsheet, call) => {
      const body = bodyObject(call);
      const named = textMember(body, "range");
      const asked = call.params.range ?? "";
      const range = resolveRange(spreadsheet, asked);
      if (named !== undefined && !sameRange(resolveRange(spreadsheet, named), range)) {
        throw invalid(
          `Requested writing within range [${asked}], but the body names [${named}]`,
          "badRequest",
        );
      }
      const written = writeRows(range, {
        rows: valueRows(body),
        parse: parseInput(call.query.get("valueInputOption")),
      });
      changed(store, { spreadsheet, call });
      return {
        body: updateView(spreadsheet, {
          sheet: range.sheet,
          written,
          included: flag(call.query, "includeValuesInResponse")
            ? { options: responseOptions(call.query), now: call.now }
            : undefined,
        }),
      };
    }),
  ];
}

function queryOptions(call: EmulatedCall): RenderOptions {
  return renderOptions({
    majorDimension: call.query.get("majorDimension"),
    valueRenderOption: call.query.get("valueRenderOption"),
    dateTimeRenderOption: call.query.get("dateTimeRenderOption"),
  });
}

function responseOptions(query: URLSearchParams): RenderOptions {
  return renderOptions({
    valueRenderOption: query.get("responseValueRenderOption"),
    dateTimeRenderOption: query.get("responseDateTimeRenderOption"),
  });
}

/** True for `USER_ENTERED`; the option is required. */
function parseInput(given: string | null | undefined): boolean {
  const option = choice(given, {
    name: "value_input_option",
    among: ["RAW", "USER_ENTERED", "INPUT_VALUE_OPTION_UNSPECIFIED"],
    fallback: "INPUT_VALUE_OPTION_UNSPECIFIED",
  });
  if (option === "INPUT_VALUE_OPTION_UNSPECIFIED") {
    throw new EmulatedError(400, "'valueInputOption' is required but not specified", {
      reason: "badRequest",
      status: "INVALID_ARGUMENT",
    });
  }
  return option === "USER_ENTERED";
}

function sameRange(left: ResolvedRange, right: ResolvedRange): boolean {
  return left.sheet === right.sheet && JSON.stringify(left.area) === JSON.stringify(right.area);
}

function clear({ sheet, area }: { sheet: StoredSheet; area: Rectangle }): void {
  for (let row = area.startRow; row < Math.min(area.endRow, sheet.rows.length); row++) {
    const cells = sheet.rows[row] ?? [];
    for (let column = area.startColumn; column < Math.min(area.endColumn, cells.length); column++) {
      cells[column] = undefined;
    }
  }
}

/** Notes the change on the native file, so that Drive sees it. */
export function changed(
  store: SheetsStore,
  { spreadsheet, call }: { spreadsheet: StoredSpreadsheet; call: EmulatedCall },
): void {
  const file = store.native.find(spreadsheet.id);
  if (file !== undefined) file.modifiedAt = Math.max(call.now, file.modifiedAt);
}

function updateView(
  spreadsheet: StoredSpreadsheet,
  { sheet, written, included }: {
    sheet: StoredSheet;
    written: WrittenArea;
    included: { options: RenderOptions; now: number } | undefined;
  },
): JsonObject {
  const view: JsonObject = {
    spreadsheetId: spreadsheet.id,
    updatedRange: formatRange(sheet.title, written.area),
  };
  if (written.cells > 0) {
    view.updatedRows = written.rows;
    view.updatedColumns = written.columns;
    view.updatedCells = written.cells;
  }
  if (included !== undefined) {
    const calculation = new Calculation(spreadsheet, included.now);
    view.updatedData = readRange({ sheet, area: written.area }, {
      calculation,
      options: included.options,
    });
  }
  return view;
}

function batchUpdate(
  store: SheetsStore,
  { spreadsheet, call }: { spreadsheet: StoredSpreadsheet; call: EmulatedCall },
): EmulatedAnswer {
  const body = bodyObject(call);
  const parse = parseInput(textMember(body, "valueInputOption"));
  const plan = objectsMember(body, "data").map((item) => ({
    range: resolveRange(spreadsheet, textMember(item, "range") ?? ""),
    rows: valueRows(item),
  }));
  const included = booleanMember(body, "includeValuesInResponse")
    ? {
      options: renderOptions({
        valueRenderOption: textMember(body, "responseValueRenderOption") ?? null,
        dateTimeRenderOption: textMember(body, "responseDateTimeRenderOption") ?? null,
      }),
      now: call.now,
    }
    : undefined;
  const done = plan.map(({ range, rows }) => ({
    sheet: range.sheet,
    written: writeRows(range, { rows, parse }),
  }));
  changed(store, { spreadsheet, call });
  return {
    body: {
      spreadsheetId: spreadsheet.id,
      totalUpdatedRows: new Set(
        done.flatMap(({ sheet, written }) =>
          Array.from(
            { length: written.rows },
            (_, row) => `${sheet.sheetId} ${written.area.startRow + row}`,
          )
        ),
      ).size,
      totalUpdatedColumns: new Set(
        done.flatMap(({ sheet, written }) =>
          Array.from(
            { length: written.columns },
            (_, column) => `${sheet.sheetId} ${written.area.startColumn + column}`,
          )
        ),
      ).size,
      totalUpdatedCells: done.reduce((sum, { written }) => sum + written.cells, 0),
      totalUpdatedSheets: new Set(done.map(({ sheet }) => sheet.sheetId)).size,
      responses: done.map(({ sheet, written }) =>
        updateView(spreadsheet, { sheet, written, included })
      ),
    },
  };
}

function append(
  store: SheetsStore,
  { spreadsheet, call }: { spreadsheet: StoredSpreadsheet; call: EmulatedCall },
): EmulatedAnswer {
  const body = bodyObject(call);
  const parse = parseInput(call.query.get("valueInputOption"));
  const insert = choice(call.query.get("insertDataOption"), {
    name: "insert_data_option",
    among: ["OVERWRITE", "INSERT_ROWS"],
    fallback: "OVERWRITE",
  });
  const { sheet, area } = resolveRange(spreadsheet, call.params.range ?? "");
  const rows = valueRows(body);
  const table = tableAt(sheet, area);
  const at = {
    row: table?.endRow ?? area.startRow,
    column: table?.startColumn ?? area.startColumn,
  };
  if (insert === "INSERT_ROWS" && at.row < sheet.rows.length) {
    sheet.rows.splice(at.row, 0, ...rows.map(() => []));
    sheet.rowCount += rows.length;
  }
  // Appending may grow the grid, unlike updating.
  const width = Math.max(1, ...rows.map((row: JsonValue[]) => row.length));
  sheet.rowCount = Math.max(sheet.rowCount, at.row + rows.length);
  sheet.columnCount = Math.max(sheet.columnCount, at.column + width);
  const written = writeRows({
    sheet,
    area: {
      startRow: at.row,
      endRow: at.row + Math.max(1, rows.length),
      startColumn: at.column,
      endColumn: at.column + width,
    },
    open: { rows: true, columns: true },
  }, { rows, parse });
  changed(store, { spreadsheet, call });
  const answer: JsonObject = { spreadsheetId: spreadsheet.id };
  if (table !== undefined) answer.tableRange = formatRange(sheet.title, table);
  answer.updates = updateView(spreadsheet, {
    sheet,
    written,
    included: flag(call.query, "includeValuesInResponse")
      ? { options: responseOptions(call.query), now: call.now }
      : undefined,
  });
  return { body: answer };
}

/** The block of data that touches a range: where `append` continues. */
function tableAt(sheet: StoredSheet, area: Rectangle): Rectangle | undefined {
  const filled = (row: number, column: number) => sheet.rows[row]?.[column] !== undefined;
  const rowFilled = (row: number, from: number, to: number) => {
    for (let column = from; column < to; column++) if (filled(row, column)) return true;
    return false;
  };
  const lastRow = Math.min(area.endRow, sheet.rows.length);
  let seed: Rectangle | undefined;
  // The last block inside the range counts.
  for (let row = lastRow - 1; row >= area.startRow && seed === undefined; row--) {
    if (!rowFilled(row, area.startColumn, area.endColumn)) continue;
    let column = area.startColumn;
    while (!filled(row, column)) column++;
    seed = { startRow: row, endRow: row + 1, startColumn: column, endColumn: column + 1 };
  }
  if (seed === undefined) return undefined;
  const table = { ...seed };
  for (let grown = true; grown;) {
    grown = false;
    const columnFilled = (column: number) => {
      for (let row = table.startRow; row < table.endRow; row++) {
        if (filled(row, column)) return true;
      }
      return false;
    };
    if (table.startColumn > 0 && columnFilled(table.startColumn - 1)) {
      table.startColumn--;
      grown = true;
    }
    if (columnFilled(table.endColumn)) {
      table.endColumn++;
      grown = true;
    }
    if (table.startRow > 0 && rowFilled(table.startRow - 1, table.startColumn, table.endColumn)) {
      table.startRow--;
      grown = true;
    }
    if (rowFilled(table.endRow, table.startColumn, table.endColumn)) {
      table.endRow++;
      grown = true;
    }
  }
  return table;
}

/** Writes typed rows below the last filled row of a sheet, growing the grid. */
export function appendRows(
  sheet: StoredSheet,
  rows: readonly (Parameters<typeof putCell>[1]["cell"])[][],
): void {
  let at = sheet.rows.length;
  while (at > 0 && (sheet.rows[at - 1] ?? []).every((cell) => cell === undefined)) at--;
  for (const [index, row] of rows.entries()) {
    for (const [column, cell] of row.entries()) putCell(sheet, { row: at + index, column, cell });
  }
  sheet.rowCount = Math.max(sheet.rowCount, at + rows.length);
}
