import assert from "node:assert/strict";
import { isGumError } from "../../errors/mod.ts";
import { runCanaries } from "./canaries.ts";

Deno.test("TestManagedOAuthLiveCanaryRequired: a canary run records what it found and keeps the rest", async () => {
  const folder = await Deno.makeTempDir();
  const registryPath = `${folder}/scopes.json`;
  const rows = [
    { scope: "a", live_canary_required: true, live_canary_state: "pending", note: "kept" },
    { scope: "b", live_canary_required: true, live_canary_state: "passing" },
    { scope: "c", live_canary_required: false, live_canary_state: "pending" },
    { scope: "d", live_canary_required: true },
  ];
  await Deno.writeTextFile(registryPath, JSON.stringify({ other: 1, scopes: rows }));
  const found = await runCanaries({
    registryPath,
    probe: (scope) => scope === "d" ? Promise.reject(new Error()) : Promise.resolve(scope === "a"),
    now: () => Date.parse("2026-05-19T10:00:00Z"),
  });
  assert.deepEqual([...found], [["a", "passing"], ["b", "failing"], ["d", "failing"]]);
  const last_checked = "2026-05-19T10:00:00.000Z";
  assert.deepEqual(JSON.parse(await Deno.readTextFile(registryPath)), {
    other: 1,
    scopes: [
      { ...rows[0], live_canary_state: "passing", last_checked },
      { ...rows[1], live_canary_state: "failing", last_checked },
      rows[2],
      { ...rows[3], live_canary_state: "failing", last_checked },
    ],
  });
  const run = { probe: () => Promise.resolve(true), now: Date.now };
  await assert.rejects(
    runCanaries({ ...run, registryPath: `${folder}/none.json` }),
    (error) => isGumError(error, "AUTH_MANAGED_SCOPES_NOT_FOUND"),
  );
  for (const text of ["{", "[]", '{"scopes": 1}']) {
    await Deno.writeTextFile(registryPath, text);
    await assert.rejects(
      runCanaries({ ...run, registryPath }),
      (error) => isGumError(error, "AUTH_MANAGED_SCOPES_INVALID"),
    );
  }
  await Deno.remove(folder, { recursive: true });
});
