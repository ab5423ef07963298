import assert from "node:assert/strict";
import fc from "fast-check";
import type { JsonObject } from "../../json/mod.ts";
import { annotateCloseVariants } from "./close_variants.ts";

Deno.test("TestAnnotateResponseReportsTheFieldsItAdded: rows name their inputs, the rest is listed", () => {
  const body: { results: JsonObject[] } = {
    results: [
      { text: "running shoes", closeVariants: ["running  shoe", "Shoes running"] },
      { text: "tent" },
      { text: "stove", matchedInputs: ["from the service"] },
    ],
  };
  const annotated = annotateCloseVariants({ ...body }, [
    " Running Shoe ",
    "running shoes",
    "boat",
    "stove",
  ]);
  assert.deepEqual(annotated.addedPaths, ["results.matchedInputs", "unmatchedInputs"]);
  assert.deepEqual(annotated.body, {
    results: [
      {
        text: "running shoes",
        closeVariants: ["running  shoe", "Shoes running"],
        matchedInputs: [" Running Shoe ", "running shoes"],
      },
      { text: "tent" },
      { text: "stove", matchedInputs: ["from the service"] },
    ],
    unmatchedInputs: ["boat"],
  });
  assert.equal("matchedInputs" in (body.results[0] ?? {}), false, "the upstream body is untouched");
});

Deno.test("TestAnnotateResponseReportsUnmatchedInputsAlone: no row answers, or there are no rows", () => {
  const bodies: JsonObject[] = [{ results: [{ text: "tent" }] }, {}];
  for (const body of bodies) {
    const annotated = annotateCloseVariants(body, ["boat"]);
    assert.deepEqual(annotated, {
      body: { ...body, unmatchedInputs: ["boat"] },
      addedPaths: ["unmatchedInputs"],
    });
  }
});

Deno.test("TestAnnotateResponseReportsNoPathsWhenUnchanged: the same body comes back", () => {
  const own: JsonObject = {
    results: [{ text: "tent", matchedInputs: [] }],
    unmatchedInputs: ["kept"],
  };
  for (
    const [body, keywords] of [
      [own, ["tent", "boat"]],
      [{ results: [{ text: "tent" }] }, []],
      [["no", "object"], ["tent"]],
    ] as const
  ) {
    const annotated = annotateCloseVariants(body as JsonObject, keywords);
    assert.equal(annotated.body, body);
    assert.deepEqual(annotated.addedPaths, []);
  }
});

Deno.test("property: every input is either matched by a row or listed as unmatched, never both", () => {
  const word = fc.constantFrom("a", "A", " a", "b", "b  c", "B C", "d");
  fc.assert(fc.property(
    fc.array(word, { minLength: 1 }),
    fc.array(fc.record({ text: word, closeVariants: fc.array(word) })),
    (keywords, results) => {
      const { body } = annotateCloseVariants({ results }, keywords) as { body: JsonObject };
      const matched = (body.results as JsonObject[]).flatMap((row) => row.matchedInputs ?? []);
      const unmatched = (body.unmatchedInputs ?? []) as string[];
      for (const keyword of keywords) {
        assert.notEqual(matched.includes(keyword), unmatched.includes(keyword));
      }
    },
  ));
});
