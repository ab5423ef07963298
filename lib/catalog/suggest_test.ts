import assert from "node:assert/strict";
import { buildIndex, EMPTY_TABLES } from "./search/indexing/mod.ts";
import { createSearch } from "./search/mod.ts";
import { nearestWords } from "../spelling/mod.ts";
import { completeOpIds, suggestOps } from "./suggest.ts";
import { FIVE_OPS, testOp } from "./testdata/ops.ts";

const opIds = [
  "drive.files.list",
  "gmail.messages.list",
  "gmail.users.messages.list",
  "tasks.tasks.list",
];
const search = createSearch(buildIndex(FIVE_OPS, { catalogSha256: "", tables: EMPTY_TABLES }));
const fiveIds = FIVE_OPS.map(({ op_id }) => op_id);

Deno.test("suggestions: a typo is corrected first", () => {
  assert.equal(suggestOps("gmial.messages.list", { opIds })[0], "gmail.messages.list");
  assert.equal(suggestOps("GMAIL.Messages.List", { opIds })[0], "gmail.messages.list");
  assert.equal(
    suggestOps("gmail.users.mesages.list", { opIds: fiveIds, search })[0],
    "gmail.users.messages.list",
  );
});

Deno.test("suggestions: nothing close and nothing found is an empty list", () => {
  assert.deepEqual(suggestOps("zzzzzzzzzzzzzzz", { opIds: fiveIds, search }), []);
  assert.deepEqual(suggestOps("", { opIds: fiveIds, search }), []);
});

Deno.test("suggestions: three by distance, then search hits, five in all, no duplicates", () => {
  const ids = Array.from({ length: 9 }, (_, at) => `aaaa.bbbb.c${at}`);
  const many = createSearch(
    buildIndex(ids.map((id) => testOp(id)), { catalogSha256: "", tables: EMPTY_TABLES }),
  );
  assert.deepEqual(suggestOps("aaaa.bbbb.cx", { opIds: ids }), ids.slice(0, 3));
  const filled = suggestOps("aaaa.bbbb.cx", { opIds: ids, search: many });
  assert.equal(filled.length, 5);
  assert.equal(new Set(filled).size, 5);
  assert.deepEqual(filled.slice(0, 3), ids.slice(0, 3));
  assert.deepEqual(
    suggestOps("send a message", { opIds: fiveIds, search }).includes("gmail.users.messages.send"),
    true,
  );
});

Deno.test("suggestions: only ids the session knows are suggested", () => {
  const visible = fiveIds.filter((opId) => !opId.startsWith("gmail"));
  assert.ok(
    suggestOps("gmail.users.messages.send", { opIds: visible, search })
      .every((opId) => visible.includes(opId)),
  );
});

Deno.test("suggestions: a huge query costs nothing and matches nothing", () => {
  assert.deepEqual(nearestWords("x".repeat(100_000), opIds), []);
});

Deno.test("op id completion: exact case first, then score, then code unit; fifty at most", () => {
  const ids = ["Gmail.odd.get", ...fiveIds];
  const { values, total } = completeOpIds("gmail", { opIds: ids, search });
  assert.equal(total, 4);
  assert.equal(values.at(-1), "Gmail.odd.get");
  assert.deepEqual(completeOpIds("", { opIds: ["b.b", "a.a"], search }).values, ["a.a", "b.b"]);
  assert.deepEqual(completeOpIds("nope", { opIds: ids, search }), { values: [], total: 0 });
  const many = Array.from({ length: 70 }, (_, at) => `many.op${String(at).padStart(2, "0")}`);
  const cut = completeOpIds("many", { opIds: many });
  assert.equal(cut.values.length, 50);
  assert.equal(cut.total, 70);
});
