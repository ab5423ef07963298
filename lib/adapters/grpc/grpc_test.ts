import assert from "node:assert/strict";
import { Buffer } from "node:buffer";
import {
  type Client,
  credentials,
  type handleUnaryCall,
  makeClientConstructor,
  Metadata,
  Server,
  ServerCredentials,
  type ServiceDefinition,
  type ServiceError,
  status,
  type UntypedServiceImplementation,
} from "@grpc/grpc-js";
import type { Variant } from "../../catalog/types.ts";
import { createKernel } from "../../dispatch/mod.ts";
import { op, openFixture, refusalOf, variant } from "../../dispatch/testdata/fixture.ts";
import type { Kernel } from "../../dispatch/types.ts";
import type { JsonObject, JsonValue } from "../../json/mod.ts";
import { createAdapterRegistry } from "../registry.ts";
import { createGrpcAdapter, createGrpcAdapters, type GrpcInvoker } from "./mod.ts";

const KEY = "grpc.pubsub.get_topic";

/** One unary method; JSON stands in for protobuf, which changes nothing on the transport. */
const DEFINITION: ServiceDefinition = {
  GetTopic: {
    path: "/test.pubsub.Publisher/GetTopic",
    requestStream: false,
    responseStream: false,
    requestSerialize: toBytes,
    requestDeserialize: fromBytes,
    responseSerialize: toBytes,
    responseDeserialize: fromBytes,
  },
};

function toBytes(value: unknown): Buffer {
  return Buffer.from(JSON.stringify(value ?? null));
}

function fromBytes(bytes: Buffer): JsonValue {
  return JSON.parse(bytes.toString());
}

/** What the server saw of one call. */
interface Seen {
  message: JsonObject;
  metadata: Record<string, unknown>;
}

interface GrpcPeer extends AsyncDisposable {
  address: string;
  seen: Seen[];
  cancelled: Promise<void>;
}

type Behaviour = (message: JsonObject) => JsonValue | { code: number; details: string } | "hang";

/** A real server on loopback. */
async function startServer(behave: Behaviour): Promise<GrpcPeer> {
  const server = new Server();
  const seen: Seen[] = [];
  const cancelled = Promise.withResolvers<void>();
  const getTopic: handleUnaryCall<JsonObject, JsonValue> = (call, answer) => {
    seen.push({ message: call.request, metadata: call.metadata.getMap() });
    call.on("cancelled", () => cancelled.resolve());
    const outcome = behave(call.request);
    if (outcome === "hang") return;
    if (typeof outcome === "object" && outcome !== null && "details" in outcome) {
      answer(outcome as ServiceError);
    } else answer(null, outcome as JsonValue);
  };
  const implementation: UntypedServiceImplementation = { GetTopic: getTopic };
  server.addService(DEFINITION, implementation);
  const port = await new Promise<number>((resolve, reject) =>
    server.bindAsync(
      "127.0.0.1:0",
      ServerCredentials.createInsecure(),
      (error, bound) => error === null ? resolve(bound) : reject(error),
    )
  );
  return {
    address: `127.0.0.1:${port}`,
    seen,
    cancelled: cancelled.promise,
    async [Symbol.asyncDispose]() {
      server.forceShutdown();
      await Promise.resolve();
    },
  };
}

type GetTopic = (
  message: JsonObject,
  metadata: Metadata,
  done: (error: ServiceError | null, answer?: JsonValue) => void,
) => { cancel(): void };

const getTopic: GrpcInvoker<Client> = (channel, message, entries, signal) =>
  new Promise((resolve, reject) => {
    const metadata = new Metadata();
    for (const [key, value] of Object.entries(entries)) metadata.set(key, value);
    const method = (channel as unknown as { GetTopic: GetTopic }).GetTopic.bind(channel);
    const onAbort = () => call.cancel();
    const call = method(message, metadata, (error, answer) => {
      signal.removeEventListener("abort", onAbort);
      if (error !== null) reject(error);
      else resolve(answer === "" ? undefined : answer);
    });
    signal.addEventListener("abort", onAbort, { once: true });
  });

function topicVariant(extra: Partial<Variant["binding"]> = {}): Variant {
  return variant("pubsub.v1.grpc.get_topic", ["read", "GET", "https://pubsub.googleapis.com/"], {
    interface_kind: "grpc",
    backend_kind: "grpc-sdk",
    binding: {
      binding_schema_version: 1,
      adapter_key: KEY,
      operation_key: "pubsub.topics.get",
      proto_service: "google.pubsub.v1.Publisher",
      proto_method: "GetTopic",
      routing_headers: ["topic", "filter.zone"],
      ...extra,
    },
  });
}

/** A kernel whose one operation goes to the server. */
async function openGrpc(
  address: string,
  run: (kernel: Kernel, dialled: () => number) => Promise<void>,
): Promise<void> {
  const Constructor = makeClientConstructor(DEFINITION, "Publisher");
  const channel = new Constructor(address, credentials.createInsecure());
  let dialled = 0;
  await using fixture = openFixture({
    ops: [op("pubsub.topics.get", [topicVariant()])],
  });
  try {
    const kernel = createKernel({
      ...fixture.deps,
      adapters: createAdapterRegistry({
        others: createGrpcAdapters<Client>({
          invokers: { [KEY]: getTopic },
          dial: () => {
            dialled++;
            return channel;
          },
        }),
      }),
    });
    await run(kernel, () => dialled);
  } finally {
    channel.close();
  }
}

Deno.test("TestRoutingHeaderReachesTheWire: one metadata entry, values encoded, with the bearer", async () => {
  await using server = await startServer((message) => ({ echoed: message }));
  await openGrpc(server.address, async (kernel) => {
    const answer = await kernel.dispatch({
      opId: "pubsub.topics.get",
      args: { topic: "projects/p/topics/t", filter: { zone: 3 }, page: 1 },
      format: "json",
    });
    const message = { topic: "projects/p/topics/t", filter: { zone: 3 }, page: 1 };
    assert.deepEqual(answer.structuredContent, { echoed: message });
    assert.deepEqual(server.seen[0]?.message, message);
    const { metadata } = server.seen[0] ?? { metadata: {} };
    assert.equal(
      metadata["x-goog-request-params"],
      "topic=projects%2Fp%2Ftopics%2Ft&filter.zone=3",
    );
    assert.match(String(metadata.authorization), /^Bearer /);
    await kernel.dispatch({ opId: "pubsub.topics.get", args: { page: 1 } });
    assert.equal("x-goog-request-params" in (server.seen[1]?.metadata ?? {}), false);
    await kernel.dispatch({
      opId: "pubsub.topics.get",
      args: { topic: "flat", body: { topic: "in the body", filter: {} } },
    });
    assert.equal(
      server.seen[2]?.metadata["x-goog-request-params"],
      "topic=in%20the%20body",
    );
  });
});

Deno.test("TestBackendKindGrpcSDK: statuses become the codes of the HTTP table", async () => {
  const rows: [number, string, number][] = [
    [status.UNAUTHENTICATED, "AUTH_REQUIRED", 401],
    [status.PERMISSION_DENIED, "UPSTREAM_REJECTED", 403],
    [status.NOT_FOUND, "RESOURCE_NOT_FOUND", 404],
    [status.INVALID_ARGUMENT, "INVALID_ARGS", 400],
    [status.RESOURCE_EXHAUSTED, "RATE_LIMITED", 429],
    [status.UNAVAILABLE, "SERVICE_DOWN", 503],
    [status.INTERNAL, "SERVICE_DOWN", 500],
    [status.UNIMPLEMENTED, "SERVICE_DOWN", 500],
    [status.ABORTED, "SERVICE_DOWN", 500],
  ];
  await using server = await startServer((message) => ({
    code: Number(message.code),
    details: "said the server",
  }));
  await openGrpc(server.address, async (kernel) => {
    for (const [code, expected, http] of rows) {
      const error = await refusalOf(kernel, { opId: "pubsub.topics.get", args: { code } });
      assert.equal(error.code, expected, String(status[code]));
      assert.equal(error.details.http_status, http);
      assert.equal(error.details.google_status, status[code]);
    }
    const error = await refusalOf(kernel, {
      opId: "pubsub.topics.get",
      args: { code: status.NOT_FOUND },
    });
    assert.equal(error.message, "said the server");
  });
});

Deno.test("TestBackendKindGrpcSDK: a caller who gives up cancels the call on the server", async () => {
  await using server = await startServer(() => "hang");
  await openGrpc(server.address, async (kernel) => {
    const caller = new AbortController();
    const call = refusalOf(kernel, { opId: "pubsub.topics.get", args: {} }, caller.signal);
    const deadline = Date.now() + 5_000;
    while (server.seen.length === 0 && Date.now() < deadline) {
      await new Promise((resolve) => setTimeout(resolve, 5));
    }
    caller.abort(new Error("enough"));
    assert.equal((await call).code, "CANCELLED");
    await server.cancelled;
  });
});

Deno.test("TestBackendKindGrpcSDK: an empty answer is an empty body", async () => {
  await using server = await startServer(() => "");
  await openGrpc(server.address, async (kernel, dialled) => {
    const answer = await kernel.dispatch({ opId: "pubsub.topics.get", args: {}, format: "json" });
    assert.deepEqual(answer.structuredContent, {});
    assert.equal(dialled(), 1);
  });
});

Deno.test("TestBackendBindingGrpc: an unregistered key and a missing dialer are told apart", async () => {
  const request = (adapterKey: string) => ({
    opId: "pubsub.topics.get",
    args: {},
    resolved: {
      op: op("pubsub.topics.get", [topicVariant()]),
      variant: topicVariant(),
      adapterKey,
      deprecated: false,
    },
    requestId: "req-1",
    grants: { allowWrite: false, allowDestructive: false, confirmed: false },
  });
  let dialled = 0;
  const signal = new AbortController().signal;
  const invokers = { [KEY]: () => Promise.resolve({}) };
  const dialling = createGrpcAdapter({ invokers, dial: () => dialled++ });
  await assert.rejects(dialling.execute(request("grpc.other"), signal), {
    code: "SERVICE_DOWN",
    details: {
      adapter_key: "grpc.other",
      op_id: "pubsub.topics.get",
      reason: "grpc_invoker_unregistered",
    },
  });
  assert.equal(dialled, 0);
  await assert.rejects(createGrpcAdapter({ invokers }).execute(request(KEY), signal), {
    code: "SERVICE_DOWN",
    details: { adapter_key: KEY, op_id: "pubsub.topics.get", reason: "grpc_dialer_missing" },
  });
  assert.throws(
    () => createGrpcAdapters({ invokers: { "rest.raw-http": invokers[KEY] } }),
    TypeError,
  );
  await using fixture = openFixture({ ops: [op("pubsub.topics.get", [topicVariant()])] });
  const error = await refusalOf(fixture.kernel, { opId: "pubsub.topics.get", args: {} });
  assert.equal(error.details.adapter_key, KEY);
});
