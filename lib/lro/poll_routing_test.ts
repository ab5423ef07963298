import assert from "node:assert/strict";
import { createAdapterRegistry, createRestAdapter } from "../adapters/mod.ts";
import { createExplicitAuthResolver, secret } from "../auth/mod.ts";
import type { Variant } from "../catalog/types.ts";
import { createKernel, mapFailure } from "../dispatch/mod.ts";
import { jumpingClock, openFixture } from "../dispatch/testdata/fixture.ts";
import type { AuthResolver } from "../dispatch/types.ts";
import { TransportFailure } from "../errors/wire/mod.ts";
import { createHttpClient, type HttpClient } from "../http/mod.ts";
import { googleError, json, type Reply, sequence } from "../http/testdata/peer.ts";
import { createOperationMemory, pollOperation } from "./mod.ts";
import {
  addresses,
  DONE,
  EXPORT,
  failureOf,
  NAME,
  openBench,
  RUNNING,
  SIGNAL,
} from "./testdata/bench.ts";

Deno.test("a stale bearer is refreshed once", async () => {
  const bearers: (string | null)[] = [];
  await using bench = openBench((request) => {
    bearers.push(request.headers.get("authorization"));
    return request.headers.get("authorization") === "Bearer fresh" ? DONE : googleError(401);
  });
  const auth: AuthResolver = {
    resolve: () =>
      Promise.resolve({ token: secret("stale"), subjectFingerprint: "", signInStrategy: "" }),
    refresh: () =>
      Promise.resolve({ token: secret("fresh"), subjectFingerprint: "", signInStrategy: "" }),
  };
  await bench.poll(NAME, { auth });
  assert.deepEqual(bearers, ["Bearer stale", "Bearer fresh"]);
  await using flapping = openBench(sequence(googleError(401), RUNNING, googleError(401), DONE));
  assert.equal((await failureOf(flapping.poll(NAME, { auth }))).code, "AUTH_REQUIRED");
  assert.equal(flapping.requests.length, 3);
});

Deno.test("malformed answers advance to the next route and never count as running", async () => {
  const malformed: Reply[] = [
    json({ name: NAME, done: "true" }),
    json({ name: 5, done: false }),
    json({ name: null, done: null }),
    json({ other: 1 }),
    json([1]),
    { kind: "answer", status: 200, headers: { "content-type": "text/html" }, body: "<p>" },
    googleError(404),
  ];
  for (const reply of malformed) {
    await using bench = openBench(() => reply);
    const error = await failureOf(bench.poll(NAME));
    assert.equal(error.code, "LRO_UNROUTABLE");
    assert.equal(error.details.operation_name, NAME);
    assert.deepEqual(addresses(bench.requests), [`run.googleapis.com/v2/${NAME}`]);
    assert.equal(bench.clock.now(), jumpingClock().now(), "no wait between routes");
  }
  const fine: Reply[] = [json({ done: true, name: null }), json({ name: NAME, done: true })];
  for (const reply of fine) {
    await using bench = openBench(() => reply);
    assert.deepEqual(await bench.poll(NAME), { name: NAME, done: true });
  }
  await using started = openBench(sequence(json({ name: NAME }), DONE));
  assert.equal((await started.poll(NAME)).done, true);
  assert.equal(started.requests.length, 2, "a name alone is a running operation");
});

Deno.test("the session's memory leads to the service that started the operation, with its credentials", async () => {
  await using fixture = openFixture({
    ops: [EXPORT],
    script: (request) => request.method === "POST" ? json({ name: NAME }) : DONE,
  });
  const memory = createOperationMemory();
  const http = createHttpClient({ rewriteOrigin: (url) => fixture.peer.rewrite(url) });
  using _closing: HttpClient = http;
  const asked: string[] = [];
  const inner = createExplicitAuthResolver({ bearer: "b" });
  const auth: AuthResolver = {
    resolve(request, signal) {
      asked.push(request.variant.variant_id);
      return inner.resolve(request, signal);
    },
  };
  const deps = {
    ...fixture.deps,
    auth,
    operations: memory,
    adapters: createAdapterRegistry({
      rest: createRestAdapter({ http, version: "0", clock: fixture.clock }),
    }),
  };
  const kernel = createKernel(deps);
  assert.equal(kernel.returnsLro("cloudx.projects.export"), true);
  await kernel.dispatch({
    opId: "cloudx.projects.export",
    args: { name: "projects/p" },
    allowWrite: true,
  });
  await pollOperation({
    operationName: NAME,
    handles: [],
    onPending: () => Promise.resolve(),
    memory,
    http,
    auth,
    catalog: fixture.deps.catalog,
    clock: fixture.clock,
    version: "0",
    describeFailure: (thrown, resolved) => mapFailure(thrown, resolved).error,
  }, SIGNAL);
  const { host, target, method, headers } = fixture.peer.requests[1] ?? {};
  assert.deepEqual([method, host, target], ["GET", "cloudx.googleapis.com", `/v3/${NAME}`]);
  assert.equal(headers?.get("authorization"), "Bearer b");
  assert.deepEqual(asked, [
    "cloudx.v3.rest.projects.export",
    "cloudx.v3.rest.projects.export",
  ]);
});

Deno.test("a poll that fails says nothing of the write that started the operation", async () => {
  await using bench = openBench(() => googleError(500));
  bench.memory.observe({
    opId: EXPORT.op_id,
    variant: EXPORT.variants[0] as Variant,
    body: new TextEncoder().encode(JSON.stringify({ name: NAME })),
  });
  const error = await failureOf(bench.poll(NAME));
  assert.equal(error.code, "SERVICE_DOWN");
  assert.equal(error.details.op_id, EXPORT.op_id);
  assert.equal("write_outcome" in error.details, false);
});

Deno.test("a handle that only the surface remembers is routed by its variant", async () => {
  await using bench = openBench(() => DONE);
  await bench.poll("operations/x", {
    handles: [{
      name: "operations/x",
      opId: "cloudx.projects.export",
      variantId: "cloudx.v3.rest.projects.export",
    }],
  });
  assert.deepEqual(addresses(bench.requests), ["cloudx.googleapis.com/v3/operations/x"]);
});

Deno.test("a table host that does not resolve gives way to the service that answered last", async () => {
  await using bench = openBench(() => json({ name: "operations/x", done: true }));
  const asked: string[] = [];
  const http: HttpClient = {
    ...bench.http,
    send(request, signal) {
      asked.push(request.url.href);
      if (request.url.hostname !== "googleapis.com") return bench.http.send(request, signal);
      return Promise.reject(
        new TransportFailure("dns", { message: "no such host", requestStarted: false }),
      );
    },
  };
  bench.memory.observe({
    opId: EXPORT.op_id,
    variant: EXPORT.variants[0] as Variant,
    body: new TextEncoder().encode("{}"),
  });
  assert.equal((await bench.poll("operations/x", { http })).done, true);
  assert.deepEqual(asked, [
    "https://googleapis.com/v1/operations/x",
    "https://cloudx.googleapis.com/v1/operations/x",
  ]);
});
