import assert from "node:assert/strict";
import { countWords } from "./word_count.ts";

Deno.test("countWords: most frequent first, case and punctuation aside", () => {
  assert.deepEqual(countWords("The cat, the CAT and a dog"), {
    total: 7,
    words: [
      { word: "cat", count: 2 },
      { word: "the", count: 2 },
      { word: "a", count: 1 },
      { word: "and", count: 1 },
      { word: "dog", count: 1 },
    ],
  });
  assert.deepEqual(countWords("…"), { total: 0, words: [] });
  assert.equal(countWords("a b c d", 2).words.length, 2);
});
