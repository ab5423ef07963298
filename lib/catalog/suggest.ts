/** Near misses for an unknown op id, and ranked completion of one (spec 04 §3.3, 01 §3.13). */

import { nearestWords } from "../spelling/mod.ts";
import { byCodeUnit } from "./search/order.ts";
import type { OperationSearch } from "./types.ts";

const MAX_SUGGESTIONS = 5;
const MAX_COMPLETIONS = 50;

/** What to do about an operation that exists but that the profile hides. */
export const HIDDEN_HINT =
  "The operation changes something, and this profile shows reads of further Google APIs only: " +
  "gum config set catalog.long_tail=all";

/** Where suggestions come from. */
export interface SuggestOptions {
  /** Canonical ids that may be suggested. */
  opIds: readonly string[];
  /** Fills up with hits for the id's words; absent: edit distance only. */
  search?: OperationSearch;
}

/**
 * At most five op ids that the caller may have meant: up to three by edit distance, then search
 * hits. Empty when nothing is close.
 */
export function suggestOps(query: string, options: SuggestOptions): string[] {
  const suggestions = nearestWords(query, options.opIds);
  const known = new Set(options.opIds);
  for (const { op_id, tier } of options.search?.search(query, MAX_SUGGESTIONS * 2) ?? []) {
    if (suggestions.length >= MAX_SUGGESTIONS) break;
    const offered = known.has(op_id) || tier === "long_tail";
    if (offered && !suggestions.includes(op_id)) suggestions.push(op_id);
  }
  return suggestions;
}

/** Completions of a typed prefix. */
export interface OpIdCompletions {
  /** At most fifty. */
  values: string[];
  /** Matches before the cut. */
  total: number;
}

/**
 * Ids that start with `prefix`, letter case ignored: exact case first, then by search score of the
 * typed text, then by code unit. An empty prefix, or no search, gives code-unit order.
 */
export function completeOpIds(prefix: string, options: SuggestOptions): OpIdCompletions {
  const folded = prefix.toLowerCase();
  const matches = options.opIds.filter((opId) => opId.toLowerCase().startsWith(folded));
  const scores = new Map<string, number>();
  if (prefix !== "") {
    for (const hit of options.search?.search(prefix, MAX_COMPLETIONS) ?? []) {
      scores.set(hit.op_id, hit.score);
    }
  }
  const exact = (opId: string) => opId.startsWith(prefix) ? 0 : 1;
  matches.sort((left, right) =>
    exact(left) - exact(right) ||
    (scores.get(right) ?? 0) - (scores.get(left) ?? 0) ||
    byCodeUnit(left, right)
  );
  return { values: matches.slice(0, MAX_COMPLETIONS), total: matches.length };
}
