import assert from "node:assert/strict";
import fc from "fast-check";
import {
  isRawNumber,
  type JsonObject,
  type JsonValue,
  parseJson,
  readJson,
  repeatedMembers,
} from "./mod.ts";

Deno.test("parseJson: 100,000 levels with a large integer at the bottom", () => {
  const text = "[".repeat(100_000) + "12345678901234567890" + "]".repeat(100_000);
  let value: JsonValue = parseJson(text);
  for (let depth = 0; depth < 100_000; depth++) value = (value as JsonValue[])[0] as JsonValue;
  assert.ok(isRawNumber(value));
  assert.equal(value.rawJSON, "12345678901234567890");
});

Deno.test("parseJson: what needs no care is what JSON.parse gives", () => {
  fc.assert(
    fc.property(fc.jsonValue({ maxDepth: 5 }), (value) => {
      const text = JSON.stringify(value);
      const { value: read, hasBigIntegers } = readJson(text);
      if (!hasBigIntegers) assert.deepEqual(read, JSON.parse(text));
      assert.deepEqual(parseJson(text), read);
    }),
    { numRuns: 2_000 },
  );
});

Deno.test("parseJson: overflowing numbers are infinite for a caller and kept for a body", () => {
  assert.deepEqual(parseJson('{"n":1e400}'), { n: Infinity });
  const { value, hasBigIntegers } = readJson('{"n":1e400,"m":-1e999}');
  assert.equal(hasBigIntegers, true);
  assert.equal(JSON.stringify(value), '{"n":1e400,"m":-1e999}');
});

Deno.test("parseJson: __proto__ stays plain data, with and without large integers", () => {
  for (const number of ["1", "12345678901234567890"]) {
    const value = parseJson(`{"__proto__":{"x":${number}},"a":${number}}`) as JsonObject;
    assert.deepEqual(Object.keys(value), ["__proto__", "a"]);
    assert.equal(Object.getPrototypeOf(value), Object.prototype);
  }
});

Deno.test("parseJson: text that looks like a number, or like a mark, stays text", () => {
  const tricky = String.raw`{"a":"12345678901234567890","b\"12345678901234567890":1,` +
    String.raw`"c":"\\","d":12345678901234567890,"e":"gum-number-0:1"}`;
  assert.equal(JSON.stringify(parseJson(tricky)), tricky);
  for (
    const bad of [
      "",
      "01",
      "-",
      "1e",
      "[1,]",
      '{"a":012345678901234567890}',
      "12345678901234567890 x",
    ]
  ) {
    assert.throws(() => parseJson(bad), SyntaxError, bad);
  }
});

Deno.test("repeatedMembers: counts what a later member of the same name replaced", () => {
  const count = (text: string) => repeatedMembers(text, parseJson(text));
  assert.equal(count('{"a":1,"a":2,"b":{"a":":","a":"x:y","a":[]}}'), 3);
  assert.equal(count(String.raw`{"a:b":"\u003a","c\":":"::","d":[":"]}`), 0);
  assert.equal(count('":"'), 0);
  assert.equal(count("[".repeat(50_000) + '{"a":1,"a":1}' + "]".repeat(50_000)), 1);
  fc.assert(
    fc.property(fc.jsonValue({ maxDepth: 4 }), (value) => {
      assert.equal(count(JSON.stringify(value, null, 2)), 0);
    }),
    { numRuns: 1_000 },
  );
});
