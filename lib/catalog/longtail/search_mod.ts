/**
 * What a search needs of the long tail; operation records and schemas stay unloaded.
 *
 * @module
 */

export { embeddedSource } from "./files.ts";
export { openLongTailSearch } from "./search.ts";
