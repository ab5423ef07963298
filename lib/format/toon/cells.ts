/** Cells of TOON documents and tables: quoting, look-alikes and the CSV-style row scanner. */

import { isRawNumber, type JsonValue, readJson } from "../../json/mod.ts";
import { jsonText, plainNumber } from "../cell_text.ts";
import { ToonDecodeError } from "./errors.ts";

const SPECIAL = /[",\r\n]/;
const NUMERIC_LOOK = /^[+-]?(?:[0-9]+(?:\.[0-9]*)?|\.[0-9]+)(?:[eE][+-]?[0-9]+)?$/;
const WORD_LOOK = /^(?:true|false|null|[+-]?(?:inf|infinity|nan))$|^[+-]?0x/i;
const JSON_NUMBER = /^-?(?:0|[1-9][0-9]*)(?:\.[0-9]+)?(?:[eE][+-]?[0-9]+)?$/;

/** Wraps text in double quotes, doubling those inside. */
export function quoteCell(text: string): string {
  return text.includes('"') ? `"${text.replaceAll('"', '""')}"` : `"${text}"`;
}

/** True for text that a reader could take for a number. */
export function looksNumeric(text: string): boolean {
  return NUMERIC_LOOK.test(text) || /^[+-]?(?:0x|(?:inf|infinity|nan)$)/i.test(text);
}

/** A string cell: bare where that reads back as the same string, else quoted. */
function stringCell(text: string): string {
  if (text === "" || SPECIAL.test(text)) return quoteCell(text);
  const first = text.charCodeAt(0);
  // Only these can start a number, a literal or one of the words: + - . 0-9 f i n t, either case.
  const suspicious = (first >= 43 && first <= 57) ||
    (first | 32) === 102 || (first | 32) === 105 || (first | 32) === 110 || (first | 32) === 116;
  return suspicious && (NUMERIC_LOOK.test(text) || WORD_LOOK.test(text)) ? quoteCell(text) : text;
}

/** A cell of a column that holds no objects or arrays. */
export function scalarCell(value: JsonValue | undefined): string {
  switch (typeof value) {
    case "string":
      return stringCell(value);
    case "number":
      return plainNumber(value);
    case "boolean":
      return value ? "true" : "false";
    case "undefined":
      return "";
  }
  if (value === null) return "";
  return isRawNumber(value) ? plainNumber(value) : quoteCell(jsonText(value));
}

/** A cell of a `json_fields` column: JSON text, quoted unless it is a number or a literal. */
export function jsonCell(value: JsonValue | undefined): string {
  if (value === null || value === undefined) return "";
  const text = jsonText(value);
  const bare = typeof value === "number" || typeof value === "boolean" || isRawNumber(value);
  return bare ? text : quoteCell(text);
}

/** One scanned cell: its text without quotes, and whether it was quoted. */
export interface ScannedCell {
  text: string;
  quoted: boolean;
}

/**
 * Splits text into rows of cells by CSV rules. LF and CRLF end rows outside quotes; an empty line is
 * a row of one empty cell. Linear in the length of the text.
 */
export function scanRows(text: string): ScannedCell[][] {
  const rows: ScannedCell[][] = [];
  let row: ScannedCell[] = [];
  let position = 0;
  let comma = text.indexOf(",");
  let lineFeed = text.indexOf("\n");
  while (true) {
    let end: number;
    if (text.charCodeAt(position) === 34) {
      const scanned = scanQuoted(text, position);
      row.push({ text: scanned.text, quoted: true });
      end = scanned.end;
      if (text.charCodeAt(end) === 13 && (end + 1 === text.length || text[end + 1] === "\n")) end++;
      if (end < text.length && text[end] !== "," && text[end] !== "\n") {
        throw new ToonDecodeError("unterminated_quote", "text after a closing quote");
      }
    } else {
      if (comma !== -1 && comma < position) comma = text.indexOf(",", position);
      if (lineFeed !== -1 && lineFeed < position) lineFeed = text.indexOf("\n", position);
      end = comma !== -1 && (lineFeed === -1 || comma < lineFeed)
        ? comma
        : lineFeed === -1
        ? text.length
        : lineFeed;
      let cell = text.slice(position, end);
      if (end !== comma && cell.endsWith("\r")) cell = cell.slice(0, -1);
      row.push({ text: cell, quoted: false });
    }
    if (end >= text.length) {
      rows.push(row);
      return rows;
    }
    if (text.charCodeAt(end) === 10) {
      rows.push(row);
      row = [];
    }
    position = end + 1;
  }
}

/** Reads a quoted cell that opens at `start`; `end` is the position after its closing quote. */
export function scanQuoted(text: string, start: number): { text: string; end: number } {
  let from = start + 1;
  while (true) {
    const quote = text.indexOf('"', from);
    if (quote === -1) throw new ToonDecodeError("unterminated_quote", "a quoted cell has no end");
    if (text.charCodeAt(quote + 1) !== 34) {
      const inside = text.slice(start + 1, quote);
      return {
        text: inside.includes('""') ? inside.replaceAll('""', '"') : inside,
        end: quote + 1,
      };
    }
    from = quote + 2;
  }
}

/** The value of a cell without a schema: literals and JSON numbers are typed, the rest is text. */
export function untypedCell(cell: ScannedCell): JsonValue {
  if (cell.quoted) return cell.text;
  switch (cell.text) {
    case "":
    case "null":
      return null;
    case "true":
      return true;
    case "false":
      return false;
  }
  return numberFromText(cell.text) ?? cell.text;
}

/** A JSON number, digits kept when a double cannot hold them; undefined when it is none. */
export function numberFromText(text: string): JsonValue | undefined {
  return JSON_NUMBER.test(text) ? readJson(text).value : undefined;
}
