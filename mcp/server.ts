/**
 * The SDK server of one connection (spec 01 §3.4, §3.5; 12 §1.1). Handlers are registered with
 * pass-through schemas, so that every check and every message is this surface's own.
 */

import { inputRequired, Server, type ServerContext } from "@modelcontextprotocol/server";
import { isJsonObject, type JsonObject, type JsonValue } from "../lib/json/mod.ts";
import { type CallRequest, callTool } from "./call.ts";
import { createCompleter } from "./completions.ts";
import { clientIdentity, createConnection } from "./connection.ts";
import { JsonRpcError } from "./jsonrpc_error.ts";
import { answeredCall } from "./legacy_questions.ts";
import { HANDSHAKE_REVISIONS } from "./guard_rules.ts";
import { page } from "./pager.ts";
import { passThrough } from "./pass_through.ts";
import { getPrompt } from "./prompts.ts";
import type { ToolRegistry } from "./registry.ts";
import type { ResourceStore } from "./resources.ts";
import type { ConnectedSurface, Surface } from "./surface.ts";
import { showName, showNamesIn } from "./tool_names.ts";
import { isChangingTool } from "./read_only.ts";
import type { ConnectionState, ToolNameForm, ToolOutcome } from "./types.ts";

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

/** A factory for the next connection, bound to the tools registered by now. */
export function connectionFactory(surface: Surface, registries: Registries): ConnectionFactory {
  const connected: ConnectedSurface = { ...surface, tools: registries.tools.snapshot() };
  return ({ era }) => {
    const server = newServer(surface.options.version);
    const connection = createConnection(era);
    const wiring = { surface: connected, registries, connection, server };
    register(server, inClientWords(wiring, handlers(wiring)));
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
    "tools/call": async (params, context) => {
      const request = callRequest(wiring, context);
      const run = (round: CallRequest) => callTool(surface, params, round);
      const { log } = surface.session;
      return sdkOutcome(
        connection.era === "modern"
          ? await run(request)
          : await answeredCall(run, request, { context, log }),
      );
    },
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

/** Protocol errors name tools in the form this client sees, as results do (spec 11 §1). */
function inClientWords(
  wiring: Wiring,
  methods: Record<string, Handler>,
): Record<string, Handler> {
  const worded = (handler: Handler): Handler => async (params, context) => {
    try {
      return await handler(params, context);
    } catch (error) {
      throw reworded(error, wiring.surface.form(identityOf(wiring, context).name));
    }
  };
  return Object.fromEntries(
    Object.entries(methods).map(([method, handler]) => [method, worded(handler)]),
  );
}

function reworded(error: unknown, form: ToolNameForm): unknown {
  if (!(error instanceof JsonRpcError) || error.data === undefined) return error;
  const data = { ...error.data };
  for (const key of ["user_message", "suggestion"]) {
    const text = data[key];
    if (typeof text === "string") data[key] = showNamesIn(text, form);
  }
  return new JsonRpcError(error.code, error.message, data);
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

function callRequest(wiring: Wiring, context: ServerContext): CallRequest {
  const request = context.mcpReq;
  const client = identityOf(wiring, context);
  const meta = isJsonObject(request._meta as JsonValue) ? request._meta as JsonObject : {};
  const token = request._meta?.progressToken;
  return {
    signal: request.signal,
    connection: wiring.connection,
    meta,
    clientName: client.name,
    clientCapabilities: client.capabilities,
    inputResponses: inputResponses(request),
    progress: token === undefined ? undefined : (update: JsonObject) =>
      request.notify({
        method: "notifications/progress",
        params: { progressToken: token, ...update } as never,
      }),
    askRoots: () => askRoots(wiring, context),
  };
}

/** Answers of a retry, by key; one that the SDK found unusable is there, as `null`. */
function inputResponses(request: ServerContext["mcpReq"]): JsonObject | undefined {
  const accepted = request.inputResponses as JsonValue | undefined;
  if (!isJsonObject(accepted)) return undefined;
  const dropped = request.droppedInputResponseKeys ?? [];
  return { ...accepted, ...Object.fromEntries(dropped.map((key) => [key, null])) };
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
