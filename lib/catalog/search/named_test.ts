import assert from "node:assert/strict";
import { loadCatalog } from "../load.ts";
import { embeddedSource, openLongTail } from "../longtail/mod.ts";
import { FIVE_OPS } from "../testdata/ops.ts";
import { buildIndex, EMPTY_TABLES } from "./build.ts";
import { createSearch, openSearch } from "./mod.ts";
import { idsIn, namedAmong } from "./named.ts";

const { ops } = loadCatalog();
const curated = await openSearch();
const everything = await openSearch({ longTail: { exposure: "all" } });
const reads = await openSearch({ longTail: { exposure: "read" } });

Deno.test("search by id: every curated operation comes first, once, with scores still falling", () => {
  for (const search of [curated, everything]) {
    for (const { op_id } of ops) {
      for (const query of [op_id, op_id.toLowerCase(), `describe ${op_id}, please.`]) {
        const rows = search.search(query, 5);
        assert.equal(rows[0]?.op_id, op_id, query);
        assert.equal(new Set(rows.map((row) => row.op_id)).size, rows.length, query);
        assert.ok(rows.length <= 5 && rows.every(({ score }) => score > 0), query);
      }
    }
  }
  for (const { op_id } of ops) {
    const scores = curated.search(op_id, 10).map(({ score }) => score);
    assert.deepEqual(scores, scores.toSorted((a, b) => b - a), op_id);
  }
});

Deno.test("search by id: operations of the long tail come first, too, where they are shown", () => {
  const pack = openLongTail(embeddedSource(), { exposure: "all" });
  for (const service of ["compute", "drive", "aiplatform", "alloydb", "zzz"]) {
    for (const opId of pack.operationIds(service).filter((_id, at) => at % 40 === 0)) {
      assert.equal(everything.search(opId, 1)[0]?.op_id, opId);
    }
  }
  const hidden = "alloydb.projects.locations.clusters.patch";
  assert.notEqual(reads.search(hidden, 1)[0]?.op_id, hidden);
  assert.equal(reads.hiddenBest?.(hidden), hidden);
  assert.equal(reads.hiddenBest?.("compute.instances.list"), undefined);
  assert.equal(everything.hiddenBest?.(hidden), undefined);
});

Deno.test("search by id: the ending of ids leads to all that end so", () => {
  const ids = everything.search("messages.list", 2).map(({ op_id }) => op_id).sort();
  assert.deepEqual(ids, ["chat.spaces.messages.list", "gmail.users.messages.list"]);
  assert.equal(curated.search("search.list", 1)[0]?.op_id, "youtube.search.list");
  assert.deepEqual(namedAmong("send it by messages.list", ["a.messages.list"]), []);
  const many = ["a", "b", "c", "d", "e"].map((service) => `${service}.things.get`);
  assert.deepEqual(namedAmong("things.get", many), []);
  assert.deepEqual(namedAmong("b.things.get", many), ["b.things.get"]);
});

Deno.test("search by id: addresses, numbers and sentences name nothing", () => {
  for (const text of ["", "send an email.", "v1.2", "10.5", "a..b", ".x", "list. now"]) {
    assert.deepEqual(idsIn(text), [], text);
  }
});

Deno.test("search by id: what a session may not see is not named either", () => {
  const index = buildIndex(FIVE_OPS, { catalogSha256: "", tables: EMPTY_TABLES });
  const [op] = FIVE_OPS;
  assert.ok(op !== undefined);
  assert.deepEqual(createSearch(index).named(op.op_id).map(({ op_id }) => op_id), [op.op_id]);
  assert.deepEqual(createSearch(index, { visible: () => false }).named(op.op_id), []);
});
