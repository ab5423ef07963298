/**
 * The three registry files of a profile: read together, changed together, recovered after a crash
 * (spec 06 §2.3, §3.7–§3.9).
 *
 * ```ts
 * import { openPluginRegistry } from "./mod.ts";
 *
 * const registry = openPluginRegistry({ profileDir, clock });
 * await registry.writeTransaction((draft) => {
 *   draft.state.plugins = draft.state.plugins.filter(({ name }) => name !== "gone");
 * }, { signal });
 * ```
 *
 * @module
 */
export { errnoName, errnoOfNumber, isSyncUnsupported } from "./errno.ts";
export { MalformedRegistryFile, REGISTRY_KINDS, serializeRegistryFile } from "./files.ts";
export { forgetSyncWarnings } from "./fsync_warning.ts";
export { finalsAgree, readFinals, selectGeneration, withStaged } from "./generation.ts";
export { inconsistent } from "./recovery.ts";
export { readInventory, requireReadableVersions } from "./inventory.ts";
export { openPluginRegistry, type OwnPluginRegistry } from "./registry.ts";
export { INSTALL_LOCK_TIMEOUT_MS, newTxid, type TransactionOptions } from "./transaction.ts";
