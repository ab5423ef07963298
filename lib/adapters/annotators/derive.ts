/** Adding flat fields to records without touching what the service sent. */

import { isJsonObject, type JsonObject, type JsonValue, setOwn } from "../../json/mod.ts";

/** A body with derived fields and the paths that were added. */
export interface AnnotatedBody {
  body: JsonValue;
  addedPaths: string[];
  /** Fields that the added ones say completely, with those that do. */
  carriedPaths?: Readonly<Record<string, readonly string[]>>;
  /** Fits what was added to the rows that shaping left. */
  settle?: (shaped: JsonValue) => JsonValue;
}

/** Derived fields of one record; undefined members are left out. */
export type Derived = Record<string, JsonValue | undefined>;

/** Adds fields to an answer; undefined when there is nothing to add. */
export type Annotator = (body: JsonObject, args: JsonObject) => AnnotatedBody | undefined;

/** Nesting in which records are looked for; no answer of a service comes near it. */
export const NESTING_LIMIT = 60;

/** The members of an object, or none. */
export function objectOf(value: JsonValue | undefined): JsonObject {
  return isJsonObject(value) ? value : {};
}

/** The elements of an array that are objects. */
export function objectsOf(value: JsonValue | undefined): JsonObject[] {
  return Array.isArray(value) ? value.filter(isJsonObject) : [];
}

/** A string that says something. */
export function textOf(value: JsonValue | undefined): string | undefined {
  return typeof value === "string" && value !== "" ? value : undefined;
}

/** The value at a path of plain members. */
export function at(record: JsonObject, path: string): JsonValue | undefined {
  let value: JsonValue | undefined = record;
  for (const segment of path.split(".")) {
    if (!isJsonObject(value) || !Object.hasOwn(value, segment)) return undefined;
    value = value[segment];
  }
  return value;
}

/** The scalar at a path; objects and arrays are no scalars. */
export function scalarAt(record: JsonObject, path: string): JsonValue | undefined {
  const value = at(record, path);
  if (value === null || value === undefined || Array.isArray(value)) return undefined;
  return isJsonObject(value) ? undefined : value;
}

/** Texts put together; undefined when there are none. */
export function joined(
  texts: readonly (string | undefined)[],
  separator = "; ",
): string | undefined {
  const present = texts.filter((text) => text !== undefined && text !== "");
  return present.length === 0 ? undefined : present.join(separator);
}

/**
 * Whether a text shows an address whole. `https://bank.example` does not stand in
 * `https://bank.example.org`: a reader of that would take the link for another one.
 */
export function showsAddress(text: string, address: string): boolean {
  if (address === "") return false;
  for (
    let start = text.indexOf(address);
    start !== -1;
    start = text.indexOf(address, start + address.length)
  ) {
    const before = text[start - 1] ?? " ";
    const after = text.slice(start + address.length, start + address.length + 2);
    if (/[\s<>()[\]"']/.test(before) && /^(?:[/.,;:!?]?(?:$|\s)|[<>()[\]"'])/.test(after)) {
      return true;
    }
  }
  return false;
}

/** A copy of a record with derived fields; what it already has is never overwritten. */
export function withDerived(
  record: JsonObject,
  derived: Derived,
): { record: JsonObject; added: string[] } {
  const added = Object.keys(derived).filter((name) =>
    derived[name] !== undefined && !Object.hasOwn(record, name)
  );
  if (added.length === 0) return { record, added };
  const copy: JsonObject = {};
  for (const key of Object.keys(record)) setOwn(copy, key, record[key] as JsonValue);
  for (const name of added) setOwn(copy, name, derived[name] as JsonValue);
  return { record: copy, added };
}

/** Derives fields of the answer itself. */
export function annotateObject(
  body: JsonObject,
  derive: (record: JsonObject) => Derived,
): AnnotatedBody | undefined {
  const { record, added } = withDerived(body, derive(body));
  return added.length === 0 ? undefined : { body: record, addedPaths: added };
}

/** Derives fields of every record of a list member of the answer. */
export function annotateRows(
  body: JsonObject,
  options: { rows: string; derive: (record: JsonObject) => Derived },
): AnnotatedBody | undefined {
  const rows = body[options.rows];
  if (!Array.isArray(rows)) return undefined;
  const names = new Set<string>();
  const annotated = rows.map((row) => {
    if (!isJsonObject(row)) return row;
    const { record, added } = withDerived(row, options.derive(row));
    for (const name of added) names.add(name);
    return record;
  });
  if (names.size === 0) return undefined;
  return {
    body: { ...body, [options.rows]: annotated },
    addedPaths: [...names].sort().map((name) => `${options.rows}.${name}`),
  };
}
