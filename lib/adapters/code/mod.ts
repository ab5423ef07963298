/**
 * The adapter that runs scripts.
 *
 * @module
 */
export { type CodeAdapterOptions, createCodeAdapters } from "./code.ts";
