/** A1 notation: reading and printing of ranges. */

import { invalid } from "../drive/mod.ts";

/** A range as written; rows and columns zero-based, ends exclusive, open sides absent. */
export interface A1Range {
  /** Title as written, unquoted; undefined when the text names none. */
  sheet?: string;
  startRow?: number;
  endRow?: number;
  startColumn?: number;
  endColumn?: number;
}

/** Zero-based column of letters (`A` = 0). */
export function columnIndex(letters: string): number {
  let index = 0;
  for (const letter of letters.toUpperCase()) index = index * 26 + letter.charCodeAt(0) - 64;
  return index - 1;
}

/** Letters of a zero-based column. */
export function columnLetters(index: number): string {
  let letters = "";
  for (let rest = index + 1; rest > 0; rest = Math.floor((rest - 1) / 26)) {
    letters = String.fromCharCode(65 + (rest - 1) % 26) + letters;
  }
  return letters;
}

/** A sheet title as ranges print it: quoted unless it is a plain word that is no cell. */
export function quotedTitle(title: string): string {
  const plain = /^[\p{L}_][\p{L}\p{N}_]*$/u.test(title) && !/^[A-Za-z]{1,3}[0-9]+$/.test(title) &&
    !/^R[0-9]*C[0-9]*$/i.test(title);
  return plain ? title : `'${title.replaceAll("'", "''")}'`;
}

interface Corner {
  column?: number;
  row?: number;
}

function corner(text: string): Corner | undefined {
  const match = /^\$?([A-Za-z]{1,3})?\$?([1-9][0-9]{0,7})?$/.exec(text);
  if (match === null || text === "" || text === "$") return undefined;
  const found: Corner = {};
  if (match[1] !== undefined) found.column = columnIndex(match[1]);
  if (match[2] !== undefined) found.row = Number(match[2]) - 1;
  return found;
}

/** Splits `'It''s'!A1` into the unquoted title and the rest; undefined when the quotes do not match. */
export function splitSheet(text: string): { sheet?: string; rest: string } | undefined {
  if (text.startsWith("'")) {
    const match = /^'((?:[^']|'')*)'(?:!(.*))?$/s.exec(text);
    if (match === null) return undefined;
    return { sheet: (match[1] as string).replaceAll("''", "'"), rest: match[2] ?? "" };
  }
  const at = text.lastIndexOf("!");
  return at === -1 ? { rest: text } : { sheet: text.slice(0, at), rest: text.slice(at + 1) };
}

/**
 * Parses the cell part of a range (`A1`, `A1:C`, `2:5`, `B:B`); undefined when it is none. Corners
 * may come in any order.
 */
export function parseCells(text: string): Omit<A1Range, "sheet"> | undefined {
  const parts = text.split(":");
  if (parts.length > 2) return undefined;
  const first = corner(parts[0] as string);
  if (first === undefined) return undefined;
  if (parts.length === 1) {
    if (first.column === undefined || first.row === undefined) return undefined;
    return {
      startRow: first.row,
      endRow: first.row + 1,
      startColumn: first.column,
      endColumn: first.column + 1,
    };
  }
  const last = corner(parts[1] as string);
  if (last === undefined) return undefined;
  const rows = span(first.row, last.row), columns = span(first.column, last.column);
  const range: Omit<A1Range, "sheet"> = {};
  if (rows.start !== undefined) range.startRow = rows.start;
  if (rows.end !== undefined) range.endRow = rows.end;
  if (columns.start !== undefined) range.startColumn = columns.start;
  if (columns.end !== undefined) range.endColumn = columns.end;
  // `A:5` names a column on one side and a row on the other: no range.
  if (range.endRow === undefined && range.endColumn === undefined) return undefined;
  return range;
}

/** A side given once is where an open range starts (`A5:A`, `A:A5`). */
function span(a: number | undefined, b: number | undefined): { start?: number; end?: number } {
  if (a === undefined && b === undefined) return {};
  if (a === undefined || b === undefined) return { start: (a ?? b) as number };
  return { start: Math.min(a, b), end: Math.max(a, b) + 1 };
}

/** Parses a whole range; 400 with Google's message when it is none. A lone word may be a sheet title. */
export function parseA1(text: string): A1Range {
  const refuse = () => invalid(`Unable to parse range: ${text}`, "badRequest");
  const parts = splitSheet(text.trim());
  if (parts === undefined) throw refuse();
  if (parts.sheet === undefined) {
    const cells = parseCells(parts.rest);
    if (cells !== undefined) return cells;
    if (parts.rest === "") throw refuse();
    return { sheet: parts.rest };
  }
  if (parts.sheet === "") throw refuse();
  if (parts.rest === "") {
    if (text.endsWith("!")) throw refuse();
    return { sheet: parts.sheet };
  }
  const cells = parseCells(parts.rest);
  if (cells === undefined) throw refuse();
  return { sheet: parts.sheet, ...cells };
}

/** A closed rectangle. */
export interface Rectangle {
  startRow: number;
  endRow: number;
  startColumn: number;
  endColumn: number;
}

/** A rectangle as Google prints it: `Sheet1!A1:B2`, a single cell without the second corner. */
export function formatRange(title: string, area: Rectangle): string {
  const first = `${columnLetters(area.startColumn)}${area.startRow + 1}`;
  const last = `${columnLetters(area.endColumn - 1)}${area.endRow}`;
  return `${quotedTitle(title)}!${first === last ? first : `${first}:${last}`}`;
}
