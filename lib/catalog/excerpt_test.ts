import assert from "node:assert/strict";
import { embeddedCatalogText } from "./embedded.ts";
import { excerptOp, openShippedSnapshot } from "./excerpt.ts";
import { loadCatalog } from "./load.ts";
import { createSnapshot } from "./snapshot.ts";

const text = embeddedCatalogText();
const { ops } = loadCatalog();

Deno.test("an excerpt is the operation of the whole catalog, for every one of them", () => {
  assert.ok(ops.length > 100);
  for (const op of ops) assert.deepEqual(excerptOp(text, op.op_id), op, op.op_id);
});

Deno.test("an excerpt is of the operation itself, not of a text that names it", () => {
  for (
    const absent of [
      "",
      "nothing.here",
      "gmail.users.messages",
      ops[0]?.default_variant_id ?? "",
      '"',
    ]
  ) {
    assert.equal(excerptOp(text, absent), undefined, absent);
  }
  const [op] = ops;
  assert.ok(op !== undefined);
  for (
    const changed of [
      text.replace('"catalog_schema_version": 1', '"catalog_schema_version": 2'),
      JSON.stringify(JSON.parse(text)),
    ]
  ) assert.equal(excerptOp(changed, op.op_id), undefined);
  const later = text.replace('"op_schema_version": 1', '"op_schema_version": 2');
  assert.throws(() => excerptOp(later, op.op_id), /op_schema_version/);
});

Deno.test("an excerpt of a catalog that is damaged or ends early is left to the whole read", () => {
  const [op] = ops;
  assert.ok(op !== undefined);
  const at = text.indexOf(JSON.stringify(op.op_id));
  for (
    const damaged of [
      text.slice(0, at + op.op_id.length + 20),
      text.slice(0, at + op.op_id.length + 4) + "]" + text.slice(at + op.op_id.length + 4),
      text.replaceAll("\n", "\r\n"),
      "",
    ]
  ) assert.equal(excerptOp(damaged, op.op_id), undefined);
});

Deno.test("the shipped snapshot answers like the one of the whole catalog", () => {
  const options = { requestSchema: () => undefined };
  const whole = createSnapshot(loadCatalog(), options);
  for (const wanted of ["gmail.users.messages.list", "no.such.operation", ""]) {
    const shipped = openShippedSnapshot(options);
    assert.deepEqual(shipped.findOp(wanted), whole.findOp(wanted));
    assert.equal(shipped.ops.length, whole.ops.length);
    // Once the whole is there it is what is asked.
    assert.equal(shipped.findOp(wanted), shipped.ops.find(({ op_id }) => op_id === wanted));
  }
  const [variant] = whole.ops[0]?.variants ?? [];
  const shipped = openShippedSnapshot(options);
  assert.deepEqual(shipped.findVariant(variant?.variant_id ?? ""), {
    op: whole.ops[0],
    variant,
  });
  const mine = (structuredClone(ops[0]) ?? assert.fail()) as typeof ops[number];
  const [first] = mine.variants;
  assert.ok(first !== undefined);
  const variants = [{ ...first, variant_id: "mine.v1" }];
  const own = { ...mine, op_id: "mine.things.get", default_variant_id: "mine.v1", variants };
  assert.ok(openShippedSnapshot({ ...options, pluginOps: [own] }).findOp("mine.things.get"));
});
