/** Checks of request parameters that the SDK would leave unanswered (spec 12 §1.2). */

import { isJsonObject, type JsonObject, type JsonValue } from "../lib/json/mod.ts";
import { invalidParams, type JsonRpcError } from "./jsonrpc_error.ts";

/** The revision that is claimed request by request instead of by a handshake. */
export const MODERN_REVISION = "2026-07-28";

const META = "io.modelcontextprotocol/";

/** What a request says about its revision. */
export type Claim =
  | { kind: "none" }
  | { kind: "modern" }
  | { kind: "incomplete" }
  | { kind: "other"; requested: JsonValue };

/** Reads the per-request envelope. `incomplete` is left to the SDK, which names what is missing. */
export function revisionClaim(params: JsonObject): Claim {
  const meta = params._meta;
  if (!isJsonObject(meta)) return { kind: "none" };
  const revision = meta[`${META}protocolVersion`];
  if (revision === undefined) return { kind: "none" };
  if (revision !== MODERN_REVISION) return { kind: "other", requested: revision };
  const client = meta[`${META}clientInfo`];
  const complete = isJsonObject(client) && typeof client.name === "string" &&
    typeof client.version === "string" && isJsonObject(meta[`${META}clientCapabilities`]);
  return complete ? { kind: "modern" } : { kind: "incomplete" };
}

/** The first flaw of a request's or notification's parameters; undefined when they may pass. */
export function checkRequestParams(message: JsonObject): JsonRpcError | undefined {
  const { params } = message;
  if (params !== undefined && !isJsonObject(params)) return invalidParams("Invalid params");
  const fields = params ?? {};
  if (fields._meta !== undefined && !isJsonObject(fields._meta)) {
    return invalidParams("Invalid params");
  }
  const meta = fields._meta ?? {};
  if (!isProgressToken(meta.progressToken)) return invalidParams("Invalid params");
  const task = meta[`${META}related-task`];
  if (task !== undefined && !(isJsonObject(task) && typeof task.taskId === "string")) {
    return invalidParams("Invalid params");
  }
  return message.method === "tools/call" ? checkToolCall(fields) : undefined;
}

/**
 * What the server needs of a handshake; undefined when a part of it is missing. The rest is left
 * out: an envelope would make the SDK take it for a claim, and a `null` where a client has nothing
 * to say would make it refuse the whole session.
 */
export function handshakeParams(params: JsonObject, revision: string): JsonObject | undefined {
  const { clientInfo, capabilities } = params;
  if (!isJsonObject(clientInfo) || !isJsonObject(capabilities)) return undefined;
  const { name, version } = clientInfo;
  if (typeof name !== "string" || typeof version !== "string") return undefined;
  const { roots, elicitation } = capabilities;
  return {
    protocolVersion: revision,
    clientInfo: { name, version },
    capabilities: {
      ...(isJsonObject(roots) ? { roots: {} } : {}),
      ...(isJsonObject(elicitation) ? { elicitation: objectsOf(elicitation) } : {}),
    },
  };
}

function objectsOf(members: JsonObject): JsonObject {
  return Object.fromEntries(Object.entries(members).filter(([, value]) => isJsonObject(value)));
}

function checkToolCall(params: JsonObject): JsonRpcError | undefined {
  if (typeof params.name !== "string") {
    return invalidParams("Invalid params", {
      userMessage: "A tool call must name a tool.",
      suggestion: "Set params.name to a name from tools/list.",
    });
  }
  if (params.arguments !== undefined && !isJsonObject(params.arguments)) {
    return invalidParams("Invalid params", {
      userMessage: `The arguments of ${params.name} are not an object.`,
      suggestion: "Set params.arguments to a JSON object.",
      details: { tool: params.name },
    });
  }
  return undefined;
}

function isProgressToken(token: JsonValue | undefined): boolean {
  return token === undefined || typeof token === "string" || Number.isSafeInteger(token);
}
