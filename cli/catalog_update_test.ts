import assert from "node:assert/strict";
import { runGum, withFolder } from "./testing/spawned.ts";

Deno.test("catalog: update, search, describe and rollback work on the emulator, stats say so", async () => {
  await withFolder(async (folder) => {
    const home = { home: folder };
    const gum = async (...argv: string[]) => await runGum(argv, home);
    const revision = async () =>
      JSON.parse((await gum("catalog", "stats")).stdout).long_tail.revision;

    assert.equal(await revision(), "shipped");
    const updated = JSON.parse((await gum("catalog", "update", "--emulator")).stdout);
    assert.deepEqual([updated.status, updated.services], ["updated", ["tidetable"]]);
    assert.equal(await revision(), updated.revision);
    const found = JSON.parse((await gum("search", "list", "tides", "--top-k", "1")).stdout);
    assert.equal(found.results[0].op_id, "tidetable.harbours.tides.list");
    assert.equal(found.results[0].tier, "long_tail");
    const described = await gum("describe", "tidetable.harbours.tides.list");
    assert.equal(JSON.parse(described.stdout).op.variants.length, 2);

    await gum("catalog", "update", "--rollback");
    assert.equal(await revision(), "shipped");
    assert.match((await gum("describe", "tidetable.harbours.tides.list")).stderr, /OP_NOT_FOUND/);
    const refused = await gum("catalog", "update");
    assert.equal(refused.code === 0, false);
    assert.match(refused.stdout + refused.stderr, /no release channel|no_release_channel/);
  });
});

Deno.test("catalog stats: counts of both tiers, and the exposure of the profile", async () => {
  await withFolder(async (folder) => {
    const home = { home: folder };
    const stats = JSON.parse((await runGum(["catalog", "stats"], home)).stdout);
    assert.ok(stats.curated.operations > 200);
    assert.ok(stats.long_tail.operations > 10_000 && stats.long_tail.documents > 400);
    assert.equal(stats.long_tail.exposure, "read");
    const narrowed = ["search", "list", "instances", "--service", "compute", "--tier", "long_tail"];
    const { results } = JSON.parse((await runGum(narrowed, home)).stdout);
    assert.ok(results.length > 3);
    for (const row of results) {
      assert.deepEqual([row.tier, row.op_id.split(".")[0]], ["long_tail", "compute"]);
    }
    assert.match((await runGum(["search", "mail", "--tier", "gold"], home)).stderr, /--tier/);
    const hidden = await runGum(["describe", "compute.instances.insert"], home);
    assert.match(hidden.stderr, /OP_NOT_FOUND/);
    assert.match(hidden.stderr, /catalog.long_tail/);
    await runGum(["config", "set", "catalog.long_tail=all"], home);
    const shown = await runGum(["describe", "compute.instances.insert"], home);
    assert.equal(JSON.parse(shown.stdout).op.op_id, "compute.instances.insert");
    await runGum(["config", "set", "catalog.long_tail=off"], home);
    const off = JSON.parse((await runGum(["search", "compute", "engine"], home)).stdout);
    assert.ok(off.results.every((row: { op_id: string }) => !row.op_id.startsWith("compute.")));
  });
});
