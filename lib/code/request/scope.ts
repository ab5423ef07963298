/** A destructive scope in one spelling (spec 09 §6.1). */

import type { ScopeEntry } from "../types.ts";

/** Entries without empty keys and duplicates, by operation, the one without a key first. */
export function canonicalScopeEntries(
  scope: readonly ScopeEntry[],
): { op_id: string; resource_key?: string }[] {
  const entries = new Map<string, ScopeEntry>();
  for (const { op_id: opId, resource_key: key = "" } of scope) {
    entries.set(
      `${opId}\u0000${key}`,
      key === "" ? { op_id: opId } : { op_id: opId, resource_key: key },
    );
  }
  return [...entries.keys()].sort().flatMap((sortKey) => {
    const entry = entries.get(sortKey);
    return entry === undefined ? [] : [{ ...entry }];
  });
}
