import assert from "node:assert/strict";
import { CONVENIENCE_ROWS, type ConvenienceRow, parseCatalog } from "../lib/catalog/mod.ts";
import type { Catalog, Op, Variant } from "../lib/catalog/types.ts";
import { CatalogError } from "../lib/catalog/validate/mod.ts";
import {
  minimalCatalog,
  minimalOp,
  minimalVariant,
} from "../lib/catalog/validate/testdata/minimal.ts";
import { checkConvenience, checkRegression, checkScopes } from "./gates.ts";
import { applyCapabilitiesTo, applyDefaultFields, injectService } from "./partial.ts";
import type { Overrides } from "./overrides.ts";
import type { SelectedOperation } from "./select.ts";

const NOTHING: Overrides = { schema_version: 1, apis: {} };
const shipped = parseCatalog(await Deno.readFile(new URL("catalog.json", import.meta.url)));

function codeOf(action: () => void): string {
  try {
    action();
    return "ok";
  } catch (error) {
    assert.ok(error instanceof CatalogError, String(error));
    return error.code;
  }
}

function regression(previous: Catalog, next: Catalog, overrides = NOTHING): string {
  return codeOf(() => checkRegression(previous, { next, overrides }));
}

Deno.test("regression gate: operations and variants do not vanish unnoticed", () => {
  const before = minimalCatalog();
  assert.equal(regression(before, before), "ok");
  assert.equal(regression(before, minimalCatalog({ ops: [] })), "CATALOG_REGRESSION");
  const renamed = minimalOp({
    op_id: "demo.things.fetch",
    deprecated_op_ids: ["demo.things.get"],
  });
  assert.equal(regression(before, minimalCatalog({}, renamed)), "ok");
  const replaced = minimalOp({}, { variant_id: "demo.v2.rest.things.get" });
  assert.equal(regression(before, minimalCatalog({}, replaced)), "CATALOG_REGRESSION");
  replaced.superseded_variant_ids = { "demo.v1.rest.things.get": "demo.v2.rest.things.get" };
  assert.equal(regression(before, minimalCatalog({}, replaced)), "ok");
});

Deno.test("regression gate: a class gets milder only by an override", () => {
  const destructive = minimalCatalog({}, minimalOp({}, { risk_class: "destructive" }));
  const write = minimalCatalog({}, minimalOp({}, { risk_class: "write" }));
  assert.equal(regression(write, destructive), "ok");
  assert.equal(regression(destructive, write), "CATALOG_REGRESSION");
  const curated: Overrides = { ...NOTHING, ops: { "demo.things.get": { risk_class: "write" } } };
  assert.equal(regression(destructive, write, curated), "ok");
});

Deno.test("TestGeneratedCatalogGateRejectsRoutingHeaders: a lost routing header is a regression", () => {
  const withHeaders = (headers: string[]) => {
    const variant = minimalVariant({ backend_kind: "grpc-sdk" });
    assert.ok(variant.binding);
    variant.binding.routing_headers = headers;
    return minimalCatalog({}, minimalOp({ variants: [variant] }));
  };
  assert.equal(regression(withHeaders(["name"]), withHeaders(["name", "other"])), "ok");
  assert.equal(regression(withHeaders(["name"]), withHeaders(["other"])), "CATALOG_REGRESSION");
});

function selected(variant: Partial<Variant>, acceptedScopes: string[]): SelectedOperation {
  return { op: minimalOp({}, variant), ruleRisk: "read", acceptedScopes, projection: {} };
}

Deno.test("scope gate: only scopes that the method accepts, and at least one", () => {
  const scope = "https://www.googleapis.com/auth/demo.readonly";
  const gate = (operation: SelectedOperation, overrides = NOTHING) =>
    codeOf(() => checkScopes([operation], overrides));
  assert.equal(gate(selected({}, [scope])), "ok");
  assert.equal(gate(selected({}, ["https://www.googleapis.com/auth/other"])), "SCOPE_NOT_ACCEPTED");
  assert.equal(gate(selected({ scopes: [] }, [scope])), "SCOPE_NOT_ACCEPTED");
  const reasoned: Overrides = {
    ...NOTHING,
    ops: { "demo.things.get": { scopes_reason: "the document lags behind" } },
  };
  assert.equal(gate(selected({}, []), reasoned), "ok");
});

const ROW: ConvenienceRow = {
  tool: "demo_get",
  opId: "demo.things.get",
  variantRule: "default",
  required: ["id"],
  optional: ["fields"],
  formats: ["json"],
  confirmationPassthrough: false,
};

Deno.test("TestTierAConvenienceABI: every shipped row rests on what its operation takes", () => {
  checkConvenience(shipped.ops, CONVENIENCE_ROWS);
  const gate = (row: Partial<ConvenienceRow>, ops: Op[] = [minimalOp()]) =>
    codeOf(() => checkConvenience(ops, [{ ...ROW, ...row }]));
  assert.equal(gate({}), "ok");
  assert.equal(gate({ opId: "demo.things.list" }), "CONVENIENCE_INVALID");
  assert.equal(gate({ variantRule: { fixed: "demo.v1.rest.other" } }), "CONVENIENCE_INVALID");
  assert.equal(gate({ optional: ["colour"] }), "CONVENIENCE_INVALID");
  assert.equal(gate({ required: [] }), "CONVENIENCE_INVALID");
  assert.equal(gate({ bodyFields: ["values"], required: ["id", "values"] }), "CONVENIENCE_INVALID");
});

Deno.test("TestConvenienceHighStakesConfirmation: a high-stakes row must pass the confirmation on", () => {
  const op = minimalOp({}, { risk_class: "write", confirmation_policy: "high_stakes_write" });
  const gate = (confirmationPassthrough: boolean) =>
    codeOf(() => checkConvenience([op], [{ ...ROW, confirmationPassthrough }]));
  assert.equal(gate(true), "ok");
  assert.equal(gate(false), "CONVENIENCE_INVALID");
});

Deno.test("TestApplyDefaultFieldsWritesEveryVariant: reads get the mask, writes do not", () => {
  const op = minimalOp({
    variants: [
      minimalVariant(),
      minimalVariant({ variant_id: "demo.v2.rest.things.get" }),
      minimalVariant({ variant_id: "demo.v3.rest.things.get", risk_class: "write" }),
    ],
  });
  const { catalog } = applyDefaultFields(minimalCatalog({}, op), { "demo.things.get": "id" });
  assert.deepEqual(catalog.ops[0]?.variants.map((variant) => variant.default_fields), [
    "id",
    "id",
    undefined,
  ]);
  assert.equal(op.variants[0]?.default_fields, undefined, "the input is left alone");
  const withdrawn = applyDefaultFields(catalog, {});
  assert.ok(withdrawn.catalog.ops[0]?.variants.every((v) => v.default_fields === undefined));
  assert.equal(withdrawn.catalog.generated_at, catalog.generated_at);
});

Deno.test("partial modes: capabilities are a fixed point of the shipped catalog", () => {
  const { catalog } = applyCapabilitiesTo(shipped, NOTHING);
  assert.deepEqual(catalog.ops, shipped.ops);
});

Deno.test("inject: replaces one service, keeps and names what is unknown", () => {
  const mine = minimalOp({ title: "New title" });
  const stray = minimalOp({ op_id: "demo.things.zap" }, { variant_id: "demo.v1.rest.things.zap" });
  const committed = minimalCatalog({ ops: [minimalOp(), stray] });
  const { catalog, warnings } = injectService(committed, { service: "demo", fresh: [mine] });
  assert.deepEqual(catalog.ops.map((op) => op.title), ["New title", "Get thing (Demo)"]);
  assert.deepEqual(warnings, ["unknown operation kept: demo.things.zap"]);
});
