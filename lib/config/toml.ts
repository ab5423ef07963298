/** TOML to flattened keys and back. The parser is loaded only where a file is read. */

import { parse, stringify, TomlError } from "smol-toml";
import type { TomlValue } from "./keys.ts";

/** Flattened keys with their values, in file order. */
export type FlatConfig = ReadonlyMap<string, TomlValue>;

/** The text is not TOML, or names one key twice. */
export class TomlSyntaxError extends Error {
  constructor(message: string, readonly line?: number, readonly column?: number) {
    super(message);
    this.name = "TomlSyntaxError";
  }
}

/** Parses and flattens a file. @throws TomlSyntaxError */
export function parseFlat(text: string): FlatConfig {
  const flat = new Map<string, TomlValue>();
  flatten(parsed(text), { flat, path: "" });
  return flat;
}

function parsed(text: string): Record<string, unknown> {
  try {
    return parse(text, { integersAsBigInt: true });
  } catch (error) {
    if (!(error instanceof TomlError)) throw error;
    // The rest of its message is an excerpt of the file.
    const [first = ""] = error.message.replace(/^Invalid TOML document: /, "").split("\n");
    throw new TomlSyntaxError(first, error.line, error.column);
  }
}

function flatten(table: unknown, at: { flat: Map<string, TomlValue>; path: string }): void {
  for (const [key, value] of Object.entries(table as Record<string, TomlValue>)) {
    const name = at.path === "" ? key : `${at.path}.${key}`;
    if (isTable(value)) flatten(value, { flat: at.flat, path: name });
    else if (at.flat.has(name)) throw new TomlSyntaxError(`${name} is given twice`);
    else at.flat.set(name, value);
  }
}

function isTable(value: TomlValue): value is { [key: string]: TomlValue } {
  return typeof value === "object" && !Array.isArray(value) && !(value instanceof Date);
}

/** One value as it stands behind `=`, on one line. */
export function tomlValue(value: TomlValue): string {
  if (Array.isArray(value)) {
    return value.length === 0 ? "[]" : `[ ${value.map(tomlValue).join(", ")} ]`;
  }
  if (isTable(value)) {
    const pairs = Object.entries(value).map(([key, one]) => `${tomlKey(key)} = ${tomlValue(one)}`);
    return pairs.length === 0 ? "{}" : `{ ${pairs.join(", ")} }`;
  }
  return stringify({ x: value }, { numbersAsFloat: true }).replace(/^x = /, "").trimEnd();
}

/** A flattened key as it stands before `=`. */
export function tomlKey(key: string): string {
  return key.split(".").map((part) => /^[A-Za-z0-9_-]+$/.test(part) ? part : quoted(part))
    .join(".");
}

function quoted(part: string): string {
  return stringify({ x: part }).replace(/^x = /, "").trimEnd();
}

/** The whole file in one fixed form: version first, then sorted dotted keys. Comments are gone. */
export function canonicalToml(flat: FlatConfig): string {
  const keys = [...flat.keys()].sort((a, b) => rank(a) - rank(b) || (a < b ? -1 : 1));
  return keys.map((key) => `${tomlKey(key)} = ${tomlValue(flat.get(key) ?? "")}\n`).join("");
}

function rank(key: string): number {
  return key === "config_schema_version" ? 0 : 1;
}

/** Whether two flattened files say the same. */
export function sameConfig(one: FlatConfig, other: FlatConfig): boolean {
  return one.size === other.size &&
    [...one].every(([key, value]) => {
      const there = other.get(key);
      return there !== undefined && typeof there === typeof value &&
        tomlValue(there) === tomlValue(value);
    });
}
