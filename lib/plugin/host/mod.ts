/**
 * Running installed plugins as MCP servers over stdio: every start verifies the program, builds its
 * environment from nothing and confines it (spec 06 §3.16).
 *
 * @module
 */
export { createToolMemory } from "./tool_drift.ts";
export { judgeToolResult, type ToolVerdict } from "./tool_result.ts";
export { createPluginHost } from "./host.ts";
export { createPluginHandles, type HandleOptions, type PluginHandles } from "./handles.ts";
export {
  CallFailure,
  type CallFailureReason,
  type HostTiming,
  type PluginExit,
  type PluginHost,
  type PluginHostOptions,
  type RunningPlugin,
  type StartOptions,
  type ToolCallOptions,
} from "./types.ts";
