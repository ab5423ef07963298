/** Text to search terms: splitting, stop words and stemming (spec 04 §3.14). */

const STOP_WORDS: ReadonlySet<string> = new Set(
  ("a an the of to in on for at by with from as is are was were be been being and or not but if " +
    "then my me i it its this that which who whom what when where how do does did can could would " +
    "should will shall you your we our them their they his her please want need all any some into " +
    "via using use one has have had google api apis").split(" "),
);

interface WordPatterns {
  /** A run of letters and digits; marks belong to the letter before them. */
  run: RegExp;
  /** Only before letters that have a lower case, so that lower-cased words split no further. */
  caseBoundary: RegExp;
}

const ASCII: WordPatterns = { run: /[A-Za-z0-9]+/g, caseBoundary: /(?<=[a-z])(?=[A-Z])/ };
let unicode: WordPatterns | undefined;

/** Unicode classes take longer to compile than a search takes, and few texts need them. */
function patternsFor(text: string): WordPatterns {
  // deno-lint-ignore no-control-regex -- the whole of ASCII is meant
  if (/^[\x00-\x7f]*$/.test(text)) return ASCII;
  return unicode ??= {
    run: new RegExp("[\\p{L}\\p{N}\\p{M}]+", "gu"),
    caseBoundary: new RegExp("(?<=\\p{Ll})(?=\\p{Changes_When_Lowercased})", "u"),
  };
}

/**
 * Lower-case words of a text, in order: every run of letters and digits, and before a camel-case
 * run its parts. `courseWork` gives `course`, `work`, `coursework`.
 */
export function splitWords(text: string): string[] {
  const words: string[] = [];
  const { run: pattern, caseBoundary } = patternsFor(text);
  for (const [run] of text.matchAll(pattern)) {
    const parts = run.split(caseBoundary);
    if (parts.length > 1) { for (const part of parts) words.push(part.toLowerCase()); }
    words.push(run.toLowerCase());
  }
  return words;
}

/** How {@link tokenize} treats stop words. */
export interface TokenizeOptions {
  /** Op ids keep them: `to` may be part of a name. */
  keepStopWords?: boolean;
}

/** Stemmed terms of a text; documents, queries, synonyms and aliases all pass through here. */
export function tokenize(text: string, options: TokenizeOptions = {}): string[] {
  const terms: string[] = [];
  for (const word of splitWords(text)) {
    if (word.length < 2) continue;
    if (!options.keepStopWords && STOP_WORDS.has(word)) continue;
    terms.push(stem(word));
  }
  return terms;
}

/** Strips plural, `-ing`, `-ed` and a final `e`, so that the forms of a word meet. */
export function stem(word: string): string {
  if (word.length <= 3) return word;
  if (word.length > 4 && word.endsWith("ies")) return word.slice(0, -3) + "y";
  if (/(?:ss|ch|sh|x|z)es$/.test(word)) return word.slice(0, -2);
  let rest = /[^sui]s$/.test(word) ? word.slice(0, -1) : word;
  for (const suffix of ["ing", "ed"]) {
    if (!rest.endsWith(suffix)) continue;
    const base = rest.slice(0, -suffix.length);
    if (base.length < 3 || !/[aeiouy]/.test(base)) continue;
    return /([^lsz])\1$/.test(base) ? base.slice(0, -1) : base;
  }
  if (rest.length > 4) rest = rest.replace(/e+$/, "");
  return rest;
}
