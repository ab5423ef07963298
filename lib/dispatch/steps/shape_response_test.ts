import assert from "node:assert/strict";
import { json } from "../../http/testdata/peer.ts";
import { shaper } from "../../shape/mod.ts";
import type { Adapter, Invocation, Shaper } from "../types.ts";
import { adapterOp, annotating } from "../testdata/annotating.ts";
import {
  op,
  openFixture,
  refusalOf,
  temporaryDirectory,
  tokenFor,
  variant,
} from "../testdata/fixture.ts";

const LIST: Invocation = { opId: "drive.files.list", args: {} };
const CREATE: Invocation = { opId: "drive.files.create", args: { name: "n" }, allowWrite: true };

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

Deno.test("TestShapedResponseKeepsEveryAnnotationPath: a field that added ones say completely is not called dropped", async () => {
  const adapter: Adapter = {
    ...annotating('{"a":1,"b":2}', ["added", "other"]),
    annotateResponse: (_request, parsed) => ({
      body: { ...parsed as Record<string, never>, added: "1", other: "2" },
      addedPaths: ["added", "other"],
      carriedPaths: { a: ["added"], b: ["other"] },
    }),
  };
  const dropped = async (
    profile: Record<string, unknown>,
    invocation: Partial<Invocation> = {},
  ) => {
    await using fixture = openFixture({
      ops: [adapterOp({ backend_kind: "typed-rest-sdk" })],
      adapters: { "test.adapter": adapter },
      profile: { name: "p", field_mask: "a,b", ...profile },
    });
    const answer = await fixture.kernel.dispatch({ opId: "x.y", args: {}, ...invocation });
    const named = (answer.expression?.dropped_paths ?? []) as string[];
    assert.equal(answer.notice.mcp.includes("dropped"), named.length > 0);
    return named;
  };
  const kept = { keep_fields: ["added", "other"] };
  assert.deepEqual(await dropped(kept), []);
  assert.deepEqual(
    await dropped({ keep_fields: ["added"] }),
    ["b", "other"],
    "its carrier is gone",
  );
  assert.deepEqual(await dropped({ ...kept, source: "project-local" }), ["a", "b"]);
  assert.deepEqual(await dropped(kept, { suppressFieldMask: true }), ["a", "b"], "a whole answer");
});

Deno.test("TestShapedResponseKeepsEveryAnnotationPath: a number that no double can carry keeps its digits", async () => {
  await using fixture = openFixture({
    ops: [adapterOp()],
    adapters: { "test.adapter": annotating('{"a":1e400,"b":12345678901234567890}', ["added"]) },
  });
  const answer = await fixture.kernel.dispatch({ opId: "x.y", args: {}, format: "json" });
  const text = new TextDecoder().decode(answer.body);
  assert.match(text, /1e400/);
  assert.match(text, /12345678901234567890/);
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

Deno.test("TestProfileStripNullsSafety: a variant that declares nothing safe loses nothing", async () => {
  await using fixture = openFixture({
    ops: [
      adapterOp(),
      op("x.safe", [
        variant("x.s", ["read", "GET", "https://www.googleapis.com/x"], {
          binding: { binding_schema_version: 1, adapter_key: "test.adapter", operation_key: "x" },
          null_elision_safe_fields: ["*"],
        }),
      ]),
    ],
    adapters: { "test.adapter": annotating('{"a":null,"b":{},"c":1}', []) },
    profile: { name: "p", strip_nulls: true },
  });
  const shown = async (opId: string) =>
    (await fixture.kernel.dispatch({ opId, args: {}, format: "json" })).structuredContent;
  assert.deepEqual(await shown("x.y"), { a: null, b: {}, c: 1 });
  assert.deepEqual(await shown("x.safe"), { c: 1 });
});

Deno.test("TestHostileBodies: a name that an answer repeats is no silent loss", async () => {
  await using fixture = openFixture({
    ops: [adapterOp()],
    adapters: { "test.adapter": annotating('{"a":1,"a":{"b":2,"b":3}}', []) },
  });
  const answer = await fixture.kernel.dispatch({ opId: "x.y", args: {}, format: "json" });
  assert.deepEqual(answer.structuredContent, { a: { b: 3 } });
  assert.match(String(answer.expression?._validation_warnings), /repeats 2 member names/);
});

Deno.test("TestProfileResolutionFromMCPRoots: the root is named when anything of the project was used", async () => {
  for (const usedProjectLayer of [true, false]) {
    await using fixture = openFixture({
      ops: [adapterOp()],
      adapters: { "test.adapter": annotating('{"a":1}', []) },
      // A binding of the project may name a profile that is not the project's.
      profile: { name: "p", source: "catalog-embedded" },
      usedProjectLayer,
    });
    const answer = await fixture.kernel.dispatch({
      opId: "x.y",
      args: {},
      projectRootUri: "file:///work/project",
    });
    assert.equal(
      answer.expression?.project_root_uri,
      usedProjectLayer ? "file:///work/project" : undefined,
    );
  }
});

Deno.test("TestShapeResponseMaxItemsOverridesBuiltinCap: a token that leads past cut rows says how to get them", async () => {
  const files = Array.from({ length: 9 }, (_, index) => ({ id: `${index}` }));
  await using fixture = openFixture({
    script: () => json({ items: files, nextPageToken: "t", extra: [1, 2, 3, 4, 5, 6] }),
    profile: { name: "p", keep_fields: ["items.id", "extra"] },
  });
  const warnings = async (call: Partial<Invocation>) => {
    const answer = await fixture.kernel.dispatch({ ...LIST, format: "json", ...call });
    return { notice: answer.notice.mcp, said: answer.expression?._validation_warnings };
  };
  const cut = await warnings({ maxItems: 4, caller: "mcp" });
  assert.match(cut.notice, /leads past the 5 rows .*page_size: 4\./);
  assert.match(
    `${cut.said}`,
    /leads past the 5 rows .*max_items: "all" or in pages of page_size: 4/,
  );
  assert.match(
    `${(await warnings({ maxItems: 4, caller: "risor" })).said}`,
    /in pages of pageSize: 4/,
  );
  // A person reads the notice; saying it twice would not help.
  assert.equal((await warnings({ maxItems: 4, caller: "cli" })).said, undefined);
  assert.equal((await warnings({ maxItems: "all", caller: "mcp" })).said, undefined);
  assert.equal((await warnings({ maxItems: 9, caller: "mcp" })).said, undefined);
});

Deno.test("TestShapeResponseMaxItemsOverridesBuiltinCap: rows that no token leads past are only counted", async () => {
  const files = Array.from({ length: 9 }, (_, index) => ({ id: `${index}` }));
  await using fixture = openFixture({ script: () => json({ files }) });
  const answer = await fixture.kernel.dispatch({ ...LIST, maxItems: 4, caller: "mcp" });
  assert.equal(answer.expression?._validation_warnings, undefined);
  assert.ok(!answer.notice.mcp.includes("token"));
  await using limited = openFixture({
    script: () => json({ files, nextPageToken: "t" }),
    profile: { name: "p", limit: 2 },
  });
  const cut = await limited.kernel.dispatch({ ...LIST, caller: "mcp" });
  assert.match(cut.notice.mcp, /past the 7 rows .*format: "raw" or in pages of page_size: 2/);
});

Deno.test("TestCallerFieldsBeatsTheProfileMask: what the caller named by mask also gets past the profile", async () => {
  await using fixture = openFixture({
    script: () => json({ files: [{ id: "1", name: "n", notes: "x" }] }),
    profile: { name: "p", field_mask: "files(id)", keep_fields: ["files.id"] },
  });
  const own = await fixture.kernel.dispatch({
    ...LIST,
    args: { fields: "files(id,notes)" },
    format: "json",
  });
  assert.deepEqual(own.structuredContent, { files: [{ id: "1", notes: "x" }] });
  assert.deepEqual(own.droppedPaths, ["files.name"]);
  const usual = await fixture.kernel.dispatch({ ...LIST, format: "json" });
  assert.deepEqual(usual.structuredContent, { files: [{ id: "1" }] });
});

Deno.test("what was added to an answer is fitted to the rows that are left of it", async () => {
  const adapter: Adapter = {
    execute: () =>
      Promise.resolve({
        body: new TextEncoder().encode('{"items":[{"k":1},{"k":2}]}'),
        format: "json",
        status: 200,
        bytesIn: 0,
        bytesOut: 0,
      }),
    annotateResponse: (_request, body) => ({
      body: { ...body as Record<string, never>, legend: { 1: "one", 2: "two" } },
      addedPaths: ["legend"],
      settle: (shaped) => {
        const { items } = shaped as { items: { k: number }[] };
        return { ...shaped as Record<string, never>, legend: { rows: items.length } };
      },
    }),
  };
  await using fixture = openFixture({
    ops: [adapterOp()],
    adapters: { "test.adapter": adapter },
  });
  const answer = await fixture.kernel.dispatch({
    opId: "x.y",
    args: {},
    format: "json",
    maxItems: 1,
  });
  const { legend } = answer.structuredContent as { legend: unknown };
  assert.deepEqual(legend, { rows: 1 });
});

Deno.test("an annotator that crashes costs its additions, never the answer of a performed write", async () => {
  for (const risk of ["read", "write"] as const) {
    const target = adapterOp({ risk_class: risk });
    const adapter: Adapter = {
      ...annotating('{"a":1}', ["added"]),
      annotateResponse() {
        throw new RangeError("/home/someone/secret.ts broke");
      },
    };
    await using fixture = openFixture({ ops: [target], adapters: { "test.adapter": adapter } });
    const answer = await fixture.kernel.dispatch({
      opId: "x.y",
      args: {},
      format: "json",
      allowWrite: risk === "write",
    });
    assert.deepEqual(answer.structuredContent, { a: 1 });
    assert.deepEqual(answer.annotationPaths, []);
    assert.match(answer.validationWarnings.join(), /could not be annotated/);
    assert.equal(fixture.audit[0]?.error_code, undefined);
    assert.ok(!JSON.stringify(fixture.logs).includes("/home/someone"));
  }
});

Deno.test("no part of shaping that crashes makes a performed write look failed", async () => {
  const crash = () => {
    throw new TypeError("broke");
  };
  const broken: Partial<Shaper>[] = [{ notice: crash }, { expression: crash }, { isLossy: crash }];
  for (const part of broken) {
    await using home = await temporaryDirectory();
    await using fixture = openFixture({
      script: () => json({ id: "made" }),
      dataDir: home.path,
      profile: { name: "p", tee_mode: "always" },
      deps: { shaper: { ...shaper, ...part } },
    });
    const answer = await fixture.kernel.dispatch({ ...CREATE, format: "json" });
    assert.deepEqual(answer.structuredContent, { id: "made" });
    assert.equal(fixture.audit[0]?.error_code, undefined);
    assert.equal(fixture.peer.requests.length, 1);
  }
});
