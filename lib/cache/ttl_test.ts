import assert from "node:assert/strict";
import { loadCatalog } from "../catalog/mod.ts";
import { silentLogger } from "../log/mod.ts";
import { createResponseCache } from "./mod.ts";
import { entry, standingClock } from "./testdata/rig.ts";
import { DEFAULT_TTL_MS, TTL_TABLE, ttlPolicy } from "./ttl.ts";

const OPS = loadCatalog(silentLogger).ops;

Deno.test("TestPerOpTTLKeysAreRealCatalogOps: every row names an operation that ships and is a read", () => {
  for (const key of Object.keys(TTL_TABLE)) {
    const op = OPS.find(({ op_id }) => op_id === key);
    assert.ok(op !== undefined, `${key} is no operation of the catalog`);
    assert.ok(op.variants.some(({ risk_class }) => risk_class === "read"), key);
  }
});

Deno.test("TestPerOpTTLCoversEverySpecTier: each lifetime reaches an operation that is stored for it", async () => {
  for (
    const [opId, ttl] of [...Object.entries(TTL_TABLE), [
      "tasks.tasks.list",
      DEFAULT_TTL_MS,
    ]] as const
  ) {
    const clock = standingClock();
    const cache = createResponseCache({ clock });
    await cache.put("k", entry({ opId }));
    clock.advance(ttl - 1);
    assert.equal((await cache.get("k"))?.fresh, true, opId);
    clock.advance(1);
    assert.equal(await cache.get("k"), undefined, opId);
    cache.close();
  }
  assert.deepEqual(
    [...new Set(Object.values(TTL_TABLE))].sort((left, right) => left - right),
    [60_000, 300_000, 3_600_000, 86_400_000],
  );
});

Deno.test("TestPerOpTTLTableShape: configuration wins, then what a plugin says, the table, the default", () => {
  const ttl = ttlPolicy({
    configured: { "drive.files.list": 1_000, "tasks.tasks.list": 0 },
    declared: (opId) => opId.startsWith("zed.") ? 0 : undefined,
  });
  assert.deepEqual(
    ["drive.files.list", "tasks.tasks.list", "zed.op", "gmail.users.getProfile", "toString"]
      .map(ttl),
    [1_000, 0, 0, 3_600_000, DEFAULT_TTL_MS],
  );
});
