/**
 * The SDK server of one connection (spec 01 §3.4, §3.5; 12 §1.1). Handlers are registered with
 * pass-through schemas, so that every check and every message is this surface's own.
 */

import { inputRequired, Server, type ServerContext } from "@modelcontextprotocol/server";
import { isJsonObject, type JsonObject, type JsonValue } from "../lib/json/mod.ts";
import { callTool } from "./call.ts";
import { createCompleter } from "./completions.ts";
import { clientIdentity, createConnection } from "./connection.ts";
import { HANDSHAKE_REVISIONS } from "./guard_rules.ts";
import { page } from "./pager.ts";
import { getPrompt } from "./prompts.ts";
import type { ToolRegistry } from "./registry.ts";
import type { ResourceStore } from "./resources.ts";
import type { ConnectedSurface, Surface } from "./surface.ts";
import { showName } from "./tool_names.ts";
import { isChangingTool } from "./read_only.ts";
import type { ConnectionState, ToolOutcome } from "./types.ts";

/** How long a client may take to list its roots. */
const ROOTS_TIMEOUT_MS = 10_000;

/** Everything registered, before any transport exists. */
export interface Registries {
  tools: ToolRegistry;
  resources: ResourceStore;
  prompts: JsonObject[];
}

/** Makes servers for one connection; the SDK asks once per opening. */
export type ConnectionFactory = (context: { era: ConnectionState["era"] }) => Server;

type Handler = (params: JsonObject, context: ServerContext) => unknown;

const passThrough = {
  "~standard": {
    version: 1 as const,
    vendor: "gum",
    validate: (value: unknown) => ({ value }),
  },
};

/** A factory for the next connection, bound to the tools registered by now. */
export function connectionFactory(surface: Surface, registries: Registries): ConnectionFactory {
  const connected: ConnectedSurface = { ...surface, tools: registries.tools.snapshot() };
  return ({ era }) => {
    const server = newServer(surface.options.version);
    const connection = createConnection(era);
    register(server, handlers({ surface: connected, registries, connection, server }));
    return server;
  };
}

function newServer(version: string): Server {
  return new Server({ name: "gum", version }, {
    capabilities: { tools: {}, resources: {}, prompts: {}, completions: {} },
    supportedProtocolVersions: [...HANDSHAKE_REVISIONS],
    // Results are checked by tests, not at run time; the SDK would build an Ajv of its own.
    jsonSchemaValidator: {
      getValidator: () => (data) => ({ valid: true, data: data as never, errorMessage: undefined }),
    },
  });
}

function register(server: Server, methods: Record<string, Handler>): void {
  const untyped = server as unknown as {
    setRequestHandler(
      method: string,
      schemas: { params: typeof passThrough },
      handler: Handler,
    ): void;
  };
  for (const [method, handler] of Object.entries(methods)) {
    untyped.setRequestHandler(method, { params: passThrough }, handler);
  }
}

interface Wiring {
  surface: ConnectedSurface;
  registries: Registries;
  connection: ConnectionState;
  server: Server;
}

function handlers(wiring: Wiring): Record<string, Handler> {
  const { surface, registries, connection } = wiring;
  const complete = createCompleter(surface, connection, registries.resources);
  const client = (context: ServerContext) => identityOf(wiring, context);
  const list = (name: string, key: string, entries: (context: ServerContext) => JsonObject[]) =>
    ((params, context) => {
      const shown = page(entries(context), { list: name, cursor: params.cursor });
      return {
        [key]: shown.entries,
        ...(shown.next === undefined ? {} : { nextCursor: shown.next }),
      };
    }) satisfies Handler;
  return {
    "tools/list": list("tools", "tools", (context) => toolEntries(surface, client(context).name)),
    "tools/call": async (params, context) =>
      sdkOutcome(await callTool(surface, params, callRequest(wiring, context))),
    "prompts/list": list("prompts", "prompts", () => registries.prompts),
    "prompts/get": (params, context) => getPrompt(params, surface.form(client(context).name)),
    "resources/list": list("resources", "resources", () => registries.resources.entries),
    "resources/templates/list": list(
      "templates",
      "resourceTemplates",
      () => registries.resources.templates,
    ),
    "resources/read": (params) => registries.resources.read(params),
    "completion/complete": (params) => complete(params),
  };
}

function identityOf(wiring: Wiring, context: ServerContext) {
  return clientIdentity({
    era: wiring.connection.era,
    envelope: context.mcpReq.envelope,
    clientInfo: wiring.server.getClientVersion(),
    clientCapabilities: wiring.server.getClientCapabilities(),
  });
}

/** Entries of `tools/list` in the form this client takes. */
function toolEntries(surface: ConnectedSurface, clientName: string): JsonObject[] {
  const form = surface.form(clientName);
  const shown = surface.tools.tools.filter(({ definition }) =>
    !isChangingTool(definition.annotations, surface.options)
  );
  return shown.map(({ definition }) => ({
    ...definition as unknown as JsonObject,
    name: showName(definition.name, form),
  }));
}

function callRequest(wiring: Wiring, context: ServerContext) {
  const request = context.mcpReq;
  const client = identityOf(wiring, context);
  const meta = isJsonObject(request._meta as JsonValue) ? request._meta as JsonObject : {};
  const token = request._meta?.progressToken;
  const responses = request.inputResponses as JsonValue | undefined;
  return {
    signal: request.signal,
    connection: wiring.connection,
    meta,
    clientName: client.name,
    clientCapabilities: client.capabilities,
    inputResponses: isJsonObject(responses) ? responses : undefined,
    progress: token === undefined ? undefined : (update: JsonObject) =>
      request.notify({
        method: "notifications/progress",
        params: { progressToken: token, ...update } as never,
      }),
    askRoots: () => askRoots(wiring, context),
  };
}

/** `roots/list` on a 2025 revision; a refusal or a timeout means there are none. */
async function askRoots(
  wiring: Wiring,
  context: ServerContext,
): Promise<JsonValue | undefined> {
  try {
    const answer = await context.mcpReq.send({ method: "roots/list" }, passThrough, {
      timeout: ROOTS_TIMEOUT_MS,
    });
    return answer as JsonValue;
  } catch (error) {
    wiring.surface.session.log.log("info", "mcp: the client did not list its roots", {
      reason: error instanceof Error ? error.message : String(error),
    });
    return undefined;
  }
}

function sdkOutcome(outcome: ToolOutcome): unknown {
  return outcome.kind === "result"
    ? outcome.result
    : inputRequired(outcome.input as unknown as Parameters<typeof inputRequired>[0]);
}
