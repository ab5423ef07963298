/**
 * Patterns of reserved placeholders as the pack stores them: not at all where the method id tells
 * them (four of five), else short and each once for a chunk.
 */

import { innerPattern, wholePattern } from "../../resource_names/mod.ts";

const ANY_SEGMENT = "[^/]+";

/** Names of the reserved placeholders of a path template, in order. */
export function reservedNames(path: string): string[] {
  return [...path.matchAll(/\{\+([^{}]+)\}/g)].map((match) => match[1] ?? "");
}

/** A pattern as it is stored, `*` for any one segment; the empty text for none. */
export function shortPattern(pattern: string | undefined): string {
  const whole = wholePattern(pattern);
  if (whole === undefined) return "";
  const short = innerPattern(whole).replaceAll(ANY_SEGMENT, "*");
  return longPattern(short) === whole ? short : whole;
}

/** The reverse of {@link shortPattern}. */
export function longPattern(short: string): string | undefined {
  if (short === "") return undefined;
  if (short.startsWith("^")) return short;
  return wholePattern(short.replace(/(?<=^|\/)\*(?=\/|$)/g, ANY_SEGMENT));
}

/**
 * What the patterns of a method are when nothing is stored: the resources of its id, as far as its
 * path does not name them itself, or one segment behind a word or another placeholder.
 */
export function usualPatterns(method: { id: string; path: string }): string[] {
  const resources = method.id.split(".").slice(1, -1);
  return reservedNames(method.path).map((name) => {
    const [before = "", behind = ""] = method.path.split(`{+${name}}`);
    if (/[A-Za-z]\/$/.test(before.replace(/^.*?v[0-9][A-Za-z0-9_]*\//, "/"))) return "*";
    const after = behind.replace(/:[A-Za-z]+$/, "").split("/").filter((word) => word !== "");
    const above = resources.slice(0, resources.length - after.length);
    const isTail = after.join("/") === resources.slice(above.length).join("/");
    return (isTail ? above : resources).map((resource) => `${resource}/*`).join("/");
  });
}
