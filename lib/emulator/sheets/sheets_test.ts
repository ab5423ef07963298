import assert from "node:assert/strict";
import fc from "fast-check";
import { isRawNumber, type JsonObject, type JsonValue, parseJson } from "../../json/mod.ts";
import { type Caller, callerOf, refuses, testSeed } from "../drive/testdata/calling.ts";
import { nativeFilesOf } from "../drive/mod.ts";
import { createSheets } from "./mod.ts";

interface World {
  call: Caller;
  /** Ids of the seeded spreadsheets. */
  ids: string[];
}

function sheets(): World {
  const seed = testSeed({ world: {} });
  const call = callerOf(createSheets(seed));
  return { call, ids: nativeFilesOf(seed).list("spreadsheet").map((file) => file.id) };
}

async function fresh(call: Caller, sheetTitle = "Blatt 1"): Promise<string> {
  const made = await call("sheets.spreadsheets.create", {
    body: {
      properties: { title: "Neu" },
      sheets: [{
        properties: { title: sheetTitle, gridProperties: { rowCount: 20, columnCount: 5 } },
      }],
    },
  });
  return String(made.json.spreadsheetId);
}

const V = "sheets.spreadsheets.values";

async function values(
  call: Caller,
  spreadsheetId: string,
  range: string,
  query: Record<string, string> = {},
): Promise<JsonValue[][]> {
  return ((await call(`${V}.get`, { params: { spreadsheetId, range }, query })).json.values ??
    []) as JsonValue[][];
}

const put = (
  call: Caller,
  spreadsheetId: string,
  range: string,
  rows: JsonValue[][],
  option = "USER_ENTERED",
) =>
  call(`${V}.update`, {
    params: { spreadsheetId, range },
    query: { valueInputOption: option },
    body: { values: rows },
  });

Deno.test("emulated Sheets: every seeded spreadsheet opens, one with thousands of cells", async () => {
  const { call, ids } = sheets();
  assert.ok(ids.length >= 30);
  for (const spreadsheetId of ids) {
    const { json } = await call("sheets.spreadsheets.get", { params: { spreadsheetId } });
    const first = ((json.sheets as JsonObject[])[0] as JsonObject).properties as JsonObject;
    assert.equal((json.sheets as JsonObject[]).some((sheet) => "data" in sheet), false);
    const whole = await call(`${V}.get`, { params: { spreadsheetId, range: String(first.title) } });
    assert.equal(whole.json.majorDimension, "ROWS");
  }
  const rows = await values(call, ids[0] as string, "A:I");
  assert.ok(rows.flat().length > 7000);
});

Deno.test("emulated Sheets: numbers beyond 2^53 keep their digits, dates are serials or text", async () => {
  const { call, ids } = sheets();
  const id = ids[0] as string;
  const raw = await values(call, id, "A2:B2", { valueRenderOption: "UNFORMATTED_VALUE" });
  const booking = raw[0]?.[1];
  assert.ok(isRawNumber(booking) && !Number.isSafeInteger(Number(booking.rawJSON)));
  assert.equal(JSON.stringify(raw[0]?.[1]), booking.rawJSON);
  assert.equal(typeof raw[0]?.[0], "number");
  const text = await values(call, id, "A2:B2", {
    valueRenderOption: "UNFORMATTED_VALUE",
    dateTimeRenderOption: "FORMATTED_STRING",
  });
  assert.match(String(text[0]?.[0]), /^\d{4}-\d{2}-\d{2}$/);
  assert.equal((await values(call, id, "B2"))[0]?.[0], booking.rawJSON);
});

Deno.test("emulated Sheets: odd values come out as Sheets shows them", async () => {
  const { call, ids } = sheets();
  const rows = await values(call, ids[1] as string, "Odd values");
  const row = (name: string) => rows.find((cells) => cells[0] === name) ?? [];
  assert.deepEqual(row("integer").slice(1, 3), ["42", "7"]);
  assert.deepEqual(row("percent").slice(1, 3), ["12.50%", "0.10%"]);
  assert.deepEqual(row("currency").slice(1, 3), ["€1,234.50", "€0.99"]);
  assert.deepEqual(row("formula").slice(1, 3), ["84", "7!"]);
  assert.deepEqual(row("error").slice(1, 4), ["#DIV/0!", "#N/A", "#NAME?"]);
  assert.equal(row("raw")[1], "=SUM(A1:A9)");
  const formulas = await values(call, ids[1] as string, "Odd values", {
    valueRenderOption: "FORMULA",
  });
  assert.equal(formulas.find((cells) => cells[0] === "error")?.[1], "=1/0");
  assert.ok(rows.some((cells) => cells.length === 0));
});

Deno.test("emulated Sheets: ragged rows lose their trailing blanks, columns can come first", async () => {
  const { call, ids } = sheets();
  const id = ids[2] as string;
  const rows = await values(call, id, "Ragged", { valueRenderOption: "UNFORMATTED_VALUE" });
  assert.ok(new Set(rows.map((row) => row.length)).size > 4);
  for (const row of rows) assert.notEqual(row.at(-1), "");
  const columns = await values(call, id, "Ragged", {
    valueRenderOption: "UNFORMATTED_VALUE",
    majorDimension: "COLUMNS",
  });
  for (const [r, row] of rows.entries()) {
    for (const [c, cell] of row.entries()) assert.deepEqual(columns[c]?.[r] ?? "", cell);
  }
});

Deno.test("emulated Sheets: what RAW writes, unformatted reads give back (property)", async () => {
  const { call } = sheets();
  const id = await fresh(call);
  const scalar = fc.oneof(
    fc.integer(),
    fc.boolean(),
    fc.string({ minLength: 1, unit: "grapheme" }),
    fc.constantFrom("=1+1", "'quoted", "007", "TRUE", "2026-01-01"),
  );
  const grid = fc.array(fc.array(scalar, { minLength: 1, maxLength: 5 }), {
    minLength: 1,
    maxLength: 8,
  });
  await fc.assert(
    fc.asyncProperty(grid, async (rows) => {
      await call(`${V}.clear`, { params: { spreadsheetId: id, range: "A1:E20" } });
      const written = await put(call, id, "A1:E20", rows, "RAW");
      assert.equal(written.json.updatedCells, rows.flat().length);
      assert.deepEqual(
        await values(call, id, "A1:E20", { valueRenderOption: "UNFORMATTED_VALUE" }),
        rows,
      );
    }),
    { numRuns: 40 },
  );
});

Deno.test("emulated Sheets: update parses, leaves null alone, clears on empty text, follows formulas", async () => {
  const { call } = sheets();
  const id = await fresh(call);
  const written = await call(`${V}.update`, {
    params: { spreadsheetId: id, range: "'Blatt 1'!B2:D3" },
    query: { valueInputOption: "USER_ENTERED", includeValuesInResponse: "true" },
    body: { values: [["1", "2026-03-29", "=B2+1"], [null, "50%", "x"]] },
  });
  assert.deepEqual(written.json, {
    spreadsheetId: id,
    updatedRange: "'Blatt 1'!B2:D3",
    updatedRows: 2,
    updatedColumns: 3,
    updatedCells: 5,
    updatedData: {
      range: "'Blatt 1'!B2:D3",
      majorDimension: "ROWS",
      values: [["1", "2026-03-29", "2"], ["", "50.00%", "x"]],
    },
  });
  await put(call, id, "B2", [["41"]]);
  await put(call, id, "D3", [[""]]);
  assert.deepEqual(await values(call, id, "B2:D3"), [["41", "2026-03-29", "42"], ["", "50.00%"]]);
  assert.deepEqual(await values(call, id, "A1:A1"), []);
  const columns = await call(`${V}.update`, {
    params: { spreadsheetId: id, range: "A10" },
    query: { valueInputOption: "RAW" },
    body: { majorDimension: "COLUMNS", values: [["a", "b"], ["c"]] },
  });
  assert.equal(columns.json.updatedRange, "'Blatt 1'!A10:B11");
  assert.deepEqual(await values(call, id, "A10:B11"), [["a", "c"], ["b"]]);
});

Deno.test("emulated Sheets: large integers typed through JSON keep every digit", async () => {
  const { call } = sheets();
  const id = await fresh(call);
  const rows = parseJson("[[9007199254740993]]") as JsonValue[][];
  await put(call, id, "A1", rows, "RAW");
  const read = await call(`${V}.get`, {
    params: { spreadsheetId: id, range: "A1" },
    query: { valueRenderOption: "UNFORMATTED_VALUE" },
  });
  assert.match(JSON.stringify(read.json), /\[\[9007199254740993\]\]/);
});

Deno.test("emulated Sheets: append finds the table's end, grows the grid, inserts rows on request", async () => {
  const { call } = sheets();
  const id = await fresh(call);
  await put(call, id, "B2", [["h1", "h2"], ["1", "2"]]);
  const append = (rows: JsonValue[][], query: Record<string, string> = {}) =>
    call(`${V}.append`, {
      params: { spreadsheetId: id, range: "A1:E20" },
      query: { valueInputOption: "RAW", ...query },
      body: { values: rows },
    });
  const first = await append([["3", "4"]]);
  assert.equal(first.json.tableRange, "'Blatt 1'!B2:C3");
  assert.equal((first.json.updates as JsonObject).updatedRange, "'Blatt 1'!B4:C4");
  await put(call, id, "B6", [["below"]]);
  await call(`${V}.append`, {
    params: { spreadsheetId: id, range: "B2:C4" },
    query: { valueInputOption: "RAW", insertDataOption: "INSERT_ROWS" },
    body: { values: [["5", "6"]] },
  });
  assert.deepEqual(await values(call, id, "B2:C7"), [
    ["h1", "h2"],
    ["1", "2"],
    ["3", "4"],
    ["5", "6"],
    [],
    ["below"],
  ]);
  await append(Array.from({ length: 40 }, (_, index) => [index]));
  const grid = (((await call("sheets.spreadsheets.get", { params: { spreadsheetId: id } })).json
    .sheets as JsonObject[])[0]?.properties as JsonObject).gridProperties as JsonObject;
  assert.ok(Number(grid.rowCount) >= 47);
});

Deno.test("emulated Sheets: batch reads and writes, clear, and counts", async () => {
  const { call } = sheets();
  const id = await fresh(call, "It's");
  const done = await call(`${V}.batchUpdate`, {
    params: { spreadsheetId: id },
    body: {
      valueInputOption: "RAW",
      data: [{ range: "A1:B1", values: [["a", "b"]] }, { range: "'It''s'!A2", values: [[true]] }],
    },
  });
  assert.equal(done.json.totalUpdatedCells, 3);
  assert.equal(done.json.totalUpdatedSheets, 1);
  const read = await call(`${V}.batchGet`, {
    params: { spreadsheetId: id },
    query: { ranges: ["A1:A2", "B1"] },
  });
  assert.deepEqual(read.json.valueRanges, [
    { range: "'It''s'!A1:A2", majorDimension: "ROWS", values: [["a"], ["TRUE"]] },
    { range: "'It''s'!B1", majorDimension: "ROWS", values: [["b"]] },
  ]);
  const cleared = await call(`${V}.clear`, { params: { spreadsheetId: id, range: "A:A" } });
  assert.equal(cleared.json.clearedRange, "'It''s'!A1:A20");
  assert.deepEqual(await values(call, id, "A1:B2"), [["", "b"]]);
});

Deno.test("emulated Sheets: what Sheets refuses", async () => {
  const { call } = sheets();
  const id = await fresh(call);
  const get = (range: string, query = {}) =>
    call(`${V}.get`, { params: { spreadsheetId: id, range }, query });
  await refuses(get("Nope!A1"), { status: 400, message: /^Unable to parse range: Nope!A1$/ });
  await refuses(get("A1:B2:C3"), { status: 400 });
  await refuses(get("Z1"), {
    status: 400,
    message: /exceeds grid limits\. Max rows: 20, max columns: 5/,
  });
  await refuses(get("A1", { majorDimension: "DIAGONAL" }), { status: 400 });
  await refuses(call(`${V}.get`, { params: { spreadsheetId: "unknown", range: "A1" } }), {
    status: 404,
  });
  await refuses(
    call(`${V}.update`, { params: { spreadsheetId: id, range: "A1" }, body: { values: [["x"]] } }),
    { status: 400, message: /valueInputOption/ },
  );
  await refuses(put(call, id, "A1:B1", [["1"], ["2"]]), {
    status: 400,
    message: /tried writing to row \[2\]/,
  });
  await refuses(put(call, id, "A1:B1", [["1", "2", "3"]]), {
    status: 400,
    message: /tried writing to column \[C\]/,
  });
  await refuses(put(call, id, "A1", [["1"], [{ nested: 1 }]]), { status: 400 });
});

Deno.test("emulated Sheets: grid data carry entered, effective and formatted values", async () => {
  const { call } = sheets();
  const id = await fresh(call);
  await put(call, id, "A1", [["=1/0", "12%", "text"]]);
  const { json } = await call("sheets.spreadsheets.get", {
    params: { spreadsheetId: id },
    query: { includeGridData: "true", ranges: "A1:C1" },
  });
  const data =
    (((json.sheets as JsonObject[])[0] as JsonObject).data as JsonObject[])[0] as JsonObject;
  const cells = ((data.rowData as JsonObject[])[0] as JsonObject).values as JsonObject[];
  assert.deepEqual(cells[0]?.userEnteredValue, { formulaValue: "=1/0" });
  assert.equal(
    ((cells[0]?.effectiveValue as JsonObject).errorValue as JsonObject).type,
    "DIVIDE_BY_ZERO",
  );
  assert.deepEqual(cells[1]?.effectiveValue, { numberValue: 0.12 });
  assert.equal(cells[1]?.formattedValue, "12.00%");
  assert.ok(cells[2]?.effectiveFormat);
});

Deno.test("emulated Sheets: batch requests change sheets all or nothing", async () => {
  const { call } = sheets();
  const id = await fresh(call);
  const batch = (requests: JsonObject[], extra: JsonObject = {}) =>
    call("sheets.spreadsheets.batchUpdate", {
      params: { spreadsheetId: id },
      body: { requests, ...extra },
    });
  const added = await batch([
    { addSheet: { properties: { title: "Zweites", sheetId: 77 } } },
    { updateSpreadsheetProperties: { properties: { title: "Umbenannt" }, fields: "title" } },
    {
      appendCells: {
        sheetId: 77,
        fields: "*",
        rows: [{
          values: [{ userEnteredValue: { numberValue: 5 } }, {
            userEnteredValue: { formulaValue: "=A1*2" },
          }],
        }],
      },
    },
    {
      repeatCell: {
        range: { sheetId: 77 },
        cell: { userEnteredFormat: {} },
        fields: "userEnteredFormat",
      },
    },
  ], { includeSpreadsheetInResponse: true });
  const replies = added.json.replies as JsonObject[];
  assert.equal(((replies[0]?.addSheet as JsonObject).properties as JsonObject).title, "Zweites");
  assert.deepEqual(replies.slice(1), [{}, {}, {}]);
  assert.equal(
    ((added.json.updatedSpreadsheet as JsonObject).properties as JsonObject).title,
    "Umbenannt",
  );
  assert.deepEqual(await values(call, id, "Zweites!A1:B1"), [["5", "10"]]);
  await refuses(batch([{ deleteSheet: { sheetId: 77 } }, { deleteSheet: { sheetId: 99 } }]), {
    status: 400,
    message: /No grid with id: 99/,
  });
  assert.deepEqual(await values(call, id, "Zweites!A1"), [["5"]]);
  await refuses(batch([{ addSheet: { properties: { title: "zweites" } } }]), {
    status: 400,
    message: /already exists/,
  });
  await refuses(batch([{ paintItBlack: {} }]), {
    status: 400,
    message: /Unknown name "paintItBlack"/,
  });
  const replaced = await batch([
    {
      updateSheetProperties: {
        properties: { sheetId: 77, title: "Drittes", gridProperties: { rowCount: 9 } },
        fields: "title,gridProperties.rowCount",
      },
    },
    { duplicateSheet: { sourceSheetId: 77, newSheetName: "Viertes" } },
    { deleteDimension: { range: { sheetId: 77, dimension: "ROWS", startIndex: 0, endIndex: 1 } } },
    {
      addNamedRange: {
        namedRange: {
          name: "Kopf",
          range: {
            sheetId: 77,
            startRowIndex: 0,
            endRowIndex: 1,
            startColumnIndex: 0,
            endColumnIndex: 2,
          },
        },
      },
    },
  ]);
  assert.equal((replaced.json.replies as JsonObject[]).length, 4);
  assert.deepEqual(await values(call, id, "Drittes!A1:B1"), []);
  assert.deepEqual(await values(call, id, "Viertes!A1:B1"), [["5", "10"]]);
  await put(call, id, "Kopf", [["links", "rechts"]]);
  assert.deepEqual(await values(call, id, "Drittes!A1:B1"), [["links", "rechts"]]);
  const found = await batch([{
    findReplace: { find: "links", replacement: "$& wörtlich", allSheets: true },
  }]);
  assert.equal(
    ((found.json.replies as JsonObject[])[0]?.findReplace as JsonObject).occurrencesChanged,
    1,
  );
  assert.equal((await values(call, id, "Kopf"))[0]?.[0], "$& wörtlich");
});

Deno.test("emulated Sheets: same seed and account, same cells", async () => {
  const text = async () => {
    const { call, ids } = sheets();
    return JSON.stringify(
      await Promise.all(ids.slice(4, 9).map((id) => values(call, id, "A1:F50"))),
    );
  };
  assert.equal(await text(), await text());
});
