/**
 * What a profile's plugins are now: statuses, the live inventory, and their operations for a
 * session's catalog (spec 06 §2.4, §2.6, §3.10, §3.21).
 *
 * @module
 */
export { type PluginHealth, pluginHealth } from "./health.ts";
export { pluginPaths, requirePluginId } from "../paths.ts";
export { requireReadableVersions } from "../registry/inventory.ts";
export { installHint, pluginNotInstalled, pluginOf } from "./not_installed.ts";
export { operationsOf, pluginOps } from "./operations.ts";
export { pluginProfiles } from "./profiles.ts";
export { pluginRecord } from "./record.ts";
export { activePlugins, resolveStatus, type StoredState } from "./resolve.ts";
export {
  type CanaryResult,
  type InactiveOperation,
  type LivePluginView,
  type OpenPluginView,
  openPluginView,
  type PluginCanaryRow,
  type PluginListRow,
  type PluginViewOptions,
} from "./view.ts";
