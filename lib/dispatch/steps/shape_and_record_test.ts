import assert from "node:assert/strict";
import { setDefaultLogger, silentLogger } from "../../log/mod.ts";
import { googleError, json } from "../../http/testdata/peer.ts";
import { shaper } from "../../shape/mod.ts";
import { createKernel } from "../mod.ts";
import type { Adapter, Invocation, Shaper } from "../types.ts";
import { FILES, op, openFixture, refusalOf, tokenFor, variant } from "../testdata/fixture.ts";

const LIST: Invocation = { opId: "drive.files.list", args: {} };
const CREATE: Invocation = { opId: "drive.files.create", args: { name: "n" }, allowWrite: true };

function adapterOp(extra: Partial<Parameters<typeof variant>[2]> = {}) {
  return op("x.y", [
    variant("x.v", ["read", "GET", "https://www.googleapis.com/x"], {
      binding: { binding_schema_version: 1, adapter_key: "test.adapter", operation_key: "x" },
      ...extra,
    }),
  ]);
}

/** An adapter over a fixed body, with an annotator. */
function annotating(body: string, addedPaths: string[], format: "json" | "raw" = "json"): Adapter {
  return {
    execute: () =>
      Promise.resolve({
        body: new TextEncoder().encode(body),
        format,
        status: 200,
        bytesIn: body.length,
        bytesOut: 0,
      }),
    annotateResponse: (_request, parsed) => ({
      body: { ...parsed as Record<string, never>, added: "yes", other: "too" },
      addedPaths,
    }),
  };
}

Deno.test("TestShapedResponseCarriesSurvivingAnnotationPaths: what shaping drops is not reported", async () => {
  await using fixture = openFixture({
    ops: [adapterOp()],
    adapters: { "test.adapter": annotating('{"a":1}', ["added", "other"]) },
    profile: { name: "p", drop_fields: ["other"] },
  });
  const answer = await fixture.kernel.dispatch({ opId: "x.y", args: {}, format: "json" });
  assert.deepEqual(answer.structuredContent, { a: 1, added: "yes" });
  assert.deepEqual(answer.annotationPaths, ["added"]);
});

Deno.test("TestShapedResponseKeepsEveryAnnotationPath: nothing dropped, all reported, warm as cold", async () => {
  await using fixture = openFixture({
    ops: [adapterOp()],
    adapters: { "test.adapter": annotating('{"a":1}', ["added", "other"]) },
  });
  for (let round = 0; round < 2; round++) {
    const answer = await fixture.kernel.dispatch({ opId: "x.y", args: {}, format: "json" });
    assert.deepEqual(answer.annotationPaths, ["added", "other"]);
  }
  assert.deepEqual(fixture.gain.map((row) => row.cacheStatus), ["miss", "hit"]);
});

Deno.test("TestShapedResponseReportsNoAnnotationPathsWhenAllDropped: an empty list", async () => {
  await using fixture = openFixture({
    ops: [adapterOp()],
    adapters: { "test.adapter": annotating('{"a":1}', ["added", "other"]) },
    profile: { name: "p", keep_fields: ["a"] },
  });
  const answer = await fixture.kernel.dispatch({ opId: "x.y", args: {} });
  assert.deepEqual(answer.annotationPaths, []);
});

Deno.test("TestRawFormatReportsNoAnnotationPaths: raw bytes are nobody's to annotate", async () => {
  await using fixture = openFixture({
    ops: [
      adapterOp(),
      op("x.raw", [
        variant("x.r", ["read", "GET", "https://www.googleapis.com/x"], {
          auth_strategy: "none",
          binding: { binding_schema_version: 1, adapter_key: "test.raw", operation_key: "x" },
        }),
      ]),
    ],
    adapters: {
      "test.adapter": annotating('{"a":1}', ["added"]),
      "test.raw": annotating("printed output", ["added"], "raw"),
    },
  });
  const asked = await fixture.kernel.dispatch({ opId: "x.y", args: {}, format: "raw" });
  assert.equal(new TextDecoder().decode(asked.body), '{"a":1}');
  assert.deepEqual([asked.annotationPaths, asked.structuredContent, asked.format], [
    [],
    undefined,
    "raw",
  ]);
  const opaque = await fixture.kernel.dispatch({ opId: "x.raw", args: {} });
  assert.equal(new TextDecoder().decode(opaque.body), "printed output");
  assert.equal(opaque.format, "raw");
  await fixture.kernel.dispatch({ opId: "x.raw", args: {} });
  assert.deepEqual(
    fixture.gain.slice(1).map((row) => row.cacheStatus),
    ["miss", "miss"],
    "opaque answers are never stored",
  );
});

Deno.test("an empty body is an empty object; 204 after a delete is a success", async () => {
  await using fixture = openFixture({ script: () => ({ kind: "answer", status: 204 }) });
  const call: Invocation = {
    opId: "drive.files.delete",
    args: { fileId: "a" },
    allowDestructive: true,
  };
  const token = await tokenFor(fixture.kernel, call);
  const answer = await fixture.kernel.dispatch({
    ...call,
    confirmed: true,
    confirmationToken: token,
  });
  assert.deepEqual(answer.structuredContent, {});
});

Deno.test("a success that is not JSON is summarized: short text inline, bytes by hash", async () => {
  const bodies: [string | Uint8Array, string, Record<string, unknown>][] = [
    ["plain words", "text/plain; charset=utf-8", { text: "plain words", size_bytes: 11 }],
    [Uint8Array.of(1, 2, 3), "application/pdf", { size_bytes: 3, text: undefined }],
    ["x".repeat(70_000), "text/plain", { size_bytes: 70_000, text: undefined }],
    [Uint8Array.of(0xff, 0xfe), "text/plain", { size_bytes: 2, text: undefined }],
  ];
  for (const [body, contentType, expected] of bodies) {
    await using fixture = openFixture({
      script: () => ({
        kind: "answer",
        status: 200,
        headers: { "content-type": contentType },
        body,
      }),
    });
    const answer = await fixture.kernel.dispatch({ ...LIST, format: "json" });
    const summary = answer.structuredContent as Record<string, unknown>;
    assert.equal(summary.content_type, contentType);
    assert.match(String(summary.sha256), /^[0-9a-f]{64}$/);
    for (const [key, value] of Object.entries(expected)) assert.equal(summary[key], value, key);
    if (expected.text === undefined) assert.match(String(summary.suggestion), /--download/);
  }
});

Deno.test("formats: caller, then profile, then variant, then configuration; a surface may narrow them", async () => {
  const plain = adapterOp();
  const csv = adapterOp({ default_format: "csv" });
  const run = async (
    target: typeof plain,
    call: Partial<Invocation>,
    extra: Parameters<typeof openFixture>[0] = {},
  ) => {
    await using fixture = openFixture({
      ops: [target],
      adapters: { "test.adapter": annotating('{"rows":[{"a":1}]}', []) },
      ...extra,
    });
    return (await fixture.kernel.dispatch({ opId: "x.y", args: {}, ...call })).format;
  };
  assert.equal(await run(plain, {}), "toon");
  assert.equal(await run(plain, {}, { settings: { defaultFormat: "json" } }), "json");
  assert.equal(await run(csv, {}, { settings: { defaultFormat: "json" } }), "csv");
  assert.equal(await run(csv, {}, { profile: { name: "p", format: "markdown" } }), "markdown");
  assert.equal(
    await run(csv, { format: "json" }, { profile: { name: "p", format: "markdown" } }),
    "json",
  );
  assert.equal(await run(csv, { allowedFormats: ["toon", "json"] }), "toon");
  assert.equal(await run(csv, { format: "markdown", allowedFormats: ["json"] }), "json");
  assert.equal(await run(csv, { format: "json", allowedFormats: ["toon", "json"] }), "json");
});

const CRASHING: Shaper = {
  ...shaper,
  shape() {
    throw new TypeError("shaper bug");
  },
};

Deno.test("a shaper that crashes never makes a performed write look failed", async () => {
  await using fixture = openFixture({
    deps: { shaper: CRASHING },
    script: () => json({ id: "new" }),
  });
  const answer = await fixture.kernel.dispatch(CREATE);
  assert.deepEqual(answer.structuredContent, { id: "new" });
  assert.match(answer.validationWarnings[0] ?? "", /could not be shaped/);
  const read = await refusalOf(fixture.kernel, LIST);
  assert.equal(read.code, "SERVICE_DOWN");
  assert.equal(fixture.audit.length, 2, "both calls left their row");
  assert.equal(fixture.audit[1]?.error_code, "SERVICE_DOWN");
});

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

Deno.test("dry run: the exact request, nothing sent, nothing recorded", async () => {
  await using fixture = openFixture({
    profile: { name: "p", field_mask: "files(id)", keep_fields: ["nothing"] },
  });
  const list = await fixture.kernel.dispatch({ ...LIST, dryRun: true, format: "json" });
  const report = list.structuredContent as Record<string, unknown>;
  assert.equal(report.dry_run, true);
  assert.equal(report.field_mask, "files(id)");
  assert.equal(report.confirmation_required, false);
  assert.deepEqual(report.request, {
    method: "GET",
    url: "https://www.googleapis.com/drive/v3/files?fields=files%28id%29&pageSize=100",
    headers: ["accept", "authorization", "user-agent"],
    body_bytes: 0,
  });
  const create = await fixture.kernel.dispatch({ ...CREATE, dryRun: true, format: "json" });
  const request = (create.structuredContent as { request: Record<string, unknown> }).request;
  assert.deepEqual(request.body, { name: "n" });
  assert.equal(request.body_bytes, 12);
  assert.equal(fixture.peer.requests.length, 0);
  assert.deepEqual([fixture.audit.length, fixture.gain.length], [0, 0]);
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
  assert.equal(fixture.kernel.cacheStats().entries, 1);
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

Deno.test("TestCapabilityClassCodeExecution: a script's operation is executed by its own adapter", async () => {
  const code = op("gum.code", [
    variant("gum.code.v1", ["read", "GET", "https://unused.invalid/"], {
      auth_strategy: "none",
      execution_support: "full",
      capabilities: ["code_execution"],
      binding: { binding_schema_version: 1, adapter_key: "code.risor", operation_key: "gum.code" },
    }),
  ]);
  await using fixture = openFixture({
    ops: [code],
    adapters: { "code.risor": annotating("printed", [], "raw") },
  });
  const answer = await fixture.kernel.dispatch({ opId: "gum.code", args: { source: "1" } });
  assert.equal(new TextDecoder().decode(answer.body), "printed");
  assert.equal(fixture.gain[0]?.cacheStatus, "not_applicable");
});

Deno.test("TestShapeResponseMaxItemsOverridesBuiltinCap: the call's cap beats the profile's", async () => {
  const files = Array.from({ length: 30 }, (_, index) => ({ id: `${index}` }));
  await using fixture = openFixture({
    script: () => json({ files }),
    profile: { name: "p", collapse_arrays: { max_items: 5 } },
  });
  const counts: number[] = [];
  for (const maxItems of [undefined, 7, "all"] as const) {
    const answer = await fixture.kernel.dispatch({ ...LIST, format: "json", maxItems });
    counts.push((answer.structuredContent as { files: unknown[] }).files.length);
  }
  assert.deepEqual(counts, [5, 7, 30]);
  assert.equal(fixture.peer.requests.length, 1, "the cap is in no cache key");
});

Deno.test("TestDataManagerResponseShaping: ids, counts and warnings survive in four formats", async () => {
  const status = op("datamanager.requestStatus.retrieve", [
    variant("dm.v", [
      "read",
      "GET",
      "https://datamanager.googleapis.com/v1/requestStatus:retrieve",
    ]),
  ], {
    request_fields: [{ name: "requestId", location: "query", type: "string", required: true }],
  });
  const body = {
    requestStatusPerDestination: [{
      requestStatus: "PARTIAL_SUCCESS",
      errorInfo: { errorCounts: [{ recordCount: "3", reason: "ERR" }] },
      warningInfo: { warningCounts: [{ recordCount: "2", reason: "WARN" }] },
      eventsIngestionStatus: { recordCount: "17" },
    }],
  };
  await using fixture = openFixture({ ops: [status], script: () => json(body) });
  for (const format of [undefined, "json", "toon", "raw"] as const) {
    const answer = await fixture.kernel.dispatch({
      opId: status.op_id,
      args: { requestId: "r-1" },
      format,
    });
    const text = new TextDecoder().decode(answer.body);
    for (const fact of ["PARTIAL_SUCCESS", "ERR", "WARN", "17", "3", "2"]) {
      assert.ok(text.includes(fact), `${format}: ${fact}`);
    }
  }
});
