import assert from "node:assert/strict";
import fc from "fast-check";
import { FIVE_OPS, testOp, TWO_OPS } from "../testdata/ops.ts";
import { buildIndex, EMPTY_TABLES } from "./build.ts";
import { createSearch, operationVerbClass, type SearchTables } from "./mod.ts";

const TABLES: SearchTables = {
  service_aliases: { gmail: ["email", "mail"] },
  synonyms: { email: ["message"] },
};

function searchOver(ops: Parameters<typeof buildIndex>[0], tables = TABLES) {
  return createSearch(buildIndex(ops, { catalogSha256: "", tables }));
}

Deno.test("search: send email finds the send operation among five", () => {
  const ids = searchOver(FIVE_OPS).search("send email", 3).map(({ op_id }) => op_id);
  assert.ok(ids.includes("gmail.users.messages.send"));
  assert.equal(ids[0], "gmail.users.messages.send");
});

Deno.test("search: top-K 0, -1 and 100 give at most fifty ordered rows above zero", () => {
  const many = Array.from(
    { length: 80 },
    (_, at) => testOp(`gmail.messages.part${at}`, { title: "Email message" }),
  );
  for (const ops of [FIVE_OPS, many]) {
    for (const query of ["email", "email message"]) {
      for (
        const [topK, limit] of [[0, 10], [-1, 10], [Number.NaN, 10], [100, 50], [7, 7]] as const
      ) {
        const hits = searchOver(ops).search(query, topK);
        assert.ok(hits.length > 0 && hits.length <= limit);
        if (ops === many) assert.equal(hits.length, limit);
        assert.ok(hits.every(({ score }) => score > 0));
        assert.deepEqual(
          hits.map((hit) => hit.score),
          hits.map((hit) => hit.score).sort((a, b) => b - a),
        );
      }
    }
  }
});

Deno.test("search: words that only look like plurals or participles stay findable", () => {
  for (const query of ["process", "setting", "settings", "access", "address"]) {
    assert.ok(searchOver(TWO_OPS).search(query).length >= 1, query);
  }
});

Deno.test("search: no match, an empty query and stop words alone give no rows", () => {
  for (const query of ["zzzz_no_match", "", "   ", "what is the"]) {
    assert.deepEqual(searchOver(FIVE_OPS).search(query), [], query);
  }
});

Deno.test("search: a row shows the default variant's risk and auth, nothing else", () => {
  assert.deepEqual(Object.keys(searchOver(FIVE_OPS).search("send")[0] ?? {}), [
    "op_id",
    "score",
    "summary",
    "risk_class",
    "auth_strategy",
  ]);
});

Deno.test("search order: equal scores go by fewer segments, then by id", () => {
  const text = { title: "Zebra", summary: "Zebra." };
  const ops = [
    testOp("zebra.b.c.x", text),
    testOp("zebra.bb.xx", { ...text }),
    testOp("zebra.aa.xx", { ...text }),
  ];
  const index = buildIndex(ops, { catalogSha256: "", tables: EMPTY_TABLES });
  // One-letter segments are no terms, so give every document the same weights by hand.
  const at = index.terms.indexOf("zebra");
  index.postings.set([3, 0, 32, 0, 32, 0, 32], index.offsets[at]);
  assert.deepEqual(createSearch(index).search("zebra").map(({ op_id }) => op_id), [
    "zebra.aa.xx",
    "zebra.bb.xx",
    "zebra.b.c.x",
  ]);
});

Deno.test("verb prior: the verb of the query lifts operations of its class", () => {
  const ops = ["delete", "get", "insert", "update"].map((verb) =>
    testOp(`box.things.${verb}`, { title: "Thing", summary: "A thing." })
  );
  const search = searchOver(ops, EMPTY_TABLES);
  const first = (query: string) => search.search(query)[0]?.op_id;
  assert.equal(first("remove thing"), "box.things.delete");
  assert.equal(first("change thing"), "box.things.update");
  assert.equal(first("schedule thing"), "box.things.insert");
  assert.equal(first("thing"), "box.things.get");
  assert.equal(operationVerbClass("gmail.users.messages.batchDelete"), "");
  assert.equal(operationVerbClass("calendar.events.insert"), "create");
});

Deno.test("synonyms: a synonym counts half, a word that is both counts whole, repeats count once", () => {
  const ops = [testOp("aa.message", { title: "Message" }), testOp("bb.other", { title: "Other" })];
  const search = searchOver(ops, { service_aliases: {}, synonyms: { email: ["message"] } });
  const score = (query: string) => search.search(query)[0]?.score ?? 0;
  assert.ok(Math.abs(score("email") * 2 - score("message")) < 1e-8);
  assert.equal(score("email message"), score("message"));
  assert.equal(score("message message message"), score("message"));
});

Deno.test("search: what the session may not see is not found", () => {
  const index = buildIndex(FIVE_OPS, { catalogSha256: "", tables: TABLES });
  const search = createSearch(index, { visible: (opId) => !opId.endsWith(".send") });
  assert.ok(search.search("send message", 50).every(({ op_id }) => !op_id.endsWith(".send")));
});

Deno.test("search: any query gives ordered, distinct rows of the indexed operations", () => {
  const search = searchOver(FIVE_OPS);
  const known = new Set(FIVE_OPS.map(({ op_id }) => op_id));
  const vocabulary = fc.constantFrom(
    "send",
    "email",
    "message",
    "create",
    "file",
    "event",
    "trash",
    "toString",
    "__proto__",
  );
  const query = fc.oneof(fc.string(), fc.array(vocabulary).map((words) => words.join(" ")));
  fc.assert(fc.property(query, fc.integer({ min: -5, max: 60 }), (text, topK) => {
    const hits = search.search(text, topK);
    assert.ok(hits.every((hit) => known.has(hit.op_id) && hit.score > 0));
    assert.equal(new Set(hits.map(({ op_id }) => op_id)).size, hits.length);
    for (let at = 1; at < hits.length; at++) {
      assert.ok((hits[at - 1]?.score ?? 0) >= (hits[at]?.score ?? 0));
    }
    assert.deepEqual(search.search(text, topK), hits, "asking again changes nothing");
  }));
});
