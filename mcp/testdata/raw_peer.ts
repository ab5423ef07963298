/** Test only: a client that speaks single lines, so that tests see exactly what is on the wire. */

import { isJsonObject, type JsonObject, type JsonValue } from "../../lib/json/mod.ts";
import { type ServedSession, type ServeOptions, serveStdio } from "../mod.ts";
import { fakeHelp } from "./fake_session.ts";

/** How a raw client opens. */
export interface RawPeerOptions extends Partial<ServeOptions> {
  /** Default: the newest handshake revision. */
  revision?: string;
  clientName?: string;
  capabilities?: JsonObject;
  /** Answers a request of the server; the default is to stay silent. */
  onRequest?: (request: JsonObject) => JsonValue | undefined;
  /** Methods of the server's requests that this client does not know after all. */
  rejects?: readonly string[];
}

/** A connected raw client. */
export interface RawPeer {
  /** Sends a request and waits for its response. */
  request(method: string, params?: JsonObject): Promise<JsonObject>;
  /** Calls a tool and gives its result; throws on a protocol error. */
  call(name: string, args?: JsonObject, extra?: JsonObject): Promise<JsonObject>;
  notify(method: string, params?: JsonObject): Promise<void>;
  /** Sends text as it is; the line end is added. */
  line(text: string): Promise<void>;
  /** Every message from the server that is no response, in order. */
  readonly pushed: JsonObject[];
  /** Responses that nobody waited for. */
  readonly stray: JsonObject[];
  /** Waits until `found` gives something. */
  until<T>(found: () => T | undefined): Promise<T>;
  /** Performs the handshake of {@link RawPeerOptions.revision}. */
  open(): Promise<JsonObject>;
  /** Ends the input and waits for the server to finish. */
  close(): Promise<void>;
  /** Resolves when the server has ended the connection. */
  readonly ended: Promise<void>;
  readonly nextId: number;
}

const MODERN = "2026-07-28";

/** Serves a session in this process over byte streams and connects a raw client to it. */
export function rawPeer(session: ServedSession, options: RawPeerOptions = {}): RawPeer {
  const toServer = new TransformStream<Uint8Array, Uint8Array>();
  const toClient = new TransformStream<Uint8Array, Uint8Array>();
  const served = serveStdio(session, {
    version: "0.0.0-test",
    help: fakeHelp,
    ...options,
    stdin: toServer.readable,
    stdout: toClient.writable,
  }).then(() => toClient.writable.close());
  const writer = toServer.writable.getWriter();
  const encoder = new TextEncoder();
  const waiting = new Map<JsonValue, (message: JsonObject) => void>();
  const pushed: JsonObject[] = [];
  const stray: JsonObject[] = [];
  let watchers: (() => void)[] = [];
  let id = 0;
  const revision = options.revision ?? "2025-11-25";

  const line = (text: string) => writer.write(encoder.encode(text + "\n"));
  const send = (message: JsonObject) => line(JSON.stringify({ jsonrpc: "2.0", ...message }));

  const receive = async (message: JsonObject): Promise<void> => {
    if (typeof message.method === "string") {
      pushed.push(message);
      if (message.id !== undefined && options.rejects?.includes(message.method)) {
        await send({ id: message.id, error: { code: -32601, message: "Method not found" } });
      }
      const answer = message.id === undefined ? undefined : options.onRequest?.(message);
      if (answer !== undefined) await send({ id: message.id as JsonValue, result: answer });
    } else {
      const resolve = waiting.get(message.id as JsonValue);
      waiting.delete(message.id as JsonValue);
      if (resolve === undefined) stray.push(message);
      else resolve(message);
    }
    watchers.forEach((watch) => watch());
  };

  const reading = (async () => {
    const decoder = new TextDecoder();
    let rest = "";
    for await (const chunk of toClient.readable) {
      rest += decoder.decode(chunk, { stream: true });
      const lines = rest.split("\n");
      rest = lines.pop() ?? "";
      for (const text of lines) await receive(JSON.parse(text));
    }
  })();

  const request = (method: string, params: JsonObject = {}): Promise<JsonObject> => {
    const requestId = ++id;
    const enveloped = revision === MODERN ? withEnvelope(params, options) : params;
    const answer = new Promise<JsonObject>((resolve) => waiting.set(requestId, resolve));
    return send({ id: requestId, method, params: enveloped }).then(() => answer);
  };

  return {
    request,
    async call(name, args = {}, extra = {}) {
      const response = await request("tools/call", { name, arguments: args, ...extra });
      if (!isJsonObject(response.result)) throw new Error(JSON.stringify(response.error));
      return response.result;
    },
    notify: (method, params = {}) => send({ method, params }),
    line,
    pushed,
    stray,
    until: (found) =>
      new Promise((resolve, reject) => {
        const check = () => {
          const value = found();
          if (value === undefined) return;
          clearTimeout(deadline);
          watchers = watchers.filter((watch) => watch !== check);
          resolve(value);
        };
        const deadline = setTimeout(() => reject(new Error("nothing came in time")), 5_000);
        watchers.push(check);
        check();
      }),
    async open() {
      if (revision === MODERN) return await request("server/discover");
      const response = await request("initialize", {
        protocolVersion: revision,
        capabilities: options.capabilities ?? {},
        clientInfo: { name: options.clientName ?? "raw", version: "1" },
      });
      await send({ method: "notifications/initialized" });
      return response;
    },
    ended: served,
    async close() {
      // Already broken when the server hung up first.
      await writer.close().catch(() => {});
      await served;
      await reading;
    },
    get nextId() {
      return id + 1;
    },
  };
}

function withEnvelope(params: JsonObject, options: RawPeerOptions): JsonObject {
  const meta = isJsonObject(params._meta) ? params._meta : {};
  return {
    ...params,
    _meta: {
      "io.modelcontextprotocol/protocolVersion": MODERN,
      "io.modelcontextprotocol/clientInfo": { name: options.clientName ?? "raw", version: "1" },
      "io.modelcontextprotocol/clientCapabilities": options.capabilities ?? {},
      ...meta,
    },
  };
}

/** Opens a raw client, runs `use` and closes it whatever happens. */
export async function withPeer<T>(
  session: ServedSession,
  options: RawPeerOptions,
  use: (peer: RawPeer) => Promise<T>,
): Promise<T> {
  const peer = rawPeer(session, options);
  try {
    await peer.open();
    return await use(peer);
  } finally {
    await peer.close();
  }
}

/** The envelope of an error result. */
export function envelopeOf(result: JsonObject): JsonObject {
  return JSON.parse(textOf(result));
}

/** The first text block of a result. */
export function textOf(result: JsonObject): string {
  const [block] = Array.isArray(result.content) ? result.content : [];
  return isJsonObject(block) && typeof block.text === "string" ? block.text : "";
}
