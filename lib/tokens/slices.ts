/** Counting a long text in steps, so that whatever else the process does goes on meanwhile. */

import { piecesWithoutLongRuns } from "./long_runs.ts";

/** UTF-16 units counted between two pauses: a few milliseconds of work. */
const SLICE_UNITS = 16_384;

/**
 * UTF-16 units that are counted exactly; what a text has beyond them is taken to be like them, so
 * that accounting for an answer of many megabytes ends.
 */
export const COUNTED_UNITS = 2 * 1024 * 1024;

/**
 * Number of tokens of a text, with a pause after every slice. The same number as counting it whole:
 * cuts are made only where the tokenizer always cuts.
 */
export async function countInSlices(
  text: string,
  options: { count: (text: string) => number; pause: () => Promise<void> },
): Promise<number> {
  const counted = text.length > COUNTED_UNITS ? text.slice(0, COUNTED_UNITS) : text;
  let tokens = 0;
  let isFirst = true;
  for (const part of piecesWithoutLongRuns(counted)) {
    for (let start = 0; start < part.length;) {
      if (!isFirst) await options.pause();
      isFirst = false;
      const end = sliceEnd(part, start);
      tokens += options.count(part.slice(start, end));
      start = end;
    }
  }
  return counted === text ? tokens : Math.round(tokens * text.length / counted.length);
}

/**
 * The first place at or after a slice's length where a letter or digit is followed by something that
 * is neither: a run of letters or digits ends there whatever follows.
 */
function sliceEnd(text: string, start: number): number {
  for (let at = start + SLICE_UNITS; at < text.length; at++) {
    if (isAlphanumeric(text.charCodeAt(at - 1)) && isOther(text.charCodeAt(at))) return at;
  }
  return text.length;
}

function isAlphanumeric(code: number): boolean {
  if (code >= 0x80) return ALPHANUMERIC.test(String.fromCharCode(code));
  return (code >= 0x30 && code <= 0x39) || ((code | 0x20) >= 0x61 && (code | 0x20) <= 0x7a);
}

/** Half a character is neither the one nor the other. */
function isOther(code: number): boolean {
  return (code < 0xd800 || code > 0xdfff) && !isAlphanumeric(code);
}

const ALPHANUMERIC = /^[\p{L}\p{N}]$/u;
