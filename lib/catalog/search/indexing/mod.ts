/**
 * Building a search index, for generators and for operations that came with plugins.
 *
 * @module
 */

export { buildIndex, type BuildIndexOptions, EMPTY_TABLES, extendIndex } from "../build.ts";
