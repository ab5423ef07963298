import assert from "node:assert/strict";
import type { JsonObject } from "../../json/mod.ts";
import type { Variant } from "../types.ts";
import { CatalogError, validate } from "./mod.ts";
import { minimalCatalog, minimalOp } from "./testdata/minimal.ts";

const SCHEMA: JsonObject = {
  type: "object",
  properties: {
    name: { type: "string" },
    parent: { type: "object", properties: { project_id: { type: "string" } } },
    rows: {
      type: "array",
      items: { type: "object", properties: { id: { type: "string" } } },
    },
  },
};

function grpcVariant(headers: string[] | undefined, changes: Partial<Variant> = {}) {
  return minimalOp({ request_fields: [] }, {
    interface_kind: "grpc",
    backend_kind: "grpc-sdk",
    capabilities: ["json_request", "json_response"],
    binding: {
      binding_schema_version: 1,
      adapter_key: "demo.grpc",
      operation_key: "demo.things.get",
      request_ref: "demo.things.get.request",
      proto_service: "demo.Things",
      proto_method: "Get",
      request_type: "demo.GetRequest",
      response_type: "demo.Thing",
      ...(headers === undefined ? {} : { routing_headers: headers }),
    },
    ...changes,
  });
}

function outcome(
  headers: string[] | undefined,
  requestSchemas: Record<string, JsonObject> = { "demo.things.get.request": SCHEMA },
): string {
  try {
    validate(minimalCatalog({}, grpcVariant(headers)), { requestSchemas });
    return "ok";
  } catch (error) {
    assert.ok(error instanceof CatalogError);
    return `${error.code} ${error.detail}`;
  }
}

Deno.test("TestGrpcRoutingHeaderInvariant: one code per rule", () => {
  assert.equal(outcome(undefined), "ok");
  assert.equal(outcome(["name", "parent.project_id"]), "ok");
  assert.match(outcome([]), /^GRPC_ROUTING_HEADER_NOT_REQUIRED/);
  for (const bad of ["Name", "", "a-b", "a b", `a${"b".repeat(200)}`]) {
    assert.match(outcome([bad]), /^GRPC_ROUTING_HEADER_INVALID/, bad);
  }
  assert.match(outcome(["name", "name"]), /^GRPC_ROUTING_HEADER_DUPLICATE/);
  for (const unknown of ["missing", "parent.missing", "name.below", "rows.id"]) {
    assert.match(outcome([unknown]), /^GRPC_ROUTING_HEADER_NOT_FOUND/, unknown);
  }
  assert.match(outcome(["rows[0]"]), /^GRPC_ROUTING_HEADER_INVALID/);
});

Deno.test("TestRoutingHeaderFailsOnTheFirstBadEntry: later entries are not reported", () => {
  assert.equal(outcome(["name", "first", "Second"]), "GRPC_ROUTING_HEADER_NOT_FOUND first");
  assert.match(outcome(["Second", "first"]), /^GRPC_ROUTING_HEADER_INVALID "Second"/);
});

Deno.test("TestRoutingHeaderRulesSkipNonGRPCVariants: the key is ignored elsewhere", () => {
  const op = minimalOp();
  const binding = op.variants[0]?.binding;
  assert.ok(binding);
  binding.routing_headers = [];
  validate(minimalCatalog({}, op));
});

Deno.test("TestRoutingHeaderNeedsARequestSchema: nothing resolves without one", () => {
  assert.match(outcome(["name"], {}), /^GRPC_ROUTING_HEADER_NOT_FOUND/);
});
