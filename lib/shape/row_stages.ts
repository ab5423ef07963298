/** Stage 7: `dedupe`, `sort_by`, `limit` on the record array (spec 03 §3.4). */

import { isJsonObject, isRawNumber, type JsonObject, type JsonValue } from "../json/mod.ts";
import { jsonText } from "../format/mod.ts";

/** Folds rows with equal keys into the first of them. */
export function dedupeRows(
  rows: readonly JsonValue[],
  by: readonly string[],
): { rows: JsonValue[]; removed: number } {
  const first = new Map<string, { index: number; count: number }>();
  const kept: JsonValue[] = [];
  for (const row of rows) {
    const key = rowKey(row, by);
    const seen = key === undefined ? undefined : first.get(key);
    if (seen !== undefined) seen.count++;
    else {
      if (key !== undefined) first.set(key, { index: kept.length, count: 1 });
      kept.push(row);
    }
  }
  for (const { index, count } of first.values()) {
    const row = kept[index] as JsonObject;
    if (count > 1 && !Object.hasOwn(row, "occurrence_count")) {
      kept[index] = Object.fromEntries([...Object.entries(row), ["occurrence_count", count]]);
    }
  }
  return { rows: kept, removed: rows.length - kept.length };
}

/** Undefined for what cannot be keyed: not an object, or none of the fields present. */
function rowKey(row: JsonValue, by: readonly string[]): string | undefined {
  if (!isJsonObject(row) || !by.some((field) => Object.hasOwn(row, field))) return undefined;
  return jsonText(by.map((field) => Object.hasOwn(row, field) ? row[field] as JsonValue : null));
}

/** Stable sort of the object elements among the places they hold; other elements do not move. */
export function sortRows(rows: readonly JsonValue[], key: string): JsonValue[] {
  const sorted = rows.filter(isJsonObject).map((row) => ({ row, rank: rankOf(row, key) }));
  sorted.sort((a, b) => compareRanks(a.rank, b.rank));
  let next = 0;
  return rows.map((row) => isJsonObject(row) ? sorted[next++]?.row as JsonObject : row);
}

type Rank =
  | { kind: "missing" }
  | { kind: "null" }
  | { kind: "number"; value: number | bigint; text: string }
  | { kind: "string"; value: string; text: string }
  | { kind: "other"; text: string };

const KIND_ORDER: Record<Rank["kind"], number> = {
  missing: 0,
  null: 1,
  number: 2,
  string: 2,
  other: 2,
};

function rankOf(row: JsonObject, key: string): Rank {
  if (!Object.hasOwn(row, key)) return { kind: "missing" };
  const value = row[key] as JsonValue;
  if (value === null) return { kind: "null" };
  const text = jsonText(value);
  if (typeof value === "number") return { kind: "number", value, text };
  if (typeof value === "string") return { kind: "string", value, text };
  if (isRawNumber(value)) {
    const exact = /^-?[0-9]+$/.test(value.rawJSON);
    return { kind: "number", value: exact ? BigInt(value.rawJSON) : Number(value.rawJSON), text };
  }
  return { kind: "other", text };
}

function compareRanks(a: Rank, b: Rank): number {
  const order = KIND_ORDER[a.kind] - KIND_ORDER[b.kind];
  if (order !== 0) return order;
  if (a.kind === "number" && b.kind === "number") return compareValues(a.value, b.value);
  if (a.kind === "string" && b.kind === "string") return compareValues(a.value, b.value);
  return compareValues("text" in a ? a.text : "", "text" in b ? b.text : "");
}

/** JavaScript compares a bigint with a double exactly. */
function compareValues<T extends string | number | bigint>(a: T, b: T): number {
  return a < b ? -1 : a > b ? 1 : 0;
}
