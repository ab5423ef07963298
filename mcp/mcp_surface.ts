/** The whole surface, assembled before any transport exists (spec 01 §3.1). */

import { promptEntries } from "./prompts.ts";
import type { ToolRegistry } from "./registry.ts";
import { createResources } from "./resources.ts";
import { type ConnectionFactory, connectionFactory } from "./server.ts";
import { createSurface } from "./surface.ts";
import { registerTools } from "./tools.ts";
import type { ServedSession, SurfaceOptions } from "./types.ts";

/** A surface with all registries built, ready for connections. */
export interface McpSurface {
  /** Stays mutable; connections that began earlier do not see additions. */
  readonly tools: ToolRegistry;
  /** The server factory of the next connection, for the SDK's `serveStdio` over any transport. */
  connection(): ConnectionFactory;
}

/**
 * Builds every registry of the surface; no transport is touched.
 *
 * @throws GumError `HELP_TOPIC_TOO_LARGE` when a help topic is over its limit.
 */
export function createMcpSurface(session: ServedSession, options: SurfaceOptions): McpSurface {
  const surface = createSurface(session, options);
  const tools = registerTools(surface);
  const registries = { tools, resources: createResources(surface), prompts: promptEntries() };
  return { tools, connection: () => connectionFactory(surface, registries) };
}
