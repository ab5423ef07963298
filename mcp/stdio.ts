/** Serving the process's own streams, or any pair of byte streams (spec 01 §3.1, §3.2). */

import { serveStdio as serveConnection } from "@modelcontextprotocol/server/stdio";
import { GuardTransport } from "./guard_transport.ts";
import { createMcpSurface } from "./mcp_surface.ts";
import { silenceStdout } from "./silence_stdout.ts";
import type { ServedSession, SurfaceOptions } from "./types.ts";

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
