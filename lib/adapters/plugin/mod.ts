/**
 * Operations of plugins: one tool call of a live process (spec 02 §3.11.6, 06 §3.19).
 *
 * @module
 */
export { createPluginAdapter, PLUGIN_ADAPTER_KEY, type PluginAdapterOptions } from "./plugin.ts";
export { createSchemaChecks, type SchemaChecks } from "./schema_checks.ts";
