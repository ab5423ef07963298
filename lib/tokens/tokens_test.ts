import assert from "node:assert/strict";
import fc from "fast-check";
import { getEncoding } from "js-tiktoken";
import { piecesWithoutLongRuns, RUN_LIMIT } from "./long_runs.ts";
import { countTokens, loadTokenCounter } from "./mod.ts";

Deno.test("token counter: the tables are loaded once", async () => {
  assert.equal(await countTokens("hello world"), 2);
  const counter = await loadTokenCounter();
  assert.equal(counter("hello world"), 2);
  assert.equal(await loadTokenCounter(), counter);
});

Deno.test("token counter: agrees with an independent cl100k_base on any text", async () => {
  const count = await loadTokenCounter();
  const oracle = getEncoding("cl100k_base");
  const agree = (text: string) =>
    assert.equal(count(text), oracle.encode(text, [], []).length, JSON.stringify(text));
  for (
    const text of [
      "",
      " ",
      "\r\n\t",
      "<|endoftext|> is text <|im_start|>",
      '{"a":[1,2.5,null],"b":"ünïcödé 漢字 😀"}',
      "id,name\n1,x\n".repeat(50),
      "a".repeat(300),
      "don't I'll 1234567890",
    ]
  ) agree(text);
  fc.assert(fc.property(fc.string({ unit: "grapheme", maxLength: 60 }), agree), { numRuns: 60 });
  fc.assert(fc.property(fc.json({ maxDepth: 3 }), agree), { numRuns: 30 });
});

Deno.test("token counter: long runs are cut at characters, and only long runs", () => {
  const exact = [
    "",
    "word ".repeat(5000),
    "1234567890".repeat(30),
    "漢字、".repeat(2000),
    "a=".repeat(9000),
  ];
  for (const text of exact) assert.deepEqual(piecesWithoutLongRuns(text), [text]);
  const long = fc.constantFrom("a", "=", " ", "é", "😀", "𝒜", "\n").chain((unit) =>
    fc.integer({ min: 1, max: 9000 }).map((count) => unit.repeat(count))
  );
  fc.assert(fc.property(fc.array(long, { maxLength: 4 }), (parts) => {
    const text = parts.join("x ");
    const pieces = piecesWithoutLongRuns(text);
    assert.equal(pieces.join(""), text);
    assert.ok(pieces.every((piece) => piece.isWellFormed()));
  }));
});

Deno.test("token counter: a hostile run is counted in time that grows with its length only", async () => {
  const count = await loadTokenCounter();
  const whole = count("=".repeat(RUN_LIMIT)) * 100;
  assert.equal(count("=".repeat(RUN_LIMIT * 100)), whole);
});
