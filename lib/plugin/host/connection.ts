/** The MCP session with one plugin process (spec 06 §3.16). */

import type { StandardSchemaV1 } from "@modelcontextprotocol/client";
import { isJsonObject, type JsonObject } from "../../json/mod.ts";
import { CallFailure, type ToolCallOptions } from "./types.ts";

/** Revisions this host speaks; the first is offered. */
const REVISIONS = ["2025-06-18", "2025-11-25", "2025-03-26", "2024-11-05"];
const TOOL_PAGES = 10;

/** A line transport that the client drives. */
export interface LineTransport {
  onmessage?: (message: never) => void;
  onclose?: () => void;
  onerror?: (error: Error) => void;
  start(): Promise<void>;
  send(message: unknown): Promise<void>;
  close(): Promise<void>;
}

/** An open session. */
export interface PluginConnection {
  readonly toolNames: ReadonlySet<string>;
  /** `tools/list` as it was given, for noticing later changes. */
  readonly tools: readonly JsonObject[];
  call(toolName: string, args: JsonObject, options: ToolCallOptions): Promise<JsonObject>;
  close(): Promise<void>;
}

/** Results are untrusted data that is judged by whoever asked for them. */
const anything: StandardSchemaV1<unknown, JsonObject> = {
  "~standard": {
    version: 1,
    vendor: "gum",
    validate: (value) => ({ value: isJsonObject(value) ? value : {} }),
  },
};

/** Opens a session: `initialize`, then every page of `tools/list`. */
export async function connectPlugin(
  transport: LineTransport,
  options: { version: string; timeoutMs: number; signal: AbortSignal },
): Promise<PluginConnection> {
  const { signal } = options;
  const { Client, ProtocolError, SdkError, SdkErrorCode } = await import(
    "@modelcontextprotocol/client"
  );
  const deadline = performance.now() + options.timeoutMs;
  const left = () => ({ signal, timeout: Math.max(1, Math.ceil(deadline - performance.now())) });
  const client = new Client({ name: "gum", version: options.version }, {
    capabilities: {},
    supportedProtocolVersions: REVISIONS,
    jsonSchemaValidator: {
      getValidator: () => (input) => ({
        valid: true,
        data: input as never,
        errorMessage: undefined,
      }),
    },
  });
  await client.connect(transport as Parameters<typeof client.connect>[0], left());
  const tools: JsonObject[] = [];
  let cursor: string | undefined;
  for (let page = 0; page < TOOL_PAGES; page++) {
    const params = cursor === undefined ? {} : { cursor };
    const answer: JsonObject = await client.request(
      { method: "tools/list", params },
      anything,
      left(),
    );
    if (Array.isArray(answer.tools)) tools.push(...answer.tools.filter(isJsonObject));
    cursor = typeof answer.nextCursor === "string" ? answer.nextCursor : undefined;
    if (cursor === undefined) break;
  }
  const failureOf = (error: unknown): CallFailure => {
    const message = error instanceof Error ? error.message : String(error);
    const reason = error instanceof SdkError
      ? error.code === SdkErrorCode.RequestTimeout ? "call_timeout" : "connection_closed"
      : error instanceof ProtocolError
      ? "call_failed"
      : "connection_closed";
    return new CallFailure(reason, message, { cause: error });
  };
  return {
    tools,
    toolNames: new Set(tools.flatMap(({ name }) => typeof name === "string" ? [name] : [])),
    async call(name, args, { signal: callSignal, timeoutMs }) {
      callSignal.throwIfAborted();
      try {
        return await client.request(
          { method: "tools/call", params: { name, arguments: args } },
          anything,
          { signal: callSignal, timeout: timeoutMs },
        );
      } catch (error) {
        callSignal.throwIfAborted();
        throw failureOf(error);
      }
    },
    close: () => client.close(),
  };
}
