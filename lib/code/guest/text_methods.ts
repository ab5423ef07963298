/** Methods of strings; indexes count characters (spec 09 §11.7). */

import { asInt, asList, asString } from "./arguments.ts";
import type { Method } from "./list_methods.ts";
import { stepBy } from "./runtime.ts";
import { characters, compareText, type Value, valueError } from "./values.ts";

/** Longest result of `repeat`. */
const MAX_REPEATED = 1 << 20;

/** Index in characters of an index in code units; −1 stays. */
function characterIndex(text: string, unit: number): bigint {
  return unit < 0 ? -1n : BigInt(characters(text.slice(0, unit)).length);
}

function trimmed(text: string, cutset: Value | undefined): string {
  if (cutset === undefined) return text.trim();
  const cut = new Set(characters(asString(cutset)));
  const chars = characters(text);
  let start = 0;
  let end = chars.length;
  while (start < end && cut.has(chars[start] ?? "")) start++;
  while (end > start && cut.has(chars[end - 1] ?? "")) end--;
  return chars.slice(start, end).join("");
}

function counted(text: string, wanted: string): bigint {
  if (wanted === "") return BigInt(characters(text).length + 1);
  return BigInt(text.split(wanted).length - 1);
}

/** Methods of strings. */
export const TEXT_METHODS: Record<string, Method<string>> = {
  compare: [1, 1, (text, other) => BigInt(compareText(text, asString(other)))],
  contains: [1, 1, (text, wanted) => text.includes(asString(wanted))],
  count: [1, 1, (text, wanted) => counted(text, asString(wanted))],
  fields: [0, 0, (text) => text.split(/\s+/u).filter((field) => field !== "")],
  has_prefix: [1, 1, (text, prefix) => text.startsWith(asString(prefix))],
  has_suffix: [1, 1, (text, suffix) => text.endsWith(asString(suffix))],
  index: [1, 1, (text, wanted) => characterIndex(text, text.indexOf(asString(wanted)))],
  join: [1, 1, (text, items) => {
    const pieces = asList(items).map(asString);
    stepBy(pieces.length);
    return pieces.join(text);
  }],
  last_index: [1, 1, (text, wanted) => characterIndex(text, text.lastIndexOf(asString(wanted)))],
  repeat: [1, 1, (text, times) => {
    const count = asInt(times);
    if (count < 0n) throw valueError("negative repeat count");
    if (count * BigInt(text.length) > BigInt(MAX_REPEATED)) {
      throw valueError("the repeated string would be longer than 1 MiB");
    }
    return text.repeat(text === "" ? 0 : Number(count));
  }],
  replace_all: [2, 2, (text, from, to) => {
    const [search, replacement] = [asString(from), asString(to)];
    stepBy(text.length >> 6);
    return search === "" ? text : text.split(search).join(replacement);
  }],
  split: [1, 1, (text, separator) => {
    const by = asString(separator);
    stepBy(text.length >> 6);
    return by === "" ? [...characters(text)] : text.split(by);
  }],
  to_lower: [0, 0, (text) => text.toLowerCase()],
  to_upper: [0, 0, (text) => text.toUpperCase()],
  trim: [0, 1, (text, cutset) => trimmed(text, cutset)],
  trim_prefix: [1, 1, (text, prefix) => {
    const cut = asString(prefix);
    return text.startsWith(cut) ? text.slice(cut.length) : text;
  }],
  trim_space: [0, 0, (text) => text.trim()],
  trim_suffix: [1, 1, (text, suffix) => {
    const cut = asString(suffix);
    return cut !== "" && text.endsWith(cut) ? text.slice(0, -cut.length) : text;
  }],
};
