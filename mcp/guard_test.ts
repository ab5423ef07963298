import { deepStrictEqual, equal, ok } from "node:assert/strict";
import fc from "fast-check";
import type { JsonObject, JsonValue } from "../lib/json/mod.ts";
import { silentLogger } from "../lib/log/mod.ts";
import { createGuard, type InboundVerdict } from "./guard_rules.ts";
import { GuardTransport } from "./guard_transport.ts";
import { serveStdio } from "./mod.ts";
import { fakeHelp, fakeSession, shaped } from "./testdata/fake_session.ts";
import { rawPeer, withPeer } from "./testdata/raw_peer.ts";

const initialize = (protocolVersion: JsonValue, id: JsonValue = 1): JsonObject => ({
  jsonrpc: "2.0",
  id,
  method: "initialize",
  params: { protocolVersion, capabilities: {}, clientInfo: { name: "t", version: "1" } },
});

const modern = (method: string, version = "2026-07-28", params: JsonObject = {}): JsonObject => ({
  jsonrpc: "2.0",
  id: 1,
  method,
  params: {
    ...params,
    _meta: {
      "io.modelcontextprotocol/protocolVersion": version,
      "io.modelcontextprotocol/clientInfo": { name: "t", version: "1" },
      "io.modelcontextprotocol/clientCapabilities": {},
    },
  },
});

function replied(verdict: InboundVerdict): JsonObject {
  if (verdict.kind !== "reply") throw new Error(`not a reply: ${verdict.kind}`);
  return verdict.message;
}

function errorOf(verdict: InboundVerdict): JsonObject {
  return replied(verdict).error as JsonObject;
}

/** A guard whose handshake was accepted and answered. */
function initialized() {
  const guard = createGuard();
  equal(guard.inbound(JSON.stringify(initialize("2025-11-25"))).kind, "deliver");
  guard.answered(1, false);
  return guard;
}

Deno.test("TestStdioFramingClean: junk gets a parse error and the session goes on", () => {
  const guard = createGuard();
  const verdict = replied(guard.inbound("not json"));
  equal(verdict.id, null);
  deepStrictEqual(verdict.error, {
    code: -32700,
    message: "Parse error",
    data: {
      error_code: "INVALID_ARGS",
      message: "Parse error",
      suggestion: "Send one JSON-RPC message per line.",
      user_message: "A line from the client is not JSON.",
    },
  });
  equal(guard.inbound("").kind, "ignore");
  equal(guard.inbound("  ").kind, "ignore");
  equal(guard.inbound(JSON.stringify(initialize("2025-06-18"))).kind, "deliver");
});

Deno.test("TestMCPBatchCaps: a batch is one error and reaches no handler", () => {
  for (const guard of [createGuard(), initialized()]) {
    for (const batch of ["[]", JSON.stringify([initialize("2025-11-25")])]) {
      const message = replied(guard.inbound(batch));
      equal(message.id, null);
      const error = message.error as JsonObject;
      equal(error.code, -32600);
      equal(error.message, "Batching is not supported");
      equal((error.data as JsonObject).error_code, "UNSUPPORTED_CAPABILITY");
    }
  }
});

Deno.test("TestMCPBatchCaps: old and malformed revisions are refused, then a served one is accepted", () => {
  for (const requested of ["2024-11-05", "2025-03-26", "x", "2025-6-18", 7, null]) {
    const guard = createGuard();
    const error = errorOf(guard.inbound(JSON.stringify(initialize(requested))));
    deepStrictEqual(error, {
      code: -32602,
      message: "Unsupported protocol version",
      data: {
        error_code: "UNSUPPORTED_CAPABILITY",
        message: "Unsupported protocol version",
        minimum: "2025-06-18",
        requested,
        retryable: false,
        suggestion: "Update the MCP client to a revision of 2025-06-18 or later.",
        supported: ["2026-07-28", "2025-11-25", "2025-06-18"],
        user_message: "This client speaks an MCP revision that GUM does not serve.",
      },
    });
    equal(guard.inbound(JSON.stringify(initialize("2025-06-18", 2))).kind, "deliver");
  }
});

Deno.test("TestStdioFramingClean: what is no message is refused with its id where it has one", () => {
  const cases: [JsonObject, JsonValue][] = [
    [{ jsonrpc: "1.0", id: 5, method: "ping" }, 5],
    [{ id: "a", method: "ping" }, "a"],
    [{ jsonrpc: "2.0", id: 5 }, 5],
    [{ jsonrpc: "2.0", id: 1.5, method: "ping" }, null],
    [{ jsonrpc: "2.0", id: null, method: "ping" }, null],
    [{ jsonrpc: "2.0", id: {}, method: "ping" }, null],
    [{ jsonrpc: "2.0", id: 5, method: "ping", result: {} }, 5],
    [{ jsonrpc: "2.0", id: 5, result: {}, error: {} }, 5],
    [{ jsonrpc: "2.0", id: 5, method: 7 }, 5],
  ];
  for (const [message, id] of cases) {
    const reply = replied(initialized().inbound(JSON.stringify(message)));
    equal(reply.id, id, JSON.stringify(message));
    equal((reply.error as JsonObject).code, -32600, JSON.stringify(message));
  }
  for (const text of ["7", '"x"', "null", "true"]) {
    equal(errorOf(createGuard().inbound(text)).code, -32600);
  }
});

Deno.test("TestStdioFramingClean: an id beyond the exact range is refused, digits kept", () => {
  const verdict = initialized().inbound(
    '{"jsonrpc":"2.0","id":12345678901234567890,"method":"ping"}',
  );
  equal(
    JSON.stringify(replied(verdict)).includes('"id":12345678901234567890,'),
    true,
  );
});

Deno.test("TestStdioFramingClean: malformed parameters are answered, not swallowed", () => {
  const cases: JsonValue[] = [
    [],
    "x",
    null,
    { _meta: [] },
    { _meta: { progressToken: 1.5 } },
    { _meta: { progressToken: null } },
    { _meta: { progressToken: {} } },
    { _meta: { "io.modelcontextprotocol/related-task": "x" } },
    {},
    { name: 5 },
    { name: "gum.read", arguments: [] },
    { name: "gum.read", arguments: null },
  ];
  for (const params of cases) {
    const message = { jsonrpc: "2.0", id: 3, method: "tools/call", params };
    const reply = replied(initialized().inbound(JSON.stringify(message)));
    equal(reply.id, 3, JSON.stringify(params));
    const error = reply.error as JsonObject;
    equal(error.code, -32602, JSON.stringify(params));
    equal((error.data as JsonObject).error_code, "INVALID_ARGS");
    equal((error.data as JsonObject).message, error.message);
  }
});

Deno.test("unknown top-level keys and task augmentation are taken off", () => {
  const verdict = initialized().inbound(JSON.stringify({
    jsonrpc: "2.0",
    id: 2,
    method: "tools/call",
    extra: 1,
    params: { name: "x", task: { ttl: 1 } },
  }));
  deepStrictEqual(verdict, {
    kind: "deliver",
    message: { jsonrpc: "2.0", id: 2, method: "tools/call", params: { name: "x" } },
  });
});

Deno.test("a request before the handshake is refused, ping is answered", () => {
  const guard = createGuard();
  const error = errorOf(guard.inbound('{"jsonrpc":"2.0","id":1,"method":"tools/list"}'));
  equal(error.code, -32600);
  equal(error.message, "Session not initialized");
  deepStrictEqual(replied(guard.inbound('{"jsonrpc":"2.0","id":2,"method":"ping"}')), {
    jsonrpc: "2.0",
    id: 2,
    result: {},
  });
  equal(guard.phase, "opening");
});

Deno.test("a second handshake is refused; one that the server refused may be tried again", () => {
  const guard = initialized();
  equal(
    errorOf(guard.inbound(JSON.stringify(initialize("2025-11-25", 2)))).message,
    "Session already initialized",
  );
  const failed = createGuard();
  failed.inbound(JSON.stringify(initialize("2025-11-25")));
  failed.answered(1, true);
  equal(failed.inbound(JSON.stringify(initialize("2025-11-25", 2))).kind, "deliver");
});

Deno.test("a handshake cannot be cancelled, and what follows it is answered", async () => {
  const guard = createGuard();
  guard.inbound(JSON.stringify(initialize("2025-11-25", 7)));
  const cancel = (requestId: JsonValue) =>
    guard.inbound(JSON.stringify({
      jsonrpc: "2.0",
      method: "notifications/cancelled",
      params: { requestId },
    })).kind;
  equal(cancel(7), "ignore");
  equal(cancel(8), "deliver");
  guard.answered(7, false);
  equal(cancel(7), "deliver", "the id of a later request");
  const peer = rawPeer(fakeSession().session);
  const cancelled = '{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":1}}';
  await peer.line(`${JSON.stringify(initialize("2025-11-25"))}\n${cancelled}\njunk`);
  await peer.until(() => peer.stray.length === 2 ? true : undefined);
  deepStrictEqual(peer.stray.map(({ id }) => id), [1, null]);
  await peer.close();
});

Deno.test("what a handshake says beside the point does not cost the session", async () => {
  const cases: JsonObject[] = [
    { capabilities: { roots: true, sampling: null, experimental: { a: 1 }, extensions: [] } },
    { capabilities: { elicitation: { form: null, url: null }, tasks: "x" } },
    { clientInfo: { name: "t", version: "1", title: null, icons: "x" } },
    { _meta: { progressToken: "p" }, extra: [] },
  ];
  for (const odd of cases) {
    const request = initialize("2025-11-25");
    const peer = rawPeer(fakeSession().session);
    await peer.line(
      JSON.stringify({ ...request, params: { ...request.params as JsonObject, ...odd } }),
    );
    await peer.until(() => peer.stray[0]);
    ok(Object.hasOwn(peer.stray[0] ?? {}, "result"), JSON.stringify(peer.stray));
    await peer.close();
  }
  const { message } = createGuard().inbound(JSON.stringify({
    ...initialize("2025-11-25"),
    params: {
      protocolVersion: "2025-11-25",
      clientInfo: { name: "t", version: "1", title: null },
      capabilities: { roots: { listChanged: null }, elicitation: { form: null, url: {} } },
    },
  })) as { message: JsonObject };
  deepStrictEqual(message.params, {
    protocolVersion: "2025-11-25",
    clientInfo: { name: "t", version: "1" },
    capabilities: { roots: {}, elicitation: { url: {} } },
  });
});

Deno.test("a refusal of the SDK's own carries the envelope that clients branch on", async () => {
  await withPeer(fakeSession().session, { revision: "2026-07-28" }, async (peer) => {
    await peer.request("tools/list");
    await peer.line('{"jsonrpc":"2.0","id":"bare","method":"tools/list"}');
    const { error } = await peer.until(() => peer.stray.find(({ id }) => id === "bare"));
    const { code, message, data } = error as JsonObject;
    equal(code, -32602);
    equal((data as JsonObject).error_code, "INVALID_ARGS");
    equal((data as JsonObject).message, message);
  });
});

Deno.test("a handshake that carries an envelope is still a handshake", () => {
  const verdict = createGuard().inbound(JSON.stringify({
    ...modern("initialize", "2026-07-28", {
      protocolVersion: "2025-11-25",
      capabilities: {},
      clientInfo: { name: "t", version: "1" },
    }),
  }));
  deepStrictEqual(verdict, { kind: "deliver", message: initialize("2025-11-25") });
});

Deno.test("a probe leaves the handshake open; another claimed request does not", () => {
  const guard = createGuard();
  equal(guard.inbound(JSON.stringify(modern("server/discover"))).kind, "deliver");
  equal(guard.phase, "opening");
  equal(guard.inbound(JSON.stringify(modern("tools/list"))).kind, "deliver");
  equal(guard.phase, "modern");
  const error = errorOf(guard.inbound(JSON.stringify(modern("tools/list", "2027-01-01"))));
  equal(error.code, -32022);
  deepStrictEqual(error.data, { supported: ["2026-07-28"], requested: "2027-01-01" });
});

Deno.test("nothing is offered to listen to", () => {
  for (const guard of [createGuard(), createGuard()]) {
    if (guard.phase === "opening") guard.inbound(JSON.stringify(modern("tools/list")));
    equal(errorOf(guard.inbound(JSON.stringify(modern("subscriptions/listen")))).code, -32601);
  }
});

Deno.test("TestLoggingSetLevelTolerant: a valid level is kept, any level succeeds", () => {
  const legacy = initialized();
  const set = (level: JsonValue) =>
    JSON.stringify({ jsonrpc: "2.0", id: 2, method: "logging/setLevel", params: { level } });
  deepStrictEqual(replied(legacy.inbound(set("warning"))).result, {});
  equal(legacy.logLevel, "warning");
  deepStrictEqual(replied(legacy.inbound(set("loud"))).result, {});
  equal(legacy.logLevel, "warning");
  const guard = createGuard();
  guard.inbound(JSON.stringify(modern("tools/list")));
  deepStrictEqual(
    replied(
      guard.inbound(JSON.stringify(modern("logging/setLevel", "2026-07-28", { level: "info" }))),
    ).result,
    { resultType: "complete" },
  );
  equal(guard.logLevel, "info");
});

Deno.test("TestStdioFramingClean: bytes that are no UTF-8 are refused, not repaired", async () => {
  const { session, asked } = fakeSession();
  const input = new TransformStream<Uint8Array, Uint8Array>();
  const output = new TransformStream<Uint8Array, Uint8Array>();
  const served = serveStdio(session, {
    version: "0.0.0-test",
    help: fakeHelp,
    stdin: input.readable,
    stdout: output.writable,
  }).then(() => output.writable.close());
  const text = new Response(output.readable).text();
  const writer = input.writable.getWriter();
  const send = (line: string) =>
    writer.write(Uint8Array.from(`${line}\n`, (letter) => letter.charCodeAt(0)));
  await send(JSON.stringify(initialize("2025-11-25")));
  const call = (id: JsonValue, args: JsonObject) =>
    JSON.stringify({
      jsonrpc: "2.0",
      id,
      method: "tools/call",
      params: { name: "gum.read", arguments: { op_id: "gmail.users.messages.list", args } },
    });
  await send(call("latin-1", { q: "caf\u00e9" }));
  await send('{"jsonrpc":"2.0","id":5,"result":"\u00e9"}');
  await send(call("good", { q: "cafe" }));
  await writer.close();
  await served;
  const answers = (await text).trim().split("\n").map((line) => JSON.parse(line));
  const refused = answers.filter(({ error }) => error?.code === -32700);
  deepStrictEqual(refused.map(({ id }) => id), ["latin-1", null]);
  ok(answers.some(({ id, result }) => id === "good" && result !== undefined));
  deepStrictEqual(asked.map(({ args }) => args.q), ["cafe"]);
});

Deno.test("the guard judges any line without throwing", () => {
  const guard = initialized();
  fc.assert(fc.property(fc.oneof(fc.string(), fc.json()), (line) => {
    const verdict = guard.inbound(line);
    ok(["ignore", "reply", "deliver"].includes(verdict.kind));
  }));
});

Deno.test("TestMCPInitializedWaitRule: nothing is pushed before the client says it is ready", async () => {
  const { session } = fakeSession();
  let finish = () => {};
  const polling = new Promise<void>((resolve) => finish = resolve);
  session.poll = async ({ onPending }) => {
    await onPending(1);
    await polling;
    await onPending(2);
    return { name: "operations/1", done: true };
  };
  const peer = rawPeer(session);
  await peer.request("initialize", {
    protocolVersion: "2025-11-25",
    capabilities: {},
    clientInfo: { name: "slow", version: "1" },
  });
  const call = peer.call("gum.poll", { operation_name: "operations/1" }, {
    _meta: { progressToken: "p" },
  });
  // The first progress exists by now: a request answered after it proves that it was withheld.
  await peer.request("ping");
  deepStrictEqual(peer.pushed, []);
  await peer.notify("notifications/initialized");
  await peer.until(() => peer.pushed[0]);
  finish();
  await call;
  equal(peer.pushed.length, 2);
  await peer.close();
});

Deno.test("TestMCPInitializedWaitRule: progress of a finished request is thrown away", async () => {
  const { session } = fakeSession();
  session.poll = async ({ onPending }) => {
    await onPending(1);
    return { name: "operations/1", done: true };
  };
  const peer = rawPeer(session);
  await peer.request("initialize", {
    protocolVersion: "2025-11-25",
    capabilities: {},
    clientInfo: { name: "slow", version: "1" },
  });
  await peer.call("gum.poll", { operation_name: "operations/1" }, { _meta: { progressToken: 1 } });
  await peer.notify("notifications/initialized");
  await peer.request("ping");
  deepStrictEqual(peer.pushed, []);
  await peer.close();
});

Deno.test("at end of input a call in flight still gets its answer", async () => {
  const { session } = fakeSession({
    answer: async (invocation) => {
      await new Promise((resolve) => setTimeout(resolve, 30));
      return shaped(invocation.opId, { late: true });
    },
  });
  const peer = rawPeer(session);
  await peer.open();
  const call = peer.call("gum.read", { op_id: "gmail.users.messages.list" });
  // The line is on its way before the input ends: writes are ordered.
  const [result] = await Promise.all([call, peer.close()]);
  deepStrictEqual((result.structuredContent as JsonObject).data, { late: true });
});

Deno.test("at end of input a call that does not finish is aborted after the drain time", async () => {
  let aborted = false;
  const { session } = fakeSession({
    answer: (_invocation, signal) =>
      new Promise((_resolve, reject) => {
        signal.addEventListener("abort", () => {
          aborted = true;
          reject(signal.reason);
        });
      }),
  });
  const peer = rawPeer(session);
  await peer.open();
  await peer.line(JSON.stringify({
    jsonrpc: "2.0",
    id: 99,
    method: "tools/call",
    params: { name: "gum.read", arguments: { op_id: "gmail.users.messages.list" } },
  }));
  const began = performance.now();
  await peer.close();
  ok(aborted);
  ok(performance.now() - began < 4000);
});

Deno.test("an answer without a JSON form is an error, not silence", async () => {
  const output = new TransformStream<Uint8Array, Uint8Array>();
  const transport = new GuardTransport({
    input: new ReadableStream(),
    output: output.writable,
    log: silentLogger,
  });
  await transport.start();
  const circle: Record<string, unknown> = {};
  circle.circle = circle;
  const text = new Response(output.readable).text();
  await transport.send({ jsonrpc: "2.0", id: 4, result: circle });
  await transport.close();
  await output.writable.close();
  const { id, error } = JSON.parse(await text);
  equal(id, 4);
  equal(error.data.source_error_code, "JSON_ENCODE_FAILED");
});

Deno.test("a client that reads nothing any more does not keep the server", async () => {
  for (const end of ["input", "close"]) {
    const input = new TransformStream<Uint8Array, Uint8Array>();
    const transport = new GuardTransport({
      input: input.readable,
      output: new WritableStream({ write: () => new Promise(() => {}) }),
      log: silentLogger,
      drainMs: 20,
    });
    await transport.start();
    // Never taken: nobody waits for it either.
    transport.send({ jsonrpc: "2.0", id: 1, result: {} });
    if (end === "input") await input.writable.close();
    else await transport.close();
    await transport.finished;
  }
});

Deno.test("a client that reads slowly gets all of its answer", async () => {
  const input = new TransformStream<Uint8Array, Uint8Array>();
  let bytes = 0;
  const transport = new GuardTransport({
    input: input.readable,
    output: new WritableStream({
      async write(piece) {
        await new Promise((resolve) => setTimeout(resolve, 15));
        bytes += piece.length;
      },
    }),
    log: silentLogger,
    drainMs: 400,
  });
  await transport.start();
  const result = { text: "x".repeat(4_000_000) };
  transport.send({ jsonrpc: "2.0", id: 1, result });
  await input.writable.close();
  await transport.finished;
  equal(bytes, JSON.stringify({ jsonrpc: "2.0", id: 1, result }).length + 1);
});

Deno.test("cancelling request 0 aborts the call and nothing answers it", async () => {
  let aborted = false;
  const { session, asked } = fakeSession({
    answer: (_invocation, signal) =>
      new Promise((_resolve, reject) => {
        signal.addEventListener("abort", () => {
          aborted = true;
          reject(signal.reason);
        });
      }),
  });
  await withPeer(session, {}, async (peer) => {
    await peer.line(JSON.stringify({
      jsonrpc: "2.0",
      id: 0,
      method: "tools/call",
      params: { name: "gum.read", arguments: { op_id: "gmail.users.messages.list" } },
    }));
    while (asked.length === 0) await peer.request("ping");
    await peer.notify("notifications/cancelled", { requestId: 0 });
    await peer.request("ping");
    await peer.request("ping");
    ok(aborted);
    deepStrictEqual(peer.stray, []);
  });
});

Deno.test("a line over the limit closes the connection", async () => {
  const peer = rawPeer(fakeSession().session);
  await peer.open();
  const sending = peer.line("x".repeat(11 * 1024 * 1024)).catch(() => {});
  await peer.ended;
  await sending;
  await peer.close();
  deepStrictEqual(peer.stray, []);
});
