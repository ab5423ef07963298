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

import { piecesWithoutLongRuns } from "./long_runs.ts";

export { COUNTED_UNITS, countInSlices } from "./slices.ts";

/**
 * Counts the cl100k_base tokens of a text; text that looks like a control token is plain text.
 * Exact, except that a run of more than 4,096 letters, or signs, or spaces is counted in parts.
 */
export type TokenCounter = (text: string) => number;

let loading: Promise<TokenCounter> | undefined;
let loaded: TokenCounter | undefined;

/** Number of cl100k_base tokens in a text. Loads the tokenizer on the first call. */
export async function countTokens(text: string): Promise<number> {
  return (await loadTokenCounter())(text);
}

/** Loads the tokenizer once and gives its synchronous counter. */
export function loadTokenCounter(): Promise<TokenCounter> {
  return loading ??= import("gpt-tokenizer/encoding/cl100k_base").then((tokenizer) => {
    const options = { disallowedSpecial: new Set<string>() };
    loaded = (text) => {
      let tokens = 0;
      for (const piece of piecesWithoutLongRuns(text)) {
        tokens += tokenizer.countTokens(piece, options);
      }
      return tokens;
    };
    return loaded;
  });
}

/** The counter, when something has loaded it already; for code that cannot wait. */
export function loadedTokenCounter(): TokenCounter | undefined {
  return loaded;
}
