import assert from "node:assert/strict";
import { getEncoding } from "js-tiktoken";
import type { JsonObject } from "../json/mod.ts";
import { gainDisabled, gainSwitch, HEADER_LINE, operationFamily } from "./mod.ts";
import { call, openRig } from "./testdata/rig.ts";

const oracle = getEncoding("cl100k_base");
const tokens = (text: string) => oracle.encode(text, [], []).length;

Deno.test("TestGainLedgerEntrySchema: every key, in order, counted by an independent counter", async () => {
  await using rig = await openRig();
  const accounting = rig.open();
  const raw = JSON.stringify({ files: Array.from({ length: 500 }, (_, id) => ({ id, n: "é😀" })) });
  accounting.record(call({ raw, shaped: "id\n1" }));
  accounting.record(call({ profileName: "_default", fingerprint: "", fieldMaskStatus: "skipped" }));
  await accounting.close();
  assert.equal(rig.lines()[0], HEADER_LINE);
  const [first, second] = rig.entries();
  assert.deepEqual(first, {
    record_type: "entry",
    session: accounting.session,
    op_id: "drive.files.list",
    variant_id: "drive.v3.rest.files.list",
    output_profile: "drive.files.list.v1",
    args_hash: "ab".repeat(32),
    auth_subject_fingerprint: "fp",
    request_tokens: tokens('{"pageSize":2}'),
    response_tokens: tokens(raw),
    raw_tokens: tokens(raw),
    shaped_tokens: tokens("id\n1"),
    cache_status: "miss",
    field_mask_status: "applied",
    served_from_cache: false,
    is_retry: false,
    op_family: "drive.files",
    baseline_method: "estimated",
    ts: "2026-05-23T14:30:00.123Z",
  });
  assert.match(accounting.session, /^[0-9a-f]{8}$/);
  assert.deepEqual(
    [second?.output_profile, second?.auth_subject_fingerprint, second?.field_mask_status],
    [null, "", "skipped"],
  );
  assert.deepEqual(Object.keys(second ?? {}), Object.keys(first ?? {}));
});

Deno.test("TestRecordAndReturnCacheHitFlagged: a hit received nothing and still has its baseline", async () => {
  await using rig = await openRig();
  const accounting = rig.open();
  for (const cacheStatus of ["hit", "etag_304", "not_applicable"] as const) {
    accounting.record(call({ cacheStatus, opId: cacheStatus }));
  }
  await accounting.close();
  assert.deepEqual(
    rig.entries().map((row) => [row.cache_status, row.served_from_cache, row.response_tokens > 0]),
    [["hit", true, false], ["etag_304", true, false], ["not_applicable", false, true]],
  );
  assert.ok(rig.entries().every((row) => row.raw_tokens > 0));
});

Deno.test("TestRecordAndReturnMarksRetry: the same call within five minutes in one session", async () => {
  await using rig = await openRig();
  const [one, other] = [rig.open(), rig.open()];
  one.record(call());
  other.record(call());
  rig.clock.advance(299_000);
  one.record(call());
  one.record(call({ argsHash: "cd".repeat(32) }));
  // Another operation of the family with the same arguments counts as the same attempt.
  one.record(call({ opId: "drive.files.search" }));
  rig.clock.advance(301_000);
  one.record(call());
  await one.close();
  await other.close();
  assert.deepEqual(
    rig.entries().filter((row) => row.session === one.session).map((row) => row.is_retry),
    [false, true, false, true, false],
  );
  assert.deepEqual(
    rig.entries().filter((row) => row.session === other.session).map((row) => row.is_retry),
    [false],
  );
});

Deno.test("TestRecordParallelBatchWritesOuterSentinel: inner rows, then one for the envelope", async () => {
  await using rig = await openRig();
  const accounting = rig.open();
  const elements: JsonObject[] = [{ op_id: "a.b", args: {} }, { op_id: "c.d", args: { x: 1 } }];
  const shaped = ["first answer", "second answer"];
  const envelope = JSON.stringify({ batch_id: "01020304", results: shaped });
  for (const [index, text] of shaped.entries()) {
    accounting.record(call({ batch: { batchId: "01020304", index }, shaped: text }));
  }
  accounting.recordBatch({ batchId: "01020304", elements, envelope });
  await accounting.close();
  const [inner0, inner1, outer] = rig.entries();
  assert.deepEqual([inner0?.batch_index, inner1?.batch_index], [0, 1]);
  assert.deepEqual([inner0?.batch_id, outer?.batch_id], ["01020304", "01020304"]);
  const request = tokens('{"elements":[{"args":{},"op_id":"a.b"},{"args":{"x":1},"op_id":"c.d"}]}');
  const response = tokens(envelope) - shaped.reduce((sum, text) => sum + tokens(text), 0);
  assert.deepEqual(
    [outer?.request_tokens, outer?.response_tokens, outer?.shaped_tokens, outer?.element_count],
    [request, response, request + response, 2],
  );
});

Deno.test("TestGainParallelOuterEntrySchema: what only an outer row looks like", async () => {
  await using rig = await openRig();
  const accounting = rig.open();
  accounting.recordBatch({ batchId: "0a0b0c0d", elements: [{}], envelope: "{}", cancelled: true });
  await accounting.close();
  const [outer] = rig.entries();
  const { args_hash, request_tokens, response_tokens, shaped_tokens, ts, ...rest } = outer ?? {};
  assert.match(String(args_hash), /^[0-9a-f]{64}$/);
  assert.equal(shaped_tokens, Number(request_tokens) + Number(response_tokens));
  assert.ok(ts);
  assert.deepEqual(rest, {
    record_type: "entry",
    session: accounting.session,
    op_id: "gum_parallel",
    variant_id: null,
    output_profile: null,
    auth_subject_fingerprint: "batch",
    raw_tokens: 0,
    cache_status: "not_applicable",
    field_mask_status: "not_applicable",
    served_from_cache: false,
    is_retry: false,
    op_family: "gum_parallel",
    baseline_method: "estimated",
    batch_id: "0a0b0c0d",
    element_count: 1,
    cancelled: true,
  });
});

Deno.test("TestRecordParallelBatchWritesCancelledInnerEntry: an element that never ran has its row", async () => {
  await using rig = await openRig();
  const accounting = rig.open();
  accounting.record(call({
    raw: "",
    shaped: "",
    batch: { batchId: "01020304", index: 3 },
    errorCode: "CANCELLED",
    cancelled: true,
  }));
  await accounting.close();
  const [row] = rig.entries();
  assert.deepEqual(
    [row?.raw_tokens, row?.shaped_tokens, row?.error_code, row?.cancelled, row?.batch_index],
    [0, 0, "CANCELLED", true, 3],
  );
});

Deno.test("recording does not count: nothing is written until it is quiet, then everything is", async () => {
  await using rig = await openRig();
  const accounting = rig.open({ quietMs: 20 });
  for (let index = 0; index < 5; index++) accounting.record(call({ argsHash: `${index}` }));
  await assert.rejects(Deno.stat(rig.folder), Deno.errors.NotFound);
  const deadline = performance.now() + 5_000;
  const written = () => {
    try {
      return rig.entries().length;
    } catch {
      return 0;
    }
  };
  while (written() < 5 && performance.now() < deadline) {
    await new Promise((resume) => setTimeout(resume, 5));
  }
  assert.equal(written(), 5);
  await accounting.close();
  accounting.record(call());
  await accounting.close();
  assert.equal(rig.entries().length, 5);
});

Deno.test("TestRecordAndReturnMarksRetry: a clock that is set back makes no retry of an old call", async () => {
  await using rig = await openRig();
  const accounting = rig.open();
  accounting.record(call());
  rig.clock.advance(-10);
  accounting.record(call());
  rig.clock.advance(-3_600_000);
  accounting.record(call());
  await accounting.close();
  assert.deepEqual(rig.entries().map((row) => row.is_retry), [false, true, false]);
});

Deno.test("closing counts in a hurry, and still lets a deadline or a signal through", async () => {
  await using rig = await openRig();
  const accounting = rig.open({ quietMs: 60_000 });
  accounting.record(call());
  await accounting.flush();
  const raw = JSON.stringify(Array.from({ length: 40_000 }, (_, id) => ({ id, v: `w${id}` })));
  for (let index = 0; index < 4; index++) accounting.record(call({ raw, argsHash: `${index}` }));
  let isClosed = false;
  let turns = 0;
  const closing = accounting.close().then(() => isClosed = true);
  while (!isClosed) {
    await new Promise((resume) => setTimeout(resume, 0));
    if (!isClosed) turns++;
  }
  await closing;
  assert.ok(turns > 0, "the event loop stood still until everything was counted");
  assert.equal(rig.entries().length, 5);
});

Deno.test("a script's inner bodies are held too: many of them do not wait for quiet", async () => {
  await using rig = await openRig();
  const accounting = rig.open({ quietMs: 600_000 });
  accounting.record(call({ innerBodies: [new Uint8Array(65 * 1024 * 1024).fill(0x20)] }));
  const deadline = performance.now() + 20_000;
  const isWritten = async () =>
    await Deno.readTextFile(`${rig.folder}/gain-ledger.jsonl`)
      .then((text) => text.includes('"record_type":"entry"'), () => false);
  while (!await isWritten() && performance.now() < deadline) {
    await new Promise((resume) => setTimeout(resume, 5));
  }
  assert.ok(await isWritten());
  await accounting.close();
});

Deno.test("while a long answer is counted, the process answers others", async () => {
  await using rig = await openRig();
  const accounting = rig.open({ quietMs: 0 });
  const raw = JSON.stringify({
    rows: Array.from({ length: 20_000 }, (_, id) => ({ id, v: "ab" })),
  });
  accounting.record(call({ raw }));
  let turns = 0;
  const deadline = performance.now() + 10_000;
  const written = () => Deno.statSync(`${rig.folder}/gain-ledger.jsonl`).size > 0;
  const isWritten = () => {
    try {
      return written();
    } catch {
      return false;
    }
  };
  while (!isWritten() && performance.now() < deadline) {
    await new Promise((resume) => setTimeout(resume, 0));
    turns++;
  }
  assert.ok(turns > 10, `${turns} turns of the event loop while counting`);
  await accounting.close();
});

Deno.test("TestRecordAndReturnLedgerErrorDoesNotFailDispatch: a ledger that cannot be written is logged", async () => {
  await using rig = await openRig();
  await Deno.mkdir(rig.folder.replace(/\/default$/, ""), { recursive: true });
  await Deno.writeTextFile(rig.folder, "a file where the folder should be");
  const accounting = rig.open();
  accounting.record(call());
  await accounting.flush();
  assert.deepEqual(rig.logs, ["gain_append_failed"]);
  assert.ok(accounting.failure());
  await Deno.remove(rig.folder);
  accounting.record(call());
  await accounting.close();
  assert.equal(accounting.failure(), undefined);
  assert.equal(rig.entries().length, 1);
});

Deno.test("an operation's family is its id without the last segment", () => {
  assert.deepEqual(["a.b.c", "gum_code", ".x", "a."].map(operationFamily), [
    "a.b",
    "gum_code",
    ".x",
    "a",
  ]);
});

Deno.test("TestEnabledDefaultsOnWithNoConfig: nothing configured means on", () => {
  assert.deepEqual(gainSwitch({ disabledByEnvironment: false }), { on: true });
});

Deno.test("TestEnabledHonorsConfigKey: what reads as false switches it off", () => {
  for (const configured of [false, "false", " FALSE ", "0", "f"]) {
    assert.deepEqual(gainSwitch({ disabledByEnvironment: false, configured }), {
      on: false,
      source: "config",
    });
  }
});

Deno.test("TestEnabledEnvOverrideWins: the variable beats a profile that says on", () => {
  assert.deepEqual(gainSwitch({ disabledByEnvironment: true, configured: true }), {
    on: false,
    source: "env",
  });
});

Deno.test("TestEnabledUnreadableConfigKeepsAccounting: values that are no answer leave it on", () => {
  for (const configured of [undefined, null, "no", "off", 0, {}, "maybe"]) {
    assert.deepEqual(gainSwitch({ disabledByEnvironment: false, configured }), { on: true });
  }
});

Deno.test("TestGainDisabledReturnsTerminalError: it names who switched it off and how to go back", () => {
  for (const source of ["env", "config"] as const) {
    const { error_code, retryable, suggestion, source: named } = gainDisabled(source).toEnvelope();
    assert.deepEqual([error_code, retryable, named], ["GAIN_DISABLED", false, source]);
    assert.match(String(suggestion), source === "env" ? /GUM_GAIN_DISABLED/ : /config set/);
  }
});
