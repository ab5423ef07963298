/**
 * Cutting text so that no single piece makes byte-pair merging slow. The tokenizer first splits text
 * into runs of letters, of punctuation and of white space, then merges inside each run in quadratic
 * time: a hundred thousand equal signs take seconds. Ordinary text has no run near the limit and is
 * counted whole.
 */

/** UTF-16 units of one run that are merged at a time. */
export const RUN_LIMIT = 4096;

const RUN = /\p{L}+|\p{N}+|\s+|[^\s\p{L}\p{N}]+/gu;

/** The text in pieces; one piece, and so an exact count, unless a run passes {@link RUN_LIMIT}. */
export function piecesWithoutLongRuns(text: string): string[] {
  if (text.length <= RUN_LIMIT || !mayHoldLongRun(text)) return [text];
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
function mayHoldLongRun(text: string): boolean {
  let runClass = -1;
  let runStart = 0;
  for (let at = 0; at < text.length; at++) {
    const charClass = roughClass(text.charCodeAt(at));
    if (charClass === runClass) continue;
    if (at - runStart > RUN_LIMIT) return true;
    runClass = charClass;
    runStart = at;
  }
  return text.length - runStart > RUN_LIMIT;
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
