import assert from "node:assert/strict";
import fc from "fast-check";
import type { Binding } from "../../catalog/types.ts";
import { parseJson } from "../../json/mod.ts";
import { routingParameters } from "./routing.ts";

function routedBy(...paths: string[]): Binding {
  return {
    binding_schema_version: 1,
    adapter_key: "grpc.test",
    operation_key: "test",
    routing_headers: paths,
  };
}

Deno.test("TestRoutingHeaderValueRendersScalars: text, numbers and booleans, in declaration order", () => {
  const message = {
    name: "projects/p/topics/t",
    count: 1.5e9,
    id: parseJson("12345678901234567890"),
    dry: false,
    nested: { deep: { city: "Åre & co" } },
    list: ["a"],
    object: { a: 1 },
    nothing: null,
    empty: "",
  };
  const binding = routedBy(
    "nested.deep.city",
    "name",
    "list",
    "count",
    "object",
    "nothing",
    "empty",
    "id",
    "dry",
    "absent",
    "name.further",
  );
  assert.equal(
    routingParameters(binding, message),
    "nested.deep.city=%C3%85re%20%26%20co&name=projects%2Fp%2Ftopics%2Ft&count=1500000000" +
      "&id=12345678901234567890&dry=false",
  );
});

Deno.test("TestRoutingHeaderValueHandlesMissingBinding: no binding, no list, no value, no entry", () => {
  const message = { name: "x", constructor2: "y" };
  assert.equal(routingParameters(undefined, message), undefined);
  assert.equal(routingParameters(routedBy(), message), undefined);
  const { routing_headers: _none, ...bare } = routedBy();
  assert.equal(routingParameters(bare, message), undefined);
  assert.equal(
    routingParameters(routedBy("absent", "constructor", "__proto__.x"), message),
    undefined,
  );
});

Deno.test("property: a routing value never adds an entry of its own", () => {
  fc.assert(fc.property(fc.string(), fc.string({ minLength: 1 }), (first, second) => {
    const text = routingParameters(routedBy("a", "b"), { a: first, b: second }) ?? "";
    const pairs = text.split("&").map((pair) => pair.split("="));
    assert.equal(pairs.length, first === "" ? 1 : 2);
    assert.ok(pairs.every((pair) => pair.length === 2));
    assert.equal(
      decodeURIComponent(pairs.at(-1)?.[1] ?? ""),
      second.toWellFormed(),
    );
  }));
});
