/**
 * Cutting text so that no single piece makes byte-pair merging slow. The tokenizer first splits text
 * into pieces (a word with the space before it, up to three digits, signs, white space), then merges
 * inside each. Ordinary text has no piece near the limits and is counted whole.
 */

/** UTF-16 units of one run that are merged at a time. */
export const RUN_LIMIT = 4096;

/** UTF-16 units from which on the tokenizer's own merging takes too long. */
export const LONG_PIECE = 256;

const RUN = /\p{L}+|\p{N}+|\s+|[^\s\p{L}\p{N}]+/gu;

/** The text in pieces; one piece, and so an exact count, unless a run passes {@link RUN_LIMIT}. */
export function piecesWithoutLongRuns(text: string): string[] {
  if (!mayHoldLongRun(text, RUN_LIMIT)) return [text];
  const pieces: string[] = [];
  let start = 0;
  for (const { 0: run, index } of text.matchAll(RUN)) {
    for (let cut = index; index + run.length - cut > RUN_LIMIT;) {
      cut += RUN_LIMIT;
      // Never between the halves of one character.
      if (isLowSurrogate(text.charCodeAt(cut))) cut--;
      pieces.push(text.slice(start, cut));
      start = cut;
    }
  }
  pieces.push(text.slice(start));
  return pieces;
}

/** A cheap first look: ASCII classes only, everything else counts as one class. */
export function mayHoldLongRun(text: string, limit: number): boolean {
  if (text.length <= limit) return false;
  let runClass = -1;
  let runStart = 0;
  for (let at = 0; at < text.length; at++) {
    const charClass = roughClass(text.charCodeAt(at));
    if (charClass === runClass) continue;
    if (at - runStart > limit) return true;
    runClass = charClass;
    runStart = at;
  }
  return text.length - runStart > limit;
}

function roughClass(code: number): number {
  if (code <= 0x20) return 0;
  if (code >= 0x30 && code <= 0x39) return 1;
  if ((code | 0x20) >= 0x61 && (code | 0x20) <= 0x7a) return 2;
  return code < 0x80 ? 3 : 2;
}

function isLowSurrogate(code: number): boolean {
  return code >= 0xdc00 && code <= 0xdfff;
}
