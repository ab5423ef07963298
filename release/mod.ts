/**
 * Making a release: executables for every platform, archives, checksums, and what package managers
 * need to install them (spec 07 §3.23). `docs/releasing.md` tells how it is done.
 *
 * @module
 */

export * from "./targets.ts";
export * from "./build.ts";
export * from "./archives.ts";
export * from "./packages.ts";
export * from "./npm.ts";
export { type ArchiveEntry, tarGz } from "./tar.ts";
export { zip } from "./zip.ts";
