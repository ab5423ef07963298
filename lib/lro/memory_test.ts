import assert from "node:assert/strict";
import { variant } from "../dispatch/testdata/fixture.ts";
import type { JsonValue } from "../json/mod.ts";
import { createOperationMemory } from "./mod.ts";

const PLAIN = variant("drive.v3.rest.files.get", [
  "read",
  "GET",
  "https://www.googleapis.com/drive/v3/files/{fileId}",
]);
const DECLARED = { ...PLAIN, variant_id: "d", capabilities: ["lro_return"] };

function bytes(value: JsonValue): Uint8Array {
  return new TextEncoder().encode(JSON.stringify(value));
}

Deno.test("an answer with a name and a boolean done is remembered, declared ones without done too", () => {
  const memory = createOperationMemory();
  memory.observe({ opId: "a", variant: PLAIN, body: bytes({ name: "operations/1", done: false }) });
  memory.observe({ opId: "b", variant: DECLARED, body: bytes({ name: "operations/2" }) });
  memory.observe({ opId: "c", variant: PLAIN, body: bytes({ name: "operations/3" }) });
  memory.observe({ opId: "c", variant: PLAIN, body: bytes({ name: "operations/4", done: "no" }) });
  memory.observe({ opId: "c", variant: DECLARED, body: bytes({ name: "" }) });
  memory.observe({ opId: "c", variant: DECLARED, body: new TextEncoder().encode("not json") });
  memory.observe({ opId: "c", variant: DECLARED, body: new Uint8Array() });
  assert.deepEqual(memory.origin("operations/1"), {
    host: "www.googleapis.com",
    versionPath: "/drive/v3",
    opId: "a",
    variantId: "drive.v3.rest.files.get",
  });
  assert.equal(memory.origin("operations/2")?.opId, "b");
  assert.equal(memory.origin("operations/3"), undefined);
  assert.equal(memory.origin("operations/4"), undefined);
  assert.equal(memory.lastAnswered()?.opId, "c");
});

Deno.test("the last fifty are kept, and a service off Google's hosts is never one of them", () => {
  const memory = createOperationMemory();
  const see = (n: number) =>
    memory.observe({ opId: `o${n}`, variant: PLAIN, body: bytes({ name: `o/${n}`, done: true }) });
  for (let n = 0; n < 50; n++) see(n);
  see(0);
  see(50);
  assert.equal(memory.origin("o/1"), undefined);
  assert.equal(memory.origin("o/0")?.opId, "o0");
  const foreign = variant("p", ["read", "GET", "https://plugins.example.com/v1/x"]);
  memory.observe({ opId: "p", variant: foreign, body: bytes({ name: "x", done: false }) });
  assert.equal(memory.origin("x"), undefined);
  assert.equal(memory.lastAnswered()?.opId, "o50");
});
