import assert from "node:assert/strict";
import fc from "fast-check";
import type { JsonObject } from "../json/mod.ts";
import { partialResponse } from "./partial_response.ts";
import { EmulatedError } from "./service.ts";

const body: JsonObject = {
  kind: "drive#fileList",
  nextPageToken: "t",
  files: [
    { id: "1", name: "a", owners: [{ me: true, emailAddress: "x@example.com" }], size: null },
    { id: "2", name: "b", owners: [] },
  ],
  meta: { deep: { er: 1, other: 2 }, flat: 3 },
};

Deno.test("partial responses: selectors, sub-selectors, slash paths and stars", () => {
  const cases: [string, unknown][] = [
    ["kind", { kind: "drive#fileList" }],
    ["kind,nextPageToken", { kind: "drive#fileList", nextPageToken: "t" }],
    ["files(id)", { files: [{ id: "1" }, { id: "2" }] }],
    ["files/id", { files: [{ id: "1" }, { id: "2" }] }],
    ["files(id,owners/me)", {
      files: [{ id: "1", owners: [{ me: true }] }, { id: "2", owners: [] }],
    }],
    ["files(owners(emailAddress))", {
      files: [{ owners: [{ emailAddress: "x@example.com" }] }, { owners: [] }],
    }],
    ["files/size", { files: [{ size: null }, {}] }],
    ["meta/deep/er", { meta: { deep: { er: 1 } } }],
    ["meta.deep.er", { meta: { deep: { er: 1 } } }],
    ["meta/*/er", { meta: { deep: { er: 1 } } }],
    ["*", body],
    ["*/deep", { files: [{}, {}], meta: { deep: { er: 1, other: 2 } } }],
    ["meta(deep/er,flat)", { meta: { deep: { er: 1 }, flat: 3 } }],
    ["meta,meta(flat)", { meta: { deep: { er: 1, other: 2 }, flat: 3 } }],
    ["meta(flat),meta", { meta: { deep: { er: 1, other: 2 }, flat: 3 } }],
    [" kind , meta ( flat ) ", { kind: "drive#fileList", meta: { flat: 3 } }],
  ];
  for (const [fields, expected] of cases) {
    assert.deepEqual(partialResponse(body, fields), expected, fields);
  }
});

Deno.test("partial responses: what a body does not have is left out and may leave nothing", () => {
  assert.deepEqual(partialResponse(body, "nothing"), {});
  assert.deepEqual(partialResponse(body, "kind/deeper"), {});
  assert.deepEqual(partialResponse(body, "files(nothing)"), { files: [{}, {}] });
  assert.deepEqual(partialResponse(body, "kind,nothing(a,b/c)"), { kind: "drive#fileList" });
});

Deno.test("partial responses: an unreadable mask is refused", () => {
  for (
    const fields of [
      "",
      ",",
      "a,",
      ",a",
      "a,,b",
      "a(",
      "a()",
      "a)",
      "(a)",
      "a(b",
      "a/",
      "/a",
      "a b",
    ]
  ) {
    assert.throws(() => partialResponse(body, fields), EmulatedError, fields);
  }
});

Deno.test("partial responses: masking twice is masking once", () => {
  const mask = fc.constantFrom(
    "kind",
    "files(id)",
    "files/owners(me)",
    "meta/deep",
    "*",
    "meta(flat),kind",
  );
  fc.assert(fc.property(mask, (fields) => {
    const once = partialResponse(body, fields);
    assert.deepEqual(partialResponse(once, fields), once);
  }));
});
