/**
 * What may pass between the wire and the SDK (spec 01 §3.2, §3.3; 12 §1.2). The SDK answers many
 * malformed requests not at all, so strictness lives here: a pure state machine over single lines.
 */

import {
  isJsonObject,
  isRawNumber,
  type JsonObject,
  type JsonValue,
  parseJson,
} from "../lib/json/mod.ts";
import { invalidParams, JsonRpcError, RPC_CODES, rpcData } from "./jsonrpc_error.ts";
import {
  checkRequestParams,
  handshakeParams,
  MODERN_REVISION,
  revisionClaim,
} from "./guard_params.ts";

/** Oldest revision that is served. */
const REVISION_FLOOR = "2025-06-18";
/** Revisions opened by a handshake, newest first. */
export const HANDSHAKE_REVISIONS: readonly string[] = ["2025-11-25", "2025-06-18"];
/** Every served revision, newest first. */
const SERVED_REVISIONS: readonly string[] = [MODERN_REVISION, ...HANDSHAKE_REVISIONS];

const LOG_LEVELS = new Set([
  "debug",
  "info",
  "notice",
  "warning",
  "error",
  "critical",
  "alert",
  "emergency",
]);

/** An id as it may be echoed. */
export type MessageId = JsonValue;

/** What to do with one inbound line. */
export type InboundVerdict =
  | { kind: "ignore"; reason?: string }
  | { kind: "reply"; message: JsonObject }
  | { kind: "deliver"; message: JsonObject; initialized?: true };

/** The phases a connection goes through. */
export type GuardPhase = "opening" | "handshake" | "modern";

/** State of one connection at the wire. */
export interface Guard {
  /** Judges one line; a `damaged` one is not what the client meant to send. Never throws. */
  inbound(line: string, bytes?: { damaged: boolean }): InboundVerdict;
  /** Told of every response that goes out, so that a refused handshake may be tried again. */
  answered(id: MessageId, failed: boolean): void;
  readonly phase: GuardPhase;
  /** An accepted handshake is not answered yet: replies wait, so that openings come in order. */
  readonly opening: boolean;
  /** Level of the last valid `logging/setLevel`. */
  readonly logLevel: string | undefined;
}

/** A guard for a new connection. */
export function createGuard(): Guard {
  let phase: GuardPhase = "opening";
  let handshakeId: MessageId | undefined;
  let logLevel: string | undefined;

  const judgeRequest = (request: JsonObject, params: JsonObject): InboundVerdict => {
    const { id, method } = request;
    const claim = revisionClaim(params);
    if (method === "logging/setLevel" && (phase !== "opening" || claim.kind === "modern")) {
      if (typeof params.level === "string" && LOG_LEVELS.has(params.level)) logLevel = params.level;
      const modern = phase === "modern" || phase === "opening";
      return reply(id, modern ? { resultType: "complete" } : {});
    }
    if (phase === "modern") return judgeModern(request, claim);
    if (method === "initialize") return judgeHandshake(request, params);
    if (phase === "opening") {
      if (method === "ping" && claim.kind === "none") return reply(id, {});
      if (claim.kind === "none") return refuse(id, invalidRequest("Session not initialized"));
      if (method === "subscriptions/listen") return refuse(id, methodNotFound());
      // A probe is answered by an instance that the SDK throws away if a handshake follows.
      if (claim.kind === "modern" && method !== "server/discover") phase = "modern";
    }
    return { kind: "deliver", message: request };
  };

  const judgeModern = (request: JsonObject, claim: RevisionClaim): InboundVerdict => {
    if (request.method === "subscriptions/listen") return refuse(request.id, methodNotFound());
    if (claim.kind === "other") return refuse(request.id, unsupportedRevision(claim.requested));
    return { kind: "deliver", message: request };
  };

  const judgeHandshake = (request: JsonObject, params: JsonObject): InboundVerdict => {
    if (phase === "handshake") {
      return refuse(request.id, invalidRequest("Session already initialized"));
    }
    const requested = params.protocolVersion;
    if (
      typeof requested !== "string" || !/^\d{4}-\d{2}-\d{2}$/.test(requested) ||
      requested < REVISION_FLOOR
    ) return refuse(request.id, belowFloor(requested));
    const plain = handshakeParams(params, requested);
    if (plain === undefined) return refuse(request.id, invalidParams("Invalid params"));
    phase = "handshake";
    handshakeId = request.id;
    return { kind: "deliver", message: { ...request, params: plain } };
  };

  const judgeNotification = (notification: JsonObject): InboundVerdict => {
    if (phase === "opening" && revisionClaim(paramsOf(notification)).kind === "none") {
      return { kind: "ignore", reason: "notification before a session" };
    }
    // A handshake cannot be cancelled: without its answer nothing after it would be answered.
    if (
      notification.method === "notifications/cancelled" && handshakeId !== undefined &&
      paramsOf(notification).requestId === handshakeId
    ) return { kind: "ignore", reason: "cancelled handshake" };
    return notification.method === "notifications/initialized" && phase === "handshake"
      ? { kind: "deliver", message: notification, initialized: true }
      : { kind: "deliver", message: notification };
  };

  const judge = (message: JsonObject): InboundVerdict => {
    const shape = shapeOf(message);
    switch (shape.kind) {
      case "invalid":
        return refuse(shape.id, invalidRequest("Invalid request"));
      case "response":
        return phase === "opening"
          ? { kind: "ignore", reason: "response before a session" }
          : { kind: "deliver", message: shape.message };
      case "notification": {
        const flaw = checkRequestParams(shape.message);
        return flaw === undefined
          ? judgeNotification(shape.message)
          : { kind: "ignore", reason: "malformed notification" };
      }
      case "request": {
        const flaw = checkRequestParams(shape.message);
        if (flaw !== undefined) return refuse(shape.message.id, flaw);
        const request = withoutTask(shape.message);
        return judgeRequest(request, paramsOf(request));
      }
    }
  };

  return {
    inbound(line, bytes) {
      if (line.trim() === "") return { kind: "ignore" };
      let message: JsonValue;
      try {
        message = parseJson(line);
      } catch (error) {
        if (!(error instanceof SyntaxError)) throw error;
        return refuse(null, parseError());
      }
      if (Array.isArray(message)) return refuse(null, batchRefused());
      if (!isJsonObject(message)) return refuse(null, invalidRequest("Invalid request"));
      // Served as it reads, it would write replacement characters into somebody's document.
      if (bytes?.damaged) {
        return refuse(typeof message.method === "string" ? echoable(message.id) : null, notUtf8());
      }
      return judge(message);
    },
    answered(id, failed) {
      if (failed && phase === "handshake" && id === handshakeId) phase = "opening";
      if (id === handshakeId) handshakeId = undefined;
    },
    get phase() {
      return phase;
    },
    get opening() {
      return handshakeId !== undefined;
    },
    get logLevel() {
      return logLevel;
    },
  };
}

type RevisionClaim = ReturnType<typeof revisionClaim>;

type MessageShape =
  | { kind: "request" | "notification" | "response"; message: JsonObject }
  | { kind: "invalid"; id: MessageId };

/** Classifies a message and drops top-level keys the SDK would choke on. */
function shapeOf(message: JsonObject): MessageShape {
  const { id = undefined, method } = message;
  const answers = Object.hasOwn(message, "result") || Object.hasOwn(message, "error");
  const invalid: MessageShape = { kind: "invalid", id: echoable(id) };
  if (message.jsonrpc !== "2.0") return invalid;
  if (typeof method === "string") {
    if (answers) return invalid;
    const kept = pick(message, ["jsonrpc", "id", "method", "params"]);
    if (id === undefined) return { kind: "notification", message: kept };
    return isMessageId(id) ? { kind: "request", message: kept } : invalid;
  }
  if (method !== undefined || !answers || !isMessageId(id)) return invalid;
  if (Object.hasOwn(message, "result") && Object.hasOwn(message, "error")) return invalid;
  return { kind: "response", message: pick(message, ["jsonrpc", "id", "result", "error"]) };
}

function isMessageId(id: JsonValue | undefined): boolean {
  return typeof id === "string" || Number.isSafeInteger(id);
}

/** An id that may stand in an error: a string or an integer of any size, else null. */
function echoable(id: JsonValue | undefined): MessageId {
  if (typeof id === "string" || isRawNumber(id)) return id as MessageId;
  return typeof id === "number" && Number.isInteger(id) ? id : null;
}

function pick(message: JsonObject, keys: string[]): JsonObject {
  const kept: JsonObject = {};
  for (const key of keys) {
    const value = message[key];
    if (value !== undefined) kept[key] = value;
  }
  return kept;
}

function paramsOf(message: JsonObject): JsonObject {
  return isJsonObject(message.params) ? message.params : {};
}

/** Task augmentation is not offered: the call is served as an ordinary one. */
function withoutTask(request: JsonObject): JsonObject {
  if (!isJsonObject(request.params) || !Object.hasOwn(request.params, "task")) return request;
  const { task: _task, ...params } = request.params;
  return { ...request, params };
}

function reply(id: MessageId | undefined, result: JsonObject): InboundVerdict {
  return { kind: "reply", message: { jsonrpc: "2.0", id: id ?? null, result } };
}

function refuse(id: MessageId | undefined, error: JsonRpcError): InboundVerdict {
  const body: JsonObject = { code: error.code, message: error.message };
  if (error.data !== undefined) body.data = error.data;
  return { kind: "reply", message: { jsonrpc: "2.0", id: id ?? null, error: body } };
}

function methodNotFound(): JsonRpcError {
  return new JsonRpcError(RPC_CODES.methodNotFound, "Method not found");
}

function parseError(): JsonRpcError {
  return new JsonRpcError(
    RPC_CODES.parseError,
    "Parse error",
    rpcData("INVALID_ARGS", {
      message: "Parse error",
      userMessage: "A line from the client is not JSON.",
      suggestion: "Send one JSON-RPC message per line.",
    }),
  );
}

function notUtf8(): JsonRpcError {
  return new JsonRpcError(
    RPC_CODES.parseError,
    "Parse error",
    rpcData("INVALID_ARGS", {
      message: "Parse error",
      userMessage: "A line from the client is not UTF-8.",
      suggestion: "Encode messages as UTF-8.",
    }),
  );
}

const REQUEST_ADVICE: Readonly<Record<string, string>> = {
  "Session not initialized": "Send initialize first.",
  "Session already initialized": "Go on with the session, or open another connection.",
};

function invalidRequest(message: string): JsonRpcError {
  return new JsonRpcError(
    RPC_CODES.invalidRequest,
    message,
    rpcData("INVALID_ARGS", {
      message,
      userMessage: "The client sent a message that cannot be served now.",
      suggestion: REQUEST_ADVICE[message] ?? "Send a well-formed JSON-RPC 2.0 message.",
    }),
  );
}

function batchRefused(): JsonRpcError {
  const message = "Batching is not supported";
  return new JsonRpcError(
    RPC_CODES.invalidRequest,
    message,
    rpcData("UNSUPPORTED_CAPABILITY", {
      message,
      userMessage: "This client sent a batch of messages, which GUM does not serve.",
      suggestion: "Send one message per line.",
      details: { retryable: false },
    }),
  );
}

function belowFloor(requested: JsonValue | undefined): JsonRpcError {
  const message = "Unsupported protocol version";
  return new JsonRpcError(
    RPC_CODES.invalidParams,
    message,
    rpcData("UNSUPPORTED_CAPABILITY", {
      message,
      userMessage: "This client speaks an MCP revision that GUM does not serve.",
      suggestion: `Update the MCP client to a revision of ${REVISION_FLOOR} or later.`,
      details: {
        minimum: REVISION_FLOOR,
        requested: requested ?? null,
        supported: [...SERVED_REVISIONS],
        retryable: false,
      },
    }),
  );
}

function unsupportedRevision(requested: JsonValue): JsonRpcError {
  return new JsonRpcError(RPC_CODES.unsupportedRevision, "Unsupported protocol version", {
    supported: [MODERN_REVISION],
    requested,
  });
}
