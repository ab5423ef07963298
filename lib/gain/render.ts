/** A gain report as json, csv and text, in pieces: it may be longer than memory has room for. */

import { type Cell, type ColumnKind, type DetailRow, detailTable } from "./columns.ts";
import type { GainView } from "./result.ts";

const PIECE = 64 * 1024;
/** Rows that JSON.stringify is given at once. */
const JSON_ROWS = 256;

/** `GainResult` as JSON with two spaces of indentation. */
export function* gainJson(view: GainView): Generator<string> {
  yield* pieces(jsonParts(view));
}

function* jsonParts(view: GainView): Generator<string> {
  let separator = "{\n";
  for (const [key, value] of Object.entries(view)) {
    if (value === undefined) continue;
    yield `${separator}  ${JSON.stringify(key)}: `;
    separator = ",\n";
    if (typeof value === "object" && value !== null) yield* jsonRows(value);
    else yield JSON.stringify(value);
  }
  yield "\n}\n";
}

function* jsonRows(rows: Iterable<unknown>): Generator<string> {
  let separator = "[\n";
  for (const some of batches(rows)) {
    // Without the brackets around the batch, a level further in.
    const text = JSON.stringify(some, null, 2).slice(2, -2).replaceAll("\n", "\n  ");
    yield `${separator}  ${text}`;
    separator = ",\n";
  }
  yield separator === "[\n" ? "[]" : "\n  ]";
}

function* batches<T>(rows: Iterable<T>): Generator<T[]> {
  let batch: T[] = [];
  for (const row of rows) {
    if (batch.push(row) < JSON_ROWS) continue;
    yield batch;
    batch = [];
  }
  if (batch.length > 0) yield batch;
}

/** RFC 4180 with `\n`: a header row, then one row a detail row; null is empty, lists join with `;`. */
export function* gainCsv(view: GainView): Generator<string> {
  yield* pieces(csvLines(view));
}

function* csvLines(view: GainView): Generator<string> {
  const { columns, rows } = detailTable(view);
  const line = (cells: readonly Cell[]) =>
    cells.map((cell) => quoted(plain(cell))).join(",") + "\n";
  yield line(columns.map(({ name }) => name));
  for (const { cells } of rows) yield line(cells);
}

function plain(cell: Cell): string {
  if (cell === null) return "";
  return typeof cell === "object" ? cell.join(";") : String(cell);
}

function quoted(text: string): string {
  return /[",\r\n]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text;
}

/** Cells of the longest bar. */
const BAR_CELLS = 24;
/** Room for the names of a list; what does not fit is counted. */
const LIST_CELLS = 48;
const KEPT = "█";
const SAVED = "░";

/** How {@link gainText} is laid out. */
export interface GainTextOptions {
  /** Columns of the terminal that shows it. Without one, names are whole and lines as long as they are. */
  columns?: number;
}

/** For people: the totals, then an aligned table whose last column draws each row to scale. */
export function* gainText(view: GainView, options: GainTextOptions = {}): Generator<string> {
  yield* pieces(textLines(view, options.columns));
}

function* textLines(view: GainView, terminal: number | undefined): Generator<string> {
  const tokens = (count: number) => `${grouped(count)} tokens`;
  const endToEnd = view.end_to_end_savings === null
    ? "n/a (no fixture-backed rows)"
    : percent(view.end_to_end_savings);
  yield `window      ${view.window}, counted as ${view.tokenizer}\n`;
  yield `baseline    ${tokens(view.baseline_tokens)}\n`;
  yield `actual      ${tokens(view.actual_tokens)}\n`;
  yield `saved       ${tokens(view.savings_tokens)} (${percent(view.savings_pct)})\n`;
  yield `end to end  ${endToEnd}\n`;
  if (view.batch_envelope_overhead !== 0) {
    yield `batches     ${tokens(view.batch_envelope_overhead)} of overhead\n`;
  }
  yield* tableLines(view, terminal);
}

/** Headings where columns are scarce. */
const SHORT_HEADINGS: Readonly<Record<string, string>> = {
  op_id: "operation",
  op_family: "family",
  op_families: "families",
  baseline_tokens: "baseline",
  actual_tokens: "actual",
  savings_tokens: "saved",
  savings_pct: "saved %",
  cache_status: "cache",
  field_mask_status: "mask",
};
/** Narrowest bar that still says something. */
const FEWEST_BAR_CELLS = 8;
/** Narrowest column of text. */
const FEWEST_TEXT_CELLS = 8;
const LEGEND = `${KEPT} sent ${SAVED} saved`;

/** Widths of the columns and cells of the bar, fitted into a terminal. */
interface Layout {
  widths: readonly number[];
  barCells: number;
}

/** The bar gives way first, then the columns of text; a figure is never cut. */
function fitted(
  wanted: readonly number[],
  options: { kinds: readonly ColumnKind[]; terminal: number | undefined },
): Layout {
  const { kinds, terminal } = options;
  if (terminal === undefined) return { widths: wanted, barCells: BAR_CELLS };
  const widths = [...wanted];
  const used = () => widths.reduce((sum, width) => sum + width + 2, 0);
  const left = terminal - used();
  if (left >= FEWEST_BAR_CELLS) return { widths, barCells: Math.min(BAR_CELLS, left) };
  for (let excess = used() - 2 - terminal; excess > 0; excess = used() - 2 - terminal) {
    const widest = widths.reduce(
      (best, width, index) => isText(kinds[index]) && width > (widths[best] ?? 0) ? index : best,
      kinds.findIndex(isText),
    );
    const width = widths[widest] ?? 0;
    if (width <= FEWEST_TEXT_CELLS) break;
    widths[widest] = Math.max(FEWEST_TEXT_CELLS, width - excess);
  }
  return { widths, barCells: 0 };
}

function isText(kind: ColumnKind | undefined): boolean {
  return kind === "text" || kind === "list";
}

/** Of an operation's id the end says most, of a list the beginning. */
function clipped(text: string, room: { width: number; kind: ColumnKind | undefined }): string {
  const { width, kind } = room;
  if (text.length <= width) return text;
  return kind === "list"
    ? `${text.slice(0, width - 1)}…`
    : `…${text.slice(text.length - width + 1)}`;
}

/** Goes through the rows twice: once for the widths, once to write them. */
function* tableLines(view: GainView, terminal: number | undefined): Generator<string> {
  const { columns, rows } = detailTable(view);
  const headings = columns.map(({ name }) =>
    terminal === undefined ? name : SHORT_HEADINGS[name] ?? name
  );
  const wanted = headings.map((heading) => heading.length);
  let largest = 0;
  let isEmpty = true;
  for (const row of rows) {
    isEmpty = false;
    largest = Math.max(largest, row.baseline, row.actual);
    for (let index = 0; index < columns.length; index++) {
      const width = shownWidth(row.cells[index] ?? null, columns[index]?.kind ?? "text");
      if (width > (wanted[index] ?? 0)) wanted[index] = width;
    }
  }
  if (isEmpty) return;
  const { widths, barCells } = fitted(wanted, {
    kinds: columns.map(({ kind }) => kind),
    terminal,
  });
  const line = (textOf: (index: number) => string, ending: string): string => {
    let text = "";
    for (let index = 0; index < columns.length; index++) {
      const kind = columns[index]?.kind;
      const width = widths[index] ?? 0;
      const cell = clipped(textOf(index), { width, kind });
      text += (isText(kind) ? cell.padEnd(width) : cell.padStart(width)) + "  ";
    }
    return `${(text + ending).trimEnd()}\n`;
  };
  yield "\n" + line((index) => headings[index] ?? "", barCells < LEGEND.length ? "" : LEGEND);
  for (const row of rows) {
    yield line(
      (index) => shown(row.cells[index] ?? null, columns[index]?.kind ?? "text"),
      bar(row, { largest, cells: barCells }),
    );
  }
}

function bar(row: DetailRow, scale: { largest: number; cells: number }): string {
  if (scale.largest === 0 || scale.cells === 0) return "";
  const cells = (count: number) =>
    count > 0 ? Math.max(1, Math.round(scale.cells * count / scale.largest)) : 0;
  const sent = cells(row.actual);
  return KEPT.repeat(sent) + SAVED.repeat(Math.max(0, cells(row.baseline) - sent));
}

function shown(cell: Cell, kind: ColumnKind): string {
  if (cell === null) return "n/a";
  if (typeof cell === "number") return kind === "percent" ? percent(cell) : grouped(cell);
  return typeof cell === "string" ? cell : shownList(cell);
}

/** Length of what {@link shown} makes, mostly without making it. */
function shownWidth(cell: Cell, kind: ColumnKind): number {
  if (typeof cell === "string") return cell.length;
  if (typeof cell === "number" && kind === "count" && cell >= 0) {
    let digits = 1;
    for (let rest = cell; rest >= 10; rest /= 10) digits++;
    return digits + Math.floor((digits - 1) / 3);
  }
  return shown(cell, kind).length;
}

function shownList(names: readonly string[]): string {
  let text = "";
  for (const [index, name] of names.entries()) {
    const longer = index === 0 ? name : `${text};${name}`;
    if (index > 0 && longer.length > LIST_CELLS) return `${text} and ${names.length - index} more`;
    text = longer;
  }
  return text;
}

function percent(value: number | null): string {
  return value === null ? "n/a" : `${value.toFixed(2)} %`;
}

/** A number with thousands separators. */
export function grouped(count: number): string {
  const digits = String(count);
  return digits.length < 4 ? digits : digits.replace(/\B(?=([0-9]{3})+$)/g, ",");
}

/** Joins what is short into pieces that are worth a write. */
function* pieces(parts: Iterable<string>): Generator<string> {
  let text = "";
  for (const part of parts) {
    text += part;
    if (text.length < PIECE) continue;
    yield text;
    text = "";
  }
  if (text !== "") yield text;
}
