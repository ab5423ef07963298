/**
 * Building a pack from Discovery documents; loads `node:zlib`, so no surface imports it eagerly.
 *
 * @module
 */
export { type BuildContext, buildPack, type BuiltPack, sha256 } from "./build.ts";
export type { CuratedService } from "./select.ts";
export { isSensitiveService } from "../policy.ts";
