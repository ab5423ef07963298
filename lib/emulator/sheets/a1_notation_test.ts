import assert from "node:assert/strict";
import fc from "fast-check";
import { EmulatedError } from "../service.ts";
import { columnIndex, columnLetters, formatRange, parseA1, quotedTitle } from "./a1_notation.ts";

Deno.test("A1 notation: the documented forms", () => {
  assert.deepEqual(parseA1("Sheet1!A1:B2"), {
    sheet: "Sheet1",
    startRow: 0,
    endRow: 2,
    startColumn: 0,
    endColumn: 2,
  });
  assert.deepEqual(parseA1("Sheet1!A:A"), { sheet: "Sheet1", startColumn: 0, endColumn: 1 });
  assert.deepEqual(parseA1("Sheet1!1:2"), { sheet: "Sheet1", startRow: 0, endRow: 2 });
  assert.deepEqual(parseA1("Sheet1!A5:A"), {
    sheet: "Sheet1",
    startRow: 4,
    startColumn: 0,
    endColumn: 1,
  });
  assert.deepEqual(parseA1("A1:B2"), { startRow: 0, endRow: 2, startColumn: 0, endColumn: 2 });
  assert.deepEqual(parseA1("Sheet1"), { sheet: "Sheet1" });
  assert.deepEqual(parseA1("'Ledger 2026'!$C$3"), {
    sheet: "Ledger 2026",
    startRow: 2,
    endRow: 3,
    startColumn: 2,
    endColumn: 3,
  });
  assert.deepEqual(parseA1("'It''s ''A1'''!B2:A1"), {
    sheet: "It's 'A1'",
    startRow: 0,
    endRow: 2,
    startColumn: 0,
    endColumn: 2,
  });
  assert.deepEqual(parseA1("Größe!AA10"), {
    sheet: "Größe",
    startRow: 9,
    endRow: 10,
    startColumn: 26,
    endColumn: 27,
  });
  assert.deepEqual(parseA1("'A1'"), { sheet: "A1" });
});

Deno.test("A1 notation: what does not parse is 400 with the text in the message", () => {
  for (
    const text of [
      "",
      "Sheet1!",
      "Sheet1!A0",
      "Sheet1!A1:B2:C3",
      "'open!A1",
      "!A1",
      "Sheet1!A1:",
      "Sheet1!1A",
      "Sheet1!AAAA1",
    ]
  ) {
    assert.throws(() => parseA1(text), (failure) => {
      assert.ok(failure instanceof EmulatedError && failure.status === 400, text);
      assert.match(failure.message, /^Unable to parse range: /);
      return true;
    }, text);
  }
});

Deno.test("A1 notation: letters and numbers of columns are each other's inverse (property)", () => {
  assert.deepEqual([0, 25, 26, 51, 701, 702, 18277].map(columnLetters), [
    "A",
    "Z",
    "AA",
    "AZ",
    "ZZ",
    "AAA",
    "ZZZ",
  ]);
  fc.assert(fc.property(fc.integer({ min: 0, max: 18_277 }), (index) => {
    assert.equal(columnIndex(columnLetters(index)), index);
  }));
});

Deno.test("A1 notation: a printed range parses to itself, whatever the title (property)", () => {
  const area = fc.record({
    startRow: fc.integer({ min: 0, max: 5000 }),
    rows: fc.integer({ min: 1, max: 500 }),
    startColumn: fc.integer({ min: 0, max: 700 }),
    columns: fc.integer({ min: 1, max: 80 }),
  });
  const titles = fc.oneof(
    fc.string({ minLength: 1, unit: "grapheme" }),
    fc.constantFrom("A1", "R1C1", "It's", "a!b", "x:y", "数据"),
  );
  fc.assert(fc.property(titles, area, (title, { startRow, rows, startColumn, columns }) => {
    const given = {
      startRow,
      endRow: startRow + rows,
      startColumn,
      endColumn: startColumn + columns,
    };
    const { sheet, ...parsed } = parseA1(formatRange(title, given));
    // Blanks at the end of the whole text are trimmed, never those inside quotes.
    assert.equal(sheet, title);
    assert.deepEqual(parsed, given);
  }));
  assert.equal(quotedTitle("Sheet1"), "Sheet1");
  assert.equal(quotedTitle("A1"), "'A1'");
});
