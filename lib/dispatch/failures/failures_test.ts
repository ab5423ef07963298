import assert from "node:assert/strict";
import fc from "fast-check";
import type { Variant } from "../../catalog/types.ts";
import { GumError, TransportFailure } from "../../errors/mod.ts";
import { googleError, json, type Reply } from "../../http/testdata/peer.ts";
import type { JsonObject } from "../../json/mod.ts";
import type { Adapter, Invocation } from "../types.ts";
import {
  CANARY_TOKEN,
  FILES,
  op,
  openFixture,
  refusalOf,
  tokenFor,
  variant,
} from "../testdata/fixture.ts";

const READ: Invocation = { opId: "drive.files.get", args: { fileId: "a" } };

/** Row of the mapping table: status, reason, expected code and details. */
type Row = [
  status: number,
  reason: string | undefined,
  code: string,
  retryable: boolean,
  details?: JsonObject,
];

const ROWS: readonly Row[] = [
  [429, undefined, "RATE_LIMITED", true, { source: "upstream" }],
  [429, "quotaExceeded", "RATE_LIMITED", true],
  [403, "rateLimitExceeded", "RATE_LIMITED", true, { source: "upstream" }],
  [403, "userRateLimitExceeded", "RATE_LIMITED", true],
  [403, "RATE_LIMIT_EXCEEDED", "RATE_LIMITED", true],
  [403, "sharingRateLimitExceeded", "RATE_LIMITED", true],
  [403, "quotaExceeded", "RATE_LIMITED", false, { quota_exhausted: true }],
  [403, "dailyLimitExceeded", "RATE_LIMITED", false, { quota_exhausted: true }],
  [403, "dailyLimitExceededUnreg", "RATE_LIMITED", false, { quota_exhausted: true }],
  [403, "RESOURCE_QUOTA_EXCEEDED", "RATE_LIMITED", false, { quota_exhausted: true }],
  [403, "USER_BLOCKED_BY_ADMIN", "AUTH_REQUIRED", false, {
    missing_components: ["workspace_admin_trust"],
    setup_command: "gum auth setup drive.files.get",
    auth_strategy: "byo_oauth",
  }],
  [403, "domainPolicy", "AUTH_REQUIRED", false, { missing_components: ["workspace_admin_trust"] }],
  [403, "ORG_RESTRICTION_VIOLATION", "AUTH_REQUIRED", false, {
    missing_components: ["org_policy_exception"],
  }],
  [403, "LOCATION_ORG_POLICY_VIOLATED", "AUTH_REQUIRED", false],
  [403, "TLS_ORG_POLICY_VIOLATED", "AUTH_REQUIRED", false],
  [403, "insufficientPermissions", "SCOPE_MISSING", false, {
    missing_components: ["oauth_scopes"],
  }],
  [403, "ACCESS_TOKEN_SCOPE_INSUFFICIENT", "SCOPE_MISSING", false],
  [403, "insufficientScopes", "SCOPE_MISSING", false],
  [403, "accessNotConfigured", "AUTH_REQUIRED", false, {
    missing_components: ["api_enabled_project"],
  }],
  [403, "SERVICE_DISABLED", "AUTH_REQUIRED", false],
  [403, "BILLING_DISABLED", "AUTH_REQUIRED", false, { missing_components: ["billing_enabled"] }],
  [403, "USER_PROJECT_DENIED", "AUTH_REQUIRED", false, { missing_components: ["quota_project"] }],
  [403, "CONSUMER_INVALID", "AUTH_REQUIRED", false],
  [400, "API_KEY_INVALID", "AUTH_REQUIRED", false, { missing_components: ["api_key"] }],
  [400, "keyInvalid", "AUTH_REQUIRED", false],
  [403, "API_KEY_SERVICE_BLOCKED", "AUTH_REQUIRED", false],
  [403, "API_KEY_IP_ADDRESS_BLOCKED", "AUTH_REQUIRED", false],
  [403, "keyExpired", "AUTH_REQUIRED", false],
  [403, "ipRefererBlocked", "AUTH_REQUIRED", false],
  [401, undefined, "AUTH_REQUIRED", false, { missing_components: ["oauth_scopes"] }],
  [403, "forbidden", "UPSTREAM_REJECTED", false],
  [403, "insufficientFilePermissions", "UPSTREAM_REJECTED", false],
  [403, "IAM_PERMISSION_DENIED", "UPSTREAM_REJECTED", false],
  [403, undefined, "UPSTREAM_REJECTED", false],
  [400, "badRequest", "INVALID_ARGS", false, {
    source: "upstream",
    missing: [],
    unknown: [],
    type_errors: [],
  }],
  [422, undefined, "INVALID_ARGS", false],
  [404, "notFound", "RESOURCE_NOT_FOUND", false, { http_status: 404 }],
  [410, undefined, "RESOURCE_NOT_FOUND", false],
  [500, undefined, "SERVICE_DOWN", false],
  [503, undefined, "SERVICE_DOWN", false],
  [409, undefined, "UPSTREAM_REJECTED", false],
  [412, undefined, "UPSTREAM_REJECTED", false],
  [302, undefined, "UPSTREAM_REJECTED", false],
  // Policy reasons count for 403 only.
  [409, "domainPolicy", "UPSTREAM_REJECTED", false],
  [404, "ORG_RESTRICTION_VIOLATION", "RESOURCE_NOT_FOUND", false],
];

Deno.test("TestUpstreamUnmappedReasonKeepsGenericShape: the mapping table, row by row, both reason spellings", async () => {
  for (const [status, reason, code, retryable, details] of ROWS) {
    for (const legacy of [false, true]) {
      await using fixture = openFixture({ script: () => googleError(status, { reason, legacy }) });
      const error = await refusalOf(fixture.kernel, READ);
      const row = `${status} ${reason}`;
      assert.equal(error.code, code, row);
      assert.equal(error.retryable, retryable, row);
      assert.equal(error.details.http_status, status, row);
      assert.equal(error.details.op_id, "drive.files.get", row);
      for (const [key, value] of Object.entries(details ?? {})) {
        assert.deepEqual(error.details[key], value, `${row}: ${key}`);
      }
      if (code === "AUTH_REQUIRED" || code === "SCOPE_MISSING") {
        assert.equal(error.details.auth_strategy, "byo_oauth", row);
        assert.ok((error.details.missing_components as string[]).length > 0, row);
        assert.equal(error.details.setup_command, "gum auth setup drive.files.get", row);
      }
      if (code === "RATE_LIMITED") {
        assert.equal(error.message, `upstream rate-limited (HTTP ${status})`);
      }
      if (code === "SERVICE_DOWN") {
        assert.equal(error.message, `upstream service error (HTTP ${status})`);
      }
    }
  }
});

Deno.test("503 with a delay is RATE_LIMITED; details of the answer travel", async () => {
  await using fixture = openFixture({
    script: () =>
      googleError(503, {
        retryAfter: "45",
        message: "busy",
        details: [
          { "@type": "type.googleapis.com/google.rpc.RequestInfo", requestId: "r-9" },
          {
            "@type": "type.googleapis.com/google.rpc.ErrorInfo",
            reason: "X",
            metadata: { service: "drive.googleapis.com", quota_metric: "q" },
          },
        ],
      }),
  });
  const error = await refusalOf(fixture.kernel, READ);
  assert.equal(error.code, "RATE_LIMITED");
  assert.equal(error.details.retry_after_ms, 45_000);
  assert.equal(error.details.request_id, "r-9");
  assert.equal(error.details.service, "drive.googleapis.com");
  assert.equal(error.details.quota_metric, "q");
});

Deno.test("TestDataManagerValidationDetails: request id and field violations survive", async () => {
  await using fixture = openFixture({
    script: () =>
      googleError(400, {
        details: [
          { "@type": "type.googleapis.com/google.rpc.RequestInfo", requestId: "dm-1" },
          {
            "@type": "type.googleapis.com/google.rpc.BadRequest",
            fieldViolations: [{ field: "events[0].x", description: "required", reason: "R" }],
          },
        ],
      }),
  });
  const error = await refusalOf(fixture.kernel, READ);
  assert.equal(error.details.request_id, "dm-1");
  assert.deepEqual(error.details.field_violations, [
    { field: "events[0].x", description: "required", reason: "R" },
  ]);
});

Deno.test("a scope refusal names the variant's scopes, else those of the challenge", async () => {
  const script = () =>
    googleError(403, {
      reason: "insufficientScopes",
      headers: { "www-authenticate": 'Bearer realm="x", error="y", scope="s/b s/a"' },
    });
  await using fixture = openFixture({ script });
  assert.deepEqual((await refusalOf(fixture.kernel, READ)).details.required_scopes, ["s/a", "s/b"]);
});

Deno.test("TestUpstreamErrorCarriesRawBody: the thrown failure stays the cause, with its bytes", async () => {
  await using fixture = openFixture({
    script: () => ({
      kind: "answer",
      status: 502,
      headers: { "content-type": "text/html" },
      body: "<h1>bad</h1>",
    }),
  });
  const error = await refusalOf(fixture.kernel, READ);
  const cause = error.cause as { body: Uint8Array; contentType: string };
  assert.equal(new TextDecoder().decode(cause.body), "<h1>bad</h1>");
  assert.equal(cause.contentType, "text/html");
});

/** One fault, and what a call that meets it must come to. */
interface FaultCase {
  name: string;
  reply: Reply;
  code: string;
  /** Requests the server sees for a read or PUT, and for a POST or PATCH. */
  sent: [repeatable: number, once: number];
  /** What a write is told about its outcome; undefined: it certainly did not happen. */
  outcome: "unknown" | "succeeded" | undefined;
}

const FAULTS: readonly FaultCase[] = [
  {
    name: "drop before headers",
    reply: { kind: "drop" },
    code: "SERVICE_DOWN",
    sent: [4, 1],
    outcome: "unknown",
  },
  {
    name: "half a status line",
    reply: { kind: "half_status_line" },
    code: "SERVICE_DOWN",
    sent: [4, 1],
    outcome: "unknown",
  },
  {
    name: "truncated body",
    reply: { kind: "short_body" },
    code: "SERVICE_DOWN",
    sent: [4, 1],
    outcome: "succeeded",
  },
  {
    name: "broken gzip",
    reply: { kind: "bad_gzip" },
    code: "SERVICE_DOWN",
    sent: [4, 1],
    outcome: "succeeded",
  },
  { name: "500", reply: googleError(500), code: "SERVICE_DOWN", sent: [4, 1], outcome: "unknown" },
  {
    name: "503 with delay",
    reply: googleError(503, { retryAfter: "40" }),
    code: "RATE_LIMITED",
    sent: [2, 1],
    outcome: "unknown",
  },
  { name: "429", reply: googleError(429), code: "RATE_LIMITED", sent: [2, 2], outcome: undefined },
  {
    name: "rate 403",
    reply: googleError(403, { reason: "rateLimitExceeded" }),
    code: "RATE_LIMITED",
    sent: [2, 2],
    outcome: undefined,
  },
  {
    name: "404",
    reply: googleError(404),
    code: "RESOURCE_NOT_FOUND",
    sent: [1, 1],
    outcome: undefined,
  },
  {
    name: "409",
    reply: googleError(409),
    code: "UPSTREAM_REJECTED",
    sent: [1, 1],
    outcome: undefined,
  },
  {
    name: "oversize",
    reply: json({ x: "y".repeat(4000) }),
    code: "RESPONSE_TOO_LARGE",
    sent: [1, 1],
    outcome: "succeeded",
  },
];

const KINDS = [
  ["read", "read", "GET", true],
  ["idempotent write", "write", "PUT", true],
  ["write", "write", "PATCH", false],
  ["create", "write", "POST", false],
  ["delete", "destructive", "DELETE", true],
  ["destructive POST", "destructive", "POST", false],
] as const;

for (const fault of FAULTS) {
  Deno.test(`TestTypedRestUncertainWriteIsNotReplayed: ${fault.name}, under every kind of call`, async () => {
    for (const [kind, risk, method, repeatable] of KINDS) {
      const target = op("x.y", [
        variant("x.v", [risk, method, "https://www.googleapis.com/x"], {
          max_response_bytes: 2000,
        }),
      ], { request_fields: [{ name: "n", location: "body", type: "string" }] });
      await using fixture = openFixture({ ops: [target], script: () => fault.reply });
      const call: Invocation = {
        opId: "x.y",
        args: method === "GET" || method === "DELETE" ? {} : { n: "1" },
        allowWrite: risk === "write",
        allowDestructive: risk === "destructive",
      };
      const token = risk === "destructive" ? await tokenFor(fixture.kernel, call) : undefined;
      const confirmed = token === undefined
        ? call
        : { ...call, confirmed: true, confirmationToken: token };
      const error = await refusalOf(fixture.kernel, confirmed);
      const label = `${fault.name} / ${kind}`;
      assert.equal(error.code, fault.code, label);
      assert.equal(fixture.peer.requests.length, fault.sent[repeatable ? 0 : 1], label);
      assert.equal(error.details.write_outcome, risk === "read" ? undefined : fault.outcome, label);
      assert.equal(fixture.audit.length, 1, label);
      assert.equal(fixture.audit[0]?.error_code, fault.code, label);
      assert.equal(fixture.audit[0]?.write_outcome, error.details.write_outcome, label);
      if (token !== undefined) {
        const again = await refusalOf(fixture.kernel, confirmed);
        assert.equal(again.details.reason, "replayed", `${label}: the token is spent`);
      }
      assert.ok(!JSON.stringify(error.toEnvelope()).includes(CANARY_TOKEN));
    }
  });
}

Deno.test("TestTypedRestUncertainWriteIsNotReplayed: after a 429 the second send is the last, whatever it meets", async () => {
  const seconds: Reply[] = [
    { kind: "drop" },
    { kind: "short_body" },
    googleError(500),
    googleError(429),
  ];
  for (const second of seconds) {
    for (const opId of ["drive.files.create", "drive.files.update"]) {
      await using fixture = openFixture({
        script: (_request, index) => index === 0 ? googleError(429) : second,
      });
      await refusalOf(fixture.kernel, {
        opId,
        args: { name: "n", ...(opId.endsWith("update") ? { fileId: "a" } : {}) },
        allowWrite: true,
      });
      assert.equal(fixture.peer.requests.length, 2);
    }
  }
});

Deno.test("a DELETE that meets 404 after a lost first answer says so", async () => {
  await using fixture = openFixture({
    script: (_request, index) => index === 0 ? { kind: "drop" } : googleError(404),
  });
  const call: Invocation = {
    opId: "drive.files.delete",
    args: { fileId: "a" },
    allowDestructive: true,
  };
  const token = await tokenFor(fixture.kernel, call);
  const error = await refusalOf(fixture.kernel, {
    ...call,
    confirmed: true,
    confirmationToken: token,
  });
  assert.equal(error.code, "RESOURCE_NOT_FOUND");
  assert.equal(error.details.write_outcome, "unknown");
});

Deno.test("a time-out is a transport failure, not a cancel", async () => {
  await using fixture = openFixture({ script: () => ({ kind: "hang" }), attemptTimeoutMs: 20 });
  const error = await refusalOf(fixture.kernel, {
    opId: "drive.files.create",
    args: { name: "n" },
    allowWrite: true,
  });
  assert.equal(error.code, "SERVICE_DOWN");
  assert.equal(error.details.reason, "timeout");
  assert.equal(error.details.write_outcome, "unknown");
});

Deno.test("a write that never left this machine has no outcome to doubt", async () => {
  const failing: Adapter = {
    execute: () =>
      Promise.reject(
        new TransportFailure("connect", { message: "refused", requestStarted: false }),
      ),
  };
  await using fixture = openFixture({
    ops: [crashOp("write")],
    adapters: { "test.crash": failing },
  });
  const error = await refusalOf(fixture.kernel, { opId: "x.y", args: {}, allowWrite: true });
  assert.equal(error.details.reason, "connect");
  assert.equal(error.details.write_outcome, undefined);
});

function crashOp(risk: Variant["risk_class"]) {
  return op("x.y", [
    variant("x.v", [risk, "POST", "https://www.googleapis.com/x"], {
      binding: { binding_schema_version: 1, adapter_key: "test.crash", operation_key: "x" },
    }),
  ]);
}

/** An adapter that throws whatever it is told to. */
function throwing(thrown: { value: unknown }): Adapter {
  return {
    execute() {
      throw thrown.value;
    },
  };
}

Deno.test("TestDispatchAndShapeAlwaysEmitsErrorCode: a crash of any kind has one fixed face and is audited", async () => {
  const secret = "/home/someone/secret.ts";
  const kinds = [
    "text with " + secret,
    null,
    undefined,
    42,
    { secret },
    Symbol("x"),
    new TypeError(secret),
    new RangeError(secret),
    new ReferenceError(secret),
    new SyntaxError(secret),
  ];
  const thrown: { value: unknown } = { value: null };
  await using fixture = openFixture({
    ops: [crashOp("read"), ...FILES],
    adapters: { "test.crash": throwing(thrown) },
  });
  for (const value of kinds) {
    thrown.value = value;
    fixture.audit.length = 0;
    fixture.logs.length = 0;
    const error = await refusalOf(fixture.kernel, { opId: "x.y", args: {} });
    assert.equal(error.code, "SERVICE_DOWN");
    assert.equal(error.message, "internal error; see audit log");
    assert.equal(error.retryable, false);
    assert.equal(error.cause, value);
    assert.equal(fixture.audit[0]?.panic, true);
    assert.equal(fixture.audit[0]?.error_code, "SERVICE_DOWN");
    const record = fixture.logs.find((entry) => entry.level === "error");
    assert.ok(Array.isArray(record?.fields.stack));
    const everything = JSON.stringify([error.toEnvelope(), fixture.audit, record]);
    assert.ok(!everything.includes("/home/") && !everything.includes("file://"), everything);
    assert.ok(!everything.includes("/work/"), everything);
  }
  await fixture.kernel.dispatch(READ);
});

Deno.test("TestUnstructuredAdapterErrorGetsEnvelope: any other error keeps its text, credentials taken out", async () => {
  const thrown = {
    value: new Error(
      `lost https://u:p@h.example/path?key=AIzaSyA12345678901234567890123 Bearer ${CANARY_TOKEN} x`,
    ),
  };
  await using fixture = openFixture({
    ops: [crashOp("read")],
    adapters: { "test.crash": throwing(thrown) },
  });
  const error = await refusalOf(fixture.kernel, { opId: "x.y", args: {} });
  assert.equal(error.code, "SERVICE_DOWN");
  assert.equal(error.cause, thrown.value);
  assert.equal(error.message, "lost https://h.example Bearer [redacted] x");
});

Deno.test("TestStructuredAdapterErrorPassesThrough: an adapter's own error keeps code, fields and flag", async () => {
  const own = new GumError("RATE_LIMITED", {
    message: "plugin says wait",
    details: { retry_after_ms: 7, source_error_code: "RATE_LIMIT" },
    retryable: false,
  });
  const thrown: { value: unknown } = { value: own };
  await using fixture = openFixture({
    ops: [crashOp("read")],
    adapters: { "test.crash": throwing(thrown) },
  });
  const error = await refusalOf(fixture.kernel, { opId: "x.y", args: {} });
  assert.equal(error.code, "RATE_LIMITED");
  assert.equal(error.message, "plugin says wait");
  assert.equal(error.retryable, false);
  assert.equal(error.details.source_error_code, "RATE_LIMIT");
  assert.equal(error.details.op_id, "x.y");
  // Wrapped, it is still found.
  thrown.value = new Error("outer", { cause: own });
  assert.equal((await refusalOf(fixture.kernel, { opId: "x.y", args: {} })).code, "RATE_LIMITED");
});

Deno.test("TestDispatchAndShapeKeepsStructuredCode: a refusal of any step keeps its own code", async () => {
  await using fixture = openFixture({
    deps: {
      limiter: {
        take: () => Promise.reject(new GumError("RATE_LIMITED", { details: { source: "local" } })),
        freeze() {},
      },
    },
  });
  const error = await refusalOf(fixture.kernel, READ);
  assert.equal(error.details.source, "local");
  assert.equal(error.details.op_id, "drive.files.get");
  assert.deepEqual(fixture.audit, []);
});

Deno.test("TestDispatchKeepsUpstreamPolicyRefusalEnvelope: an administrator's block is no login problem", async () => {
  await using fixture = openFixture({
    script: () => googleError(403, { reason: "USER_BLOCKED_BY_ADMIN" }),
  });
  const error = await refusalOf(fixture.kernel, READ);
  assert.match(error.suggestion, /administrator must allow/);
  assert.equal(error.details.upstream_reason, "USER_BLOCKED_BY_ADMIN");
});

Deno.test("TestUpstreamAdminBlockCarriesWorkspaceAdminTrust: both spellings of the reason", async () => {
  for (const legacy of [true, false]) {
    await using fixture = openFixture({
      script: () => googleError(403, { reason: "domainPolicy", legacy }),
    });
    const error = await refusalOf(fixture.kernel, READ);
    assert.deepEqual(error.details.missing_components, ["workspace_admin_trust"]);
  }
});

Deno.test("TestWorkspaceAdminPolicyAuthEnvelope: a policy refusal has every field of an auth refusal", async () => {
  await using fixture = openFixture({
    script: () => googleError(403, { reason: "ORG_RESTRICTION_VIOLATION" }),
  });
  const envelope = (await refusalOf(fixture.kernel, READ)).toEnvelope();
  assert.equal(envelope.error_code, "AUTH_REQUIRED");
  assert.deepEqual(envelope.missing_components, ["org_policy_exception"]);
  assert.equal(envelope.auth_strategy, "byo_oauth");
  assert.equal(envelope.setup_command, "gum auth setup drive.files.get");
  assert.equal(envelope.variant_id, "drive.v3.rest.files.get");
});

Deno.test("missing pieces of the machinery are named, before any request", async () => {
  await using fixture = openFixture({ ops: [crashOp("read")] });
  const error = await refusalOf(fixture.kernel, { opId: "x.y", args: {} });
  assert.equal(error.code, "SERVICE_DOWN");
  assert.equal(error.details.adapter_key, "test.crash");
  assert.deepEqual(fixture.audit, []);
  const unbound = op("x.z", [
    variant("x.w", ["read", "GET", "https://www.googleapis.com/x"], {
      binding: {
        binding_schema_version: 1,
        adapter_key: "rest.raw-http",
        operation_key: "x",
      },
    }),
  ]);
  await using second = openFixture({ ops: [unbound] });
  const invalid = await refusalOf(second.kernel, { opId: "x.z", args: {} });
  assert.equal(invalid.details.reason, "binding_invalid");
  assert.equal(second.peer.requests.length, 0);
});

Deno.test("law: whatever an adapter throws, the call ends with a GumError whose envelope is JSON", async () => {
  const thrown: { value: unknown } = { value: null };
  await using fixture = openFixture({
    ops: [crashOp("read")],
    adapters: { "test.crash": throwing(thrown) },
  });
  await fc.assert(
    fc.asyncProperty(fc.anything(), async (value) => {
      thrown.value = value;
      const error = await refusalOf(fixture.kernel, { opId: "x.y", args: {} });
      assert.equal(typeof JSON.parse(JSON.stringify(error.toEnvelope())).retryable, "boolean");
    }),
    { numRuns: 60 },
  );
});
