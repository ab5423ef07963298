/**
 * Whether a profile's plugin registry is sound; what its plugins offer stays unloaded
 * (spec 06 §3.22).
 *
 * @module
 */

export { pluginPaths } from "../paths.ts";
export { type PluginHealth, pluginHealth } from "../status/health.ts";
