/** Values that fit a pattern, for properties over whole catalogs. */

import fc from "fast-check";
import { innerPattern } from "../mod.ts";

const ALPHABET = "abcXYZ059-_~. äß&=+:@";

/** One plain segment: what people call their resources, and worse. */
export function sampleSegment(random: () => number): string {
  const pick = () => ALPHABET[Math.floor(random() * ALPHABET.length)] ?? "x";
  return "v" + Array.from({ length: 6 }, pick).join("").trim();
}

/** A value that the whole pattern admits. */
export function sampleValue(pattern: string, random: () => number): string {
  // The united patterns of several versions are `a|b` with no group inside.
  const choices = innerPattern(pattern).includes("(")
    ? [innerPattern(pattern)]
    : innerPattern(pattern).split("|");
  const chosen = choices[Math.floor(random() * choices.length)] ?? "";
  return chosen.split("[^/]+").map((rest, at) =>
    (at === 0 ? "" : sampleSegment(random)) + sampleRest(rest, random)
  ).join("");
}

function sampleRest(rest: string, random: () => number): string {
  if (/^[A-Za-z0-9_/-]*$/.test(rest)) return rest;
  const open = /^([A-Za-z0-9_/-]*)\.[*+]$/.exec(rest)?.[1];
  if (open !== undefined) return open + sampleSegment(random);
  const seed = Math.floor(random() * 2 ** 31);
  const [value = ""] = fc.sample(fc.stringMatching(new RegExp(`^(?:${rest})$`)), {
    seed,
    numRuns: 1,
  });
  return value;
}
