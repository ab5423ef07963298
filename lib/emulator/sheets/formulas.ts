/** Evaluation of formulas: arithmetic, text, comparisons, references and the everyday functions. */

import type { CellValue, ErrorCode } from "./cells.ts";
import { ERRORS, formattedText } from "./cells.ts";
import { parseCells, splitSheet } from "./a1_notation.ts";

/** Looks up computed values for a formula; `undefined` for a sheet or cell that does not exist. */
export interface FormulaContext {
  value(sheet: string | undefined, row: number, column: number): CellValue | undefined;
  /** Rows and columns of the sheet, for open ranges. */
  size(sheet: string | undefined): { rows: number; columns: number } | undefined;
  /** Serial number of now. */
  now: number;
}

type Operand = { kind: "value"; value: CellValue } | { kind: "range"; values: CellValue[] };

class FormulaError extends Error {
  constructor(readonly code: ErrorCode) {
    super(code);
  }
}

/** Computes a formula that starts with `=`. Never throws: failures are error values. */
export function evaluateFormula(formula: string, context: FormulaContext): CellValue {
  try {
    const reader = new FormulaReader(formula.slice(1), context);
    const result = single(reader.comparison());
    reader.expectEnd();
    return result.type === "empty" ? number(0) : result;
  } catch (failure) {
    if (failure instanceof FormulaError) return { type: "error", code: failure.code };
    throw failure;
  }
}

function number(value: number): CellValue {
  return Number.isFinite(value)
    ? { type: "number", number: value }
    : { type: "error", code: "#VALUE!" };
}

function text(value: string): CellValue {
  return { type: "text", text: value };
}

function single(operand: Operand): CellValue {
  if (operand.kind === "value") return operand.value;
  if (operand.values.length === 1) return operand.values[0] as CellValue;
  throw new FormulaError("#VALUE!");
}

function raise(value: CellValue): CellValue {
  if (value.type === "error") throw new FormulaError(value.code);
  return value;
}

function asNumber(value: CellValue): number {
  raise(value);
  switch (value.type) {
    case "number":
      return value.number;
    case "boolean":
      return value.value ? 1 : 0;
    case "text":
      if (value.text.trim() !== "" && !Number.isNaN(Number(value.text))) return Number(value.text);
      throw new FormulaError("#VALUE!");
    default:
      return 0;
  }
}

function asText(value: CellValue): string {
  return formattedText(raise(value));
}

function asBoolean(value: CellValue): boolean {
  return value.type === "boolean" ? value.value : asNumber(value) !== 0;
}

/** A recursive-descent reader that computes as it reads. */
class FormulaReader {
  #at = 0;

  constructor(readonly source: string, readonly context: FormulaContext) {}

  expectEnd(): void {
    this.#blank();
    if (this.#at < this.source.length) throw new FormulaError("#ERROR!");
  }

  #blank(): void {
    while (/\s/.test(this.source.charAt(this.#at))) this.#at++;
  }

  #match(pattern: RegExp): string | undefined {
    this.#blank();
    pattern.lastIndex = this.#at;
    const found = pattern.exec(this.source);
    if (found === null) return undefined;
    this.#at = pattern.lastIndex;
    return found[0];
  }

  comparison(): Operand {
    let left = this.#joined();
    for (
      let sign = this.#match(/<=|>=|<>|[<>=]/y);
      sign !== undefined;
      sign = this.#match(/<=|>=|<>|[<>=]/y)
    ) {
      const order = compared(single(left), single(this.#joined()));
      const holds = sign === "="
        ? order === 0
        : sign === "<>"
        ? order !== 0
        : sign === "<"
        ? order < 0
        : sign === ">"
        ? order > 0
        : sign === "<="
        ? order <= 0
        : order >= 0;
      left = { kind: "value", value: { type: "boolean", value: holds } };
    }
    return left;
  }

  #joined(): Operand {
    let left = this.#sum();
    while (this.#match(/&/y) !== undefined) {
      left = { kind: "value", value: text(asText(single(left)) + asText(single(this.#sum()))) };
    }
    return left;
  }

  #sum(): Operand {
    let left = this.#product();
    for (let sign = this.#match(/[+-]/y); sign !== undefined; sign = this.#match(/[+-]/y)) {
      const [a, b] = [asNumber(single(left)), asNumber(single(this.#product()))];
      left = { kind: "value", value: number(sign === "+" ? a + b : a - b) };
    }
    return left;
  }

  #product(): Operand {
    let left = this.#power();
    for (let sign = this.#match(/[*/]/y); sign !== undefined; sign = this.#match(/[*/]/y)) {
      const [a, b] = [asNumber(single(left)), asNumber(single(this.#power()))];
      if (sign === "/" && b === 0) throw new FormulaError("#DIV/0!");
      left = { kind: "value", value: number(sign === "*" ? a * b : a / b) };
    }
    return left;
  }

  #power(): Operand {
    const base = this.#atom();
    if (this.#match(/\^/y) === undefined) return base;
    return {
      kind: "value",
      value: number(asNumber(single(base)) ** asNumber(single(this.#power()))),
    };
  }

  #atom(): Operand {
    const sign = this.#match(/[-+]/y);
    if (sign !== undefined) {
      const value = asNumber(single(this.#atom()));
      return { kind: "value", value: number(sign === "-" ? -value : value) };
    }
    if (this.#match(/\(/y) !== undefined) {
      const inner = this.comparison();
      if (this.#match(/\)/y) === undefined) throw new FormulaError("#ERROR!");
      return inner;
    }
    const quoted = this.#match(/"(?:[^"]|"")*"/y);
    if (quoted !== undefined) {
      return { kind: "value", value: text(quoted.slice(1, -1).replaceAll('""', '"')) };
    }
    const digits = this.#match(/[0-9]+(?:\.[0-9]+)?(?:[eE][-+]?[0-9]+)?%?(?![0-9]*:)/y);
    if (digits !== undefined) {
      const value = digits.endsWith("%") ? Number(digits.slice(0, -1)) / 100 : Number(digits);
      return { kind: "value", value: number(value) };
    }
    const errorCode = (Object.keys(ERRORS) as ErrorCode[]).find((code) =>
      this.source.startsWith(code, this.#at)
    );
    if (errorCode !== undefined) throw new FormulaError(errorCode);
    const name = this.#match(/[A-Za-z][A-Za-z0-9.]*(?=\s*\()/y);
    if (name !== undefined) return this.#call(name.toUpperCase());
    const reference = this.#match(
      /(?:'(?:[^']|'')*'!|[\p{L}_][\p{L}\p{N}_]*!)?\$?[A-Za-z0-9]+\$?[0-9]*(?::\$?[A-Za-z0-9]+\$?[0-9]*)?/uy,
    );
    if (reference === undefined) throw new FormulaError("#ERROR!");
    if (/^(true|false)$/i.test(reference)) {
      return { kind: "value", value: { type: "boolean", value: /^true$/i.test(reference) } };
    }
    return this.#reference(reference);
  }

  #reference(written: string): Operand {
    const parts = splitSheet(written);
    const cells = parts === undefined ? undefined : parseCells(parts.rest);
    if (parts === undefined || cells === undefined) throw new FormulaError("#NAME?");
    const size = this.context.size(parts.sheet);
    if (size === undefined) throw new FormulaError("#REF!");
    const values: CellValue[] = [];
    const lastRow = Math.min(cells.endRow ?? size.rows, size.rows);
    const lastColumn = Math.min(cells.endColumn ?? size.columns, size.columns);
    for (let row = cells.startRow ?? 0; row < lastRow; row++) {
      for (let column = cells.startColumn ?? 0; column < lastColumn; column++) {
        values.push(this.context.value(parts.sheet, row, column) ?? { type: "empty" });
      }
    }
    if (values.length === 0) throw new FormulaError("#REF!");
    return { kind: "range", values };
  }

  #call(name: string): Operand {
    this.#match(/\(/y);
    const given: Operand[] = [];
    if (this.#match(/\)/y) === undefined) {
      do {
        const start = this.#at;
        try {
          given.push(this.comparison());
        } catch (failure) {
          // An error inside an argument: the function may still catch it (IFERROR).
          if (!(failure instanceof FormulaError) || failure.code === "#ERROR!") throw failure;
          this.#skipArgument(start);
          given.push({ kind: "value", value: { type: "error", code: failure.code } });
        }
      } while (this.#match(/[,;]/y) !== undefined);
      if (this.#match(/\)/y) === undefined) throw new FormulaError("#ERROR!");
    }
    return { kind: "value", value: applied(name, { given, now: this.context.now }) };
  }

  #skipArgument(start: number): void {
    let depth = 0;
    for (this.#at = start; this.#at < this.source.length; this.#at++) {
      const sign = this.source.charAt(this.#at);
      if (sign === '"') {
        const end = this.source.indexOf('"', this.#at + 1);
        this.#at = end === -1 ? this.source.length : end;
      } else if (sign === "(") depth++;
      else if (sign === ")" && depth-- === 0) return;
      else if ((sign === "," || sign === ";") && depth === 0) return;
    }
  }
}

function compared(left: CellValue, right: CellValue): number {
  raise(left);
  raise(right);
  if (left.type === "text" || right.type === "text") {
    const [a, b] = [asText(left).toLowerCase(), asText(right).toLowerCase()];
    return a < b ? -1 : a > b ? 1 : 0;
  }
  return asNumber(left) - asNumber(right);
}

function applied(name: string, { given, now }: { given: Operand[]; now: number }): CellValue {
  const all = given.flatMap((operand) =>
    operand.kind === "range" ? operand.values : [operand.value]
  );
  const numbers = () => all.map(raise).filter((value) => value.type === "number").map(asNumber);
  const at = (index: number): CellValue => {
    const operand = given[index];
    if (operand === undefined) throw new FormulaError("#N/A");
    return single(operand);
  };
  switch (name) {
    case "SUM":
      return number(numbers().reduce((sum, value) => sum + value, 0));
    case "AVERAGE": {
      const list = numbers();
      if (list.length === 0) throw new FormulaError("#DIV/0!");
      return number(list.reduce((sum, value) => sum + value, 0) / list.length);
    }
    case "MIN":
      return number(Math.min(...numbers(), ...(numbers().length === 0 ? [0] : [])));
    case "MAX":
      return number(Math.max(...numbers(), ...(numbers().length === 0 ? [0] : [])));
    case "COUNT":
      return number(all.filter((value) => value.type === "number").length);
    case "COUNTA":
      return number(all.filter((value) => value.type !== "empty").length);
    case "ROUND": {
      const scale = 10 ** (given.length > 1 ? asNumber(at(1)) : 0);
      return number(Math.round(asNumber(at(0)) * scale) / scale);
    }
    case "ABS":
      return number(Math.abs(asNumber(at(0))));
    case "IF":
      return asBoolean(at(0))
        ? raise(at(1))
        : given.length > 2
        ? raise(at(2))
        : { type: "boolean", value: false };
    case "IFERROR":
      return at(0).type === "error" ? (given.length > 1 ? at(1) : { type: "empty" }) : at(0);
    case "AND":
      return { type: "boolean", value: all.every(asBoolean) };
    case "OR":
      return { type: "boolean", value: all.some(asBoolean) };
    case "NOT":
      return { type: "boolean", value: !asBoolean(at(0)) };
    case "CONCATENATE":
      return text(all.map(asText).join(""));
    case "LEN":
      return number(asText(at(0)).length);
    case "UPPER":
      return text(asText(at(0)).toUpperCase());
    case "LOWER":
      return text(asText(at(0)).toLowerCase());
    case "TRIM":
      return text(asText(at(0)).trim().replace(/ +/g, " "));
    case "TODAY":
      return number(Math.floor(now));
    case "NOW":
      return number(now);
    case "NA":
      throw new FormulaError("#N/A");
    default:
      throw new FormulaError("#NAME?");
  }
}
