/** Reading the TOON document (spec 03 §3.12.1). */

import { GumError } from "../../errors/mod.ts";
import { type JsonObject, type JsonValue, readJson, setOwn } from "../../json/mod.ts";
import { unmarkText } from "../untrusted_marks.ts";
import { numberFromText, type ScannedCell, scanRows, untypedCell } from "./cells.ts";
import { ToonDecodeError } from "./errors.ts";

/** The type a column is decoded with. */
export interface ToonColumn {
  name: string;
  type: "string" | "int" | "float" | "bool";
}

/** How to read. */
export interface ToonDecodeOptions {
  /** Decides string against number; without it an empty cell is null and look-alikes are typed. */
  schema?: ToonColumn[];
}

/** A document that was read. */
export interface ToonDocument {
  op: string;
  variant: string;
  formatVersion: 1;
  count: number;
  fields: string[];
  nextPageToken?: string;
  records?: string;
  jsonFields: string[];
  meta: JsonObject;
  /** One array per record, as wide as `fields`. */
  rows: JsonValue[][];
}

/**
 * Reads a document.
 *
 * @throws GumError `TOON_VERSION_UNSUPPORTED` for an integer version other than 1.
 * @throws ToonDecodeError for text that is not a document.
 */
export function decodeToonDocument(text: string, options: ToonDecodeOptions = {}): ToonDocument {
  const { lines, body } = splitDocument(text);
  const header = readHeader(lines);
  for (const key of ["op", "variant", "format_version", "count", "fields"]) {
    if (!header.has(key)) throw new ToonDecodeError("missing_header", `no ${key} line`);
  }
  const value = (key: string) => header.get(key) ?? "";
  if (!/^[+-]?[0-9]+$/.test(value("format_version"))) {
    throw new ToonDecodeError("bad_format_version", "format_version is not an integer");
  }
  const formatVersion = Number(value("format_version"));
  if (formatVersion !== 1) throw unsupportedVersion(formatVersion);
  if (!/^[0-9]+$/.test(value("count")) || !Number.isSafeInteger(Number(value("count")))) {
    throw new ToonDecodeError("bad_count", "count is not an integer of at least 0");
  }
  const count = Number(value("count"));
  const fields = readNames(value("fields"));
  const jsonFields = readNames(value("json_fields"));
  if (options.schema !== undefined && options.schema.length !== fields.length) {
    throw new ToonDecodeError(
      "schema_mismatch",
      `the schema has ${options.schema.length} columns, the document ${fields.length}`,
    );
  }
  const document: ToonDocument = {
    op: value("op"),
    variant: value("variant"),
    formatVersion: 1,
    count,
    fields,
    jsonFields,
    meta: readMeta(header),
    rows: [],
  };
  if (header.has("next_page_token")) document.nextPageToken = value("next_page_token");
  if (header.has("records")) document.records = value("records");
  document.rows = readRows(body, { count, fields, jsonFields, schema: options.schema });
  const mark = header.get("untrusted_mark");
  if (mark !== undefined && mark !== "") stripMarks(document, mark);
  return document;
}

/** The body that a document shows: its array, or the object that held it. */
export function toonDocumentValue(document: ToonDocument): JsonValue {
  const rows = document.rows.map((row) => {
    const record: JsonObject = {};
    row.forEach((cell, index) => {
      if (cell !== null) setOwn(record, document.fields[index] as string, cell);
    });
    return record;
  });
  if (document.records === undefined) return rows;
  const body: JsonObject = { ...document.meta };
  setOwn(body, document.records, rows);
  if (document.nextPageToken !== undefined) body.nextPageToken = document.nextPageToken;
  return body;
}

function unsupportedVersion(version: number): GumError {
  return new GumError("TOON_VERSION_UNSUPPORTED", {
    message: `TOON format_version ${version} is not supported`,
    details: { format_version: version, supported: [1] },
    userMessage: "The text was written in a version of the format this GUM does not read.",
    suggestion: "Upgrade GUM, or the plugin that wrote the text.",
  });
}

/** The header lines and the body; the first blank line separates them. */
function splitDocument(text: string): { lines: string[]; body: string } {
  const lines: string[] = [];
  let start = 0;
  while (true) {
    const end = text.indexOf("\n", start);
    if (end === -1) {
      throw new ToonDecodeError("missing_separator", "no blank line after the header");
    }
    const line = text.slice(start, end);
    start = end + 1;
    if (line === "" || line === "\r") return { lines, body: text.slice(start) };
    lines.push(line);
  }
}

function readHeader(lines: string[]): Map<string, string> {
  const header = new Map<string, string>();
  for (const line of lines) {
    const colon = line.indexOf(":");
    if (colon === -1) throw new ToonDecodeError("malformed_header", "a header line has no colon");
    header.set(line.slice(0, colon).trim(), line.slice(colon + 1).trim());
  }
  return header;
}

function readNames(text: string): string[] {
  return text === "" ? [] : (scanRows(text)[0] ?? []).map((cell) => cell.text);
}

function readMeta(header: Map<string, string>): JsonObject {
  const meta: JsonObject = {};
  for (const [key, text] of header) {
    if (key.startsWith("meta.")) setOwn(meta, key.slice("meta.".length), jsonOf(text, key));
  }
  return meta;
}

function jsonOf(text: string, where: string): JsonValue {
  try {
    return readJson(text).value;
  } catch (cause) {
    throw new ToonDecodeError("bad_json", `${where} does not hold JSON`, { cause });
  }
}

interface RowShape {
  count: number;
  fields: string[];
  jsonFields: string[];
  schema: ToonColumn[] | undefined;
}

function readRows(body: string, shape: RowShape): JsonValue[][] {
  if (shape.count === 0) {
    if (body.trim() !== "{}") throw new ToonDecodeError("count_zero_body", "count 0 needs {}");
    return [];
  }
  const text = body.endsWith("\r\n")
    ? body.slice(0, -2)
    : body.endsWith("\n")
    ? body.slice(0, -1)
    : body;
  const scanned = scanRows(text);
  if (scanned.length !== shape.count) {
    throw new ToonDecodeError(
      "count_mismatch",
      `count says ${shape.count}, the body has ${scanned.length} rows`,
    );
  }
  const jsonFields = new Set(shape.jsonFields);
  return scanned.map((cells) => {
    if (cells.length > shape.fields.length) {
      throw new ToonDecodeError("fields_mismatch", "a row has more cells than there are fields");
    }
    return shape.fields.map((name, index) => {
      const cell = cells[index];
      if (cell === undefined) return null;
      if (jsonFields.has(name)) {
        return cell.text === "" && !cell.quoted ? null : jsonOf(cell.text, name);
      }
      const type = shape.schema?.[index]?.type;
      return type === undefined ? untypedCell(cell) : typedCell(cell, type);
    });
  });
}

function typedCell(cell: ScannedCell, type: ToonColumn["type"]): JsonValue {
  if (cell.text === "" && !cell.quoted) return null;
  switch (type) {
    case "string":
      return cell.text;
    case "bool":
      return cell.text === "true" ? true : cell.text === "false" ? false : null;
    case "int":
      return /^-?[0-9]+$/.test(cell.text) ? numberFromText(cell.text) ?? null : null;
    case "float":
      return numberFromText(cell.text) ?? null;
  }
}

function stripMarks(document: ToonDocument, mark: string): void {
  document.rows = document.rows.map((row) => row.map((cell) => unmarkText(cell, mark)));
  document.meta = unmarkText(document.meta, mark) as JsonObject;
}
