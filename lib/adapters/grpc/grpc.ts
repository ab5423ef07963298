/** gRPC through registered invokers and an injected dialer (spec 02 §3.11.5). */

import type { Variant } from "../../catalog/types.ts";
import { type Clock, systemClock } from "../../clock/mod.ts";
import type { Adapter, AdapterRequest, AdapterResponse } from "../../dispatch/types.ts";
import { GumError } from "../../errors/mod.ts";
import { OversizeFailure } from "../../errors/wire/mod.ts";
import { RESPONSE_CAP } from "../../http/mod.ts";
import { isJsonObject, type JsonObject, type JsonValue } from "../../json/mod.ts";
import { invalidArgument } from "../refusals.ts";
import { grpcFailure } from "./status.ts";
import { ROUTING_KEY, routingParameters } from "./routing.ts";

/**
 * Makes one unary call. Throws an error with a numeric `code` for a gRPC status; undefined is an
 * empty answer.
 */
export type GrpcInvoker<Channel> = (
  channel: Channel,
  message: JsonObject,
  metadata: Readonly<Record<string, string>>,
  signal: AbortSignal,
) => Promise<JsonValue | undefined>;

/** What the adapters are made from. No gRPC library is linked: whoever registers brings it. */
export interface GrpcOptions<Channel> {
  /** By adapter key, `grpc.*`. */
  invokers: Readonly<Record<string, GrpcInvoker<Channel>>>;
  /** Opens, or reuses, the channel to a variant's service; whoever gives it closes its channels. */
  dial?: (variant: Variant, signal: AbortSignal) => Channel | Promise<Channel>;
  clock?: Clock;
}

/** Makes one adapter for each registered invoker. */
export function createGrpcAdapters<Channel>(
  options: GrpcOptions<Channel>,
): Record<string, Adapter> {
  const adapter = createGrpcAdapter(options);
  const keys = Object.keys(options.invokers);
  const foreign = keys.find((key) => !/^grpc\.[\w.]+$/.test(key));
  if (foreign !== undefined) throw new TypeError(`not a gRPC adapter key: ${foreign}`);
  return Object.fromEntries(keys.map((key) => [key, adapter]));
}

/** The executor behind every `grpc.*` key; it finds its invoker by the request's adapter key. */
export function createGrpcAdapter<Channel>(options: GrpcOptions<Channel>): Adapter {
  return { execute: (request, signal) => execute({ request, options }, signal) };
}

async function execute<Channel>(
  call: { request: AdapterRequest; options: GrpcOptions<Channel> },
  signal: AbortSignal,
): Promise<AdapterResponse> {
  const { request, options } = call;
  const { adapterKey, variant } = request.resolved;
  const invoke = Object.hasOwn(options.invokers, adapterKey)
    ? options.invokers[adapterKey]
    : undefined;
  if (invoke === undefined) {
    throw unavailable(request, {
      reason: "grpc_invoker_unregistered",
      message: `no gRPC method is registered for ${adapterKey}`,
    });
  }
  if (options.dial === undefined) {
    throw unavailable(request, {
      reason: "grpc_dialer_missing",
      message: "this build cannot open gRPC channels",
    });
  }
  const message = messageOf(request);
  const metadata = metadataOf(request, message);
  let answer: JsonValue | undefined;
  try {
    const channel = await options.dial(variant, signal);
    signal.throwIfAborted();
    answer = await invoke(channel, message, metadata, signal);
  } catch (thrown) {
    signal.throwIfAborted();
    throw grpcFailure(thrown, (options.clock ?? systemClock).now()) ?? thrown;
  }
  const body = new TextEncoder().encode(answer === undefined ? "" : JSON.stringify(answer));
  const cap = variant.max_response_bytes ?? RESPONSE_CAP;
  if (body.length > cap) throw new OversizeFailure(cap, 200);
  return {
    body,
    format: "json",
    status: 200,
    contentType: "application/json",
    bytesIn: body.length,
    bytesOut: new TextEncoder().encode(JSON.stringify(message)).length,
  };
}

/** Body fields and the other arguments are one message; the assembled body wins. */
function messageOf(request: AdapterRequest): JsonObject {
  const { body, ...rest } = request.args;
  if (body === undefined || body === null) return rest;
  if (!isJsonObject(body)) throw invalidArgument("body", "must be an object");
  return { ...rest, ...body };
}

function metadataOf(request: AdapterRequest, message: JsonObject): Record<string, string> {
  const { credentials, resolved } = request;
  const routing = routingParameters(resolved.variant.binding, message);
  return {
    ...(credentials?.token === undefined
      ? {}
      : { authorization: `Bearer ${credentials.token.reveal()}` }),
    ...(credentials?.apiKey === undefined ? {} : { "x-goog-api-key": credentials.apiKey.reveal() }),
    ...(credentials?.quotaProjectId === undefined
      ? {}
      : { "x-goog-user-project": credentials.quotaProjectId }),
    ...(routing === undefined ? {} : { [ROUTING_KEY]: routing }),
  };
}

function unavailable(
  request: AdapterRequest,
  refusal: { reason: string; message: string },
): GumError {
  return new GumError("SERVICE_DOWN", {
    message: refusal.message,
    details: {
      adapter_key: request.resolved.adapterKey,
      op_id: request.opId,
      reason: refusal.reason,
    },
    userMessage: "This build of GUM cannot reach that kind of service.",
    suggestion: "Run `gum doctor`, or choose another variant with `gum describe`.",
  });
}
