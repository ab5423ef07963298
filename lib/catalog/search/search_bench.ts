/** Cost of a search: `deno bench -A lib/catalog/search/search_bench.ts`. Budgets: spec 00 §8. */

import { embeddedCatalogSha256, embeddedIndexBytes } from "../embedded.ts";
import { loadCatalog } from "../load.ts";
import { buildIndex } from "./build.ts";
import { createSearch, decodeIndex } from "./mod.ts";
import natural from "./testdata/natural.json" with { type: "json" };

const bytes = embeddedIndexBytes();
const catalogSha256 = embeddedCatalogSha256();
const index = decodeIndex(bytes, { catalogSha256 });
const warm = createSearch(index);
const queries = natural.map(({ query }) => query);
let turn = 0;

Deno.bench("read and decode the index file", () => {
  decodeIndex(embeddedIndexBytes(), { catalogSha256: embeddedCatalogSha256() });
});

Deno.bench("decode the index, one query", () => {
  createSearch(decodeIndex(bytes, { catalogSha256 })).search("send an email", 10);
});

Deno.bench("one query, warm", { group: "query", baseline: true }, () => {
  warm.search(queries[turn++ % queries.length] ?? "", 10);
});

Deno.bench("one query, warm, fifty rows of a common word", { group: "query" }, () => {
  warm.search("list google user message event file", 50);
});

Deno.bench("build the index from the catalog", () => {
  buildIndex(loadCatalog().ops, { catalogSha256, tables: index.tables });
});
