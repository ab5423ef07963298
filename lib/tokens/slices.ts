/** Counting a long text in steps, so that whatever else the process does goes on meanwhile. */

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
  for (let start = 0; start < counted.length;) {
    const end = sliceEnd(counted, start);
    tokens += options.count(counted.slice(start, end));
    start = end;
    if (start < counted.length) await options.pause();
  }
  return counted === text ? tokens : Math.round(tokens * text.length / counted.length);
}

/**
 * The first place at or after a slice's length where an ASCII letter or digit is followed by an
 * ASCII sign: a run of letters or digits ends there whatever follows.
 */
function sliceEnd(text: string, start: number): number {
  for (let at = start + SLICE_UNITS; at < text.length; at++) {
    if (isAlphanumeric(text.charCodeAt(at - 1)) && isSign(text.charCodeAt(at))) return at;
  }
  return text.length;
}

function isAlphanumeric(code: number): boolean {
  return (code >= 0x30 && code <= 0x39) || ((code | 0x20) >= 0x61 && (code | 0x20) <= 0x7a);
}

function isSign(code: number): boolean {
  return code > 0 && code < 0x80 && !isAlphanumeric(code);
}
