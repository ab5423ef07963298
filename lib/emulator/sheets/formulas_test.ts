import assert from "node:assert/strict";
import fc from "fast-check";
import { type CellValue, formattedText } from "./cells.ts";
import { evaluateFormula } from "./formulas.ts";

const GRID: Record<string, CellValue[][]> = {
  "": [
    [{ type: "number", number: 2 }, { type: "text", text: "kg" }],
    [{ type: "number", number: 5 }, { type: "empty" }],
    [{ type: "error", code: "#N/A" }, { type: "boolean", value: true }],
  ],
  "It's": [[{ type: "number", number: 40 }]],
};

function shown(formula: string): string {
  return formattedText(evaluateFormula(formula, {
    now: 46_000.5,
    value: (sheet, row, column) => GRID[sheet ?? ""]?.[row]?.[column],
    size: (sheet) => {
      const rows = GRID[sheet ?? ""];
      return rows === undefined ? undefined : { rows: rows.length, columns: 2 };
    },
  }));
}

Deno.test("formulas: arithmetic, references, functions, errors", () => {
  const cases: [string, string][] = [
    ["=1+2*3", "7"],
    ["=(1+2)*3", "9"],
    ["=2^3^2", "512"],
    ["=-A1+10%", "-1.9"],
    ["=A1*A2", "10"],
    ["=SUM(A1:A2, 3)", "10"],
    ["=SUM(A:A)", "#N/A"],
    ["=AVERAGE(A1:A2)", "3.5"],
    ["=COUNT(A1:B3)", "2"],
    ["=COUNTA(A1:B3)", "5"],
    ['=A1&" "&B1', "2 kg"],
    ["='It''s'!A1+2", "42"],
    ["=Missing!A1", "#REF!"],
    ["=1/0", "#DIV/0!"],
    ['=IFERROR(1/0, "n/a")', "n/a"],
    ['=IF(A1>1, "big", "small")', "big"],
    ["=A3", "#N/A"],
    ["=B1*2", "#VALUE!"],
    ["=NOPE(1)", "#NAME?"],
    ["=nonsense", "#NAME?"],
    ["=1+", "#ERROR!"],
    ["=(1", "#ERROR!"],
    ["=A1=2", "TRUE"],
    ['="a"<>"A"', "FALSE"],
    ['=UPPER(CONCATENATE("a", 1))', "A1"],
    ["=TODAY()", "46000"],
  ];
  for (const [formula, wanted] of cases) assert.equal(shown(formula), wanted, formula);
});

Deno.test("formulas: any text gives a value, never a failure (property)", () => {
  const parts = fc.constantFrom(
    "A1",
    "B",
    "1",
    "+",
    "*",
    "(",
    ")",
    ",",
    "SUM",
    "IF",
    '"',
    "x",
    ":",
    "!",
    "'",
    "&",
    "<",
    "=",
    " ",
  );
  fc.assert(fc.property(fc.array(parts, { maxLength: 10 }), (list) => {
    assert.equal(typeof shown(`=${list.join("")}`), "string");
  }));
});
