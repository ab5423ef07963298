import assert from "node:assert/strict";
import type { Op } from "../types.ts";
import { minimalOp } from "../validate/testdata/minimal.ts";
import {
  applyCapabilities,
  type DiscoveryDocument,
  type DiscoveryMethod,
  methodReturnsLRO,
  stampLROReturn,
} from "./mod.ts";

const OPERATION = { properties: { name: {}, done: {}, error: {}, response: {} } };

function documentWith(schemas: DiscoveryDocument["schemas"]): DiscoveryDocument {
  return {
    name: "demo",
    version: "v1",
    revision: "20260101",
    rootUrl: "https://demo.googleapis.com/",
    servicePath: "",
    ...(schemas === undefined ? {} : { schemas }),
  };
}

function method(httpMethod: string, response: string): DiscoveryMethod {
  return { id: "demo.things.create", httpMethod, path: "v1/things", response: { $ref: response } };
}

Deno.test("TestMethodReturnsLRO: judged by shape, not by name, and never for a GET", () => {
  const document = documentWith({
    Operation: { properties: { name: {} } },
    Anything: OPERATION,
    ListOperationsResponse: { properties: { operations: { items: { $ref: "Anything" } } } },
  });
  assert.equal(methodReturnsLRO(document, method("POST", "Anything")), true);
  assert.equal(methodReturnsLRO(document, method("DELETE", "Anything")), true);
  assert.equal(methodReturnsLRO(document, method("GET", "Anything")), false);
  assert.equal(methodReturnsLRO(document, method("POST", "Operation")), false);
  assert.equal(methodReturnsLRO(document, method("POST", "ListOperationsResponse")), false);
});

Deno.test("TestMethodReturnsLROWithoutSchemas: no schema is no operation", () => {
  assert.equal(methodReturnsLRO(documentWith(undefined), method("POST", "Operation")), false);
  assert.equal(methodReturnsLRO(documentWith({}), method("POST", "Operation")), false);
  const { response: _, ...bare } = method("POST", "Operation");
  assert.equal(methodReturnsLRO(documentWith({ Operation: OPERATION }), bare), false);
});

function opWithPlugin(): Op {
  const op = minimalOp();
  const plugin = structuredClone(op.variants[0]);
  assert.ok(plugin);
  plugin.variant_id = "demo.v1.plugin.things.get";
  plugin.binding = {
    binding_schema_version: 1,
    adapter_key: "plugin.mcp",
    operation_key: op.op_id,
    plugin_name: "demo",
    tool_name: "get",
  };
  plugin.capabilities = ["json_request", "json_response"];
  op.variants.push(plugin);
  return op;
}

Deno.test("TestStampLROReturnCoversRESTVariantsOnly: plugin variants stay as they are", () => {
  const op = opWithPlugin();
  stampLROReturn(op, false);
  assert.ok(!op.variants.some((variant) => variant.capabilities.includes("lro_return")));
  stampLROReturn(op, true);
  assert.deepEqual(op.variants.map((variant) => variant.capabilities.includes("lro_return")), [
    true,
    false,
  ]);
});

Deno.test("TestStampLROReturnIsIdempotent: twice is once, and recomputation keeps the stamp", () => {
  const op = opWithPlugin();
  stampLROReturn(op, true);
  const once = structuredClone(op);
  stampLROReturn(op, true);
  assert.deepEqual(op, once);
  applyCapabilities(op);
  assert.ok(op.variants[0]?.capabilities.includes("lro_return"));
  const again = structuredClone(op);
  applyCapabilities(op);
  assert.deepEqual(op, again);
});

Deno.test("capabilities: the generic atoms follow the record", () => {
  const op = minimalOp();
  const http = op.variants[0]?.binding?.http;
  assert.ok(http);
  op.request_fields = [{ name: "pageToken", location: "query", type: "string" }];
  http.path = "https://demo.googleapis.com/v1/things";
  applyCapabilities(op);
  assert.deepEqual(op.variants[0]?.capabilities, [
    "json_response",
    "query_params",
    "pagination",
    "field_mask",
  ]);
  http.method = "POST";
  http.header_params = { fieldMask: "X-Goog-FieldMask" };
  op.request_fields = [];
  applyCapabilities(op);
  assert.deepEqual(op.variants[0]?.capabilities, ["json_request", "json_response", "field_mask"]);
  const code = minimalOp();
  const variant = code.variants[0];
  assert.ok(variant?.binding);
  delete variant.binding.http;
  variant.capabilities = ["code_execution"];
  applyCapabilities(code);
  assert.deepEqual(variant.capabilities, ["code_execution"]);
});
