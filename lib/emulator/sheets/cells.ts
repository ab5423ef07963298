/** Cells of the emulated Sheets: what is typed in, and how a value is printed. */

import { isRawNumber, type JsonValue, rawNumber } from "../../json/mod.ts";

/** Error values of a spreadsheet. */
export const ERRORS = {
  "#DIV/0!": { type: "DIVIDE_BY_ZERO", message: "Function DIVIDE parameter 2 cannot be zero." },
  "#REF!": { type: "REF", message: "Reference does not exist." },
  "#NAME?": { type: "NAME", message: "Unknown function or name." },
  "#VALUE!": { type: "VALUE", message: "Parameter is not of the expected type." },
  "#N/A": { type: "N_A", message: "Value is not available." },
  "#ERROR!": { type: "ERROR", message: "Formula parse error." },
} as const;

/** An error code as a cell shows it. */
export type ErrorCode = keyof typeof ERRORS;

/** A computed value. Large integers keep their digits. */
export type CellValue =
  | { type: "empty" }
  | { type: "number"; number: number; digits?: string }
  | { type: "text"; text: string }
  | { type: "boolean"; value: boolean }
  | { type: "error"; code: ErrorCode };

/** Number format of a cell. */
export type CellFormat = "DATE" | "DATE_TIME" | "TIME" | "PERCENT" | "CURRENCY" | "NUMBER";

/** A stored cell: a constant or a formula, with its number format. */
export interface Cell {
  value: CellValue;
  formula?: string;
  format?: CellFormat;
}

/** Patterns that the API prints for each format. */
export const FORMAT_PATTERNS: Readonly<Record<CellFormat, string>> = {
  DATE: "yyyy-mm-dd",
  DATE_TIME: "yyyy-mm-dd hh:mm:ss",
  TIME: "hh:mm:ss",
  PERCENT: "0.00%",
  CURRENCY: "[$€]#,##0.00",
  NUMBER: "#,##0.00",
};

const DAY = 86_400_000;
/** Day zero of serial numbers. */
const EPOCH = Date.UTC(1899, 11, 30);

/** Serial number of an instant taken as local time. */
export function serialOf(milliseconds: number): number {
  return (milliseconds - EPOCH) / DAY;
}

/** A number cell. */
export function numberCell(number: number, format?: CellFormat): Cell {
  return format === undefined
    ? { value: { type: "number", number } }
    : { value: { type: "number", number }, format };
}

/** A text cell. */
export function textCell(text: string): Cell {
  return { value: { type: "text", text } };
}

/** What a value typed through the API becomes; undefined clears the cell. */
export function enteredCell(given: JsonValue, { parse }: { parse: boolean }): Cell | undefined {
  if (isRawNumber(given)) {
    return { value: { type: "number", number: Number(given.rawJSON), digits: given.rawJSON } };
  }
  if (typeof given === "number") return numberCell(given);
  if (typeof given === "boolean") return { value: { type: "boolean", value: given } };
  if (typeof given !== "string") return textCell(JSON.stringify(given));
  if (given === "") return undefined;
  return parse ? typedCell(given) : textCell(given);
}

/** Reads text as the user interface would. */
function typedCell(text: string): Cell {
  if (text.startsWith("=") && text.length > 1) return { value: { type: "empty" }, formula: text };
  if (text.startsWith("'")) return textCell(text.slice(1));
  if (/^(true|false)$/i.test(text)) {
    return { value: { type: "boolean", value: /^true$/i.test(text) } };
  }
  const bare = text.trim();
  const day =
    /^([0-9]{4})-([0-9]{1,2})-([0-9]{1,2})(?:[ T]([0-9]{1,2}):([0-9]{2})(?::([0-9]{2}))?)?$/.exec(
      bare,
    );
  if (day !== null) {
    const [year, month, date, hour = 0, minute = 0, second = 0] = day.slice(1).map((part) =>
      Number(part ?? 0)
    ) as [number, number, number, number?, number?, number?];
    const at = Date.UTC(year, month - 1, date, hour, minute, second);
    if (new Date(at).getUTCDate() === date && new Date(at).getUTCMonth() === month - 1) {
      return numberCell(serialOf(at), day[4] === undefined ? "DATE" : "DATE_TIME");
    }
  }
  const time = /^([0-9]{1,2}):([0-9]{2})(?::([0-9]{2}))?$/.exec(bare);
  if (time !== null && Number(time[1]) < 24) {
    return numberCell(
      (Number(time[1]) * 3600 + Number(time[2]) * 60 + Number(time[3] ?? 0)) / 86_400,
      "TIME",
    );
  }
  const number =
    /^([-+]?)([€$]?)([0-9]{1,3}(?:,[0-9]{3})+|[0-9]+)?(\.[0-9]*)?([eE][-+]?[0-9]+)?(%?)$/.exec(
      bare,
    );
  if (number !== null && (number[3] !== undefined || (number[4] ?? ".") !== ".")) {
    const digits = `${(number[3] ?? "0").replaceAll(",", "")}${number[4] ?? ""}${number[5] ?? ""}`;
    const value = Number(`${number[1]}${digits}`);
    if (number[6] === "%") return numberCell(value / 100, "PERCENT");
    if (number[2] !== "") return numberCell(value, "CURRENCY");
    return number[3]?.includes(",") ? numberCell(value, "NUMBER") : numberCell(value);
  }
  return textCell(text);
}

/** The display text of a value under a format. */
export function formattedText(value: CellValue, format?: CellFormat): string {
  switch (value.type) {
    case "empty":
      return "";
    case "text":
      return value.text;
    case "boolean":
      return value.value ? "TRUE" : "FALSE";
    case "error":
      return value.code;
    case "number":
      return formattedNumber(value, format);
  }
}

function formattedNumber(value: { number: number; digits?: string }, format?: CellFormat): string {
  const { number } = value;
  const grouped = (fraction: number) =>
    number.toLocaleString("en-US", {
      minimumFractionDigits: fraction,
      maximumFractionDigits: fraction,
    });
  switch (format) {
    case "DATE":
      return new Date(EPOCH + Math.floor(number) * DAY).toISOString().slice(0, 10);
    case "DATE_TIME":
      return new Date(EPOCH + Math.round(number * 86_400) * 1000).toISOString().slice(0, 19)
        .replace("T", " ");
    case "TIME":
      return new Date(EPOCH + Math.round(number * 86_400) * 1000).toISOString().slice(11, 19);
    case "PERCENT":
      return `${(number * 100).toFixed(2)}%`;
    case "CURRENCY":
      return number < 0 ? `-€${grouped(2).slice(1)}` : `€${grouped(2)}`;
    case "NUMBER":
      return grouped(2);
    default:
      if (value.digits !== undefined) return value.digits;
      if (Number.isInteger(number) && Math.abs(number) < 1e15) return String(number);
      return String(Number(number.toPrecision(Math.abs(number) < 1e10 ? 10 : 15)));
  }
}

/** A value as JSON: exact numbers, text, booleans, error codes as text. */
export function unformatted(value: CellValue): JsonValue {
  switch (value.type) {
    case "number":
      return value.digits === undefined ? value.number : rawNumber(value.digits);
    case "boolean":
      return value.value;
    default:
      return formattedText(value);
  }
}
