import assert from "node:assert/strict";
import fc from "fast-check";
import type { Op, RequestField, Variant } from "../../catalog/types.ts";
import { type JsonObject, parseJson, rawNumber } from "../../json/mod.ts";
import { sha256Hex } from "../../digest/mod.ts";
import { argumentError, canonicalArgs, prepareArguments } from "../mod.ts";
import { op, openFixture, refusalOf, variant } from "../testdata/fixture.ts";

const OPEN_VARIANT = variant("v", ["read", "GET", "https://www.googleapis.com/x"]);

function operation(fields: RequestField[] | undefined, extra: Partial<Op> = {}): Op {
  return op("a.b", [OPEN_VARIANT], { request_fields: fields, ...extra });
}

function field(
  name: string,
  type: RequestField["type"],
  extra: Partial<RequestField> = {},
): RequestField {
  return { name, type, location: "body", ...extra };
}

function prepare(
  target: Op,
  args: JsonObject,
  options: {
    variant?: Variant;
    allow?: string[];
    strict?: boolean;
    write?: boolean;
    host?: boolean;
  } = {},
) {
  const prepared = prepareArguments(target, args, {
    variant: options.variant ?? target.variants[0],
    hostDefaults: options.host ?? false,
    unknownAllowlist: options.allow,
    strict: options.strict,
    writeGranted: options.write,
  });
  return { ...prepared, error: argumentError(prepared.problems, { opId: target.op_id }) };
}

Deno.test("TestConvenienceBodyFieldArgReachesExecutor: flat body fields move into the body, as their type", () => {
  const target = operation([
    field("count", "integer"),
    field("ratio", "number"),
    field("flag", "boolean"),
    field("tags", "array", { item_type: "integer" }),
    field("big", "string", { format: "int64" }),
    field("q", "string", { location: "query" }),
  ]);
  const { args, error } = prepare(target, {
    count: "12",
    ratio: "1.5",
    flag: "TRUE",
    tags: "7",
    big: 5,
    q: "stay",
  });
  assert.equal(error, undefined);
  assert.deepEqual(args, {
    q: "stay",
    body: { count: 12, ratio: 1.5, flag: true, tags: [7], big: "5" },
  });
  const large = prepare(target, { big: rawNumber("9007199254740993"), count: "9007199254740993" });
  assert.equal(
    JSON.stringify(large.args.body),
    '{"count":9007199254740993,"big":"9007199254740993"}',
  );
});

Deno.test("what came in is never changed, and nothing is invented without body fields", () => {
  const given = { flag: "true", body: { other: [1] } };
  const before = structuredClone(given);
  prepare(operation([field("flag", "boolean", { default: "true" })]), given);
  assert.deepEqual(given, before);
  assert.deepEqual(prepare(operation([]), {}).args, {});
});

Deno.test("an explicit body wins, except that booleans must agree", () => {
  const target = operation([field("name", "string"), field("flag", "boolean")]);
  const wins = prepare(target, { name: "flat", body: { name: "body", extra: 1 } });
  assert.deepEqual(wins.args.body, { name: "body", extra: 1 });
  assert.equal(prepare(target, { flag: true, body: { flag: true } }).error, undefined);
  const conflict = prepare(target, { flag: true, body: { flag: false } }).error;
  assert.equal(conflict?.details.field, "flag");
  assert.equal(conflict?.details.reason, "conflicting_values");
});

Deno.test("TestAssembleRequestBodyBooleanSafety: only true booleans in a body, only clear text outside", () => {
  const target = operation([field("validateOnly", "boolean")]);
  for (const value of ["maybe", 1, 0, "yes", "", null, [true]]) {
    assert.equal(
      prepare(target, { validateOnly: value }).error?.code,
      "INVALID_ARGS",
      `flat ${value}`,
    );
  }
  for (const value of ["true", 1, 0, "false", null]) {
    assert.equal(
      prepare(target, { body: { validateOnly: value } }).error?.code,
      "INVALID_ARGS",
      `body ${value}`,
    );
  }
  for (const value of ["1", "0", "True", true, false]) {
    assert.equal(prepare(target, { validateOnly: value }).error, undefined);
  }
});

Deno.test("TestDataManagerValidateOnlyConflict: a dry-run flag given twice must say the same", async () => {
  const ingest = op("datamanager.events.ingest", [
    variant("dm.v1.events.ingest", [
      "write",
      "POST",
      "https://datamanager.googleapis.com/v1/events:ingest",
    ]),
  ], {
    request_fields: [
      field("validateOnly", "boolean"),
      field("events", "array", { item_type: "object" }),
    ],
  });
  await using fixture = openFixture({ ops: [ingest] });
  const refused: JsonObject[] = [
    { validateOnly: true, body: { validateOnly: false } },
    { validateOnly: "maybe" },
    { body: { validateOnly: "true" } },
  ];
  for (const args of refused) {
    const error = await refusalOf(fixture.kernel, { opId: ingest.op_id, args, allowWrite: true });
    assert.equal(error.code, "INVALID_ARGS");
  }
  assert.equal(fixture.peer.requests.length, 0);
  await fixture.kernel.dispatch({
    opId: ingest.op_id,
    args: { validateOnly: "TRUE", body: { validateOnly: true, events: [] } },
    allowWrite: true,
  });
  assert.equal(fixture.peer.requests[0]?.body, '{"validateOnly":true,"events":[]}');
});

Deno.test("flat body fields cannot be merged into a body that is not an object", () => {
  const target = operation([field("name", "string")]);
  assert.equal(
    prepare(target, { name: "x", body: "text" }).error?.details.reason,
    "body_not_an_object",
  );
  assert.deepEqual(prepare(target, { body: "text" }).args, { body: "text" });
});

Deno.test("omitted and spelled-out defaults are the same call; explicit null, 0 and false survive", async () => {
  const target = operation([
    field("n", "integer", { location: "query", default: "10" }),
    field("b", "boolean", { default: "true" }),
    field("list", "array", { location: "query", item_type: "string", default: '["a","b"]' }),
    field("one", "array", { location: "query", item_type: "string", default: "x" }),
    field("obj", "object", { default: '{"k":1}' }),
    field("req", "string", { location: "query", default: "never", required: true }),
  ]);
  const omitted = prepare(target, { req: "r" });
  const spelled = prepare(target, {
    req: "r",
    n: 10,
    list: ["a", "b"],
    one: ["x"],
    body: { obj: { k: 1 }, b: true },
  });
  assert.deepEqual(omitted.args, spelled.args);
  assert.equal(canonicalArgs(omitted.args), canonicalArgs(spelled.args));
  assert.equal(
    await sha256Hex(canonicalArgs(omitted.args)),
    await sha256Hex(canonicalArgs(spelled.args)),
  );
  const kept = prepare(target, { req: "r", n: 0, list: null, body: { b: false } });
  assert.equal(kept.args.n, 0);
  assert.equal(kept.args.list, null);
  assert.deepEqual(kept.args.body, { b: false, obj: { k: 1 } });
  assert.deepEqual(prepare(target, {}).error?.details.missing, ["req"]);
});

Deno.test("an unreadable default is left out with a warning", () => {
  const { args, warnings } = prepare(operation([field("n", "integer", { default: "many" })]), {});
  assert.deepEqual(args, {});
  assert.match(warnings[0] ?? "", /a\.b: the default of n/);
});

Deno.test("host defaults lift required for people and meta-tools, and join the hash", async () => {
  await using fixture = openFixture();
  const call = { opId: "gmail.users.messages.send", args: { raw: "x" }, allowWrite: true };
  const asked = await refusalOf(fixture.kernel, { ...call, caller: "mcp" });
  const spelled = await refusalOf(fixture.kernel, { ...call, args: { raw: "x", userId: "me" } });
  assert.equal(asked.code, "REQUIRES_CONFIRMATION");
  assert.equal(asked.details.args_hash, spelled.details.args_hash);
  const script = await refusalOf(fixture.kernel, { ...call, caller: "risor" });
  assert.deepEqual(script.details.missing, ["userId"]);
});

Deno.test("all problems are reported once, in sorted lists that are never null", async () => {
  await using fixture = openFixture({
    ops: [op("a.b", [variant("v", ["read", "GET", "https://www.googleapis.com/{z}/{a}"])], {
      request_fields: [
        field("n", "integer", { location: "query" }),
        field("m", "integer", { location: "query" }),
      ],
    })],
  });
  const error = await refusalOf(fixture.kernel, {
    opId: "a.b",
    args: { n: "ten", m: 2.5, y: 1, x: 1 },
  });
  assert.deepEqual(error.details.missing, ["a", "z"]);
  assert.deepEqual(error.details.unknown, ["x", "y"]);
  assert.deepEqual(error.details.type_errors, [
    "m: expected integer, got 2.5",
    'n: expected integer, got "ten"',
  ]);
  const envelope = error.toEnvelope();
  assert.deepEqual(Object.keys(envelope), [
    "error_code",
    "message",
    "missing",
    "op_id",
    "suggestion",
    "type_errors",
    "unknown",
    "user_message",
    "retryable",
  ]);
});

Deno.test("an unknown argument names the known one it resembles", async () => {
  await using fixture = openFixture();
  const error = await refusalOf(fixture.kernel, {
    opId: "drive.files.list",
    args: { pagesize: 1, corpra: "user", zzzzzzzzzzzz: 1 },
  });
  assert.deepEqual(error.details.unknown, ["corpra", "pagesize", "zzzzzzzzzzzz"]);
  assert.match(
    error.suggestion,
    /^Did you mean `corpora` instead of `corpra`, `pageSize` instead of `pagesize`\? Run/,
  );
});

Deno.test("values that cannot travel are refused in step 1, before any credential is asked for", async () => {
  let asked = 0;
  await using fixture = openFixture({
    deps: { auth: { resolve: () => Promise.resolve(void asked++) } },
  });
  for (const fileId of ["..", "%2e%2e", "", "."]) {
    const error = await refusalOf(fixture.kernel, { opId: "drive.files.get", args: { fileId } });
    assert.equal(error.code, "INVALID_ARGS");
    assert.equal(error.details.field, "fileId");
    assert.equal(error.details.op_id, "drive.files.get");
  }
  assert.deepEqual([asked, fixture.peer.requests.length, fixture.audit.length], [0, 0, 0]);
});

Deno.test("integers are integral and finite, or 64-bit text", () => {
  const target = operation([field("n", "integer", { location: "query" })]);
  for (
    const value of [
      1,
      -1,
      0,
      1.5e9,
      "12",
      "-12",
      "9223372036854775807",
      rawNumber("9007199254740993"),
    ]
  ) {
    assert.equal(prepare(target, { n: value }).error, undefined, JSON.stringify(value));
  }
  for (
    const value of [2.5, NaN, Infinity, "1e400", "2.5", "", "99999999999999999999999", {}, [1]]
  ) {
    assert.equal(prepare(target, { n: value as never }).error?.code, "INVALID_ARGS", String(value));
  }
  assert.equal(prepare(target, parseJson('{"n":1e400}') as JsonObject).error?.code, "INVALID_ARGS");
});

Deno.test("params lists use their own closed vocabulary", () => {
  const target = op("a.b", [OPEN_VARIANT], {
    params_required: [["s", "string"], ["broken"] as never],
    params_optional: [["n", "int"], ["b", "bool"], ["l", "string[]"]],
  });
  assert.equal(prepare(target, { s: "x", n: "5", b: "1", l: ["a"] }).error, undefined);
  const bad = prepare(target, { s: 1, n: 1.5, b: "maybe", l: "a" }).error;
  assert.equal((bad?.details.type_errors as string[]).length, 4);
  assert.deepEqual(prepare(target, {}).error?.details.missing, ["s"]);
});

Deno.test("enums take any case and keep the catalog's spelling: flat, in arrays, in the body", () => {
  const target = operation([
    field("kind", "string", { location: "query", enum: ["allDrives", "user"] }),
    field("kinds", "array", { location: "query", item_type: "string", enum: ["A", "b"] }),
    field("mode", "string", { enum: ["FAST"] }),
  ]);
  const { args } = prepare(target, {
    kind: "ALLDRIVES",
    kinds: ["a", "B"],
    body: { mode: "fast" },
  });
  assert.deepEqual(args, { kind: "allDrives", kinds: ["A", "b"], body: { mode: "FAST" } });
  const bad = prepare(target, { kind: "nope" }).error;
  assert.deepEqual(bad?.details.type_errors, ['kind: expected one of allDrives, user, got "nope"']);
});

Deno.test("required body fields are waived when the caller brings the body", () => {
  const target = operation([field("name", "string", { required: true })]);
  assert.deepEqual(prepare(target, {}).error?.details.missing, ["name"]);
  assert.equal(prepare(target, { body: { anything: 1 } }).error, undefined);
  assert.equal(prepare(target, { name: "x" }).error, undefined);
});

Deno.test("an operation that declares nothing is open; an empty list is closed", () => {
  assert.equal(prepare(operation(undefined), { whatever: 1 }).error, undefined);
  assert.deepEqual(prepare(operation([]), { whatever: 1 }).error?.details.unknown, ["whatever"]);
});

Deno.test("system parameters pass, credential-bearing ones never", () => {
  const target = operation([]);
  const system = {
    pageToken: "t",
    pageSize: 1,
    maxResults: 1,
    fields: "a",
    alt: "json",
    prettyPrint: false,
    quotaUser: "u",
    userIp: "x",
    uploadType: "media",
    "$.xgafv": "2",
  };
  assert.equal(prepare(target, system).error, undefined);
  for (const name of ["key", "access_token", "oauth_token", "callback"]) {
    const error = prepare(target, { [name]: "AIzaSECRET" }).error;
    assert.deepEqual(error?.details.unknown, [name]);
    assert.match(error?.suggestion ?? "", /gum auth/);
    assert.ok(!JSON.stringify(error?.toEnvelope()).includes("SECRET"));
    // Neither an operator's list nor an operation that declares nothing lets one through.
    for (const open of [operation([]), operation(undefined)]) {
      const [given] = open.variants;
      assert.ok(given !== undefined);
      const listed = { variant: { ...given, backend_kind: "raw-http" }, allow: [name] };
      assert.deepEqual(prepare(open, { [name]: "AIzaSECRET" }, listed).error?.details.unknown, [
        name,
      ]);
    }
  }
});

Deno.test("TestLongTailUnknownArgHandling: only a listed name on an unprivileged long-tail read gets through", () => {
  const tail = (backend: string, risk: Variant["risk_class"] = "read") =>
    variant("v", [risk, "GET", "https://www.googleapis.com/x"], { backend_kind: backend });
  const rows: [string, Parameters<typeof prepare>[2], boolean][] = [
    ["default", { variant: tail("raw-http") }, false],
    ["listed", { variant: tail("raw-http"), allow: ["extra"] }, true],
    ["listed discovery", { variant: tail("discovery-rest"), allow: ["extra"] }, true],
    ["write flag", { variant: tail("raw-http"), allow: ["extra"], write: true }, false],
    ["strict", { variant: tail("raw-http"), allow: ["extra"], strict: true }, false],
    ["write variant", { variant: tail("raw-http", "write"), allow: ["extra"] }, false],
    ["destructive", { variant: tail("raw-http", "destructive"), allow: ["extra"] }, false],
    ...["typed-rest-sdk", "grpc-sdk", "google-ads-sdk", "gen-ai", "maps-sdk", "mcp-plugin"].map((
      backend,
    ): [string, Parameters<typeof prepare>[2], boolean] => [
      backend,
      { variant: tail(backend), allow: ["extra"] },
      false,
    ]),
  ];
  for (const [name, options, passes] of rows) {
    const result = prepare(operation([]), { extra: 1 }, options);
    assert.equal(result.error === undefined, passes, name);
    if (passes) assert.match(result.warnings[0] ?? "", /read-only allowlist: extra/);
  }
  const partial = prepare(operation([]), { extra: 1, more: 2 }, {
    variant: tail("raw-http"),
    allow: ["extra"],
  });
  assert.deepEqual(partial.error?.details.unknown, ["more"]);
});

Deno.test("bad formats and item caps are refused before any request, and are in no hash", async () => {
  await using fixture = openFixture();
  const call = { opId: "drive.files.list", args: {} };
  const format = await refusalOf(fixture.kernel, { ...call, format: "yaml" as never });
  assert.equal(format.details.field, "format");
  assert.match(format.suggestion, /`gum describe drive\.files\.list`/);
  for (const maxItems of [0, -1, 1.5, NaN, "some" as never]) {
    const error = await refusalOf(fixture.kernel, { ...call, maxItems });
    assert.equal(error.details.field, "max_items", String(maxItems));
  }
  assert.equal(fixture.peer.requests.length, 0);
  await fixture.kernel.dispatch({ ...call, maxItems: 5, format: "json" });
  await fixture.kernel.dispatch({ ...call, maxItems: "all", format: "toon" });
  assert.equal(fixture.peer.requests.length, 1, "the second call is answered from the cache");
  assert.equal(fixture.audit[0]?.args_hash, fixture.audit[1]?.args_hash);
});

Deno.test("values that JSON cannot carry are the caller's mistake, not a crash", async () => {
  await using fixture = openFixture({ ops: [operation(undefined)] });
  const error = await refusalOf(fixture.kernel, { opId: "a.b", args: { n: NaN } });
  assert.equal(error.code, "INVALID_ARGS");
});

Deno.test("instants are normalized only when asked, and only whole valid ones", () => {
  const spelled = (text: string, normalizeDatetimes: boolean) =>
    canonicalArgs({ t: [text] }, { normalizeDatetimes });
  const utc = '{"t":["2026-05-19T14:30:00Z"]}';
  assert.equal(spelled("2026-05-19T20:00:00+05:30", true), utc);
  assert.equal(spelled("2026-05-19T14:30:00.999Z", true), utc);
  assert.notEqual(spelled("2026-05-19T20:00:00+05:30", false), utc);
  for (
    const kept of [
      "2026-05-19",
      "2026-05-19t14:30:00Z",
      "2026-05-19T14:30:00z",
      "2026-02-30T00:00:00Z",
      "2026-05-19T25:00:00Z",
      "2026-05-19T14:30:60Z",
      "2026-05-19T14:30:00",
    ]
  ) assert.equal(spelled(kept, true), JSON.stringify({ t: [kept] }));
});

Deno.test("law: canonical text does not depend on key order and is stable", () => {
  fc.assert(
    fc.property(fc.dictionary(fc.string(), fc.jsonValue()), (object) => {
      const args = parseJson(JSON.stringify(object)) as JsonObject;
      const reversed = Object.fromEntries(Object.entries(args).reverse()) as JsonObject;
      const text = canonicalArgs(args);
      assert.equal(canonicalArgs(reversed), text);
      assert.equal(canonicalArgs(parseJson(text) as JsonObject), text);
    }),
    { numRuns: 200 },
  );
});

Deno.test("a flat null for a list stays null: it takes the list away and is no element", () => {
  const target = operation([
    field("tags", "array", { item_type: "string" }),
    field("any", "array"),
  ]);
  const { args, error } = prepare(target, { tags: null, any: null });
  assert.equal(error, undefined);
  assert.deepEqual(args, { body: { tags: null, any: null } });
});

Deno.test("a system parameter is one text: a list of masks or tokens is refused, not repeated", () => {
  const target = operation([]);
  const { error } = prepare(target, { fields: ["id", "name"], pageToken: { a: 1 }, alt: "json" });
  assert.deepEqual(error?.details.type_errors, [
    'fields: expected string, got ["id","name"]',
    'pageToken: expected string, got {"a":1}',
  ]);
  const declared = operation([
    field("fields", "array", { location: "query", item_type: "string" }),
  ]);
  assert.equal(prepare(declared, { fields: ["id"] }).error, undefined);
  assert.equal(prepare(target, { pageSize: rawNumber("9007199254740993") }).error, undefined);
});

Deno.test("a truth value in the query goes out in the words that services take", () => {
  const target = operation([field("flag", "boolean", { location: "query" })]);
  const sent = (flag: string | boolean) => prepare(target, { flag }).args.flag;
  assert.deepEqual(["TRUE", "1", "0", "False", "true", true].map(sent), [
    "true",
    "true",
    "false",
    "false",
    "true",
    true,
  ]);
  const count = operation([field("n", "integer", { location: "query" })]);
  const counted = ["+5", "-5", "18446744073709551615"].map((n) => prepare(count, { n }).args.n);
  assert.deepEqual(counted, ["5", "-5", "18446744073709551615"]);
});
