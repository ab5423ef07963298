import assert from "node:assert/strict";
import fc from "fast-check";
import type { JsonValue } from "../../json/mod.ts";
import { prepareArguments } from "../mod.ts";
import { op } from "../testdata/fixture.ts";
import { DEEPEST_NESTING, tooDeeplyNested } from "./nesting.ts";

function nested(depth: number, leaf: JsonValue): JsonValue {
  let value = leaf;
  for (let left = depth; left > 0; left--) value = left % 2 === 0 ? [value] : { value };
  return value;
}

Deno.test("TestArgumentNesting: the limit is exact, for lists and objects, whatever stands beside", () => {
  fc.assert(
    fc.property(
      fc.integer({ min: 0, max: 2 * DEEPEST_NESTING }),
      fc.constantFrom<JsonValue>(1, "text", null, []),
      (depth, leaf) => {
        const args = { plain: "x", deep: [1, nested(depth, leaf)] };
        const found = tooDeeplyNested(args);
        assert.equal(found, depth + 1 > DEEPEST_NESTING ? "deep" : undefined);
      },
    ),
    { numRuns: 300 },
  );
});

Deno.test("TestArgumentNesting: a value deeper than any stack is refused, not followed", () => {
  assert.equal(tooDeeplyNested({ q: nested(500_000, 1) }), "q");
});

Deno.test("TestArgumentNesting: a call with such an argument is refused by name, before anything follows it", () => {
  const args = { userId: "me", q: nested(500_000, 1) };
  const { problems } = prepareArguments(op("a.list", []), args, { hostDefaults: true });
  assert.equal(problems.refusal?.field, "q");
  assert.equal(problems.refusal?.reason, "nested_too_deeply");
});
