/**
 * Changing one key of a TOML text and leaving everything else as it was (spec 05 §3.2).
 *
 * The places are found by reading lines, which multi-line strings can fool; so every attempt is
 * parsed again and counts only when it says what the old text said plus the change.
 */

import type { TomlValue } from "./keys.ts";
import {
  canonicalToml,
  type FlatConfig,
  parseFlat,
  sameConfig,
  tomlKey,
  TomlSyntaxError,
  tomlValue,
} from "./toml.ts";

/** One key and its new value; undefined removes it. */
export interface ConfigChange {
  key: string;
  value: TomlValue | undefined;
}

/** The new text, and whether it had to be written anew without comments. */
export interface EditedText {
  text: string;
  commentsDropped: boolean;
}

/** Applies changes one after the other. @throws TomlSyntaxError when the old text is not TOML. */
export function editToml(text: string, changes: readonly ConfigChange[]): EditedText {
  let edited: EditedText = { text, commentsDropped: false };
  for (const change of changes) {
    const next = applied(edited.text, change);
    edited = {
      text: next.text,
      commentsDropped: edited.commentsDropped || next.commentsDropped,
    };
  }
  return edited;
}

function applied(text: string, change: ConfigChange): EditedText {
  const wanted = flatAfter(parseFlat(text), change);
  for (const attempt of attempts(text, change)) {
    if (says(attempt, wanted)) return { text: attempt, commentsDropped: false };
  }
  return { text: canonicalToml(wanted), commentsDropped: /^\s*#|\s#/m.test(text) };
}

function flatAfter(flat: FlatConfig, { key, value }: ConfigChange): FlatConfig {
  const after = new Map(flat);
  if (value === undefined) after.delete(key);
  else after.set(key, value);
  return after;
}

function says(text: string, wanted: FlatConfig): boolean {
  try {
    return sameConfig(parseFlat(text), wanted);
  } catch (error) {
    if (error instanceof TomlSyntaxError) return false;
    throw error;
  }
}

interface ReadLine {
  /** Path of the table the line stands in. */
  table: string;
  kind: "blank" | "comment" | "header" | "pair" | "other";
  /** The flattened key of a line that holds exactly one. */
  key?: string;
}

function* attempts(text: string, change: ConfigChange): Generator<string> {
  const end = text.includes("\r\n") ? "\r\n" : "\n";
  const lines = text === "" ? [] : text.replace(/\r?\n$/, "").split(/\r?\n/);
  const read = readLines(lines);
  const joined = (changed: readonly string[]) => changed.map((line) => line + end).join("");
  const at = read.findIndex((line) => line.key === change.key);
  if (change.value === undefined) {
    if (at >= 0) yield joined(lines.toSpliced(at, 1));
    return;
  }
  const value = tomlValue(change.value);
  if (at >= 0) {
    for (const line of replacedValue(lines[at] ?? "", value)) {
      yield joined(lines.toSpliced(at, 1, line));
    }
    return;
  }
  if (change.key === "config_schema_version") {
    yield joined([`config_schema_version = ${value}`, ...lines]);
  }
  for (const place of places(read, change.key)) {
    yield joined(lines.toSpliced(place.index, 0, `${tomlKey(place.key)} = ${value}`));
  }
}

function readLines(lines: readonly string[]): ReadLine[] {
  let table = "";
  return lines.map((line) => {
    const trimmed = line.trim();
    if (trimmed === "") return { table, kind: "blank" };
    if (trimmed.startsWith("#")) return { table, kind: "comment" };
    if (trimmed.startsWith("[")) {
      table = headerPath(trimmed) ?? table;
      return { table, kind: "header" };
    }
    const key = onlyKey(trimmed);
    if (key === undefined) return { table, kind: "other" };
    return { table, kind: "pair", key: table === "" ? key : `${table}.${key}` };
  });
}

function headerPath(line: string): string | undefined {
  try {
    const [key] = parseFlat(`${line}\n"" = 1\n`).keys();
    return key?.slice(0, -1);
  } catch (error) {
    if (error instanceof TomlSyntaxError) return undefined;
    throw error;
  }
}

function onlyKey(line: string): string | undefined {
  try {
    const keys = [...parseFlat(line).keys()];
    return keys.length === 1 ? keys[0] : undefined;
  } catch (error) {
    if (error instanceof TomlSyntaxError) return undefined;
    throw error;
  }
}

/** The line with its value replaced, first with the comment behind it kept. */
function* replacedValue(line: string, value: string): Generator<string> {
  for (let equals = line.indexOf("="); equals >= 0; equals = line.indexOf("=", equals + 1)) {
    const before = line.slice(0, equals + 1);
    for (let hash = line.indexOf("#", equals); hash >= 0; hash = line.indexOf("#", hash + 1)) {
      if (onlyKey(line.slice(0, hash)) === undefined) continue;
      const gap = /\s*$/.exec(line.slice(equals + 1, hash))?.[0] ?? "";
      yield `${before} ${value}${gap === "" ? " " : gap}${line.slice(hash)}`;
      break;
    }
    yield `${before} ${value}`;
  }
}

/** Where a new key could go: the table closest to it, else the top level. */
function places(read: readonly ReadLine[], key: string): { index: number; key: string }[] {
  const tables = [...new Set(read.filter(({ kind }) => kind === "header").map((l) => l.table))]
    .filter((table) => key.startsWith(`${table}.`))
    .sort((a, b) => b.length - a.length);
  const found = tables.map((table) => {
    const header = read.findIndex((line) => line.kind === "header" && line.table === table);
    const next = read.findIndex((line, index) => index > header && line.kind === "header");
    return {
      index: lastPair(read, { from: header + 1, to: next < 0 ? read.length : next }) ?? header + 1,
      key: key.slice(table.length + 1),
    };
  });
  return [...found, { index: topLevelPlace(read), key }];
}

function lastPair(
  read: readonly ReadLine[],
  range: { from: number; to: number },
): number | undefined {
  for (let index = range.to - 1; index >= range.from; index--) {
    const kind = read[index]?.kind;
    if (kind === "pair" || kind === "other") return index + 1;
  }
  return undefined;
}

// After the last key before the first table; else before that table and the comment on top of it.
function topLevelPlace(read: readonly ReadLine[]): number {
  const header = read.findIndex((line) => line.kind === "header");
  const to = header < 0 ? read.length : header;
  const after = lastPair(read, { from: 0, to });
  if (after !== undefined) return after;
  let index = to;
  while (header >= 0 && read[index - 1]?.kind === "comment") index--;
  return index;
}
