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

import { serveStdio as serveConnection } from "@modelcontextprotocol/server/stdio";
import { GuardTransport } from "./guard_transport.ts";
import type { ToolRegistry } from "./registry.ts";
import { createResources } from "./resources.ts";
import { promptEntries } from "./prompts.ts";
import { type ConnectionFactory, connectionFactory } from "./server.ts";
import { silenceStdout } from "./silence_stdout.ts";
import { createSurface } from "./surface.ts";
import { registerTools } from "./tools.ts";
import type { ServedSession, SurfaceOptions } from "./types.ts";

export type {
  CanaryRow,
  HealthProbe,
  HealthSample,
  InactiveEntry,
  MetaToolTuning,
  OperationHandle,
  PluginRow,
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
export { CONVENIENCE_TOOLS, META_TOOLS, SKILL_TOOLS } from "./roster.ts";
export type { ToolRegistry } from "./registry.ts";
export type { ConnectionFactory } from "./server.ts";

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

/** How to serve over byte streams. */
export interface ServeOptions extends SurfaceOptions {
  /** Default: the process's standard input. */
  stdin?: ReadableStream<Uint8Array>;
  /** Default: the process's standard output, which then carries nothing else. */
  stdout?: WritableStream<Uint8Array>;
  /** Ends the connection at once, aborting calls in flight. */
  signal?: AbortSignal;
}

/**
 * Serves one client until its input ends, or the signal fires, or SIGINT or SIGTERM arrives when
 * serving the process's own streams. At end of input, calls in flight get two seconds. Closing the
 * session is the caller's part.
 *
 * @throws GumError `HELP_TOPIC_TOO_LARGE`
 */
export async function serveStdio(session: ServedSession, options: ServeOptions): Promise<void> {
  const { connection } = createMcpSurface(session, options);
  const ownProcess = options.stdout === undefined;
  const restore = ownProcess ? silenceStdout(session.log) : undefined;
  const transport = new GuardTransport({
    input: options.stdin ?? Deno.stdin.readable,
    output: options.stdout ?? Deno.stdout.writable,
    log: session.log,
  });
  const end = () => {
    transport.close().catch((error) =>
      session.log.log("warn", "mcp: closing failed", { error: String(error) })
    );
  };
  const signals: Deno.Signal[] = ownProcess ? ["SIGINT", "SIGTERM"] : [];
  try {
    options.signal?.addEventListener("abort", end, { once: true });
    for (const name of signals) Deno.addSignalListener(name, end);
    serveConnection(connection(), {
      transport,
      onerror: (error) => session.log.log("warn", "mcp: protocol error", { error: error.message }),
    });
    if (options.signal?.aborted) end();
    await transport.finished;
  } finally {
    for (const name of signals) Deno.removeSignalListener(name, end);
    options.signal?.removeEventListener("abort", end);
    restore?.();
  }
}
