/** Test only: clients that GUM did not write, over a spawned server. */

import { Client } from "@modelcontextprotocol/client";
import { Client as OldClient } from "@modelcontextprotocol/sdk/client/index.js";
import { ElicitRequestSchema } from "@modelcontextprotocol/sdk/types.js";
import { spawnStdioPeer } from "../../tasks/stdio_peer.ts";

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

/** Points a program at folders of its own; the caches stay where they are. */
export function homeVariables(home: string): Record<string, string> {
  return { XDG_DATA_HOME: home, XDG_CONFIG_HOME: home };
}

/** What a person does with a form; throwing is a client that cannot show it. */
export type FormHandler = (question: { message: string }) => {
  action: "accept" | "decline" | "cancel";
  content?: Record<string, string | number | boolean | string[]>;
};

/** Connects a peer to a spawned server. */
export async function connectPeer(
  kind: PeerKind,
  command: readonly string[],
  { name = "peer", onForm }: { name?: string; onForm?: FormHandler } = {},
): Promise<PeerClient> {
  const info = { name, version: "1" };
  const capabilities = onForm === undefined ? {} : { elicitation: {} };
  const home = await Deno.makeTempDir({ prefix: "gum-peer-" });
  const spawn = (outbound?: (line: string) => string) => {
    const { transport } = spawnStdioPeer(command, { env: homeVariables(home), outbound });
    const close = transport.close;
    transport.close = async () => {
      await close();
      await Deno.remove(home, { recursive: true });
    };
    return transport;
  };
  if (kind.startsWith("1.x")) {
    const revision = kind.slice(4);
    const client = new OldClient(info, { capabilities });
    if (onForm !== undefined) {
      client.setRequestHandler(
        ElicitRequestSchema,
        ({ params }: { params: { message: string } }) => onForm({ message: params.message }),
      );
    }
    await client.connect(
      spawn((line) =>
        line.includes('"method":"initialize"')
          ? line.replace(/"protocolVersion":"[^"]*"/, `"protocolVersion":"${revision}"`)
          : line
      ),
    );
    return client as unknown as PeerClient;
  }
  const mode = kind === "2.x legacy" ? "legacy" as const : { pin: "2026-07-28" };
  const client = new Client(info, { capabilities, versionNegotiation: { mode } });
  if (onForm !== undefined) {
    client.setRequestHandler(
      "elicitation/create",
      ({ params }: { params: { message: string } }) => onForm({ message: params.message }),
    );
  }
  await client.connect(spawn());
  return client as unknown as PeerClient;
}
