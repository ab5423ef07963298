import assert from "node:assert/strict";
import fc from "fast-check";
import { editDistance, nearestWords } from "./mod.ts";

Deno.test("spelling: the distance is a metric, and the limit only cuts it off", () => {
  const word = fc.string({ maxLength: 12 });
  fc.assert(fc.property(word, word, word, (a, b, c) => {
    const distance = editDistance(a, b);
    assert.equal(distance, editDistance(b, a));
    assert.equal(distance === 0, a === b);
    assert.ok(editDistance(a, c) <= distance + editDistance(b, c));
    assert.equal(editDistance(a, b, { limit: 3 }), Math.min(distance, 4));
  }));
});

Deno.test("spelling: nearest first, ties by code unit, letter case ignored", () => {
  assert.deepEqual(nearestWords("Serch", ["search", "schema", "mcp"], { within: 2 }), ["search"]);
  assert.deepEqual(nearestWords("ab", ["ad", "ac", "abc"], { within: 1 }), ["abc", "ac", "ad"]);
  assert.deepEqual(nearestWords("ab", ["ad", "ac", "abc"], { within: 1, most: 1 }), ["abc"]);
});

Deno.test("spelling: what would be replaced whole is not near", () => {
  assert.deepEqual(nearestWords("zz", ["to", "cc"], { within: 2 }), []);
  assert.deepEqual(nearestWords("", ["to"], { within: 2 }), []);
});
