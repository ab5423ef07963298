import assert from "node:assert/strict";
import { embeddedCatalogBytes, embeddedSchemaText } from "./embedded.ts";
import { embeddedRequestSchema, loadCatalog } from "./load.ts";
import { createSnapshot, referencedSchemas } from "./snapshot.ts";
import { requestRef } from "./validate/ids.ts";

const snapshot = createSnapshot(loadCatalog(), { requestSchema: embeddedRequestSchema });

Deno.test("embedded catalog: operations, variants and request schemas are all reachable", () => {
  assert.ok(snapshot.ops.length >= 227);
  for (const op of snapshot.ops) {
    assert.equal(snapshot.findOp(op.op_id), op);
    for (const variant of op.variants) {
      assert.deepEqual(snapshot.findVariant(variant.variant_id), { op, variant });
    }
  }
  const refs = referencedSchemas(snapshot.ops);
  assert.ok(refs.length > 150);
  for (const ref of refs) assert.equal(snapshot.requestSchema(ref)?.$id, ref);
});

Deno.test("embedded catalog: unknown and malformed refs give nothing and touch no other file", () => {
  assert.equal(embeddedSchemaText("no.such.request"), undefined);
  assert.equal(embeddedRequestSchema("../catalog"), undefined);
  assert.equal(embeddedRequestSchema("..%2Fcatalog"), undefined);
  assert.equal(snapshot.requestSchema(requestRef("no.such")), undefined);
});

Deno.test("embedded catalog: parsed once, served as the very bytes", () => {
  assert.equal(loadCatalog(), loadCatalog());
  assert.equal(new TextDecoder().decode(embeddedCatalogBytes().subarray(0, 1)), "{");
});
