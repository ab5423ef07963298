/**
 * The one token counter: cl100k_base, loaded on first use because its tables cost as much as the
 * rest of a start-up together.
 *
 * ```ts ignore
 * await countTokens("hello world"); // 2
 * ```
 *
 * @module
 */

import { LONG_PIECE, mayHoldLongRun, piecesWithoutLongRuns } from "./long_runs.ts";

export { COUNTED_UNITS, countInSlices } from "./slices.ts";

/**
 * Counts the cl100k_base tokens of a text; text that looks like a control token is plain text.
 * Exact, except that a run of more than 4,096 letters, or signs, or spaces is counted in parts.
 */
export type TokenCounter = (text: string) => number;

let loading: Promise<TokenCounter> | undefined;

/** Number of cl100k_base tokens in a text. Loads the tokenizer on the first call. */
export async function countTokens(text: string): Promise<number> {
  return (await loadTokenCounter())(text);
}

/** Loads the tokenizer once and gives its synchronous counter. */
export function loadTokenCounter(): Promise<TokenCounter> {
  return loading ??= load();
}

/** How cl100k_base splits text before it merges. */
const SPLIT = new RegExp(
  [
    "'(?:[sSdDmMtT]|[lL][lL]|[vV][eE]|[rR][eE])",
    "[^\\r\\n\\p{L}\\p{N}]?\\p{L}+",
    "\\p{N}{1,3}",
    " ?[^\\s\\p{L}\\p{N}]+[\\r\\n]*",
    "\\s+$",
    "\\s*[\\r\\n]",
    "\\s+(?!\\S)",
    "\\s",
  ].join("|"),
  "gu",
);

async function load(): Promise<TokenCounter> {
  const [tokenizer, { default: table }, { createMerger }] = await Promise.all([
    import("gpt-tokenizer/encoding/cl100k_base"),
    import("gpt-tokenizer/bpeRanks/cl100k_base"),
    import("./merge.ts"),
  ]);
  const options = { disallowedSpecial: new Set<string>() };
  const count = (text: string) => tokenizer.countTokens(text, options);
  const countLong = createMerger(table);
  const countPieces = (text: string): number => {
    let tokens = 0;
    for (const [piece] of text.matchAll(SPLIT)) {
      tokens += piece.length > LONG_PIECE ? countLong(piece) : count(piece);
    }
    return tokens;
  };
  return (text) => {
    let tokens = 0;
    for (const part of piecesWithoutLongRuns(text)) {
      tokens += mayHoldLongRun(part, LONG_PIECE) ? countPieces(part) : count(part);
    }
    return tokens;
  };
}
