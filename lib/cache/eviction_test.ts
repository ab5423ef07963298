import assert from "node:assert/strict";
import fc from "fast-check";
import { isGumError } from "../errors/mod.ts";
import { clearExpired } from "./mod.ts";
import { entry, openRig } from "./testdata/rig.ts";
import { lowestScores, type ScoredRow, vaacScore } from "./vaac.ts";

const body = (length: number) => new Uint8Array(length).fill(32);

Deno.test("TestEvictExpiredCountsOnlyDeletedEntries: rows nobody can use go, and are counted", async () => {
  await using rig = await openRig();
  const cache = rig.open();
  await cache.put("plain", entry());
  await cache.put("tagged", entry({ etag: "e" }));
  rig.clock.advance(30_000);
  await cache.put("young", entry());
  rig.clock.advance(30_000);
  assert.equal(await cache.evictExpired(), 1);
  assert.deepEqual(rig.rows().map(({ key }) => key), ["tagged", "young"]);
  assert.equal(await cache.evictExpired(), 0);
  rig.clock.advance(200 * 3_600_000);
  assert.equal(await cache.evictExpired(), 2);
});

Deno.test("TestEvictExpiredReportsDeleteFailure: a commit that fails gives no count and drops nothing", async () => {
  await using rig = await openRig();
  const cache = rig.open({ busyTimeoutMs: 20 });
  await cache.put("k", entry());
  rig.clock.advance(60_000);
  const other = rig.connect();
  other.exec("BEGIN IMMEDIATE");
  await assert.rejects(cache.evictExpired(), /locked/);
  await assert.rejects(
    clearExpired(rig.folder, { now: rig.clock.now(), busyTimeoutMs: 20 }),
    (error) => isGumError(error, "CACHE_STORE_FAILED"),
  );
  other.exec("ROLLBACK");
  assert.equal(rig.rows().length, 1);
  assert.equal(await cache.evictExpired(), 1);
});

Deno.test("TestEvictOverSizeReportsDeleteFailure: a put that cannot make room leaves no row", async () => {
  await using rig = await openRig();
  const cache = rig.open({ busyTimeoutMs: 20, maxBytes: 100 });
  await cache.put("a", entry({ body: body(60) }));
  const other = rig.connect();
  other.exec("BEGIN IMMEDIATE");
  await assert.rejects(cache.put("b", entry({ body: body(60) })), /locked/);
  other.exec("ROLLBACK");
  assert.deepEqual(rig.rows().map(({ key }) => key), ["a"]);
  assert.equal(await cache.get("b"), undefined);
});

Deno.test("TestEvictOverSizeUnderCapIsNoError: up to the cap nothing leaves, past it the oldest do", async () => {
  await using rig = await openRig();
  const cache = rig.open({ maxBytes: 100 });
  for (const key of ["a", "b"]) {
    await cache.put(key, entry({ body: body(50) }));
    rig.clock.advance(1);
  }
  assert.equal(rig.rows().length, 2);
  // Reading refreshes: what leaves is what was used longest ago, not what was written first.
  await cache.get("a");
  rig.clock.advance(1);
  await cache.put("c", entry({ body: body(10) }));
  assert.deepEqual(rig.rows().map(({ key }) => key), ["a", "c"]);
  const { semantic } = cache.stats();
  assert.deepEqual(semantic, { hits: 1, misses: 0, evictions: 1, entries: 2, bytes: 60 });
});

Deno.test("replacing a row counts its bytes once and keeps its hits", async () => {
  await using rig = await openRig();
  const cache = rig.open();
  await cache.put("k", entry({ body: body(40) }));
  await cache.get("k");
  await cache.put("k", entry({ body: body(30) }));
  const [row] = rig.rows();
  assert.deepEqual([row?.hits, row?.size_bytes], [1, 30]);
  const counted = rig.connect().prepare("SELECT value FROM counter WHERE name = 'bytes'").get();
  assert.equal(counted?.value, 30);
});

Deno.test("past the entry cap the least worthy row leaves: a hot old one outlives a cold new one", async () => {
  await using rig = await openRig();
  const cache = rig.open({ maxEntries: 2 });
  await cache.put("hot", entry({ body: body(10) }));
  for (let round = 0; round < 20; round++) await cache.get("hot");
  rig.clock.advance(1_000);
  await cache.put("cold", entry({ body: body(10) }));
  rig.clock.advance(1_000);
  await cache.put("new", entry({ body: body(10) }));
  assert.deepEqual(rig.rows().map(({ key }) => key), ["hot", "new"]);
});

Deno.test("what is known about rows follows the file: evictions are those of a cache that reads it each time", async () => {
  const step = fc.record({
    key: fc.nat(11).map((index) => `k${index}`),
    does: fc.constantFrom(
      "put",
      "put",
      "get",
      "get",
      "renew",
      "evict",
      "invalidate",
      "peer",
      "late",
    ),
    size: fc.nat(40),
  });
  await fc.assert(
    fc.asyncProperty(fc.array(step, { minLength: 80, maxLength: 80 }), async (steps) => {
      /** The rows left after each step; `follows` false opens the cache anew before each. */
      const run = async (follows: boolean) => {
        await using rig = await openRig();
        const open = () => rig.open({ maxEntries: 5 });
        let [cache, peer] = [open(), open()];
        await cache.warm();
        const keys = rig.connect().prepare("SELECT group_concat(key) AS keys FROM entry");
        const history: string[] = [];
        for (const { key, does, size } of steps) {
          rig.clock.advance(1_000);
          const given = entry({ body: body(size), etag: "e", service: `s${size % 3}` });
          if (does === "put") await cache.put(key, given);
          else if (does === "peer") await peer.put(key, given);
          else if (does === "get") await cache.get(key);
          else if (does === "renew") await cache.renew(key);
          else if (does === "evict") await cache.evict(key);
          else if (does === "invalidate") {
            await cache.invalidate({ service: "s1", fingerprint: "f" });
          } else rig.clock.advance(70_000);
          // Uses are written down with the next put; here they are the same for both.
          cache.stats();
          if (!follows) {
            cache.close();
            peer.close();
            [cache, peer] = [open(), open()];
          }
          history.push(String(keys.get()?.keys).split(",").sort().join());
        }
        return history;
      };
      assert.deepEqual(await run(true), await run(false));
    }),
    { numRuns: 12 },
  );
});

Deno.test("scores: more use and size count for a row, idleness and age against it, ties are settled", () => {
  const row: ScoredRow = {
    key: "k",
    opId: "x.y",
    hits: 1,
    sizeBytes: 10,
    insertedMs: 0,
    lastAccessMs: 0,
  };
  const scoring = { now: 120_000, ttl: () => 60_000 };
  const score = (extra: Partial<ScoredRow>) => vaacScore({ ...row, ...extra }, scoring);
  assert.ok(score({ hits: 2 }) > score({}));
  assert.ok(score({ lastAccessMs: 60_000 }) > score({}));
  assert.ok(vaacScore(row, { ...scoring, ttl: () => 0 }) > score({}));
  assert.equal(score({ sizeBytes: Infinity }), 0);
  assert.equal(score({ insertedMs: NaN }), 0);
  fc.assert(fc.property(
    fc.array(fc.record({ hits: fc.nat(9), lastAccessMs: fc.nat(9) }), { maxLength: 20 }),
    fc.nat(25),
    (facts, count) => {
      const rows = facts.map((fact, index) => ({ ...row, ...fact, key: `${index}` }));
      const leaving = lowestScores(rows, { ...scoring, count });
      assert.equal(leaving.length, Math.min(count, rows.length));
      assert.deepEqual(lowestScores(rows.toReversed(), { ...scoring, count }), leaving);
    },
  ));
});
