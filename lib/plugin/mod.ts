/**
 * Plugins: manifests, installing, the registry of a profile, namespaces, schemas, statuses
 * (spec 06).
 *
 * Start-up imports `./activation/mod.ts` alone; sessions and read-only surfaces import
 * `./status/mod.ts`; this face is for the commands that change something.
 *
 * @module
 */
export type * from "./types.ts";
export { promotePending } from "./activation/mod.ts";
export { treeSha256 } from "./digest.ts";
export { type PluginFileSystem, realFileSystem } from "./file_system.ts";
export * from "./install/mod.ts";
export * from "./manifest/mod.ts";
export {
  checkNamespace,
  type NamespaceTransfer,
  reservedPrefixes,
  transferNamespace,
} from "./namespaces/mod.ts";
export * from "./registry/mod.ts";
export * from "./schemas/mod.ts";
export * from "./setup/mod.ts";
export * from "./status/mod.ts";
export { untrusted, type UntrustedReason } from "./untrusted.ts";
