import assert from "node:assert/strict";
import type { JsonObject } from "../../json/mod.ts";
import { setDefaultLogger, silentLogger } from "../../log/mod.ts";
import { googleError, json } from "../../http/testdata/peer.ts";
import { createKernel } from "../mod.ts";
import type { Invocation } from "../types.ts";
import { adapterOp, annotating } from "../testdata/annotating.ts";
import { FILES, op, openFixture, refusalOf, variant } from "../testdata/fixture.ts";

const LIST: Invocation = { opId: "drive.files.list", args: {} };
const CREATE: Invocation = { opId: "drive.files.create", args: { name: "n" }, allowWrite: true };

Deno.test("TestAuditEntryShape: the kernel's keys, for reads, writes and overrides", async () => {
  await using fixture = openFixture({
    ops: [...FILES, adapterOp({ risk_override: true, risk_override_reason: "because" })],
    adapters: { "test.adapter": annotating("{}", []) },
  });
  await fixture.kernel.dispatch({ ...LIST, caller: "mcp", requestId: "req-1" });
  const [read] = fixture.audit;
  assert.deepEqual(Object.keys(read ?? {}), [
    "op_id",
    "variant_id",
    "args_hash",
    "client_id",
    "risk_class",
    "risk_override",
    "request_id",
  ]);
  assert.deepEqual([read?.client_id, read?.risk_class, read?.risk_override, read?.request_id], [
    "mcp",
    "read",
    false,
    "req-1",
  ]);
  assert.match(String(read?.args_hash), /^[0-9a-f]{64}$/);
  await fixture.kernel.dispatch({
    opId: "drive.files.update",
    args: { fileId: "f-7", name: "x" },
    allowWrite: true,
  });
  assert.equal(fixture.audit[1]?.resource_key, "f-7");
  assert.equal(fixture.audit[1]?.client_id, "unknown");
  await fixture.kernel.dispatch({ opId: "x.y", args: {} });
  assert.deepEqual(
    [fixture.audit[2]?.risk_override, fixture.audit[2]?.risk_override_reason],
    [true, "because"],
  );
  assert.ok(!JSON.stringify(fixture.audit).includes('"n"'), "arguments are never in a row");
});

/** A cold read, the same from the cache, and a write, as the gain sink saw them. */
async function threeGainRows() {
  await using fixture = openFixture({ script: () => json({ files: [] }) });
  await fixture.kernel.dispatch({ ...LIST, format: "json", batch: { batchId: "b", index: 2 } });
  await fixture.kernel.dispatch({ ...LIST, format: "json" });
  await fixture.kernel.dispatch(CREATE);
  return fixture.gain;
}

Deno.test("TestRecordAndReturnLedgerEntryPopulated: who, what, with which bodies", async () => {
  const [cold] = await threeGainRows();
  assert.equal(cold?.opId, "drive.files.list");
  assert.equal(cold?.variantId, "drive.v3.rest.files.list");
  assert.equal(cold?.profileName, "_default");
  assert.equal(cold?.fingerprint, "fp-one");
  assert.deepEqual(cold?.request, { pageSize: 100 });
  assert.equal(new TextDecoder().decode(cold?.rawBody), '{"files":[]}');
  assert.deepEqual(JSON.parse(new TextDecoder().decode(cold?.shapedBody)), { files: [] });
  assert.deepEqual(cold?.batch, { batchId: "b", index: 2 });
});

Deno.test("TestRecordAndReturnCacheHitFlagged: a miss is a miss, a hit is a hit", async () => {
  const [cold, warm] = await threeGainRows();
  assert.deepEqual([cold?.cacheStatus, warm?.cacheStatus], ["miss", "hit"]);
});

Deno.test("TestRecordAndReturnCacheIneligibleIsNotAMiss: a write has no cache status to miss", async () => {
  assert.equal((await threeGainRows())[2]?.cacheStatus, "not_applicable");
});

Deno.test("TestRecordAndReturnFieldMaskStatus: the mask decision is recorded", async () => {
  assert.equal((await threeGainRows())[0]?.fieldMaskStatus, "not_applicable");
  await using masked = openFixture({ profile: { name: "p", field_mask: "files(id)" } });
  await masked.kernel.dispatch(LIST);
  await masked.kernel.dispatch({ ...LIST, suppressFieldMask: true });
  assert.deepEqual(masked.gain.map((row) => row.fieldMaskStatus), ["applied", "skipped"]);
});

Deno.test("a write's row has the service's own id of the request, from header or receipt", async () => {
  const receipts = [
    json({ id: "a" }, { headers: { "x-goog-request-id": "from-header" } }),
    json({ state: "DONE", requestId: "from-body", items: [{ requestId: "inner" }] }),
    json({ items: [{ requestId: "inner" }] }),
  ];
  await using fixture = openFixture({ script: (_request, index) => receipts[index] ?? json({}) });
  for (const _receipt of receipts) await fixture.kernel.dispatch(CREATE);
  assert.deepEqual(
    fixture.audit.map((row) => row.upstream_request_id),
    ["from-header", "from-body", undefined],
  );
});

Deno.test("TestRecordAndReturnLedgerErrorDoesNotFailDispatch: nor does a broken audit log", async () => {
  const broken = () => {
    throw new Error("disk");
  };
  await using fixture = openFixture({
    deps: { audit: { append: broken }, gain: { record: broken } },
  });
  await fixture.kernel.dispatch(LIST);
  assert.deepEqual(
    fixture.logs.filter((record) => record.level === "warn").map((record) => record.message),
    ["audit row lost", "gain row lost"],
  );
  await using failing = openFixture({
    deps: { audit: { append: broken } },
    script: () => googleError(404),
  });
  assert.equal((await refusalOf(failing.kernel, LIST)).code, "RESOURCE_NOT_FOUND");
});

Deno.test("TestRecordAndReturnNilLedgerNoop: the disabled sinks swallow everything", async () => {
  const { disabledAuditSink } = await import("../../audit/mod.ts");
  const { disabledGainSink } = await import("../../gain/mod.ts");
  await using fixture = openFixture({ deps: { audit: disabledAuditSink, gain: disabledGainSink } });
  await fixture.kernel.dispatch(LIST);
});

const STEPS = [
  "parse_and_validate",
  "evaluate_policy",
  "resolve_variant",
  "resolve_auth",
  "cache_check",
  "token_bucket",
  "execute_adapter",
  "shape_response",
  "record_and_return",
];

Deno.test("TestDispatcherLoggerInjection: one record a step, with its eight keys", async () => {
  await using fixture = openFixture();
  await fixture.kernel.dispatch({ ...LIST, caller: "cli" });
  const records = fixture.logs.filter((record) => record.message === "dispatch event");
  assert.deepEqual(records.map((record) => record.fields.event), STEPS);
  for (const record of records) {
    assert.deepEqual(Object.keys(record.fields).sort(), [
      "caller",
      "duration_ms",
      "event",
      "op_id",
      "request_id",
      "risk_class",
      "variant_id_resolved",
    ]);
    assert.equal(record.level, "debug");
  }
  assert.deepEqual(
    records.slice(0, 3).map((record) => record.fields.variant_id_resolved),
    ["", "", "drive.v3.rest.files.list"],
  );
  fixture.logs.length = 0;
  await fixture.kernel.dispatch({ ...LIST, caller: "cli" });
  const warm = fixture.logs.map((record) => record.fields.event);
  assert.deepEqual(
    warm,
    STEPS.filter((step) => step !== "token_bucket" && step !== "execute_adapter"),
  );
  fixture.logs.length = 0;
  await refusalOf(fixture.kernel, { ...LIST, allowWrite: true });
  assert.deepEqual(fixture.logs.map((record) => record.fields.event), STEPS.slice(0, 2));
});

Deno.test("TestLoggerInjectionContract: without one the process default is used, and a bad logger is harmless", async () => {
  await using fixture = openFixture();
  const seen: string[] = [];
  const previous = setDefaultLogger({ log: (_level, message) => void seen.push(message) });
  try {
    await createKernel({ ...fixture.deps, log: undefined }).dispatch(LIST);
  } finally {
    setDefaultLogger(previous);
  }
  assert.equal(seen.length, STEPS.length);
  assert.equal(fixture.logs.length, 0);
  await createKernel({ ...fixture.deps, log: silentLogger }).dispatch(LIST);
  const throwing = {
    log() {
      throw new Error("logger bug");
    },
  };
  await createKernel({ ...fixture.deps, log: throwing }).dispatch(LIST);
});

Deno.test("1000 calls at once have distinct request ids", async () => {
  await using fixture = openFixture();
  await fixture.kernel.dispatch(LIST);
  fixture.audit.length = 0;
  await Promise.all(Array.from({ length: 1000 }, () => fixture.kernel.dispatch(LIST)));
  const ids = new Set(fixture.audit.map((row) => row.request_id));
  assert.equal(ids.size, 1000);
  for (const id of ids) assert.match(String(id), /^req-[0-9a-f]{16}$/);
});

Deno.test("TestNewDispatcherWithConfigCarriesTheLogger: the logger given at construction gets everything", async () => {
  await using fixture = openFixture();
  const seen: string[] = [];
  const log = { log: (_level: string, message: string) => void seen.push(message) };
  const kernel = createKernel({ ...fixture.deps, log });
  await kernel.dispatch(LIST);
  await refusalOf(kernel, { ...LIST, allowWrite: true });
  assert.equal(seen.length, STEPS.length + 2);
  assert.equal(fixture.logs.length, 0);
});

Deno.test("service family and cache statistics are pure queries", async () => {
  await using fixture = openFixture();
  assert.equal(fixture.kernel.serviceFamily("drive.files.list"), "workspace");
  assert.equal(fixture.kernel.serviceFamily("nope"), "");
  await fixture.kernel.dispatch(LIST);
  assert.equal((fixture.kernel.cacheStats().semantic as JsonObject).entries, 1);
});

const LONG_RUNNING = variant("x.v", ["read", "GET", "https://www.googleapis.com/x"], {
  capabilities: ["lro_return"],
});

Deno.test("TestDispatcherReturnsLRO: the default variant's atom decides", async () => {
  await using fixture = openFixture({ ops: [...FILES, op("x.y", [LONG_RUNNING])] });
  assert.equal(fixture.kernel.returnsLro("x.y"), true);
  assert.equal(fixture.kernel.returnsLro("drive.files.list"), false);
  assert.equal(fixture.kernel.returnsLro("nope"), false);
});

Deno.test("TestDefaultVariantReturnsLROWithADanglingDefault: a default that is not there answers no", async () => {
  await using fixture = openFixture({
    ops: [op("x.y", [LONG_RUNNING], { default_variant_id: "gone" })],
  });
  assert.equal(fixture.kernel.returnsLro("x.y"), false);
});
