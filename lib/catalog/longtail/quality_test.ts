import assert from "node:assert/strict";
import { openSearch } from "../search/mod.ts";
import { embeddedSource, openLongTail, openLongTailSearch } from "./mod.ts";
import documented from "../search/testdata/documented.json" with { type: "json" };
import everyday from "../search/testdata/everyday.json" with { type: "json" };
import natural from "../search/testdata/natural.json" with { type: "json" };
import unseen from "../search/testdata/unseen.json" with { type: "json" };
import requests from "./testdata/requests.json" with { type: "json" };
import fresh from "./testdata/unseen.json" with { type: "json" };

const curatedOnly = await openSearch();
const everything = await openSearch({ longTail: { exposure: "all" } });
const reads = await openSearch({ longTail: { exposure: "read" } });

type Search = typeof everything;

function rankOf(search: Search, request: { query: string; accept: string[] }): number {
  const accepted = request.accept.map((glob) =>
    new RegExp(`^${glob.split("*").map((part) => part.replaceAll(".", "\\.")).join(".*")}$`)
  );
  return search.search(request.query, 50)
    .findIndex(({ op_id }) => accepted.some((pattern) => pattern.test(op_id)));
}

Deno.test("long tail quality: not one curated request is answered worse with the pack on", () => {
  for (const request of [...documented, ...natural, ...everyday, ...unseen]) {
    const before = rankOf(curatedOnly, request);
    if (before < 0 || before >= request.k) continue;
    for (const search of [everything, reads]) {
      const now = rankOf(search, request);
      assert.ok(now >= 0 && now < request.k, `${request.query}: rank ${before + 1} to ${now + 1}`);
    }
  }
});

Deno.test("long tail quality: 85 % of requests over eighty APIs are answered within five rows", () => {
  const apis = new Set(requests.map(({ accept }) => accept[0]?.split(".")[0]));
  assert.ok(requests.length >= 150 && apis.size >= 80, `${requests.length} over ${apis.size}`);
  const missed = requests.filter((request) => {
    const rank = rankOf(everything, request);
    return rank < 0 || rank >= 5;
  });
  const answered = 1 - missed.length / requests.length;
  assert.ok(answered >= 0.85, missed.map(({ query }) => query).join("\n"));
});

Deno.test("long tail quality: 80 % of requests that no table was tuned on", () => {
  assert.ok(fresh.length >= 60);
  const missed = fresh.filter((request) => {
    const rank = rankOf(everything, request);
    return rank < 0 || rank >= 5;
  });
  const answered = 1 - missed.length / fresh.length;
  assert.ok(answered >= 0.8, missed.map(({ query }) => query).join("\n"));
});

Deno.test("long tail quality: every request can be answered at all", () => {
  const pack = openLongTail(embeddedSource(), { exposure: "all" });
  for (const { query, accept } of [...requests, ...fresh]) {
    const services = new Set(accept.map((id) => id.split(".")[0] ?? ""));
    const ids = [...services].flatMap((service) => pack.operationIds(service));
    for (const glob of accept) {
      const start = glob.split("*")[0] ?? "";
      assert.ok(ids.some((id) => id.startsWith(start)), `${query}: ${glob}`);
    }
  }
});

Deno.test("long tail search: rows carry their tier, hidden classes stay away, order is stable", () => {
  const rows = everything.search("create compute engine instance", 50);
  assert.ok(rows.some(({ tier }) => tier === "long_tail"));
  assert.ok(rows.some(({ risk_class }) => risk_class === "write"));
  assert.equal(new Set(rows.map(({ op_id }) => op_id)).size, rows.length);
  assert.deepEqual(rows, everything.search("create compute engine instance", 50));
  for (const row of reads.search("delete compute engine instance", 50)) {
    if (row.tier === "long_tail") assert.equal(row.risk_class, "read");
  }
  assert.ok(curatedOnly.search("list kubernetes clusters").every(({ tier }) => tier === undefined));
  assert.equal(everything.search("").length, 0);
  assert.equal(everything.search("a the of").length, 0);
});

Deno.test("long tail search: what the exposure hides is named when it would come first", () => {
  const hidden = (query: string) => reads.hiddenBest?.(query);
  assert.equal(hidden("run a bigquery query"), "bigquery.jobs.query");
  assert.equal(hidden("pubsub publish"), "pubsub.projects.topics.publish");
  // A curated answer, or a read that answers as well, leaves nothing to say.
  for (const query of ["send an email", "list virtual machines", "delete a drive file", "zzqx"]) {
    assert.equal(hidden(query), undefined, query);
  }
  assert.equal(everything.hiddenBest?.("run a bigquery query"), undefined);
  assert.equal(curatedOnly.hiddenBest?.("run a bigquery query"), undefined);
  assert.equal(everything.search("run a bigquery query", 1)[0]?.op_id, "bigquery.jobs.query");
});

Deno.test("long tail search: what is hidden belongs to the words asked for, whatever was searched before", () => {
  const open = () =>
    openLongTailSearch(embeddedSource(), { exposure: "read", synonyms: new Map() });
  const queries = ["run a bigquery query", "create compute instances", "publish a pubsub message"];
  const alone = queries.map((query) => open().hiddenBest(query)?.hit.op_id);
  assert.equal(new Set(alone).size, queries.length, `${alone}`);
  const used = open();
  for (const [at, query] of [...queries.entries(), ...[...queries.entries()].toReversed()]) {
    assert.equal(used.hiddenBest(query)?.hit.op_id, alone[at], query);
    used.ranked(queries[(at + 1) % queries.length] ?? "", 3);
    assert.equal(used.hiddenBest(query)?.hit.op_id, alone[at], `${query}, after another search`);
  }
});
