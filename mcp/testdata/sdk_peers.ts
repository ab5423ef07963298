/** Test only: clients that GUM did not write, over a spawned server. */

import { Client } from "@modelcontextprotocol/client";
import { Client as OldClient } from "@modelcontextprotocol/sdk/client/index.js";

/** The part of both SDK clients that the tests use. */
export interface PeerClient {
  listTools(): Promise<{ tools: { name: string; annotations?: unknown }[] }>;
  callTool(request: { name: string; arguments?: Record<string, unknown> }): Promise<
    Record<string, unknown>
  >;
  readResource(request: { uri: string }): Promise<{ contents: { text?: string }[] }>;
  listResources(): Promise<{ resources: { uri: string }[] }>;
  listResourceTemplates(): Promise<{ resourceTemplates: { uriTemplate: string }[] }>;
  listPrompts(): Promise<{ prompts: { name: string }[] }>;
  getPrompt(request: { name: string }): Promise<{ messages: unknown[] }>;
  complete(request: {
    ref: { type: "ref/resource"; uri: string };
    argument: { name: string; value: string };
  }): Promise<{ completion: { values: string[] } }>;
  getServerCapabilities(): unknown;
  getServerVersion(): unknown;
  close(): Promise<void>;
}

/** Which client, and which revision it opens. */
export type PeerKind = "1.x 2025-06-18" | "1.x 2025-11-25" | "2.x legacy" | "2.x 2026-07-28";

/** Every peer that the surface is held to. */
export const PEER_KINDS: readonly PeerKind[] = [
  "1.x 2025-06-18",
  "1.x 2025-11-25",
  "2.x legacy",
  "2.x 2026-07-28",
];

/** A line transport over a child process: the SDK's own leave timers behind when they close. */
export class ProcessTransport {
  onmessage?: (message: never) => void;
  onclose?: () => void;
  onerror?: (error: Error) => void;
  readonly #child: Deno.ChildProcess;
  readonly #writer: WritableStreamDefaultWriter<Uint8Array>;
  #reading: Promise<void> = Promise.resolve();

  constructor(
    command: readonly string[],
    private readonly home: string,
    private readonly rewrite = (line: string) => line,
  ) {
    const [program = "", ...args] = command;
    this.#child = new Deno.Command(program, {
      args,
      env: homeVariables(home),
      stdin: "piped",
      stdout: "piped",
      stderr: "inherit",
    }).spawn();
    this.#writer = this.#child.stdin.getWriter();
  }

  start(): Promise<void> {
    this.#reading = (async () => {
      let rest = "";
      for await (const text of this.#child.stdout.pipeThrough(new TextDecoderStream())) {
        const lines = (rest + text).split("\n");
        rest = lines.pop() ?? "";
        for (const line of lines) this.onmessage?.(JSON.parse(line) as never);
      }
    })();
    return Promise.resolve();
  }

  send(message: unknown): Promise<void> {
    return this.#writer.write(
      new TextEncoder().encode(this.rewrite(JSON.stringify(message)) + "\n"),
    );
  }

  async close(): Promise<void> {
    await this.#writer.close().catch(() => {});
    await this.#child.status;
    await this.#reading;
    await Deno.remove(this.home, { recursive: true });
    this.onclose?.();
  }
}

/** Points a program at folders of its own; the caches stay where they are. */
export function homeVariables(home: string): Record<string, string> {
  return { XDG_DATA_HOME: home, XDG_CONFIG_HOME: home };
}

/** Connects a peer to a spawned server. */
export async function connectPeer(
  kind: PeerKind,
  command: readonly string[],
  name = "peer",
): Promise<PeerClient> {
  const info = { name, version: "1" };
  const home = await Deno.makeTempDir({ prefix: "gum-peer-" });
  if (kind.startsWith("1.x")) {
    const revision = kind.slice(4);
    const transport = new ProcessTransport(
      command,
      home,
      (line) =>
        line.includes('"method":"initialize"')
          ? line.replace(/"protocolVersion":"[^"]*"/, `"protocolVersion":"${revision}"`)
          : line,
    );
    const client = new OldClient(info);
    await client.connect(transport as never);
    return client as unknown as PeerClient;
  }
  const mode = kind === "2.x legacy" ? "legacy" as const : { pin: "2026-07-28" };
  const client = new Client(info, { versionNegotiation: { mode } });
  await client.connect(new ProcessTransport(command, home) as never);
  return client as unknown as PeerClient;
}
