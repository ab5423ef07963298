/** `gum_parallel`: order, concurrency, pauses, envelopes, ceilings, cancellation (spec 09 §7, §8). */

import assert from "node:assert/strict";
import { Ajv2020 } from "ajv/dist/2020.js";
import fc from "fast-check";
import type { Clock } from "../clock/mod.ts";
import { op, variant } from "../dispatch/testdata/fixture.ts";
import type { GainBatchRecord, GainRecord, Invocation } from "../dispatch/types.ts";
import { systemClock } from "../clock/mod.ts";
import { GumError } from "../errors/mod.ts";
import { jcs } from "../format/mod.ts";
import { isJsonObject, type JsonObject, type JsonValue } from "../json/mod.ts";
import { OUTPUT_DEFS } from "../../mcp/output_defs.ts";
import { type BatchElement, batchEnvelope } from "./batch_envelope.ts";
import { openFamilyGate } from "./family_gate.ts";
import { createBatchLedger } from "./ledger/mod.ts";
import { liveWorkers } from "./mod.ts";
import { openRig, type RigOptions, shaped } from "./testdata/rig.ts";

// No sanitizer sees a worker that is left behind.
Deno.test.afterEach(() => assert.equal(liveWorkers(), 0));

const URL_X = "https://www.googleapis.com/x";
const OPS = [
  op("a.get", [variant("a.v", ["read", "GET", URL_X])], { service_family: "alpha" }),
  op("b.get", [variant("b.v", ["read", "GET", URL_X])], { service_family: "beta" }),
  op("a.delete", [variant("a.d", ["destructive", "DELETE", URL_X])], { service_family: "alpha" }),
  op("a.start", [variant("a.s", ["read", "POST", URL_X], { capabilities: ["lro_return"] })], {
    service_family: "alpha",
  }),
];

/** The complete metadata of an item, as it was before the shared part was taken out. */
function effectiveExpression(envelope: JsonObject, item: JsonObject): JsonValue {
  const shared = isJsonObject(envelope.shared_expression_fields)
    ? envelope.shared_expression_fields
    : {};
  return { ...shared, ...(isJsonObject(item._expression) ? item._expression : {}) };
}

/** Runs a batch from inside a script and gives its envelope. */
async function batch(elements: JsonValue, options: RigOptions = {}, args: JsonObject = {}) {
  await using rig = openRig({ ops: OPS, limits: { outputBytes: 1 << 20 }, ...options });
  const source = `gum_print(gum_parallel(decode(${
    JSON.stringify(JSON.stringify(elements))
  }, "json")))`;
  const { output } = await rig.run(source, args);
  return { envelope: JSON.parse(output) as Envelope, calls: rig.calls };
}

interface Envelope extends JsonObject {
  results: (JsonObject & { error: JsonObject })[];
  _expression: JsonObject;
}

const gets = (count: number, opId = "a.get"): JsonObject[] =>
  Array.from({ length: count }, (_, n) => ({ op_id: opId, args: { n } }));

function validator(name: string) {
  const ajv = new Ajv2020({ strict: false });
  ajv.addSchema(OUTPUT_DEFS);
  return ajv.compile({ $ref: `${OUTPUT_DEFS.$id}#/$defs/${name}` });
}

Deno.test("order is that of the input, at most eight run at once, and more than one does", async () => {
  let running = 0;
  let most = 0;
  const { envelope } = await batch(gets(40), {
    async answer({ args }) {
      most = Math.max(most, ++running);
      await new Promise((resolve) => setTimeout(resolve, 40 - Number(args.n)));
      running--;
      return args.n ?? null;
    },
  });
  assert.deepEqual(envelope.results.map((item) => item.data), gets(40).map((_, n) => n));
  assert.deepEqual(envelope.results.map((item) => item._idx), gets(40).map((_, n) => n));
  assert.equal(most, 8);
});

Deno.test("the next request goes out while an answer is shaped, and still eight at most are open", async () => {
  const shaping = Promise.withResolvers<void>();
  let open = 0;
  let most = 0;
  let started = 0;
  const { envelope } = await batch(gets(40), {
    async answer({ args, onAnswered }) {
      most = Math.max(most, ++open);
      started++;
      await new Promise((resolve) => setTimeout(resolve, 1));
      open--;
      onAnswered?.();
      // No answer is shaped before the last request was sent: without the overlap this hangs.
      if (started === 40) shaping.resolve();
      await shaping.promise;
      return args.n ?? null;
    },
  });
  assert.equal(most, 8);
  assert.deepEqual(envelope.results.map(({ data }) => data), gets(40).map((_, n) => n));
});

Deno.test("an answer is shaped after the request that takes its place has gone out", async () => {
  const order: string[] = [];
  await batch(gets(12), {
    async answer({ args, onAnswered }) {
      const n = Number(args.n);
      order.push(`sent ${n}`);
      await new Promise((resolve) => setTimeout(resolve, 1));
      await onAnswered?.();
      order.push(`shaped ${n}`);
      return n;
    },
  });
  for (const n of [0, 1, 2, 3]) {
    assert.ok(order.indexOf(`sent ${n + 8}`) < order.indexOf(`shaped ${n}`), order.join());
  }
});

Deno.test("pre-flight refuses the whole batch before any dispatch", async (t) => {
  const cases: [string, JsonValue, JsonObject][] = [
    ["no list", { op_id: "a.get" }, { field: "elements" }],
    ["too long", gets(257), { field: "elements" }],
    ["no map", [...gets(1), "a.get"], { index: 1 }],
    ["no operation", [{ args: {} }], { index: 0, field: "op_id" }],
    ["args no map", [{ op_id: "a.get", args: [] }], { index: 0, field: "args" }],
    ["unknown format", [...gets(2), { op_id: "a.get", format: "xml" }], {
      index: 2,
      field: "format",
    }],
    ["raw is none", [{ op_id: "a.get", format: "raw" }], { index: 0, field: "format" }],
  ];
  await using rig = openRig({ ops: OPS });
  for (const [name, elements, details] of cases) {
    await t.step(name, async () => {
      const source = `gum_parallel(decode(${JSON.stringify(JSON.stringify(elements))}, "json"))`;
      const error = await rig.failure(source);
      assert.equal(error.code, "INVALID_ARGS");
      for (const [key, value] of Object.entries(details)) assert.equal(error.details[key], value);
      if (details.index !== undefined) {
        assert.match(error.message, new RegExp(`element ${details.index}: `));
      }
    });
  }
  assert.equal(rig.calls.length, 0);
  const { envelope } = await batch(gets(256));
  assert.equal(envelope.results.length, 256);
  const empty = await batch([]);
  assert.deepEqual(empty.envelope.results, []);
  assert.equal(empty.envelope._expression.result_count, 0);
});

Deno.test("TestParallelResultItemSchema: items hold a payload or an error, and validate", async () => {
  const { envelope } = await batch([
    { op_id: "a.get", args: { n: 1 } },
    { op: "a.get", args: { n: 2 }, format: "toon" },
    { op_id: "a.get", args: { n: 3 }, format: "csv" },
    { op_id: "nope.op" },
    { op_id: "a.delete" },
    { op_id: "gum.code" },
  ], {
    answer({ opId, format }) {
      if (opId === "nope.op") {
        throw new GumError("OP_NOT_FOUND", {
          message: "unknown",
          details: { op_id: "other", retryable: true, hint: "h" },
        });
      }
      return format === "json" ? { id: "x" } : "text";
    },
  }, { allow_destructive: true, destructive_budget: 3 });
  const isItem = validator("ParallelResultItem");
  const isBatch = validator("ParallelResults");
  assert.ok(isBatch(envelope), JSON.stringify(isBatch.errors));
  for (const item of envelope.results) {
    assert.ok(isItem(item), JSON.stringify(isItem.errors));
    const payload = item.data !== undefined || item.toon !== undefined;
    assert.notEqual(payload, item.error !== undefined);
  }
  const codes = envelope.results.slice(3).map((item) => item.error.error_code);
  assert.deepEqual(codes, ["OP_NOT_FOUND", "REQUIRES_CONFIRMATION", "UNSUPPORTED_CAPABILITY"]);
  const { error } = envelope.results[3] ?? {};
  assert.deepEqual([error?.op_id, error?.retryable, error?.hint], ["nope.op", false, "h"]);
  assert.deepEqual(
    [envelope.results[1]?.toon, envelope.results[1]?.op, envelope.results[2]?.data],
    ["text", "a.get", "text"],
  );
});

Deno.test("TestLROUnsupportedInCode: refused before dispatch, with the way around it", async () => {
  await using rig = openRig({ ops: OPS });
  const error = await rig.failure('gum_call("a.start", {})');
  assert.equal(error.code, "LRO_UNSUPPORTED_IN_CODE");
  assert.equal(error.retryable, false);
  assert.match(error.message, /gum\.poll/);
  assert.equal(rig.calls.length, 0);
});

Deno.test("TestLROUnsupportedInParallel: the same code in the element, and the others run", async () => {
  const { envelope, calls } = await batch([{ op_id: "a.start" }, { op_id: "a.get" }]);
  assert.equal(envelope.results[0]?.error.error_code, "LRO_UNSUPPORTED_IN_CODE");
  assert.deepEqual(calls.map((call) => call.opId), ["a.get"]);
});

Deno.test("TestLROGateLetsAnOrdinaryOpThrough: a read that answers at once runs", async () => {
  await using rig = openRig({ ops: OPS, answer: () => "ran" });
  assert.equal(await rig.output('gum_call("a.get", {})'), "ran");
});

Deno.test("TestLROGateTolerantOfAClassifierlessDispatcher: without a catalog the call is let through", async () => {
  await using blind = openRig({ catalog: undefined, answer: () => "ran" });
  assert.equal(await blind.output('gum_call("a.start", {})'), "ran");
});

// --- pauses -------------------------------------------------------------------------------------

/** A clock whose sleeps are granted by hand. */
function handClock(): Clock & { advance(ms: number): Promise<void> } {
  let now = 1_000_000;
  const sleepers: { until: number; wake: () => void }[] = [];
  return {
    now: () => now,
    sleep: (ms) =>
      new Promise((resolve) => sleepers.push({ until: now + ms, wake: () => resolve() })),
    async advance(ms) {
      now += ms;
      for (const sleeper of sleepers.filter(({ until }) => until <= now)) {
        sleepers.splice(sleepers.indexOf(sleeper), 1);
        sleeper.wake();
      }
      for (let turn = 0; turn < 20; turn++) await Promise.resolve();
    },
  };
}

const limited = (retryAfterMs?: number) =>
  new GumError("RATE_LIMITED", {
    details: {
      source: "upstream",
      ...(retryAfterMs === undefined ? {} : { retry_after_ms: retryAfterMs }),
    },
  });

Deno.test("TestGumParallel429ServiceFamilyIsolation: a pause of one family delays no other", async () => {
  const started = new Map<string, number>();
  let refused = false;
  const answer = ({ opId, args }: Invocation) => {
    started.set(`${opId}:${args.n}`, performance.now());
    if (opId === "a.get" && !refused) {
      refused = true;
      throw limited(400);
    }
    return new Promise<JsonValue>((resolve) => setTimeout(() => resolve(null), 20));
  };
  const before = performance.now();
  const elements = [...gets(1), ...gets(20, "b.get"), { op_id: "a.get", args: { n: 99 } }];
  const { envelope } = await batch(elements, { answer, limits: { concurrency: 2 } });
  const at = (key: string) => (started.get(key) ?? 0) - before;
  const others = Math.max(...gets(20).map((_, n) => at(`b.get:${n}`)));
  assert.ok(at("a.get:99") - at("a.get:0") >= 400, "the same family waits");
  assert.ok(others < at("a.get:99"), "the other family was done before the pause ended");
  assert.equal(envelope.results[0]?.error.error_code, "RATE_LIMITED");
  assert.equal(envelope.results.filter((item) => item.error !== undefined).length, 1);
});

Deno.test("TestGumParallel429ServiceFamilyIsolation: fallback, clamp, extension and stagger by the clock", async () => {
  const clock = handClock();
  const gate = openFamilyGate(clock, clock.now() + 600_000);
  const signal = new AbortController().signal;
  const passed: string[] = [];
  const waiter = (family: string, worker: number) =>
    gate.pass(family, worker, signal).then(() => passed.push(`${family}${worker}`));
  gate.pause("a", undefined);
  gate.pause("a", 1_000); // never shortens
  void waiter("a", 0);
  void waiter("a", 2);
  await waiter("b", 1);
  await waiter("", 1);
  assert.deepEqual(passed, ["b1", "1"]);
  await clock.advance(59_999);
  assert.deepEqual(passed, ["b1", "1"]);
  await clock.advance(1);
  await clock.advance(0);
  assert.deepEqual(passed, ["b1", "1", "a0"]);
  await clock.advance(99);
  assert.deepEqual(passed, ["b1", "1", "a0"]);
  await clock.advance(1);
  assert.deepEqual(passed, ["b1", "1", "a0", "a2"]);
  gate.pause("c", 900_000); // clamped to 300 s
  void waiter("c", 0);
  await clock.advance(300_000);
  await clock.advance(0);
  assert.ok(passed.includes("c0"));
});

Deno.test("a pause beyond the deadline fails at once, without a dispatch", async () => {
  const { envelope, calls } = await batch(gets(3), {
    limits: { concurrency: 1, timeoutMs: 5_000 },
    answer: () => {
      throw limited();
    },
  });
  assert.equal(calls.length, 1);
  const later = envelope.results[1]?.error;
  assert.deepEqual([later?.error_code, later?.retryable], ["RATE_LIMITED", true]);
  assert.ok(Number(later?.retry_after_ms) > 50_000);
});

// --- envelopes ----------------------------------------------------------------------------------

type Meta = JsonObject;
const meta = (extra: Meta): Meta => ({
  profile: "p",
  op_id: "a.list",
  variant_id: "a.v1",
  lossy: false,
  result_count: 1,
  ...extra,
});

function elementsOf(metas: readonly Meta[]): BatchElement[] {
  return metas.map((expression): BatchElement => {
    const invocation: Invocation = { opId: String(expression.op_id), args: {}, format: "json" };
    const response = { ...shaped(invocation, null), expression: expression as never };
    return { opId: invocation.opId, variantId: "a.v1", result: { kind: "answer", response } };
  });
}

Deno.test("TestGumParallelResultEnvelopeCompression: fixtures a to e rebuild byte for byte", async (t) => {
  const zero = { intentional_zero_max_items: true, on_empty_message: "none" };
  const fixtures: Record<string, { metas: Meta[]; shared: JsonObject | undefined }> = {
    "a heterogeneous": {
      metas: [
        meta({ profile: "x", lossy: true }),
        { profile: "y", op_id: "b.list", variant_id: null, lossy: false, result_count: 2 },
      ],
      shared: undefined,
    },
    "b all null": {
      metas: [meta({ variant_id: null }), meta({ variant_id: null, result_count: 3 })],
      shared: { lossy: false, op_id: "a.list", profile: "p", variant_id: null },
    },
    "c null and absent": {
      metas: [meta({ field_mask: null }), meta({ result_count: 2 })],
      shared: { lossy: false, op_id: "a.list", profile: "p", variant_id: "a.v1" },
    },
    "e intentional zero": {
      metas: [meta({ ...zero, result_count: 0 }), meta({ ...zero, result_count: 0 })],
      shared: {
        intentional_zero_max_items: true,
        lossy: false,
        on_empty_message: "none",
        op_id: "a.list",
        profile: "p",
        result_count: 0,
        variant_id: "a.v1",
      },
    },
    "one element keeps its own": { metas: [meta({})], shared: undefined },
  };
  for (const [name, { metas, shared }] of Object.entries(fixtures)) {
    await t.step(name, () => {
      const envelope = batchEnvelope("0123abcd", elementsOf(metas), 1 << 20) as Envelope;
      assert.deepEqual(envelope.shared_expression_fields, shared);
      assert.equal("shared_expression_fields" in envelope, shared !== undefined);
      envelope.results.forEach((item, index) => {
        assert.equal(jcs(effectiveExpression(envelope, item)), jcs(metas[index] ?? {}));
      });
    });
  }
  await t.step("d the outer metadata", () => {
    const envelope = batchEnvelope("0123abcd", elementsOf([meta({ lossy: true }), meta({})]), 1e6);
    assert.deepEqual(envelope._expression, {
      profile: "_batch",
      op_id: "gum_parallel",
      variant_id: null,
      lossy: true,
      result_count: 2,
    });
  });
  await t.step("any metadata survives", () => {
    const values = fc.constantFrom<JsonValue>(null, true, false, 0, 1, "x", "y", ["a"], { b: 1 });
    const extra = fc.dictionary(fc.constantFrom("field_mask", "limited_rows", "q"), values);
    fc.assert(fc.property(fc.array(extra, { maxLength: 6 }), (extras) => {
      const metas = extras.map((each) => meta(each));
      const envelope = batchEnvelope("0123abcd", elementsOf(metas), 1 << 20) as Envelope;
      envelope.results.forEach((item, index) => {
        assert.equal(jcs(effectiveExpression(envelope, item)), jcs(metas[index] ?? {}));
      });
    }));
  });
});

Deno.test("TestExpressionMetaFieldsMatchesJSONMarshal: delta and full metadata have the same fields", () => {
  const defs = OUTPUT_DEFS.$defs as Record<string, { properties?: JsonObject }>;
  const full = Object.keys(defs.ExpressionMeta?.properties ?? {}).sort();
  assert.ok(full.length > 10);
  assert.deepEqual(Object.keys(defs.ExpressionMetaDelta?.properties ?? {}).sort(), full);
});

Deno.test("TestExpressionMetaFieldsCoversEveryTag: every rebuilt object validates", async () => {
  const isMeta = validator("ExpressionMeta");
  const { envelope } = await batch([...gets(2), { op_id: "nope.op" }], {
    answer({ opId }) {
      if (opId === "nope.op") throw new GumError("OP_NOT_FOUND");
      return 1;
    },
  });
  for (const item of envelope.results) {
    const rebuilt = effectiveExpression(envelope, item);
    assert.ok(isMeta(rebuilt), JSON.stringify(isMeta.errors));
  }
  assert.match(String(envelope.batch_id), /^[0-9a-f]{8}$/);
});

Deno.test("TestGumParallelCodeOutputCeiling: the input ceiling follows the output limit", async () => {
  await using rig = openRig({ ops: OPS, limits: { outputBytes: 1024 } });
  const source = (bytes: number) =>
    `gum_parallel([{op_id: "a.get", args: {t: "x".repeat(${bytes})}}]).results[0]["_idx"]`;
  const overhead = jcs({ elements: [{ op_id: "a.get", args: { t: "" } }] }).length;
  assert.equal(await rig.output(source(8 * 1024 - overhead)), "0");
  const error = await rig.failure(source(8 * 1024 - overhead + 1));
  assert.equal(error.code, "CODE_OUTPUT_LIMIT_EXCEEDED");
  assert.deepEqual([error.details.limit_bytes, error.details.requested_bytes], [8192, 8193]);
  assert.equal(rig.calls.length, 1);
});

Deno.test("TestParallelItemTruncationArms: toon, text data and messages are cut, structured data is not", () => {
  const answer = (format: "toon" | "csv" | "json", value: JsonValue): BatchElement => ({
    opId: "a.get",
    variantId: "a.v",
    result: {
      kind: "answer",
      response: shaped({ opId: "a.get", args: {}, format }, value),
    },
  });
  const failure: BatchElement = {
    opId: "a.get",
    variantId: "a.v",
    result: { kind: "failure", error: new GumError("SERVICE_DOWN", { message: "m".repeat(500) }) },
  };
  const long = "é€😀".repeat(100);
  const elements = [
    answer("toon", long),
    answer("csv", long),
    answer("json", { rows: [long] }),
    failure,
  ];
  const whole = batchEnvelope("0123abcd", elements, 1 << 20) as Envelope;
  assert.ok(!("_code_output_truncated" in whole));
  for (const [index, key] of ["toon", "data"].entries()) {
    const item = elements[index];
    if (item === undefined) throw new Error("missing");
    for (const room of [400, 401, 402, 403, 404]) {
      const envelope = batchEnvelope("0123abcd", [item], room) as Envelope;
      const [cut] = envelope.results;
      assert.equal(cut?._code_output_truncated, true);
      assert.equal(envelope._code_output_truncated, true);
      const text = String(cut?.[key]);
      assert.ok(long.startsWith(text) && text.isWellFormed() && text !== long);
      const bytes = new TextEncoder().encode(JSON.stringify(cut)).length;
      assert.ok(bytes <= room && bytes > room - 8, `${bytes} of ${room}`);
      assert.ok(!JSON.stringify(cut?._expression).includes("truncated"));
    }
  }
  const tight = batchEnvelope("0123abcd", elements, 10) as Envelope;
  assert.deepEqual(
    tight.results.map((item) => [item._code_output_truncated, item.toon ?? item.data]),
    [[true, ""], [true, ""], [undefined, { rows: [long] }], [true, undefined]],
  );
  assert.deepEqual(
    [tight.results[3]?.error.error_code, tight.results[3]?.error.message],
    ["SERVICE_DOWN", ""],
  );
});

// --- cancellation and the ledger ----------------------------------------------------------------

function recordingLedger() {
  const rows: GainRecord[] = [];
  const batches: GainBatchRecord[] = [];
  const gain = createBatchLedger({
    record: (row) => rows.push(row),
    recordBatch: (row) => batches.push(row),
  });
  return { gain, rows, batches };
}

/** Cancels a batch of nine with one answered and four in flight. */
async function cancelledBatch() {
  const { gain, rows, batches } = recordingLedger();
  const inFlight = Promise.withResolvers<void>();
  let running = 0;
  let aborted = 0;
  let sawAbort = 0;
  const controller = new AbortController();
  await using rig = openRig({
    ops: OPS,
    gain,
    limits: { concurrency: 4 },
    answer({ args }, signal) {
      if (args.n === 0) return "first";
      if (++running === 4) inFlight.resolve();
      return new Promise((_resolve, reject) =>
        signal?.addEventListener("abort", () => {
          aborted++;
          sawAbort = performance.now();
          reject(new GumError("CANCELLED"));
        })
      );
    },
  });
  const elements = JSON.stringify(JSON.stringify(gets(9)));
  const failing = rig.failure(
    `gum_parallel(decode(${elements}, "json"))`,
    {},
    controller.signal,
  );
  await inFlight.promise;
  const before = performance.now();
  controller.abort();
  const error = await failing;
  const settledMs = performance.now() - before;
  return { error, rows, batches, aborted, settledMs, propagatedMs: sawAbort - before };
}

Deno.test("TestGumParallelCancellationPropagatesWithin200ms: to every call in flight, and to the script", async () => {
  const { aborted, settledMs, propagatedMs } = await cancelledBatch();
  assert.equal(aborted, 4);
  assert.ok(settledMs < 200 && propagatedMs < 200, `${settledMs} ms, ${propagatedMs} ms`);
});

Deno.test("TestGumParallelCancellationProducesCANCELLEDWhitebox: finished elements stay, all others are cancelled", async () => {
  const { error, rows, batches } = await cancelledBatch();
  assert.equal(error.code, "CANCELLED");
  const envelope = JSON.parse(batches[0]?.envelope ?? "{}") as Envelope;
  assert.equal(envelope.results.length, 9);
  assert.equal(envelope.results[0]?.data, "first");
  for (const item of envelope.results.slice(1)) {
    assert.equal(item.error.error_code, "CANCELLED");
    assert.deepEqual([item.error.cancelled, item.error.retryable], [true, false]);
    assert.ok(!("data" in item) && !("toon" in item));
  }
  assert.equal(batches[0]?.cancelled, true);
  assert.deepEqual(rows.map((row) => row.batch?.index), [1, 2, 3, 4, 5, 6, 7, 8]);
});

Deno.test("TestGumParallelCancelBeforeAnyDispatchAllCancelled: elements waiting at a pause never start", async () => {
  const { gain, batches } = recordingLedger();
  const controller = new AbortController();
  let waiting = 0;
  await using rig = openRig({
    ops: OPS,
    gain,
    clock: {
      now: () => systemClock.now(),
      sleep(ms, signal) {
        // Only the pause of the family is that long.
        if (ms > 20_000) waiting++;
        return systemClock.sleep(ms, signal);
      },
    },
    answer({ args }) {
      if (args.n === "first") throw limited(30_000);
      return "ran";
    },
  });
  const elements = JSON.stringify(JSON.stringify(gets(12)));
  const failing = rig.failure(
    `gum_parallel([{op_id: "a.get", args: {n: "first"}}])\ngum_parallel(decode(${elements}, "json"))`,
    {},
    controller.signal,
  );
  const deadline = performance.now() + 10_000;
  while (waiting < 8) {
    assert.ok(performance.now() < deadline, "eight workers wait at the pause");
    await new Promise((resolve) => setTimeout(resolve, 5));
  }
  controller.abort();
  await failing;
  assert.equal(rig.calls.length, 1);
  const envelope = JSON.parse(batches[1]?.envelope ?? "{}") as Envelope;
  assert.deepEqual(
    envelope.results.map((item) => item.error.error_code),
    gets(12).map(() => "CANCELLED"),
  );
});

Deno.test("TestGumParallelCancellationMarksBatchAndElements: the outer row and one row for each element", async () => {
  const { rows, batches } = await cancelledBatch();
  assert.equal(batches.length, 1);
  assert.equal(batches[0]?.cancelled, true);
  assert.ok(rows.every((row) => row.cancelled === true && row.errorCode === "CANCELLED"));
  assert.ok(rows.every((row) => row.batch?.batchId === batches[0]?.batchId));
});

Deno.test("TestRecordParallelBatchWritesCancelledInnerEntry: rows the kernel has written are not written twice", async () => {
  const { gain, rows, batches } = recordingLedger();
  const controller = new AbortController();
  const started = Promise.withResolvers<void>();
  await using rig = openRig({
    ops: OPS,
    gain,
    limits: { concurrency: 1 },
    answer(invocation, signal) {
      started.resolve();
      return new Promise((_resolve, reject) =>
        signal?.addEventListener("abort", () => {
          // As the kernel does for a call that had reached its adapter.
          gain.record({
            opId: invocation.opId,
            variantId: "a.v",
            profileName: "_default",
            argsHash: "h",
            fingerprint: "",
            request: {},
            rawBody: new Uint8Array(),
            shapedBody: new Uint8Array(),
            cacheStatus: "not_applicable",
            fieldMaskStatus: "not_applicable",
            batch: invocation.batch,
            errorCode: "CANCELLED",
            cancelled: true,
          });
          reject(new GumError("CANCELLED"));
        })
      );
    },
  });
  const failing = rig.failure(
    `gum_parallel([{op_id: "a.get"}, {op_id: "b.get"}])`,
    {},
    controller.signal,
  );
  await started.promise;
  controller.abort();
  await failing;
  assert.deepEqual(
    rows.map((row) => [row.opId, row.batch?.index, row.cancelled, row.errorCode]),
    [["a.get", 0, true, "CANCELLED"], ["b.get", 1, true, "CANCELLED"]],
  );
  assert.equal(batches.length, 1);
  assert.equal(batches[0]?.cancelled, true);
});

Deno.test("TestGumParallelInnerInvocationsCarryBatchLinkage: batch, index, caller and parent", async () => {
  const { envelope, calls } = await batch(gets(3), { answer: () => "x" });
  assert.deepEqual(
    calls.map((
      call,
    ) => [call.batch?.batchId, call.batch?.index, call.caller, call.parentRequestId]),
    [0, 1, 2].map((index) => [envelope.batch_id, index, "risor", "req-outer"]),
  );
});

Deno.test("TestRecordParallelBatchWritesOuterSentinel: one row after the inner ones, with input and envelope", async () => {
  const { gain, batches } = recordingLedger();
  const { envelope } = await batch(gets(3), { gain, answer: () => "x" });
  assert.equal(batches.length, 1);
  assert.equal(batches[0]?.batchId, envelope.batch_id);
  assert.deepEqual(batches[0]?.elements, gets(3));
  assert.deepEqual(JSON.parse(batches[0]?.envelope ?? ""), envelope);
  assert.equal(batches[0]?.cancelled, undefined);
});

Deno.test("TestGumParallelLeaksNoGoroutines: no worker is left behind", async () => {
  for (let round = 0; round < 3; round++) await batch(gets(20));
  assert.equal(liveWorkers(), 0);
});

Deno.test("JavaScript scripts get the same envelope, and their own calls share the eight places", async () => {
  let running = 0;
  let most = 0;
  await using rig = openRig({
    ops: OPS,
    async answer({ args }) {
      most = Math.max(most, ++running);
      await new Promise((resolve) => setTimeout(resolve, 10));
      running--;
      return args.n ?? null;
    },
  });
  const source = `
const alone = await Promise.all(Array.from({ length: 20 }, (_, n) => gum_call("a.get", { n })));
const batch = await gum_parallel([{ op_id: "a.get", args: { n: 7 } }]);
[alone.reduce((sum, n) => sum + n, 0), batch.results[0].data, batch.format]`;
  assert.equal(await rig.output(source, { language: "javascript" }), '[190,7,"parallel_results"]');
  assert.equal(most, 8);
});
