import assert from "node:assert/strict";
import fc from "fast-check";
import type { Variant } from "../../catalog/types.ts";
import { GumError } from "../../errors/mod.ts";
import { TransportFailure } from "../../errors/wire/mod.ts";
import type { Adapter, Invocation } from "../types.ts";
import { CANARY_TOKEN, FILES, op, openFixture, refusalOf, variant } from "../testdata/fixture.ts";

const READ: Invocation = { opId: "drive.files.get", args: { fileId: "a" } };

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
  thrown.value = new GumError("UPSTREAM_REJECTED", { message: "no: Bearer ya29.leaked.x" });
  const quoting = await refusalOf(fixture.kernel, { opId: "x.y", args: {} });
  assert.doesNotMatch(JSON.stringify(quoting.toEnvelope()), /leaked/);
  assert.equal(quoting.code, "UPSTREAM_REJECTED");
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
