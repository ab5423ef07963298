import assert from "node:assert/strict";
import { openSearch, type OperationSearch } from "./mod.ts";

const shown = (
  search: OperationSearch,
  query: string,
  within: { service?: string; tier?: "curated" | "long_tail" },
) => search.search(query, 10, within);

const everything = await openSearch({ longTail: { exposure: "all" } });
const reads = await openSearch({ longTail: { exposure: "read" } });
const curated = await openSearch();

Deno.test("search within a service: its operations are found however many others rank higher", () => {
  for (const service of ["tagmanager", "adsense", "zzz", "vault", "drive"]) {
    for (const search of [everything, reads]) {
      const rows = shown(search, "list", { service });
      assert.equal(rows.length > 0, service !== "zzz", service);
      assert.ok(rows.every(({ op_id }) => op_id.startsWith(`${service}.`)), service);
    }
  }
  assert.ok(
    shown(reads, "list", { service: "tagmanager" }).every((row) => row.risk_class === "read"),
  );
  // A service whose name begins with that of another one.
  const run = shown(everything, "list services", { service: "run" });
  assert.ok(run.length > 0 && run.every(({ op_id }) => op_id.startsWith("run.")));
});

Deno.test("search within a tier: the other one takes no place", () => {
  for (const [tier, query] of [["long_tail", "list"], ["curated", "list"]] as const) {
    const rows = shown(everything, query, { tier });
    assert.equal(rows.length, 10);
    assert.ok(rows.every((row) => row.tier === tier));
  }
  assert.equal(shown(everything, "list", { tier: "curated", service: "tagmanager" }).length, 0);
  assert.equal(shown(curated, "list", { tier: "long_tail" }).length, 0);
  assert.ok(shown(curated, "list", { tier: "curated", service: "vault" }).length > 0);
});

Deno.test("search within: an id of elsewhere is not named, and the next search is whole again", () => {
  const rows = shown(everything, "gmail.users.messages.list", { service: "chat" });
  assert.ok(rows.length > 0 && rows.every(({ op_id }) => op_id.startsWith("chat.")));
  assert.equal(
    everything.search("gmail.users.messages.list", 1)[0]?.op_id,
    "gmail.users.messages.list",
  );
  const query = "create filter in gmail";
  shown(reads, query, { service: "tasks" });
  assert.equal(reads.hiddenBest?.(query), "gmail.users.settings.filters.create");
});
