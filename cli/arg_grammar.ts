/**
 * The argument grammar of `gum call` (spec 08 §5): `key=text`, `key:=json`, `@file`, dotted keys.
 *
 * @module
 */

import {
  isJsonObject,
  type JsonObject,
  type JsonValue,
  parseJson,
  setOwn,
} from "../lib/json/mod.ts";
import { CliArgError, invalidArg } from "./errors.ts";
import { unreadableReason } from "./unreadable_file.ts";

/** Largest `@file`, `@-` or `--args @…` in bytes. */
export const SOURCE_LIMIT_BYTES = 64 * 1024 * 1024;

/** Reads a file by path, or standard input for `-`. */
export type SourceReader = (source: string) => Promise<Uint8Array>;

/** Options of {@link parseCallArguments}. */
export interface CallArgumentOptions {
  /** Dotted paths of array fields, to what their elements are (`""` when not declared). */
  arrayFields: ReadonlyMap<string, string>;
  readSource: SourceReader;
}

/**
 * Parses the positional words after the operation id into one argument object.
 *
 * Files come first, left to right and merged shallowly, then the assignments.
 *
 * @throws CliArgError and nothing else.
 */
export async function parseCallArguments(
  words: readonly string[],
  options: CallArgumentOptions,
): Promise<JsonObject> {
  const args = emptyObject();
  for (const word of words) {
    if (!word.startsWith("@")) continue;
    const given = await readJsonObject(word, options.readSource);
    for (const key of Object.keys(given)) setOwn(args, key, given[key] ?? null);
  }
  applyAssignments(args, words.filter((word) => !word.startsWith("@")), options.arrayFields);
  return args;
}

/**
 * Reads the JSON object behind `@path` or `@-`.
 *
 * @throws CliArgError when it cannot be read, is too large or holds something else.
 */
export async function readJsonObject(word: string, readSource: SourceReader): Promise<JsonObject> {
  const source = word.slice(1);
  if (source === "") throw invalidArg(word, "a file name, or - for standard input, must follow @");
  let bytes: Uint8Array;
  try {
    bytes = await readSource(source);
  } catch (error) {
    throw invalidArg(word, unreadableReason(error, SOURCE_LIMIT_BYTES));
  }
  if (bytes.length > SOURCE_LIMIT_BYTES) throw invalidArg(word, "larger than 64 MiB");
  let text: string;
  try {
    text = new TextDecoder("utf-8", { fatal: true }).decode(bytes);
  } catch {
    throw invalidArg(word, "not UTF-8 text");
  }
  return jsonObject(text, word);
}

/** Parses text that must be a JSON object. @throws CliArgError naming `arg`. */
export function jsonObject(text: string, arg: string): JsonObject {
  const value = jsonValue(text, arg);
  if (!isJsonObject(value)) throw invalidArg(shown(arg), "not a JSON object");
  return value;
}

/** Parses JSON text. @throws CliArgError naming `arg`. */
export function jsonValue(text: string, arg: string): JsonValue {
  if (text.trim() === "") throw invalidArg(shown(arg), "empty JSON value");
  try {
    return parseJson(text);
  } catch (error) {
    const why = error instanceof Error ? error.message : String(error);
    // A stack overflow on absurd nesting is also only a bad argument.
    throw invalidArg(shown(arg), `not valid JSON (${shortened(why, 80)})`);
  }
}

/** Applies `key=text` and `key:=json` words to `args`, left to right. @throws CliArgError */
function applyAssignments(
  args: JsonObject,
  words: readonly string[],
  arrayFields: ReadonlyMap<string, string>,
): void {
  const assigned = new Set<string>();
  for (const word of words) {
    const { segments, value } = parseAssignment(word);
    const path = pathText(segments);
    const clash = [...assigned].find((other) => other.startsWith(path + "."));
    if (clash !== undefined) throw new CliArgError("CLI_ARG_DUPLICATE", { key: path });
    const { parent, name } = reach(args, segments, word);
    if (!assigned.has(path)) {
      assigned.add(path);
      setOwn(parent, name, value);
      continue;
    }
    const items = arrayFields.get(segments.join("."));
    if (items === undefined) throw new CliArgError("CLI_ARG_DUPLICATE", { key: path });
    setOwn(parent, name, [...listed(own(parent, name), items), ...listed(value, items)]);
  }
}

// In a field whose elements are arrays, `[1,2]` is one element; elsewhere it is two.
function listed(value: JsonValue | undefined, items: string): JsonValue[] {
  if (value === undefined) return [];
  if (!Array.isArray(value)) return [value];
  const isOneElement = items === "array" && !value.every(Array.isArray);
  return isOneElement ? [value] : value;
}

interface Assignment {
  segments: string[];
  value: JsonValue;
}

function parseAssignment(word: string): Assignment {
  if (word === "") throw invalidArg("", "empty argument");
  if (word.startsWith("-")) throw invalidArg(shown(word), "starts with a hyphen");
  const segments: string[] = [];
  let segment = "";
  const finish = () => {
    if (segment === "") {
      throw invalidArg(shown(word), segments.length === 0 ? "empty key" : "empty key segment");
    }
    segments.push(segment);
    segment = "";
  };
  for (let index = 0; index < word.length; index++) {
    const char = word[index];
    const next = word[index + 1];
    if (char === "\\") {
      if (next === undefined) throw invalidArg(shown(word), "dangling backslash");
      if (next !== "." && next !== "\\") {
        throw invalidArg(shown(word), "only \\. and \\\\ are escapes in a key");
      }
      segment += next;
      index++;
    } else if (char === ".") finish();
    else if (char === "=") {
      finish();
      return { segments, value: word.slice(index + 1) };
    } else if (char === ":" && next === "=") {
      finish();
      return { segments, value: jsonValue(word.slice(index + 2), word) };
    } else segment += char;
  }
  throw invalidArg(shown(word), "expected key=value, key:=json or @file");
}

function reach(
  args: JsonObject,
  segments: readonly string[],
  word: string,
): { parent: JsonObject; name: string } {
  let parent = args;
  for (const [depth, segment] of segments.slice(0, -1).entries()) {
    let child = own(parent, segment);
    if (child === undefined) {
      child = emptyObject();
      setOwn(parent, segment, child);
    }
    if (!isJsonObject(child)) {
      const place = pathText(segments.slice(0, depth + 1));
      throw new CliArgError("CLI_ARG_INVALID", {
        key: pathText(segments),
        arg: shown(word),
        reason: `${pathText(segments)} collides with the value already at ${place}`,
      });
    }
    parent = child;
  }
  return { parent, name: segments.at(-1) ?? "" };
}

function own(object: JsonObject, key: string): JsonValue | undefined {
  return Object.hasOwn(object, key) ? object[key] : undefined;
}

// No prototype: `constructor` and `toString` are keys like any other.
function emptyObject(): JsonObject {
  return Object.create(null) as JsonObject;
}

function pathText(segments: readonly string[]): string {
  return segments.map((segment) => segment.replace(/[.\\]/g, "\\$&")).join(".");
}

function shown(arg: string): string {
  return shortened(arg, 200);
}

function shortened(text: string, limit: number): string {
  return text.length > limit ? text.slice(0, limit) + "…" : text;
}
