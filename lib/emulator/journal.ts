/** The request journal: what reached the emulator, in order. */

import type { JsonObject } from "../json/mod.ts";
import type { JournalEntry } from "./types.ts";

const SECRET_HEADERS: ReadonlySet<string> = new Set([
  "authorization",
  "cookie",
  "developer-token",
  "proxy-authorization",
  "x-goog-api-key",
]);
const SECRET_QUERY: ReadonlySet<string> = new Set(["key", "access_token", "upload_id", "code"]);

/** One entry as a JSON line of the log: credentials replaced, body text left out when empty. */
export function journalLine(entry: JournalEntry): string {
  const headers: Record<string, string> = {};
  for (const [name, value] of Object.entries(entry.headers)) {
    headers[name] = SECRET_HEADERS.has(name) ? "(present)" : value;
  }
  const query: Record<string, string[]> = {};
  for (const [name, values] of Object.entries(entry.query)) {
    query[name] = SECRET_QUERY.has(name) ? values.map(() => "(present)") : values;
  }
  const line: Record<string, unknown> = { ...entry, headers, query };
  if (/^(accounts|oauth2)\./.test(entry.host)) delete line.bodyText;
  return JSON.stringify(line);
}

/** Query parameters as lists, in order of first appearance. */
export function queryLists(query: URLSearchParams): Record<string, string[]> {
  const lists: Record<string, string[]> = {};
  for (const name of new Set(query.keys())) lists[name] = query.getAll(name);
  return lists;
}

/** Body text when the bytes are UTF-8 and of a size worth keeping. */
export function bodyTextOf(bytes: Uint8Array): string | undefined {
  if (bytes.length === 0 || bytes.length > 1024 * 1024) return undefined;
  try {
    return new TextDecoder("utf-8", { fatal: true }).decode(bytes);
  } catch (error) {
    if (error instanceof TypeError) return undefined;
    throw error;
  }
}

/** Counts per method and host, for a quick look. */
export function journalSummary(entries: readonly JournalEntry[]): JsonObject {
  const counts: Record<string, number> = {};
  for (const entry of entries) {
    const key = `${entry.method} ${entry.host}`;
    counts[key] = (counts[key] ?? 0) + 1;
  }
  return { requests: entries.length, by_host: counts };
}
