/**
 * What the profile's database files have in common: telling their failures apart, and ending a
 * failed transaction.
 *
 * @module
 */

import type { DatabaseSync } from "node:sqlite";

/** What SQLite says is wrong with a file. */
export type SqliteFault = "corrupt" | "busy" | "full" | "other";

/** Sorts a thrown value; `exec` carries no result code, so its text has to do. */
export function sqliteFault(error: unknown): SqliteFault {
  const code = error instanceof Error && "errcode" in error ? Number(error.errcode) & 0xff : 0;
  const text = error instanceof Error ? error.message : "";
  if (code === 26 || code === 11 || /not a database|malformed/.test(text)) return "corrupt";
  if (code === 5 || code === 6 || /database (table )?is locked/.test(text)) return "busy";
  if (code === 13 || /is full/.test(text)) return "full";
  return "other";
}

/** Ends a failed transaction; SQLite may have ended it already. */
export function rollBack(database: DatabaseSync): void {
  if (database.isTransaction) database.exec("ROLLBACK");
}
