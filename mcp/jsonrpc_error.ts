/** Protocol-level failures: JSON-RPC errors whose message and data are GUM's own (spec 01 §4). */

import { isJsonObject, type JsonObject, type JsonValue } from "../lib/json/mod.ts";
import type { ErrorCode } from "../lib/errors/mod.ts";

/** JSON-RPC codes this surface answers with. */
export const RPC_CODES = {
  parseError: -32700,
  invalidRequest: -32600,
  methodNotFound: -32601,
  invalidParams: -32602,
  internalError: -32603,
  /** Some clients read -32004 as "server closing"; branch on `data.error_code` instead. */
  resourceNotFound: -32004,
  artifactExpired: -32010,
  variantQuarantined: -32000,
  unsupportedRevision: -32022,
} as const;

/**
 * Thrown by handlers for protocol-level failures. The SDK passes integer `code`, `message` and
 * `data` of any thrown object through unchanged, while its own error classes decorate the message.
 */
export class JsonRpcError extends Error {
  /** JSON-RPC error code. */
  readonly code: number;
  /** The envelope shown to the client; absent for "Method not found". */
  readonly data?: JsonObject;

  constructor(code: number, message: string, data?: JsonObject) {
    super(message);
    this.name = "JsonRpcError";
    this.code = code;
    if (data !== undefined) this.data = data;
  }
}

/** Text and details of an error envelope in `error.data`. */
export interface RpcEnvelope {
  userMessage: string;
  suggestion: string;
  /** Further flat keys, e.g. `tool` or `uri`. */
  details?: JsonObject;
  /** Repeat `error.message` in the envelope: only -32600, -32602 and -32700 do. */
  message?: string;
}

/** The flat envelope of `error.data`: `error_code`, `message` when given, other keys sorted. */
export function rpcData(code: ErrorCode, envelope: RpcEnvelope): JsonObject {
  const rest: JsonObject = {
    ...envelope.details,
    user_message: envelope.userMessage,
    suggestion: envelope.suggestion,
  };
  const data: JsonObject = { error_code: code };
  if (envelope.message !== undefined) data.message = envelope.message;
  for (const key of Object.keys(rest).sort()) {
    const value = rest[key];
    if (value !== undefined) data[key] = typeof value === "string" ? echoed(value) : value;
  }
  return data;
}

/** Longest text of an envelope, in characters: what a client sent is named, not sent back whole. */
const ECHO_CHARS = 2_000;

function echoed(text: string): string {
  return text.length <= ECHO_CHARS
    ? text
    : `${text.slice(0, ECHO_CHARS).toWellFormed()}… (${text.length} characters)`;
}

/** What the SDK's own refusals mean; it sends them without an envelope. */
const UNEXPLAINED: ReadonlyMap<number, { code: ErrorCode } & Omit<RpcEnvelope, "message">> =
  new Map([
    [RPC_CODES.invalidParams, {
      code: "INVALID_ARGS",
      userMessage: "The request's parameters are not valid.",
      suggestion: "Correct the parameters and send the request again.",
    }],
    [RPC_CODES.internalError, {
      code: "SERVICE_DOWN",
      userMessage: "The request failed inside GUM.",
      suggestion: "Try again later; report it if it keeps happening.",
    }],
  ]);

/** A response with the envelope that clients branch on, where the SDK left it out. */
export function withEnvelope(response: JsonObject): JsonObject {
  const { error } = response;
  if (!isJsonObject(error) || error.data !== undefined) return response;
  const meaning = typeof error.code === "number" ? UNEXPLAINED.get(error.code) : undefined;
  if (meaning === undefined) return response;
  const { code, ...texts } = meaning;
  const message = typeof error.message === "string" ? error.message : "";
  return { ...response, error: { ...error, data: rpcData(code, { ...texts, message }) } };
}

/** What answers a request whose own answer has no JSON form, so that its caller does not wait. */
export function unencodable(id: JsonValue): JsonObject {
  const message = "Internal error";
  return {
    jsonrpc: "2.0",
    id,
    error: {
      code: RPC_CODES.internalError,
      message,
      data: rpcData("SERVICE_DOWN", {
        message,
        userMessage: "The answer could not be encoded.",
        suggestion: "Ask for less, or for another format.",
        details: { source_error_code: "JSON_ENCODE_FAILED", retryable: false },
      }),
    },
  };
}

/** `-32602` with an `INVALID_ARGS` envelope. */
export function invalidParams(
  message: string,
  envelope: Partial<Omit<RpcEnvelope, "message">> = {},
): JsonRpcError {
  return new JsonRpcError(
    RPC_CODES.invalidParams,
    message,
    rpcData("INVALID_ARGS", {
      message,
      userMessage: envelope.userMessage ?? "The request's parameters are not valid.",
      suggestion: envelope.suggestion ?? "Correct the parameters and send the request again.",
      details: envelope.details ?? {},
    }),
  );
}
