/**
 * Reading, matching and showing such patterns. Nearly all are `^spaces/[^/]+/messages/[^/]+$`; the
 * rest are small regular expressions, which are refused where matching one could take long.
 */

import { singular } from "./singular.ts";

/** Longest pattern that is judged; Discovery's longest has less than half of it. */
const LONGEST_PATTERN = 512;
/** Longest value: no service takes a longer address. */
const LONGEST_VALUE = 4_096;

/**
 * The pattern of a whole value, anchored at both ends; undefined when it would allow everything.
 * An unsafe one comes back as it is: {@link isSafePattern} is for the catalog's rules to ask.
 */
export function wholePattern(pattern: string | undefined): string | undefined {
  if (pattern === undefined) return undefined;
  const inner = innerPattern(pattern);
  if (inner === "" || inner === ".*" || inner === ".+") return undefined;
  return `^${alternatives(inner).length > 1 ? `(?:${inner})` : inner}$`;
}

/** A pattern without its anchors: part of a larger expression. */
export function innerPattern(pattern: string): string {
  const inner = pattern.replace(/^\^/, "").replace(/(?<!\\)\$$/, "");
  const group = /^\(\?:(.*)\)$/.exec(inner)?.[1];
  return group !== undefined && isBalanced(group) ? group : inner;
}

/** One pattern for values that fit any of several; undefined when one of them takes everything. */
export function unitedPattern(patterns: readonly (string | undefined)[]): string | undefined {
  const inner = new Set<string>();
  for (const pattern of patterns) {
    const whole = wholePattern(pattern);
    if (whole === undefined) return undefined;
    inner.add(innerPattern(whole));
  }
  return inner.size === 0 ? undefined : wholePattern([...inner].join("|"));
}

/** True when the whole value fits. A value too long for any address never does. */
export function fitsPattern(value: string, pattern: string): boolean {
  return value.length <= LONGEST_VALUE && new RegExp(pattern, "u").test(value);
}

/** True for a pattern whose last part takes any number of segments. */
export function hasOpenEnd(pattern: string): boolean {
  return alternatives(innerPattern(pattern)).some((one) => /\.[*+]$/.test(one));
}

/**
 * True for a pattern that can be matched in reasonable time: no repetition inside a repetition, no
 * look-around, no reference back, few open ends, not long.
 */
export function isSafePattern(pattern: string): boolean {
  if (pattern.length > LONGEST_PATTERN) return false;
  try {
    new RegExp(pattern, "u");
  } catch {
    return false; // not a pattern at all
  }
  if (/\(\?[=!<]|\\[1-9k]/.test(pattern)) return false;
  if ((pattern.match(/(?<!\\)\.[*+{]/g) ?? []).length > 2) return false;
  return !nestsRepetition(pattern);
}

function nestsRepetition(pattern: string): boolean {
  const open: boolean[] = [];
  let repeats = false;
  for (const token of tokens(pattern)) {
    if (token.startsWith("(")) {
      open.push(repeats);
      repeats = false;
      continue;
    }
    const quantifier = /[*+{][^\]]*$/.exec(token.startsWith("\\") ? token.slice(2) : token)?.[0];
    if (token.startsWith(")")) {
      if (repeats && quantifier !== undefined && quantifier !== "{1}") return true;
      repeats = (open.pop() ?? false) || repeats || quantifier !== undefined;
    } else if (quantifier !== undefined) repeats = true;
  }
  return false;
}

/** Atoms with their quantifier, opening brackets, and the `|` between alternatives. */
function tokens(pattern: string): string[] {
  return pattern.match(
    /\((?:\?:)?|\||(?:\\.|\[(?:\\.|[^\]\\])*\]|[^\\[(|])(?:[*+?]|\{[0-9,]*\})?\??/g,
  ) ?? [];
}

function isBalanced(pattern: string): boolean {
  let depth = 0;
  for (const token of tokens(pattern)) {
    if (token.startsWith("(")) depth++;
    else if (token.startsWith(")")) depth--;
    if (depth < 0) return false;
  }
  return depth === 0;
}

/** Alternatives at the top level of an expression. */
function alternatives(inner: string): string[] {
  const found = [""];
  let depth = 0;
  for (const token of tokens(inner)) {
    if (token.startsWith("(")) depth++;
    else if (token.startsWith(")")) depth--;
    if (token === "|" && depth === 0) found.push("");
    else found.push(`${found.pop()}${token}`);
  }
  return found;
}

/** What a value looks like, for people and agents: `spaces/{space}/messages/{message}`. */
export function patternForm(pattern: string): string {
  const [first = ""] = alternatives(innerPattern(pattern));
  // A class that excludes the slash must not be split at it.
  const segments = first.replaceAll("[^/]", ".").split("/");
  const isWord = (segment: string | undefined) => /^[A-Za-z0-9_-]+$/.test(segment ?? "");
  return segments.map((segment, at) => {
    if (isWord(segment)) return segment;
    const before = segments[at - 1];
    if (before !== undefined && isWord(before)) return `{${oneOf(before)}}`;
    return isWord(segments[at + 1]) || at > 0 ? "{id}" : "{collection}";
  }).join("/");
}

/** The form of an argument whose values are not one plain segment; undefined where it goes unsaid. */
export function resourceForm({ pattern }: { pattern?: string }): string | undefined {
  if (pattern === undefined || !isSafePattern(pattern)) return undefined;
  const form = patternForm(pattern);
  return form.includes("/") ? form : undefined;
}

/** `contactGroups` → `contactGroup`. */
function oneOf(collection: string): string {
  const [, start = "", last = collection] = /^(.*[a-z0-9])([A-Z][a-z0-9]*)$/.exec(collection) ?? [];
  const one = singular(last.toLowerCase());
  return start === "" ? one : `${start}${one[0]?.toUpperCase()}${one.slice(1)}`;
}
