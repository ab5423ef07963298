/**
 * The long tail: every API of the pinned client package, beside the curated operations
 * (spec 04 §10). Nothing is read before the first lookup or search.
 *
 * ```ts ignore
 * const pack = openLongTail(embeddedSource(), { exposure: "read" });
 * pack.findOp("compute.instances.list")?.summary;
 * ```
 *
 * @module
 */

export { embeddedSource, folderSource } from "./files.ts";
export { currentRevision } from "./installed.ts";
export { type PackCounts, shippedContext, type ShippedLock, shippedLock } from "./shipped.ts";
export { openSessionLongTail } from "./session_pack.ts";
export {
  type LongTailMethod,
  longTailMethods,
  packRenames,
  type PlacedOperation,
  placedOperations,
} from "./methods.ts";
export { type LongTailPack, openLongTail } from "./pack.ts";
export {
  CHECKSUM_FILE,
  type LongTailExposure,
  PACK_FILES,
  type PackFile,
  type PackSource,
  type Renames,
} from "./types.ts";
export { type LongTailSearch, type LongTailSearchOptions, openLongTailSearch } from "./search.ts";
