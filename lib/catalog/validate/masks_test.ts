import assert from "node:assert/strict";
import fc from "fast-check";
import type { Variant } from "../types.ts";
import { CatalogError, parseMask, unknownSelectors, validate } from "./mod.ts";
import { minimalCatalog, minimalOp } from "./testdata/minimal.ts";

const PROJECTION = {
  "demo.things.get": { id: true, owner: { name: true }, labels: { "*": true } },
} as const;

function outcome(mask: string, changes: Partial<Variant> = {}): string {
  try {
    validate(minimalCatalog({}, minimalOp({}, { default_fields: mask, ...changes })), {
      projections: PROJECTION,
    });
    return "ok";
  } catch (error) {
    assert.ok(error instanceof CatalogError);
    return error.code;
  }
}

Deno.test("TestDefaultFieldsValidatorRejectsBadMasks: grammar, wildcard, class, schema", () => {
  assert.equal(outcome("id,owner(name),labels(anything)"), "ok");
  for (
    const mask of [
      "",
      ",id",
      "id,",
      "id,,owner",
      "owner()",
      "owner(name",
      "owner(name))",
      "id, owner",
      "owner/name",
      "owner.name",
      "*",
      "owner(*)",
      "id,id",
    ]
  ) assert.equal(outcome(mask), "DEFAULT_FIELDS_INVALID", mask);
  for (const mask of ["missing", "owner(missing)", "id(below)"]) {
    assert.equal(outcome(mask), "DEFAULT_FIELDS_INVALID", mask);
  }
  assert.equal(outcome("id", { risk_class: "write" }), "DEFAULT_FIELDS_INVALID");
});

Deno.test("masks: a parsed mask has the names that were written", () => {
  const name = fc.stringMatching(/^[a-z_][a-zA-Z0-9_]{0,6}$/);
  const tree = fc.letrec<{ level: Record<string, unknown> }>((tie) => ({
    level: fc.dictionary(name, fc.oneof({ depthSize: "small" }, fc.constant({}), tie("level")), {
      minKeys: 1,
      maxKeys: 3,
      noNullPrototype: true,
    }),
  })).level;
  const write = (level: Record<string, unknown>): string =>
    Object.entries(level).map(([key, below]) => {
      const inner = write(below as Record<string, unknown>);
      return inner === "" ? key : `${key}(${inner})`;
    }).join(",");
  fc.assert(fc.property(tree, (level) => {
    if (Object.keys(level).includes("__proto__")) return;
    assert.deepEqual(JSON.parse(JSON.stringify(parseMask(write(level)))), level);
  }));
});

Deno.test("masks: every unknown selector is named", () => {
  assert.deepEqual(
    unknownSelectors(parseMask("a,owner(x,name)"), { owner: { name: true } }),
    ["a", "owner/x"],
  );
});
