import assert from "node:assert/strict";
import fc from "fast-check";
import type { JsonObject } from "../json/mod.ts";
import { hoistExpressions } from "./mod.ts";

const BASE: JsonObject = {
  profile: "p",
  op_id: "o",
  variant_id: "v",
  lossy: false,
  result_count: 1,
};

Deno.test("TestGumParallelResultEnvelopeCompression: equal members move out, different ones stay", () => {
  const { shared, deltas } = hoistExpressions([BASE, { ...BASE, result_count: 2 }]);
  assert.deepEqual(shared, { profile: "p", op_id: "o", variant_id: "v", lossy: false });
  assert.deepEqual(deltas, [{ result_count: 1 }, { result_count: 2 }]);
});

Deno.test("TestGumParallelResultEnvelopeCompression: one element hoists nothing", () => {
  assert.deepEqual(hoistExpressions([BASE]), { shared: undefined, deltas: [BASE] });
  assert.deepEqual(hoistExpressions([]), { shared: undefined, deltas: [] });
});

Deno.test("TestGumParallelResultEnvelopeCompression: null equals null, absent equals nothing", () => {
  const nulls = hoistExpressions([{ a: null, b: null }, { a: null }]);
  assert.deepEqual(nulls, { shared: { a: null }, deltas: [{ b: null }, {}] });
});

Deno.test("TestGumParallelResultEnvelopeCompression: objects compare by canonical bytes", () => {
  const { shared, deltas } = hoistExpressions([{ a: { x: 1, y: [2] } }, { a: { y: [2], x: 1 } }]);
  assert.deepEqual(shared, { a: { x: 1, y: [2] } });
  assert.deepEqual(deltas, [{}, {}]);
});

Deno.test("TestGumParallelResultEnvelopeCompression: nothing shared, no shared part; and it always rebuilds", () => {
  assert.equal(hoistExpressions([{ a: 1 }, { a: 2 }]).shared, undefined);
  const item = fc.dictionary(
    fc.constantFrom("a", "b", "c", "__proto__"),
    fc.constantFrom<null | number | string>(null, 1, "x"),
    { noNullPrototype: true },
  );
  fc.assert(fc.property(fc.array(item, { maxLength: 4 }), (items) => {
    const { shared, deltas } = hoistExpressions(items as JsonObject[]);
    const rebuilt = deltas.map((delta) =>
      Object.fromEntries([...Object.entries(shared ?? {}), ...Object.entries(delta)])
    );
    assert.deepEqual(rebuilt.map(sortedEntries), items.map(sortedEntries));
  }));
});

function sortedEntries(value: object) {
  return Object.entries(value).sort(([a], [b]) => a < b ? -1 : 1);
}
