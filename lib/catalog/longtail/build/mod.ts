/**
 * Building a pack from Discovery documents; loads a compressor, so no surface imports it eagerly.
 *
 * @module
 */
export type { EarlierPack } from "./renames.ts";
export { type BuildContext, buildPack, type BuiltPack } from "./build.ts";
export type { CuratedService } from "./select.ts";
export { isSensitiveService } from "../policy.ts";
