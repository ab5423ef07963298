/** Which rows and columns a value has as a table (spec 03 §3.13); shared by CSV, markdown, table. */

import { isJsonObject, type JsonObject, type JsonValue } from "../json/mod.ts";
import { recordKey } from "./record_array.ts";
import { isTooSparse } from "./toon/document.ts";

/** A value laid out as a table. */
export interface TableLayout {
  /**
   * `records`: an array; `object`: a plain object as field and value rows; `scalar`: one cell.
   */
  kind: "records" | "object" | "scalar";
  columns: string[];
  /** A missing cell is undefined. */
  rows: (JsonValue | undefined)[][];
  /** Top-level members beside the table, sorted by key; arrays among them show as a count. */
  envelope: [string, JsonValue][];
  /** Keys of the envelope's arrays. */
  countedArrays: string[];
}

/** The layout of a value; undefined when its table would be almost nothing but empty cells. */
export function tableLayout(value: JsonValue): TableLayout | undefined {
  if (Array.isArray(value)) return recordsLayout(value, []);
  if (!isJsonObject(value)) {
    return { kind: "scalar", columns: ["value"], rows: [[value]], envelope: [], countedArrays: [] };
  }
  const key = primaryKey(value);
  const names = Object.keys(value).sort();
  if (key === undefined) {
    return {
      kind: "object",
      columns: ["field", "value"],
      rows: names.map((name) => [name, value[name]]),
      envelope: [],
      countedArrays: [],
    };
  }
  const envelope = names.filter((name) => name !== key)
    .map((name): [string, JsonValue] => [name, value[name] as JsonValue]);
  return recordsLayout(value[key] as JsonValue[], envelope);
}

/** The record array, else `rows`, else the alphabetically first array. */
function primaryKey(object: JsonObject): string | undefined {
  const key = recordKey(object);
  if (key !== undefined) return key;
  if (Object.hasOwn(object, "rows") && Array.isArray(object.rows)) return "rows";
  return Object.keys(object).sort().find((name) => Array.isArray(object[name]));
}

function recordsLayout(
  records: JsonValue[],
  envelope: [string, JsonValue][],
): TableLayout | undefined {
  const lists = records.filter((record): record is JsonValue[] => Array.isArray(record));
  if (lists.length === records.length && lists.some((list) => list.length > 0)) {
    return gridLayout(lists, envelope);
  }
  const union = new Set<string>();
  let hasScalars = false;
  let filled = 0;
  for (const record of records) {
    if (!isJsonObject(record)) hasScalars = true;
    else {
      for (const key in record) {
        union.add(key);
        filled++;
      }
    }
  }
  const keys = [...union].sort();
  if (isTooSparse({ columns: keys.length, rows: records.length, filled })) return undefined;
  const countedArrays = envelope.filter(([, member]) => Array.isArray(member)).map(([key]) => key);
  if (keys.length === 0 && records.length > 0) {
    // Records without members are records all the same.
    const rows = records.map((record) => [record]);
    return { kind: "records", columns: ["value"], rows, envelope, countedArrays };
  }
  const scalarColumn = union.has("value") ? uniqueName("_value", union) : "value";
  const columns = hasScalars ? [...keys, scalarColumn] : keys;
  const rows = records.map((record): (JsonValue | undefined)[] => {
    if (!isJsonObject(record)) return [...keys.map(() => undefined), record];
    const cells = keys.map((key) => Object.hasOwn(record, key) ? record[key] : undefined);
    return hasScalars ? [...cells, undefined] : cells;
  });
  return { kind: "records", columns, rows, envelope, countedArrays };
}

/** Rows that are lists, such as the cells of a range: one numbered column a place. */
function gridLayout(
  records: readonly JsonValue[][],
  envelope: [string, JsonValue][],
): TableLayout | undefined {
  const width = records.reduce((widest, row) => Math.max(widest, row.length), 0);
  const filled = records.reduce((cells, row) => cells + row.length, 0);
  if (isTooSparse({ columns: width, rows: records.length, filled })) return undefined;
  return {
    kind: "records",
    columns: Array.from({ length: width }, (_, at) => `${at + 1}`),
    rows: records.map((row) => Array.from({ length: width }, (_, at) => row[at])),
    envelope,
    countedArrays: envelope.filter(([, member]) => Array.isArray(member)).map(([key]) => key),
  };
}

/** A name that is not taken, by prefixing underscores. */
export function uniqueName(name: string, taken: ReadonlySet<string>): string {
  let candidate = name;
  while (taken.has(candidate)) candidate = `_${candidate}`;
  return candidate;
}

/** How a secondary array is shown. */
export function countText(array: readonly JsonValue[]): string {
  return `[${array.length} items]`;
}
