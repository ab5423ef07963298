/** An operation id that the catalog does not have, told where the command line first meets it. */

import type { CatalogSnapshot } from "../lib/catalog/types.ts";
import { nearestWords } from "../lib/spelling/mod.ts";
import { UsageError } from "./errors.ts";
import { isOperationWord } from "./parse.ts";

/** `did you mean gmail.users.messages.list?`, or where to look when nothing is near. */
export function nearOperation(typed: string, catalog: CatalogSnapshot): string {
  const [near] = nearestWords(typed, catalog.ops.map(({ op_id }) => op_id), { most: 1 });
  return near === undefined ? "gum search finds ids" : `did you mean ${near}?`;
}

/**
 * A flag is unknown because the operation is, whose fields would be flags. Returns the failure
 * with that said, or as it was when the words name an operation that exists, or none.
 */
export async function blamedOnOperation(
  error: unknown,
  source: { words: readonly string[]; catalog: () => Promise<CatalogSnapshot> },
): Promise<unknown> {
  if (!(error instanceof UsageError) || !error.message.startsWith("unknown flag: --")) return error;
  const typed = source.words.filter(isOperationWord);
  if (typed.length === 0) return error;
  const catalog = await source.catalog();
  const [first = ""] = typed;
  if (typed.some((word) => catalog.findOp(word) !== undefined)) return error;
  return new UsageError(
    `${error.message}; there is no operation ${first}, so it has no flags of its own: ` +
      nearOperation(first, catalog),
  );
}
