import assert from "node:assert/strict";
import { jsonPhrases, linePhrases, trainDictionary } from "./dictionary.ts";

Deno.test("dictionary: what saves most stands last, and what is rare stays out", () => {
  const texts = Array.from({ length: 9 }, (_, at) => `a.b\tLists the instances of zone ${at}`);
  const dictionary = new TextDecoder().decode(trainDictionary(texts, linePhrases));
  assert.ok(dictionary.endsWith("Lists the instances of zone "), dictionary);
  assert.ok(!dictionary.includes("zone 1"), dictionary);
});

Deno.test("dictionary: the order of the texts changes nothing", () => {
  const texts = Array.from(
    { length: 40 },
    (_, at) => JSON.stringify({ type: "string", enum: [`MODE_${at % 7}`, "UNSPECIFIED"], at }),
  );
  assert.deepEqual(
    trainDictionary(texts, jsonPhrases),
    trainDictionary(texts.toReversed(), jsonPhrases),
  );
});

Deno.test("dictionary: never larger than a reference can reach", () => {
  const texts = Array.from(
    { length: 4 },
    () => JSON.stringify(Array.from({ length: 3_000 }, (_, at) => `a phrase of its own ${at}`)),
  );
  const { length } = trainDictionary(texts, jsonPhrases);
  assert.ok(length > 16_000 && length <= 32_768, `${length}`);
});
