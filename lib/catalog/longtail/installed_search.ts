/**
 * What a search needs of the long tail; operation records and schemas stay unloaded.
 *
 * @module
 */

import type { Logger } from "../../log/mod.ts";
import { embeddedSource } from "./files.ts";
import { updatedSource } from "./installed.ts";
import { type LongTailSearch, type LongTailSearchOptions, openLongTailSearch } from "./search.ts";
import type { PackSource } from "./types.ts";

/** Where a search looks. */
export interface InstalledSearchOptions extends LongTailSearchOptions {
  /** Default: the shipped pack. */
  source?: PackSource;
  /** Folder of updates; absent: none are looked for. */
  updates?: string;
  logger: Logger;
}

/** Search over the shipped pack and the update on top of it. @throws GumError `BM25_INDEX_CORRUPT` */
export async function openInstalledSearch(
  options: InstalledSearchOptions,
): Promise<LongTailSearch> {
  const lower = openLongTailSearch(options.source ?? embeddedSource(), options);
  const update = updatedSource(options.updates);
  if (update === undefined) return lower;
  try {
    const [{ layeredSearch }, { openContainer }] = await Promise.all([
      import("./layers.ts"),
      import("./container.ts"),
    ]);
    const services = new Set(openContainer(update, "methods.bin").rows.map(([key]) => key));
    return layeredSearch({ search: openLongTailSearch(update, options), services }, lower);
  } catch (error) {
    options.logger.log("warn", "the update of the long tail cannot be searched", {
      reason: error instanceof Error ? error.message : String(error),
    });
    return lower;
  }
}
