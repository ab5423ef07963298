/**
 * Test only: GUM's server factory behind Streamable HTTP, because the official conformance suite
 * speaks nothing else. The guard transport is not in this picture; its own tests hold it.
 *
 * Prints its address on one line and serves until its input ends.
 */

import {
  createMcpHandler,
  isLegacyRequest,
  WebStandardStreamableHTTPServerTransport,
} from "@modelcontextprotocol/server";
import { createMcpSurface } from "../../mcp/mod.ts";
import { openSession } from "../../lib/session/mod.ts";
import { withFixtures } from "./conformance_fixtures.ts";

const session = await openSession({ profileName: "default", emulator: true });
const factory = createMcpSurface(session, { version: "0.0.0-conformance" }).connection();

const modern = createMcpHandler(({ era }) => withFixtures(factory({ era })));
const transports = new Map<string, WebStandardStreamableHTTPServerTransport>();

async function legacy(request: Request): Promise<Response> {
  const id = request.headers.get("mcp-session-id");
  const known = id === null ? undefined : transports.get(id);
  if (known !== undefined) return await known.handleRequest(request);
  if (id !== null) return new Response("no such session", { status: 404 });
  const transport = new WebStandardStreamableHTTPServerTransport({
    sessionIdGenerator: () => crypto.randomUUID(),
    onsessioninitialized: (id) => void transports.set(id, transport),
    onsessionclosed: (id) => void transports.delete(id),
  });
  await withFixtures(factory({ era: "legacy" })).connect(transport);
  return await transport.handleRequest(request);
}

/** Only this machine may speak to the bridge, whatever name it was reached under. */
function isForeign(request: Request): boolean {
  const local = /^(localhost|127\.0\.0\.1|\[::1\])(:\d+)?$/;
  const origin = request.headers.get("origin");
  const host = request.headers.get("host") ?? "";
  return !local.test(host) || (origin !== null && !local.test(URL.parse(origin)?.host ?? ""));
}

const stop = new AbortController();
Deno.serve({
  hostname: "127.0.0.1",
  port: 0,
  signal: stop.signal,
  onListen: ({ port }) => {
    Deno.stdout.writeSync(new TextEncoder().encode(`http://127.0.0.1:${port}/mcp\n`));
  },
}, async (request) => {
  if (isForeign(request)) return new Response("forbidden", { status: 403 });
  return await isLegacyRequest(request.clone()) ? await legacy(request) : await modern.fetch(request);
});

for await (const _chunk of Deno.stdin.readable) { /* nothing is expected */ }
stop.abort();
await session.close();
Deno.exit(0);
