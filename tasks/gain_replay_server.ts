/** GUM's own server as a client sees it: the raw `tools/list` and calls, message by message. */

import type { JsonObject, JsonValue } from "../lib/json/mod.ts";
import { type ClientTransport, spawnStdioPeer } from "./stdio_peer.ts";

/** A connected client that keeps every result as it was sent. */
export interface RawClient {
  request(method: string, params?: JsonObject): Promise<JsonObject>;
  close(): Promise<void>;
}

/** Opens a session over a transport. */
export async function connectRaw(transport: ClientTransport): Promise<RawClient> {
  const waiting = new Map<number, (message: JsonObject) => void>();
  let last = 0;
  transport.onmessage = (message: JsonObject) => {
    if (typeof message.id === "number") waiting.get(message.id)?.(message);
  };
  transport.onclose = () => {
    for (const tell of waiting.values()) tell({ error: "the server has gone" });
  };
  await transport.start();
  const request = async (method: string, params: JsonObject = {}): Promise<JsonObject> => {
    const id = ++last;
    const { promise, resolve } = Promise.withResolvers<JsonObject>();
    waiting.set(id, resolve);
    await transport.send({ jsonrpc: "2.0", id, method, params });
    const { result, error } = await promise;
    waiting.delete(id);
    if (result === undefined) throw new Error(`${method}: ${JSON.stringify(error)}`);
    return result as JsonObject;
  };
  await request("initialize", {
    protocolVersion: "2025-11-25",
    capabilities: {},
    clientInfo: { name: "savings", version: "1" },
  });
  await transport.send({ jsonrpc: "2.0", method: "notifications/initialized" });
  return { request, close: () => transport.close() };
}

/** `tools/list` of the real server process, exactly as sent. */
export async function liveToolList(): Promise<{ tools: JsonObject[] }> {
  const home = await Deno.makeTempDir({ prefix: "gum-savings-" });
  const root = new URL("..", import.meta.url).pathname;
  const peer = spawnStdioPeer(
    [
      Deno.execPath(),
      "run",
      "-q",
      "--no-prompt",
      "-P=gum",
      `${root}main.ts`,
      "mcp",
      "--stdio",
      "--emulator",
    ],
    { cwd: root, env: { XDG_CONFIG_HOME: home, XDG_DATA_HOME: home } },
  );
  try {
    const client = await connectRaw(peer.transport);
    const result = await client.request("tools/list");
    await client.close();
    await peer.exited;
    return result as unknown as { tools: JsonObject[] };
  } finally {
    await Deno.remove(home, { recursive: true });
  }
}

/** The list with nothing but what a naive list has, too. */
export function liteList(list: { tools: JsonObject[] }): { tools: JsonObject[] } {
  return {
    tools: list.tools.map(({ name, description, inputSchema }) => ({
      name: name as JsonValue,
      description: description as JsonValue,
      inputSchema: inputSchema as JsonValue,
    })),
  };
}
