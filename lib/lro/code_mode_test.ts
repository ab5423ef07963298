import assert from "node:assert/strict";
import type { Op } from "../catalog/types.ts";
import { op, openFixture, snapshotOf, variant } from "../dispatch/testdata/fixture.ts";
import { createKernel } from "../dispatch/mod.ts";
import { lroRefusalInCode, opReturnsLro } from "./mod.ts";

const PATH = "https://run.googleapis.com/v2/{+name}:run";
const STARTS = variant("starts", ["write", "POST", PATH], { capabilities: ["lro_return"] });
const ANSWERS = variant("answers", ["read", "GET", PATH]);
const OPS: Op[] = [
  op("run.jobs.run", [STARTS, ANSWERS]),
  op("run.jobs.get", [ANSWERS, STARTS]),
  op("run.jobs.dangling", [STARTS, ANSWERS], { default_variant_id: "gone" }),
  op("run.jobs.empty", [], { default_variant_id: "gone" }),
];

Deno.test("TestDispatcherReturnsLRO: the kernel answers by the default variant", async () => {
  await using fixture = openFixture();
  const kernel = createKernel({ ...fixture.deps, catalog: snapshotOf(OPS) });
  assert.equal(kernel.returnsLro("run.jobs.run"), true);
  assert.equal(kernel.returnsLro("run.jobs.get"), false);
  assert.equal(kernel.returnsLro("run.jobs.unknown"), false);
});

Deno.test("TestDefaultVariantReturnsLROWithADanglingDefault: the kernel says no, scripts look at the first variant", async () => {
  await using fixture = openFixture();
  const kernel = createKernel({ ...fixture.deps, catalog: snapshotOf(OPS) });
  assert.equal(kernel.returnsLro("run.jobs.dangling"), false);
  const [run, get, dangling, empty] = OPS.map(opReturnsLro);
  assert.deepEqual({ run, get, dangling, empty }, {
    run: true,
    get: false,
    dangling: true,
    empty: false,
  });
});

Deno.test("a script may not start a long-running operation", () => {
  const snapshot = snapshotOf(OPS);
  const classify = (opId: string) => {
    const found = snapshot.findOp(opId);
    return found !== undefined && opReturnsLro(found);
  };
  const refusal = lroRefusalInCode("run.jobs.run", classify);
  assert.equal(refusal?.code, "LRO_UNSUPPORTED_IN_CODE");
  assert.deepEqual(refusal?.details, { op_id: "run.jobs.run" });
  assert.equal(refusal?.retryable, false);
  assert.match(refusal?.message ?? "", /outside code mode.*gum\.poll/);
  assert.equal(lroRefusalInCode("run.jobs.get", classify), undefined);
  assert.equal(lroRefusalInCode("run.jobs.run"), undefined, "no classifier, no refusal");
});
