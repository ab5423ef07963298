/**
 * The MCP surface: GUM's kernel behind 29 tools, resources, prompts and completions over stdio
 * (spec 01).
 *
 * ```ts ignore
 * await serveStdio(session, { version: VERSION }); // resolves after end of input and drain
 * ```
 *
 * @module
 */

export type {
  HealthProbe,
  HealthSample,
  MetaToolTuning,
  OperationHandle,
  PluginView,
  PollRequest,
  RegisteredTool,
  ServedSession,
  SurfaceOptions,
  SurfaceSeams,
  ToolCall,
  ToolDefinition,
  ToolNamesOption,
  ToolOutcome,
  ToolResult,
} from "./types.ts";
export type { ToolRegistry } from "./registry.ts";
export type { ConnectionFactory } from "./server.ts";
export { createMcpSurface, type McpSurface } from "./mcp_surface.ts";
export { type ServeOptions, serveStdio } from "./stdio.ts";
