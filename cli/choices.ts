/** Words of a closed set, and what to say about a word outside it. */

import { didYouMean, nearestWords } from "../lib/spelling/mod.ts";
import { invalidArg } from "./errors.ts";
import type { FlagValues } from "./parse.ts";

/** The choice that a flag names, in whatever case. @throws CliArgError for any other word */
export function choiceOf<const Choice extends string>(
  flags: FlagValues,
  { flag, choices }: { flag: string; choices: readonly Choice[] },
): Choice {
  const typed = flags.text(flag)?.toLowerCase() ?? "";
  const found = choices.find((choice) => choice === typed);
  if (found === undefined) throw invalidArg(`--${flag}`, accepted(typed, choices));
  return found;
}

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
  return didYouMean(near);
}
