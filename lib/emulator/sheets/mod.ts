/**
 * Emulated Google Sheets: values with formulas, errors and dates, A1 notation, grid data, and the
 * usual batch requests (spec 00 §7, §10; 11 §11).
 *
 * @module
 */

import type { JsonObject } from "../../json/mod.ts";
import {
  bodyObject,
  booleanMember,
  copyOf,
  flag,
  type NativeFile,
  nativeFilesOf,
  objectMember,
  objectsMember,
  opaqueId,
  textMember,
} from "../drive/mod.ts";
import type { EmulatedCall, EmulatedRoute, EmulatedService, ServiceSeed } from "../service.ts";
import { runRequest } from "./batch_requests.ts";
import { copySheet, freshSheetId, freshTitle, sheetFrom } from "./sheet_making.ts";
import { type GridSelection, sheetProperties, spreadsheetView } from "./spreadsheet_view.ts";
import { delimitedText, importedRows } from "./delimited_text.ts";
import {
  blankSheet,
  resolveRange,
  type SheetsStore,
  type StoredSheet,
  type StoredSpreadsheet,
  unknownSpreadsheet,
} from "./store.ts";
import { changed, valueRoutes } from "./value_routes.ts";
import { seededSpreadsheet } from "./world.ts";

const HOST = "sheets.googleapis.com";

/** Makes the service over the world's spreadsheets. */
export function createSheets(seed: ServiceSeed): EmulatedService {
  const opened = new Map<string, StoredSpreadsheet>();
  const native = nativeFilesOf(seed);
  const store: SheetsStore = {
    native,
    ids: seed.random.fork("new spreadsheets"),
    open(id) {
      const file = native.find(id);
      if (file?.kind !== "spreadsheet") throw unknownSpreadsheet();
      const known = opened.get(id);
      if (known !== undefined) return known;
      const made = contentOf(file);
      opened.set(id, made);
      return made;
    },
  };
  const contentOf = (file: NativeFile): StoredSpreadsheet => {
    if (file.copyOf !== undefined && native.find(file.copyOf) !== undefined) {
      const source = store.open(file.copyOf);
      return {
        ...source,
        id: file.id,
        sheets: source.sheets.map((sheet) => copySheet(sheet, sheet)),
        namedRanges: source.namedRanges.map((range) => ({ ...range })),
      };
    }
    if (file.seeded !== undefined) {
      return seededSpreadsheet({ ...seed, content: native.content }, file);
    }
    return {
      id: file.id,
      locale: "en_GB",
      zone: "Europe/Berlin",
      sheets: [
        blankSheet({
          sheetId: 0,
          title: "Sheet1",
          rows: file.imported === undefined ? [] : importedRows(file.imported),
        }),
      ],
      namedRanges: [],
    };
  };
  native.exporters.set("spreadsheet", (id, mimeType) => {
    if (mimeType !== "text/csv" && mimeType !== "text/tab-separated-values") return undefined;
    return delimitedText(store.open(id), {
      separator: mimeType === "text/csv" ? "," : "\t",
      now: seed.now,
    });
  });
  return {
    name: "sheets",
    routes: [...spreadsheetRoutes(store), ...valueRoutes(store)],
    inspect(): JsonObject {
      return {
        spreadsheets: native.list("spreadsheet").map((file) => ({
          id: file.id,
          title: file.title,
          ...(opened.has(file.id)
            ? {
              sheets: store.open(file.id).sheets.map((sheet) => ({
                title: sheet.title,
                rows: sheet.rows.length,
              })),
            }
            : {}),
        })),
      };
    },
  };
}

function fileOf(store: SheetsStore, spreadsheet: StoredSpreadsheet): NativeFile {
  const file = store.native.find(spreadsheet.id);
  if (file === undefined) throw unknownSpreadsheet();
  return file;
}

/** `sheets.spreadsheets.*` without the values. */
function spreadsheetRoutes(store: SheetsStore): EmulatedRoute[] {
  return [
    {
      methodId: "sheets.spreadsheets.create",
      method: "POST",
      host: HOST,
      pattern: "/v4/spreadsheets",
      handle: (call) => ({ body: createSpreadsheet(store, call) }),
    },
    {
      methodId: "sheets.spreadsheets.batchUpdate",
      method: "POST",
      host: HOST,
      pattern: "/v4/spreadsheets/{spreadsheetId}:batchUpdate",
      handle: (call) => ({ body: batchUpdate(store, call) }),
    },
    {
      methodId: "sheets.spreadsheets.sheets.copyTo",
      method: "POST",
      host: HOST,
      pattern: "/v4/spreadsheets/{spreadsheetId}/sheets/{sheetId}:copyTo",
      handle(call) {
        const source = store.open(call.params.spreadsheetId ?? "");
        const sheet = source.sheets.find((item) => String(item.sheetId) === call.params.sheetId);
        if (sheet === undefined) throw unknownSpreadsheet();
        const target = store.open(textMember(bodyObject(call), "destinationSpreadsheetId") ?? "");
        const copy = copySheet(sheet, {
          sheetId: freshSheetId(target, store.ids),
          title: freshTitle(target, `Copy of ${sheet.title}`),
        });
        target.sheets.push(copy);
        changed(store, { spreadsheet: target, call });
        return { body: sheetProperties(target, copy) };
      },
    },
    {
      methodId: "sheets.spreadsheets.get",
      method: "GET",
      host: HOST,
      pattern: "/v4/spreadsheets/{spreadsheetId}",
      handle(call) {
        const spreadsheet = store.open(call.params.spreadsheetId ?? "");
        const ranges = call.query.getAll("ranges").map((text) => resolveRange(spreadsheet, text));
        // A mask that reaches into the grid asks for it as well as the flag does.
        const wanted = flag(call.query, "includeGridData") ||
          /\bdata\b|rowData|^\*$|sheets$/.test(call.query.get("fields") ?? "");
        const grid: GridSelection = ranges.length > 0 ? ranges : spreadsheet.sheets.map(wholeGrid);
        const sheets = ranges.length > 0
          ? spreadsheet.sheets.filter((sheet) => ranges.some((range) => range.sheet === sheet))
          : spreadsheet.sheets;
        return {
          body: spreadsheetView(spreadsheet, {
            file: fileOf(store, spreadsheet),
            grid: wanted ? grid : undefined,
            sheets,
            now: call.now,
          }),
        };
      },
    },
  ];
}

function wholeGrid(sheet: StoredSheet): GridSelection[number] {
  return {
    sheet,
    area: { startRow: 0, endRow: sheet.rowCount, startColumn: 0, endColumn: sheet.columnCount },
  };
}

function createSpreadsheet(store: SheetsStore, call: EmulatedCall): JsonObject {
  const body = bodyObject(call);
  const properties = objectMember(body, "properties") ?? {};
  const draft: StoredSpreadsheet = {
    id: "",
    locale: textMember(properties, "locale") ?? "en_GB",
    zone: textMember(properties, "timeZone") ?? "Europe/Berlin",
    sheets: [],
    namedRanges: [],
  };
  for (const given of objectsMember(body, "sheets")) {
    draft.sheets.push(
      sheetFrom(objectMember(given, "properties") ?? {}, { spreadsheet: draft, ids: store.ids }),
    );
  }
  if (draft.sheets.length === 0) draft.sheets.push(blankSheet({ sheetId: 0, title: "Sheet1" }));
  const id = `1${opaqueId(store.ids, 43)}`;
  store.native.add({
    id,
    kind: "spreadsheet",
    title: textMember(properties, "title") ?? "Untitled spreadsheet",
    createdAt: call.now,
    modifiedAt: call.now,
  });
  const made = store.open(id);
  Object.assign(made, draft, { id });
  return spreadsheetView(made, { file: fileOf(store, made), grid: undefined, now: call.now });
}

function batchUpdate(store: SheetsStore, call: EmulatedCall): JsonObject {
  const spreadsheet = store.open(call.params.spreadsheetId ?? "");
  const file = fileOf(store, spreadsheet);
  const body = bodyObject(call);
  // All or nothing: the requests run on a copy that replaces the original at the end.
  const draft: StoredSpreadsheet = {
    ...spreadsheet,
    sheets: spreadsheet.sheets.map((sheet) => copySheet(sheet, sheet)),
    namedRanges: spreadsheet.namedRanges.map((range) => ({ ...range })),
  };
  const draftFile: NativeFile = { ...file };
  const replies = objectsMember(body, "requests").map((request) =>
    runRequest(request, { spreadsheet: draft, file: draftFile, ids: store.ids })
  );
  Object.assign(spreadsheet, draft);
  file.title = draftFile.title;
  changed(store, { spreadsheet, call });
  const answer: JsonObject = {
    spreadsheetId: spreadsheet.id,
    replies: replies.map((reply) => copyOf(reply)),
  };
  if (booleanMember(body, "includeSpreadsheetInResponse")) {
    const included = booleanMember(body, "responseIncludeGridData") ?? false;
    const { responseRanges } = body;
    const ranges = Array.isArray(responseRanges)
      ? responseRanges.map((text) => resolveRange(spreadsheet, String(text)))
      : [];
    answer.updatedSpreadsheet = spreadsheetView(spreadsheet, {
      file,
      grid: included ? (ranges.length > 0 ? ranges : spreadsheet.sheets.map(wholeGrid)) : undefined,
      now: call.now,
    });
  }
  return answer;
}
