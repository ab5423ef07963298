/**
 * Running a profile's plugins: host, supervisor, live handles and canaries as one thing. Loaded when
 * the first plugin is called.
 *
 * @module
 */
export { createPluginRuntime, type PluginRuntime, type PluginRuntimeOptions } from "./runtime.ts";
