/** The release set is what its plan decides (spec 07 §3.15). */

import assert from "node:assert/strict";
import { committedSet } from "./gain_replay.ts";
import {
  apportioned,
  composeSet,
  readReleasePlan,
  type Way,
} from "./record_release_fixtures_plan.ts";

const plan = readReleasePlan();
const set = await committedSet();
const alone = set.fixtures.filter(({ entry }) => entry.category !== "gum_parallel_batch");

function countsOf(names: readonly string[]): Record<string, number> {
  const counts: Record<string, number> = {};
  for (const name of names) counts[name] = (counts[name] ?? 0) + 1;
  return counts;
}

Deno.test("TestGainFixtureCompositionGate: the plan decides every call, and the set is what it decides", () => {
  const composed = composeSet(plan);
  assert.deepEqual(composeSet(readReleasePlan()), composed);
  assert.deepEqual(
    countsOf(alone.map(({ entry }) => `${entry.category} ${entry.op_id}`)),
    countsOf(composed.calls.map(({ category, call }) => `${category} ${call.op}`)),
  );
  assert.deepEqual(
    set.fixtures.filter(({ entry }) => entry.category === "gum_parallel_batch")
      .map((fixture) => fixture.calls.map(({ request }) => request.op_id)),
    composed.batches.map((batch) => batch.map(({ op }) => op)),
  );
  assert.equal(set.manifest.seed, plan.seed);
});

Deno.test("TestGainFixtureCompositionGate: another seed draws other calls, the table stays", () => {
  const other = composeSet({ ...plan, seed: "another" });
  const own = composeSet(plan);
  assert.notDeepEqual(other.batches, own.batches);
  const table = new Set(Object.keys(plan.categories.workspace_toon_read.calls));
  const ofTable = ({ calls }: typeof own) =>
    countsOf(calls.map(({ call }) => call.op).filter((op) => table.has(op)));
  assert.deepEqual(ofTable(other), ofTable(own));
});

Deno.test("TestGainFixtureCompositionGate: ways share the calls by weight, largest remainder first", () => {
  const ways: Way[] = [{ args: { a: 1 }, weight: 4 }, { args: { b: 1 }, weight: 6 }, { args: {} }];
  assert.deepEqual(
    countsOf(apportioned(ways, 5).map(({ args }) => Object.keys(args).join())),
    { a: 2, b: 3 },
  );
  assert.equal(apportioned(ways, 11).length, 11);
});

Deno.test("TestGainFixtureCompositionGate: a batch is of one kind or spans services; some elements fail", () => {
  const batches = set.fixtures.filter(({ entry }) => entry.category === "gum_parallel_batch")
    .map((fixture) => fixture.calls.map(({ request }) => request));
  const kinds = batches.map((batch) => new Set(batch.map(({ op_id }) => op_id)).size);
  assert.equal(kinds.filter((count) => count === 1).length, 12);
  const services = (batch: typeof batches[number]) =>
    new Set(batch.map(({ op_id }) => op_id.split(".")[0])).size;
  for (const batch of batches) {
    if (new Set(batch.map(({ op_id }) => op_id)).size > 1) assert.ok(services(batch) >= 2);
  }
  const failing = batches.filter((batch) =>
    batch.filter(({ http_status }) => http_status !== undefined).length === 1
  );
  assert.ok(failing.length >= 4);
  assert.deepEqual(countsOf(batches.map(({ length }) => String(length))), { 2: 14, 3: 14, 4: 12 });
});
