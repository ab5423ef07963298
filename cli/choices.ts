/** Words of a closed set, and what to say about a word outside it. */

import { nearestWords } from "../lib/spelling/mod.ts";

/** `"jsno" is none of json, table; did you mean "json"?` */
export function notAChoice(typed: string, accepted: readonly string[]): string {
  return `${JSON.stringify(typed)} is none of ${accepted.join(", ")}${nearHint(typed, accepted)}`;
}

/** `accepted: text, json; did you mean "json"?`, for a set that needs no repetition of the word. */
export function accepted(typed: string, choices: readonly string[]): string {
  return `accepted: ${choices.join(", ")}${nearHint(typed, choices)}`;
}

/** `; did you mean "json"?`, or nothing when no choice is near. */
export function nearHint(typed: string, choices: readonly string[]): string {
  // Half of a short word is no evidence, so it gets fewer edits than a long one.
  const within = Math.min(2, Math.floor((typed.length + 1) / 2));
  const [near] = nearestWords(typed, choices, { within, most: 1 });
  return near === undefined ? "" : `; did you mean ${JSON.stringify(near)}?`;
}
