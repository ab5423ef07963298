/** The fields of an operation as flags, array paths and argument values (spec 08 §4.3). */

import { mustBeGiven, operationArguments } from "../lib/catalog/lookup/mod.ts";
import type { CatalogSnapshot, FieldType, Op, RequestField } from "../lib/catalog/types.ts";
import { type JsonObject, type JsonValue, setOwn } from "../lib/json/mod.ts";
import { jsonValue } from "./arg_grammar.ts";
import { type FlagValues, GLOBAL_FLAGS, takesNextWord } from "./parse.ts";
import type { FlagSpec } from "./types.ts";

/** One argument of an operation, whichever way the catalog declares it. */
export interface CallField {
  name: string;
  location: RequestField["location"];
  type: FieldType;
  itemType?: string;
  enum?: readonly string[];
  /** False also where the host supplies a value. */
  required: boolean;
  /** Value used when none is given. */
  default?: string;
  format?: string;
  description?: string;
}

/** Arguments of an operation in catalog order. */
export function callFields(op: Op): CallField[] {
  return operationArguments(op).map((argument) => ({
    name: argument.name,
    location: argument.location ?? "arg",
    ...fieldType(argument.type),
    ...(argument.item_type === undefined ? {} : { itemType: argument.item_type }),
    enum: argument.enum,
    required: mustBeGiven(argument),
    default: argument.host_default ?? argument.default,
    format: argument.format,
    description: argument.description,
  }));
}

function fieldType(type: string): { type: FieldType; itemType?: string } {
  switch (type) {
    case "string[]":
      return { type: "array", itemType: "string" };
    case "integer":
    case "number":
    case "boolean":
    case "array":
    case "object":
      return { type };
    default:
      return { type: "string" };
  }
}

/** Objects, and lists of them, cannot be told as words. */
export function takesJson({ type, itemType }: CallField): boolean {
  return type === "object" || (type === "array" && (itemType === "object" || itemType === "array"));
}

/** `labelIds` → `label-ids`, `URLPath` → `url-path`, `ID` → `id`. */
export function kebabCase(name: string): string {
  return name.replace(
    /(?<=[a-z0-9])[A-Z]|(?<=[^-])[A-Z](?=[a-z])/g,
    (capital) => "-" + capital,
  ).toLowerCase();
}

/** Flag name to field, for every field whose flag name is free. */
function flagFields(op: Op, existing: readonly FlagSpec[]): Map<string, CallField> {
  const taken = new Set([...existing, ...GLOBAL_FLAGS].map((flag) => flag.name));
  const byFlag = new Map<string, CallField>();
  for (const field of callFields(op)) {
    const flag = kebabCase(field.name);
    if (!/^[a-z0-9$_]/.test(flag) || /[=\s]/.test(flag)) continue;
    if (!taken.has(flag) && !byFlag.has(flag)) byFlag.set(flag, field);
  }
  return byFlag;
}

/** The operation that the words after `call` name, when it is in the catalog. */
export function namedOperation(
  words: readonly string[],
  options: { catalog: CatalogSnapshot; existing: readonly FlagSpec[] },
): Op | undefined {
  const known = [...options.existing, ...GLOBAL_FLAGS];
  for (let index = 0; index < words.length; index++) {
    const word = words[index] ?? "";
    if (word === "--") continue;
    if (word.startsWith("-")) {
      if (takesNextWord(word, known)) index++;
      continue;
    }
    // The value of a field flag may stand here and hold a dot, so look on until an id is known.
    const op = word.includes(".") ? options.catalog.findOp(word) : undefined;
    if (op !== undefined) return op;
  }
  return undefined;
}

/** One flag a field for the operation that the words name; none when it is unknown. */
export async function operationFlags(
  words: readonly string[],
  options: { catalog: () => Promise<CatalogSnapshot>; existing: readonly FlagSpec[] },
): Promise<FlagSpec[]> {
  if (!words.some((word) => word.includes("."))) return [];
  const catalog = await options.catalog();
  const op = namedOperation(words, { catalog, existing: options.existing });
  if (op === undefined) return [];
  return [...flagFields(op, options.existing)].map(([name, field]) => fieldFlag(name, field));
}

function fieldFlag(name: string, field: CallField): FlagSpec {
  const values = field.type === "boolean" ? ["true", "false"] : field.enum ?? [];
  return {
    name,
    type: field.type === "array" ? "stringArray" : field.type === "boolean" ? "bool" : "string",
    help: field.description?.split("\n")[0] ?? `argument ${field.name}`,
    ...(field.type === "boolean" ? { takesWord: true } : {}),
    ...(values.length === 0
      ? {}
      : { complete: () => ({ candidates: values.map((value) => ({ value })) }) }),
  };
}

/** Paths at which a repeated argument is appended, to the declared element type. */
export function arrayFields(op: Op | undefined): Map<string, string> {
  const paths = new Map<string, string>();
  for (const field of op === undefined ? [] : callFields(op)) {
    if (field.type !== "array") continue;
    paths.set(field.name, field.itemType ?? "");
    if (field.location === "body") paths.set(`body.${field.name}`, field.itemType ?? "");
  }
  return paths;
}

/** Adds the typed field flags: a scalar replaces the argument, array values are appended to it. */
export function mergeFieldFlags(
  args: JsonObject,
  source: { op: Op; flags: FlagValues; existing: readonly FlagSpec[] },
): void {
  for (const [flag, field] of flagFields(source.op, source.existing)) {
    if (!source.flags.changed(flag)) continue;
    if (field.type === "array") {
      const given = source.flags.list(flag).map((text) => elementValue(text, field, flag));
      setOwn(args, field.name, [...present(args, field.name), ...given]);
    } else {
      const text = source.flags.text(flag) ?? "";
      setOwn(args, field.name, field.type === "object" ? jsonValue(text, `--${flag}`) : text);
    }
  }
}

function elementValue(text: string, field: CallField, flag: string): JsonValue {
  return field.itemType === "object" || field.itemType === "array"
    ? jsonValue(text, `--${flag}`)
    : text;
}

function present(args: JsonObject, name: string): JsonValue[] {
  const value = Object.hasOwn(args, name) ? args[name] : undefined;
  if (value === undefined) return [];
  return Array.isArray(value) ? value : [value];
}
