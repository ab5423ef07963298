/** A shaped value for a person: a table that fits the terminal, or cards where none would. */

import {
  cellText,
  countText,
  cutToWidth,
  RECORD_KEYS,
  recordArray,
  recordKey,
  type TableLayout,
  tableLayout,
  textWidth,
  visibleText,
} from "../lib/format/mod.ts";
import { isJsonObject, isRawNumber, type JsonObject, type JsonValue } from "../lib/json/mod.ts";
import type { Styles } from "./terminal_text.ts";
import { wrapText } from "./terminal_wrap.ts";
import { instantOf, relativeTime, wallTime } from "./terminal_time.ts";

/** What the terminal is like, and what time it is. */
export interface TerminalLook {
  width: number;
  styles: Styles;
  /** Milliseconds since the Unix epoch. */
  now: number;
  /** What shows the columns that a narrow table leaves out; `-o json` unless it is said. */
  whole?: string;
}

const WIDEST_CELL = 60;
const GUTTER = 2;
const CUT_MARK = "_truncated";
/** Narrower, a text says little. */
const NARROWEST_CELL = 16;
/** So many records are shown as cards when no table fits. */
const MOST_CARDS = 3;
/** A longer name stands above its value. */
const WIDEST_LABEL = 28;
const NARROWEST_TEXT = 4;
const KEPT_WHOLE = /(^|[_ ])id$|Id$/;
/** Deeper values are shown as JSON. */
const DEEPEST = 4;

/** The value as text, newline included. */
export function renderForTerminal(given: JsonValue, look: TerminalLook): string {
  const value = forReading(given);
  const layout = tableLayout(value);
  if (layout?.kind === "scalar") return `${oneLine(cellText(value))}\n`;
  if (isJsonObject(value) && !isList(value)) return card(value, look);
  if (layout === undefined) return recordsOf(value).map((one) => card(one, look)).join("\n");
  const blocks = [
    layout.envelope.filter(([key, member]) => !Array.isArray(member) && !isCount(key))
      .map(([key, member]) => envelopeText(key, { member, look })).join(""),
    recordsText(value, { layout, look }),
    layout.envelope.flatMap(([key, member]) =>
      Array.isArray(member) ? [countLine(key, { member, look })] : []
    ).join(""),
  ];
  return blocks.filter((block) => block !== "").join("\n");
}

/** Cut texts end in a mark instead of having a member about it; escaped ones are unescaped. */
function forReading(value: JsonValue): JsonValue {
  if (Array.isArray(value)) return value.map(forReading);
  if (!isJsonObject(value) || isRawNumber(value)) return value;
  const cutOf = (key: string) => {
    const own = key.endsWith(CUT_MARK) ? key.slice(0, -CUT_MARK.length) : undefined;
    return own !== undefined && typeof value[own] === "string" ? own : undefined;
  };
  return Object.fromEntries(
    Object.entries(value).filter(([key]) => cutOf(key) === undefined).map(([key, member]) => {
      const cut = typeof member === "string" && value[`${key}${CUT_MARK}`] === true;
      if (key === "snippet" && typeof member === "string") {
        return [key, unescaped(member) + (cut ? "…" : "")];
      }
      return [key, cut ? `${member.replace(/(…|\.\.\.)$/, "")}…` : forReading(member)];
    }),
  );
}

const ENTITIES: Readonly<Record<string, string | undefined>> = {
  amp: "&",
  lt: "<",
  gt: ">",
  quot: '"',
  "#39": "'",
};

/** Gmail gives snippets as HTML. */
function unescaped(snippet: string): string {
  return snippet.replaceAll(/&(amp|lt|gt|quot|#39);/g, (all, name) => ENTITIES[name] ?? all);
}

function countLine(
  key: string,
  { member, look }: { member: JsonValue[]; look: TerminalLook },
): string {
  const name = cutToWidth(oneLine(key), look.width - 1);
  return lineOf(look.styles.dim(`${name}:`), { text: countText(member), name, look });
}

/** What stands beside the records: a line, or a small card where it has members of its own. */
function envelopeText(
  key: string,
  { member, look }: { member: JsonValue; look: TerminalLook },
): string {
  const name = cutToWidth(oneLine(key), look.width - 1);
  const label = look.styles.dim(`${name}:`);
  const nested = nestedLines(member, { look, indent: 2 });
  if (nested !== undefined) return `${label}\n${nested.join("\n")}\n`;
  return lineOf(label, { text: plainText(member, { key, now: look.now }), name, look });
}

/** A name and its value; the value goes below the name where it has no room beside it. */
function lineOf(
  label: string,
  { text, name, look }: { text: string; name: string; look: TerminalLook },
): string {
  const room = look.width - textWidth(name) - 2;
  const below = room < NARROWEST_CELL && textWidth(text) > room;
  const [first = "", ...rest] = below
    ? ["", ...wrapText(text, look.width - 2)]
    : wrapText(text, Math.min(room, look.width - 2));
  return [`${label} ${first}`.trimEnd(), ...rest.map((line) => `  ${line}`)].join("\n") + "\n";
}

/** The notice on stderr has these numbers in words. */
function isCount(key: string): boolean {
  return key.endsWith("_omitted_count");
}

/** Whether an object is an envelope around records, rather than a thing that has a list. */
function isList(object: JsonObject): boolean {
  const key = recordKey(object);
  if (key === undefined) return false;
  const records = object[key];
  if (!Array.isArray(records) || !records.every(isJsonObject)) return false;
  return RECORD_KEYS.includes(key) || !("id" in object || "name" in object);
}

function recordsText(
  value: JsonValue,
  { layout, look }: { layout: TableLayout; look: TerminalLook },
): string {
  if (layout.rows.length === 0 || layout.columns.length === 0) return "(no rows)\n";
  const all = inWrittenOrder(value, layout);
  const natural = fittedTable(all, look, { shrink: false });
  if (natural !== undefined) return natural;
  const whole = fittedTable(all, look);
  if (whole !== undefined && all.rows.length <= MOST_CARDS) return whole;
  const cards = () => recordsOf(value).map((record) => card(record, look)).join("\n");
  // A few records are read one by one; a list is scanned.
  if (all.rows.length <= MOST_CARDS) return cards();
  const { shown, left } = tellingColumns(all, look);
  const table = shown.names.length < 2 ? undefined : fittedTable(shown, look);
  if (table === undefined) return cards();
  if (left.length === 0) return table;
  const more = `${look.whole ?? "-o json"} shows ${left.length} more: ${
    left.map(oneLine).join(", ")
  }`;
  return `${table}${look.styles.dim(cutToWidth(more, look.width))}\n`;
}

/** The records of a value, wrapped so that a scalar is one too. */
function recordsOf(value: JsonValue): JsonObject[] {
  return (recordArray(value) ?? [value]).map((row) => isJsonObject(row) ? row : { value: row });
}

interface Columns {
  names: string[];
  rows: (JsonValue | undefined)[][];
}

// A layout sorts its columns; profiles list the telling ones first, so their order is kept.
function inWrittenOrder(value: JsonValue, layout: TableLayout): Columns {
  const written = [...new Set(recordsOf(value).flatMap((record) => Object.keys(record)))];
  const rank = (index: number) => {
    const at = written.indexOf(layout.columns[index] ?? "");
    return at < 0 ? written.length : at;
  };
  const order = layout.columns.map((_name, index) => index)
    .sort((left, right) => rank(left) - rank(right));
  return {
    names: order.map((index) => layout.columns[index] ?? ""),
    rows: layout.rows.map((row) => order.map((index) => row[index])),
  };
}

function fittedTable(
  { names, rows }: Columns,
  look: TerminalLook,
  { shrink }: { shrink: boolean } = { shrink: true },
): string | undefined {
  const { styles, width } = look;
  const cells = rows.map((row) =>
    row.map((cell, column) => plainText(cell, { key: names[column] ?? "", now: look.now }))
  );
  const natural = names.map((name, column) =>
    Math.min(
      WIDEST_CELL,
      Math.max(textWidth(oneLine(name)), ...cells.map((row) => textWidth(row[column] ?? ""))),
    )
  );
  const widths = fitted(natural, { names, room: width - GUTTER * (names.length - 1) });
  if (widths === undefined) return undefined;
  if (!shrink && widths.some((columns, column) => columns < (natural[column] ?? 0))) {
    return undefined;
  }
  const numeric = names.map((_name, column) =>
    rows.every((row) => row[column] === undefined || isNumber(row[column]))
  );
  const line = (texts: string[], style = (text: string) => text) =>
    texts.map((text, column) => {
      const room = widths[column] ?? 0;
      const shown = cutToWidth(text, room);
      const gap = " ".repeat(Math.max(0, room - textWidth(shown)));
      return numeric[column] ? gap + style(shown) : style(shown) + gap;
    }).join(" ".repeat(GUTTER)).trimEnd();
  return [
    line(names.map(oneLine), styles.bold),
    styles.dim(widths.map((columns) => "─".repeat(columns)).join(" ".repeat(GUTTER))),
    ...cells.map((row) => line(row)),
  ].join("\n") + "\n";
}

/** How soon a column is worth its room; people look for names, times and ids first. */
const WORTH: readonly (readonly [RegExp, number])[] = [
  [/^(name|title|summary|subject|displayName|snippet|text|from)$/, 0],
  [/^(id|op_id|email|emailAddress)$/, 1],
  [/^(starts?|date|due|internalDate|modifiedTime|createdTime|time|updated|to|status)$/, 2],
  [/(link|url|uri|etag|kind|mask|truncated)$/i, 8],
  [/(Id|_id|Token)$/, 7],
];

function worth(name: string): number {
  return WORTH.find(([pattern]) => pattern.test(name))?.[1] ?? 4;
}

/** The columns of a table too wide for the terminal that say the most; the rest by name. */
function tellingColumns(
  all: Columns,
  look: TerminalLook,
): { shown: Columns; left: string[] } {
  const ranked = all.names.map((name, column) => {
    const texts = all.rows.map((row) => plainText(row[column], { key: name, now: look.now }));
    // A column that says the same everywhere, or nothing nearly everywhere, can wait.
    const dull = new Set(texts).size === 1 || texts.filter((text) => text !== "").length * 4 <
        texts.length;
    const natural = Math.max(textWidth(name), ...texts.map((text) => textWidth(text)));
    const least = KEPT_WHOLE.test(name) ? natural : Math.min(natural, NARROWEST_CELL);
    return { column, least, dull, rank: worth(name) + (dull ? 10 : 0) };
  }).toSorted((one, other) => one.rank - other.rank || one.column - other.column);
  const telling = ranked.filter(({ dull }) => !dull).length;
  let room = look.width + GUTTER;
  const chosen = ranked.filter(({ least, dull }) => {
    if (room < least + GUTTER || (dull && telling > 1)) return false;
    room -= least + GUTTER;
    return true;
  });
  const columns = chosen.map(({ column }) => column);
  return {
    shown: {
      names: columns.map((column) => all.names[column] ?? ""),
      rows: all.rows.map((row) => columns.map((column) => row[column])),
    },
    left: all.names.filter((_name, column) => !columns.includes(column)),
  };
}

/** Widths that fit the room; ids stay whole, because people copy them. */
function fitted(
  natural: number[],
  { names, room }: { names: string[]; room: number },
): number[] | undefined {
  const widths = [...natural];
  const shrinkable = names.map((name) => !KEPT_WHOLE.test(name));
  let over = widths.reduce((sum, columns) => sum + columns, 0) - room;
  while (over > 0) {
    let widest = -1;
    for (const [column, columns] of widths.entries()) {
      if (!shrinkable[column] || columns <= NARROWEST_CELL) continue;
      if (widest < 0 || columns > (widths[widest] ?? 0)) widest = column;
    }
    if (widest < 0) return undefined;
    widths[widest] = (widths[widest] ?? 0) - 1;
    over--;
  }
  return widths;
}

function isNumber(value: JsonValue | undefined): boolean {
  return typeof value === "number" || isRawNumber(value);
}

/** A value in one line: times as people say them, lists with commas, objects as `key: value`. */
function plainText(
  value: JsonValue | undefined,
  at: { key: string; now: number; depth?: number },
): string {
  if (typeof value === "string") {
    const instant = instantOf(value, at.key);
    if (instant === undefined) return oneLine(value);
    return relativeTime(instant, at.now) ?? wallTime(value, instant);
  }
  const depth = at.depth ?? 0;
  if (depth >= DEEPEST || value === null || isRawNumber(value)) return oneLine(cellText(value));
  const inner = { ...at, depth: depth + 1 };
  if (Array.isArray(value)) return value.map((item) => plainText(item, inner)).join(", ");
  if (isJsonObject(value)) {
    return Object.entries(value)
      .map(([key, member]) => `${oneLine(key)}: ${plainText(member, { ...inner, key })}`)
      .join(", ");
  }
  return oneLine(cellText(value));
}

/** One object as lines of name and value, nested ones indented. */
function card(record: JsonObject, look: TerminalLook): string {
  return cardLines(record, { look, indent: 0 }).join("\n") + "\n";
}

function cardLines(record: JsonObject, at: { look: TerminalLook; indent: number }): string[] {
  const { look, indent } = at;
  const { styles } = look;
  const entries = Object.entries(record);
  const widest = Math.min(WIDEST_LABEL, Math.floor((look.width - indent) * 0.4));
  const label = Math.max(
    0,
    ...entries.map(([key]) => textWidth(oneLine(key))).filter((columns) => columns <= widest),
  );
  const margin = " ".repeat(indent);
  return entries.flatMap(([key, value]) => {
    const name = oneLine(key);
    const nested = nestedLines(value, { look, indent: indent + 2 });
    if (nested !== undefined) {
      return [`${margin}${styles.bold(cutToWidth(name, look.width - indent))}`, ...nested];
    }
    if (textWidth(name) > label) {
      const inner = " ".repeat(indent + 2);
      const lines = wrapText(
        cardText(value, { key, now: look.now }),
        Math.max(NARROWEST_TEXT, look.width - inner.length),
      );
      const title = cutToWidth(name, look.width - indent);
      return [`${margin}${styles.bold(title)}`, ...lines.map((line) => inner + line)];
    }
    const room = Math.max(NARROWEST_TEXT, look.width - indent - label - GUTTER);
    const [first = "", ...rest] = wrapText(cardText(value, { key, now: look.now }), room);
    const gap = " ".repeat(Math.max(0, label - textWidth(name)) + GUTTER);
    return [
      `${margin}${styles.bold(name)}${gap}${first}`.trimEnd(),
      ...rest.map((line) => `${margin}${" ".repeat(label + GUTTER)}${line}`.trimEnd()),
    ];
  });
}

function nestedLines(
  value: JsonValue,
  at: { look: TerminalLook; indent: number },
): string[] | undefined {
  if (at.indent > DEEPEST * 2) return undefined;
  if (isJsonObject(value) && Object.keys(value).length > 0) return cardLines(value, at);
  if (!Array.isArray(value) || !value.some(isJsonObject)) return undefined;
  return value.flatMap((item, index) => {
    const lines = isJsonObject(item) ? cardLines(item, { ...at, indent: at.indent + 2 }) : wrapText(
      plainText(item, { key: "", now: at.look.now }),
      Math.max(NARROWEST_TEXT, at.look.width - at.indent - 2),
    ).map((line) => " ".repeat(at.indent + 2) + line);
    const [first = "", ...rest] = lines;
    const mark = at.look.styles.dim(`${index + 1}.`.padEnd(2));
    return [`${" ".repeat(at.indent)}${mark}${first.slice(at.indent + 2)}`, ...rest];
  });
}

function cardText(value: JsonValue, at: { key: string; now: number }): string {
  if (typeof value === "string") {
    const instant = instantOf(value, at.key);
    const text = visibleText(value.replaceAll("\r\n", "\n").replaceAll("\t", "  ").trimEnd());
    const relative = instant === undefined ? undefined : relativeTime(instant, at.now);
    return relative === undefined ? text : `${text} (${relative})`;
  }
  return plainText(value, at);
}

function oneLine(text: string): string {
  return visibleText(text.replace(/\r\n|[\r\n\t]/g, " "));
}
