import assert from "node:assert/strict";
import type { Op, Variant } from "../catalog/types.ts";
import { selectVariant } from "./mod.ts";
import { op, openFixture, refusalOf, variant } from "./testdata/fixture.ts";

function candidate(id: string, extra: Partial<Variant> = {}): Variant {
  return variant(id, ["read", "GET", `https://www.googleapis.com/${id}`], extra);
}

function chosen(operation: Op, pin?: string, preferredInterfaceKinds?: string[]) {
  const selection = selectVariant(operation, { pin, preferredInterfaceKinds });
  return selection.kind === "selected"
    ? { id: selection.variant.variant_id, warnings: selection.warnings }
    : { code: selection.error.code, details: selection.error.details };
}

Deno.test("TestDefaultVariantLifecycleSelection: a usable default is taken, with no word about it", () => {
  assert.deepEqual(chosen(op("a.b", [candidate("v1"), candidate("v2")])), {
    id: "v1",
    warnings: [],
  });
});

Deno.test("TestDefaultVariantLifecycleSelection: an unusable default gives way to an active one, and says why", () => {
  const alternatives: [Partial<Variant>, Partial<Op>, RegExp][] = [
    [{ quarantined: true }, {}, /v2 runs instead of the default v1: the default is quarantined/],
    [{ execution_support: "schema_only" }, {}, /cannot be executed/],
    [{}, { deprecated_variant_ids: ["v1"] }, /deprecated/],
  ];
  for (const [broken, extra, text] of alternatives) {
    const result = chosen(op("a.b", [candidate("v1", broken), candidate("v2")], extra));
    assert.equal(result.id, "v2");
    assert.match(result.warnings?.[0] ?? "", text);
  }
});

Deno.test("TestDefaultVariantLifecycleSelection: without an alternative the default is judged by the gates", () => {
  const schemaOnly = op("a.b", [candidate("v1", { execution_support: "schema_only" })]);
  assert.equal(chosen(schemaOnly).id, "v1");
  const deprecated = op("a.b", [candidate("v1")], { deprecated_variant_ids: ["v1"] });
  assert.deepEqual(chosen(deprecated), { id: "v1", warnings: ["VARIANT_DEPRECATED: v1"] });
  const quarantined = op("a.b", [candidate("v1", { quarantined: true })]);
  assert.equal(chosen(quarantined).code, "VARIANT_QUARANTINED");
});

Deno.test("stability ranks first, then the preferred interface, else it is ambiguous", () => {
  const broken = candidate("v0", { quarantined: true });
  const beta = candidate("beta", { stability: "beta" });
  const rest = candidate("rest", { interface_kind: "discovery-rest" });
  const grpc = candidate("grpc", { interface_kind: "grpc" });
  assert.equal(chosen(op("a.b", [broken, beta, rest])).id, "rest");
  const tie = op("a.b", [broken, rest, grpc]);
  assert.equal(chosen(tie, undefined, ["grpc", "discovery-rest"]).id, "grpc");
  assert.equal(chosen(tie, undefined, ["discovery-rest", "grpc"]).id, "rest");
  const ambiguous = chosen(tie);
  assert.equal(ambiguous.code, "AMBIGUOUS_VARIANT");
  assert.deepEqual(ambiguous.details?.variants, ["v0", "rest", "grpc"]);
});

Deno.test("TestVariantLifecycleNeverFallsBack: a pin is that variant or an error", () => {
  const operation = op("a.b", [
    candidate("v1"),
    candidate("v2", { quarantined: true }),
    candidate("v3"),
  ], {
    deprecated_variant_ids: ["v3"],
    superseded_variant_ids: { gone: "v1", v3: "v1" },
  });
  assert.equal(chosen(operation, "v2").code, "VARIANT_QUARANTINED");
  assert.deepEqual(chosen(operation, "v3"), {
    id: "v3",
    warnings: ["VARIANT_DEPRECATED: v3; superseded by v1"],
  });
  const removed = chosen(operation, "gone");
  assert.equal(removed.code, "VARIANT_NOT_FOUND");
  assert.equal(removed.details?.superseded_by, "v1");
  assert.equal(chosen(operation, "never").details?.superseded_by, undefined);
  assert.equal(chosen(op("a.b", [])).code, "VARIANT_NOT_FOUND");
});

Deno.test("gate and execution see the same variant even with an empty default", async () => {
  const operation = op("a.b", [
    candidate("beta", { stability: "beta", risk_class: "write" }),
    candidate("stable"),
  ], { default_variant_id: "" });
  await using fixture = openFixture({ ops: [operation] });
  const answer = await fixture.kernel.dispatch({ opId: "a.b", args: {} });
  assert.equal(answer.variantId, "stable");
  assert.equal(fixture.peer.requests[0]?.target, "/stable");
  assert.equal(fixture.audit[0]?.variant_id, "stable");
  assert.match(answer.validationWarnings[0] ?? "", /declared default does not exist/);
});

Deno.test("an alias runs, and everything recorded has the canonical id", async () => {
  const operation = op("a.current", [candidate("v1")], { deprecated_op_ids: ["a.old"] });
  await using fixture = openFixture({ ops: [operation] });
  const viaAlias = await fixture.kernel.dispatch({ opId: "a.old", args: {} });
  await fixture.kernel.dispatch({ opId: "a.current", args: {} });
  assert.equal(viaAlias.opId, "a.current");
  assert.deepEqual(fixture.audit.map((row) => row.op_id), ["a.current", "a.current"]);
  assert.equal(fixture.audit[0]?.args_hash, fixture.audit[1]?.args_hash);
});

Deno.test("unknown operations: near misses, garbage, nothing at all", async () => {
  await using fixture = openFixture();
  const near = await refusalOf(fixture.kernel, { opId: "drive.files.lst", args: {} });
  assert.equal(near.code, "OP_NOT_FOUND");
  assert.deepEqual((near.details.suggestions as string[])[0], "drive.files.list");
  assert.ok((near.details.suggestions as string[]).length <= 3);
  const far = await refusalOf(fixture.kernel, { opId: "zz", args: {} });
  assert.deepEqual(far.details.suggestions, []);
  const empty = await refusalOf(fixture.kernel, { opId: "", args: {} });
  assert.equal(empty.code, "INVALID_ARGS");
  assert.deepEqual(empty.details.missing, ["op_id"]);
});

Deno.test("TestPluginInactiveInventoryOnly: inactive plugins answer with their state, quarantine first", async () => {
  for (
    const [status, code] of [
      ["installed_pending_restart", "UNSUPPORTED_CAPABILITY"],
      ["needs_configuration", "UNSUPPORTED_CAPABILITY"],
      ["quarantined", "VARIANT_QUARANTINED"],
    ] as const
  ) {
    await using fixture = openFixture({
      deps: {
        inventory: {
          lookup: ({ opId, variantId }) =>
            opId === "plug.x.y" || variantId === "plug.v"
              ? { status, reason: "why", pluginName: "plug" }
              : undefined,
        },
      },
    });
    const byOp = await refusalOf(fixture.kernel, { opId: "plug.x.y", args: {} });
    assert.equal(byOp.code, code);
    assert.equal(byOp.details.status, code === "VARIANT_QUARANTINED" ? undefined : status);
    assert.equal(byOp.details.unsupported_capabilities, undefined);
    const byPin = await refusalOf(fixture.kernel, {
      opId: "drive.files.list",
      args: {},
      requestedVariantId: "plug.v",
    });
    assert.equal(byPin.code, code);
    assert.equal(fixture.peer.requests.length, 0);
  }
});

Deno.test("a failed selection is raised after the checks that do not need a variant", async () => {
  await using fixture = openFixture();
  const call = { opId: "drive.files.get", requestedVariantId: "nope" };
  const badArgs = await refusalOf(fixture.kernel, { ...call, args: {} });
  assert.equal(badArgs.code, "INVALID_ARGS");
  const selection = await refusalOf(fixture.kernel, {
    ...call,
    args: { fileId: "a" },
    allowDestructive: true,
  });
  assert.equal(selection.code, "VARIANT_NOT_FOUND");
});
