/**
 * Preset dictionaries: text that a decoder of small chunks is given beforehand, so that what many
 * chunks share is stored once (RFC 1951 references may reach into it).
 */

import { byCodeUnit } from "../../search/order.ts";

/** What a reference into the dictionary costs, about: shorter gains are none. */
const REFERENCE_BYTES = 3;
/** The window of DEFLATE is 32 KiB; a little is left for the chunk's own text. */
const SIZE = 32_000;

/**
 * The phrases that save most when stored once, the most useful ones last, where references are
 * shortest. The same texts give the same bytes.
 *
 * @param phrases Candidates of one text; each counts once a text.
 */
export function trainDictionary(
  texts: readonly string[],
  phrases: (text: string) => Iterable<string>,
): Uint8Array<ArrayBuffer> {
  const counts = new Map<string, number>();
  for (const text of texts) {
    for (const phrase of new Set(phrases(text))) counts.set(phrase, (counts.get(phrase) ?? 0) + 1);
  }
  const ranked = [...counts]
    .filter(([, count]) => count > 2)
    .map(([phrase, count]) => ({ phrase, gain: (count - 1) * (phrase.length - REFERENCE_BYTES) }))
    .sort((left, right) => right.gain - left.gain || byCodeUnit(left.phrase, right.phrase));
  const encoder = new TextEncoder();
  let text = "";
  let size = 0;
  for (const { phrase } of ranked) {
    if (text.includes(phrase)) continue;
    const bytes = encoder.encode(phrase).length;
    if (size + bytes > SIZE) break;
    text = phrase + text;
    size += bytes;
  }
  return encoder.encode(text);
}

/** Strings and flat objects of JSON text. */
export function jsonPhrases(text: string): Iterable<string> {
  return text.match(/"(?:[^"\\]|\\.){6,400}"|\{[^{}]{8,400}\}/g) ?? [];
}

/** Runs of up to five segments of the id and of up to five words of the summary. */
export function linePhrases(line: string): Iterable<string> {
  const tab = line.indexOf("\t");
  return [
    ...runs(line.slice(0, tab).split("."), ".").map((run) => `.${run}`),
    ...runs(line.slice(tab + 1).split(" "), " ").map((run) => `${run} `),
  ].filter((phrase) => phrase.length > REFERENCE_BYTES + 1);
}

const LONGEST_RUN = 5;

function runs(parts: readonly string[], separator: string): string[] {
  const found: string[] = [];
  for (let start = 0; start < parts.length; start++) {
    for (let end = start + 1; end <= Math.min(parts.length, start + LONGEST_RUN); end++) {
      found.push(parts.slice(start, end).join(separator));
    }
  }
  return found;
}
