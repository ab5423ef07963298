/** Cost of the long tail: `deno bench -A lib/catalog/longtail/longtail_bench.ts`. Spec 04 §10. */

import { openSearch } from "../search/mod.ts";
import { embeddedSource, openLongTail } from "./mod.ts";
import requests from "./testdata/requests.json" with { type: "json" };

const warm = await openSearch({ longTail: { exposure: "all" } });
const queries = requests.map(({ query }) => query);
let turn = 0;

Deno.bench("open the index, one query", async () => {
  const search = await openSearch({ longTail: { exposure: "all" } });
  search.search("list compute instances", 10);
});

Deno.bench("one query, warm", () => {
  warm.search(queries[turn++ % queries.length] ?? "", 10);
});

Deno.bench("first operation of an API", () => {
  openLongTail(embeddedSource(), { exposure: "all" }).findOp("compute.instances.list");
});

Deno.bench("argument schema with its body inlined", () => {
  openLongTail(embeddedSource(), { exposure: "all" })
    .requestSchema("compute.instances.insert.request");
});
