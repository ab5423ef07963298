/** One pager for every list (spec 01 §3.5): pages of 100, opaque cursors bound to their list. */

import { isJsonObject, type JsonObject, type JsonValue, parseJson } from "../lib/json/mod.ts";
import { invalidParams } from "./jsonrpc_error.ts";

/** Entries on a page. */
export const PAGE_SIZE = 100;

/** A page of `entries`; `next` is present while more remains. */
export function page<T>(
  entries: readonly T[],
  request: { list: string; cursor: JsonValue | undefined },
): { entries: T[]; next?: string } {
  const offset = request.cursor === undefined ? 0 : readCursor(request.cursor, {
    list: request.list,
    length: entries.length,
  });
  const end = offset + PAGE_SIZE;
  const shown = entries.slice(offset, end);
  return end < entries.length
    ? { entries: shown, next: writeCursor({ l: request.list, o: end }) }
    : { entries: shown };
}

function writeCursor(position: JsonObject): string {
  return btoa(JSON.stringify(position)).replaceAll("+", "-").replaceAll("/", "_")
    .replace(/=+$/, "");
}

function readCursor(cursor: JsonValue, of: { list: string; length: number }): number {
  const position = decoded(cursor);
  const offset = position?.o;
  if (
    position?.l !== of.list || typeof offset !== "number" || !Number.isInteger(offset) ||
    offset < 1 || offset >= of.length
  ) {
    throw invalidParams("Invalid params", {
      userMessage: "The cursor does not belong to this list.",
      suggestion: "Start again without a cursor.",
    });
  }
  return offset;
}

function decoded(cursor: JsonValue): JsonObject | undefined {
  if (typeof cursor !== "string" || !/^[A-Za-z0-9_-]+$/.test(cursor)) return undefined;
  try {
    const value = parseJson(atob(cursor.replaceAll("-", "+").replaceAll("_", "/")));
    return isJsonObject(value) ? value : undefined;
  } catch (error) {
    // Not base64 (DOMException) or not JSON: either way not one of ours.
    if (error instanceof SyntaxError || error instanceof DOMException) return undefined;
    throw error;
  }
}
