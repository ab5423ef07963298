import assert from "node:assert/strict";
import { createExplicitAuthResolver } from "../../auth/mod.ts";
import { createKernel } from "../../dispatch/mod.ts";
import { type Fixture, op, refusalOf, variant } from "../../dispatch/testdata/fixture.ts";
import { startEmulator } from "../../emulator/mod.ts";
import { createHttpClient } from "../../http/mod.ts";
import { json, type Script } from "../../http/testdata/peer.ts";
import { createAdapterRegistry } from "../registry.ts";
import { openKeyFixture } from "../testdata/key_fixture.ts";
import { createMapsAdapters } from "./mod.ts";

const KEY = "canary-maps-key";
const PATH = "https://maps.googleapis.com/maps/api/directions/json";
const TRIP = { origin: "Gamla stan", destination: "Uppsala & Sigtuna" };

function openMaps(
  script: Script,
  options: { path?: string; apiKey?: string; adapterKey?: string; strategy?: "none" } = {},
): Fixture {
  const adapterKey = options.adapterKey ?? "maps.directions";
  const directions = variant("maps.directions.v1", ["read", "GET", options.path ?? PATH], {
    backend_kind: "maps-sdk",
    auth_strategy: options.strategy ?? "api_key",
    binding: {
      binding_schema_version: 1,
      adapter_key: adapterKey,
      operation_key: "maps.directions",
      http: { method: "GET", path: options.path ?? PATH },
    },
  });
  const field = (name: string) => ({ name, location: "arg", type: "string" }) as const;
  return openKeyFixture({
    script,
    apiKey: options.apiKey ?? KEY,
    ops: [op("maps.directions", [directions], {
      request_fields: [field("origin"), field("destination"), field("mode")],
    })],
    make: createMapsAdapters,
  });
}

Deno.test("TestBackendKindMapsSDK: the request, and an answer without its status", async () => {
  await using fixture = openMaps(() =>
    json({ status: "OK", routes: [{ summary: "E4" }], geocoded_waypoints: [], extra: 1 })
  );
  const answer = await fixture.kernel.dispatch({
    opId: "maps.directions",
    args: { ...TRIP, mode: "Transit" },
    format: "json",
  });
  assert.deepEqual(answer.structuredContent, {
    routes: [{ summary: "E4" }],
    geocoded_waypoints: [],
  });
  const [request] = fixture.peer.requests;
  assert.equal(
    request?.target,
    "/maps/api/directions/json?origin=Gamla+stan&destination=Uppsala+%26+Sigtuna" +
      `&mode=transit&key=${KEY}`,
  );
  assert.equal(request?.host, "maps.googleapis.com");
  assert.equal(request?.headers.has("authorization"), false);
});

Deno.test("TestBackendKindMapsSDK: a failure inside a 200 gets its code and shows no key", async () => {
  const rows: [string, string | undefined][] = [
    ["ZERO_RESULTS", undefined],
    ["OVER_QUERY_LIMIT", "RATE_LIMITED"],
    ["OVER_DAILY_LIMIT", "RATE_LIMITED"],
    ["REQUEST_DENIED", "AUTH_REQUIRED"],
    ["INVALID_REQUEST", "INVALID_ARGS"],
    ["NOT_FOUND", "RESOURCE_NOT_FOUND"],
    ["UNKNOWN_ERROR", "SERVICE_DOWN"],
  ];
  for (const [status, code] of rows) {
    await using fixture = openMaps(() => json({ status, routes: [] }));
    const call = { opId: "maps.directions", args: TRIP };
    if (code === undefined) {
      await fixture.kernel.dispatch(call);
      continue;
    }
    const error = await refusalOf(fixture.kernel, call);
    assert.equal(error.code, code, status);
    assert.doesNotMatch(JSON.stringify(error.toEnvelope()), /canary/);
  }
  await using dropped = openMaps(() => ({ kind: "drop" }));
  const error = await refusalOf(dropped.kernel, { opId: "maps.directions", args: TRIP });
  assert.equal(error.code, "SERVICE_DOWN");
  assert.equal(dropped.peer.requests.length >= 4, true, "a read is tried four times");
  assert.doesNotMatch(JSON.stringify(error.toEnvelope()), /canary/);
});

Deno.test("TestBackendKindMapsSDK: refused before any request", async () => {
  await using fixture = openMaps(() => json({ status: "OK" }));
  const missing = await refusalOf(fixture.kernel, {
    opId: "maps.directions",
    args: { origin: "a" },
  });
  assert.deepEqual(missing.details.missing, ["destination"]);
  const mode = await refusalOf(fixture.kernel, {
    opId: "maps.directions",
    args: { ...TRIP, mode: "teleport" },
  });
  assert.equal(mode.details.field, "mode");
  await using keyless = openMaps(() => json({}), { strategy: "none" });
  const key = await refusalOf(keyless.kernel, { opId: "maps.directions", args: TRIP });
  assert.equal(key.code, "AUTH_REQUIRED");
  assert.deepEqual(key.details.missing_components, ["api_key"]);
  assert.equal(fixture.peer.requests.length + keyless.peer.requests.length, 0);
});

Deno.test("TestBackendBindingMapsDirections: other endpoints and keys are refused unsent", async () => {
  await using moved = openMaps(() => json({ status: "OK" }), {
    path: "https://maps.googleapis.com/maps/api/geocode/json",
  });
  const invalid = await refusalOf(moved.kernel, { opId: "maps.directions", args: TRIP });
  assert.equal(invalid.details.reason, "binding_invalid");
  await using unknown = openMaps(() => json({ status: "OK" }), { adapterKey: "maps.geocode" });
  const absent = await refusalOf(unknown.kernel, { opId: "maps.directions", args: TRIP });
  assert.equal(absent.code, "SERVICE_DOWN");
  assert.equal(absent.details.adapter_key, "maps.geocode");
  assert.equal(moved.peer.requests.length + unknown.peer.requests.length, 0);
});

Deno.test("TestBackendKindMapsSDK: the emulator plans a route", async () => {
  const emulator = await startEmulator();
  using http = createHttpClient({ rewriteOrigin: (url) => emulator.rewrite(url) });
  try {
    await using base = openMaps(() => json({}));
    const kernel = createKernel({
      ...base.deps,
      auth: createExplicitAuthResolver(emulator.credentials),
      adapters: createAdapterRegistry({ others: createMapsAdapters({ http, version: "0" }) }),
    });
    const answer = await kernel.dispatch({ opId: "maps.directions", args: TRIP, format: "json" });
    assert.deepEqual(Object.keys(answer.structuredContent as object).sort(), [
      "geocoded_waypoints",
      "routes",
    ]);
  } finally {
    await emulator.close();
  }
});
