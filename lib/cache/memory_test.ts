import assert from "node:assert/strict";
import { createMemoryResponseCache, disabledResponseCache } from "./mod.ts";

function at(start = 1000) {
  let now = start;
  return { now: () => now, sleep: () => Promise.resolve(), advance: (ms: number) => now += ms };
}

function entry(
  extra: Partial<Parameters<ReturnType<typeof createMemoryResponseCache>["put"]>[1]> = {},
) {
  return {
    body: new TextEncoder().encode("{}"),
    opId: "x.y",
    variantId: "v",
    service: "drive",
    fingerprint: "f",
    ...extra,
  };
}

Deno.test("an entry is fresh for its operation's time, then good for revalidation", async () => {
  const clock = at();
  const cache = createMemoryResponseCache({ clock, ttlMs: { "x.slow": 5000, "x.never": 0 } });
  await cache.put("k", entry({ opId: "x.slow", etag: "e" }));
  assert.equal((await cache.get("k"))?.fresh, true);
  clock.advance(5000);
  assert.deepEqual([(await cache.get("k"))?.fresh, (await cache.get("k"))?.etag], [false, "e"]);
  await cache.renew("k");
  assert.equal((await cache.get("k"))?.fresh, true);
  assert.equal(cache.cacheable?.("x.never"), false);
  await cache.put("n", entry({ opId: "x.never" }));
  assert.equal(await cache.get("n"), undefined);
});

Deno.test("seen means this session was given the body before", async () => {
  const clock = at();
  const cache = createMemoryResponseCache({ clock });
  await cache.put("k", entry());
  assert.equal((await cache.get("k"))?.seen, true);
});

Deno.test("invalidation takes one service of one principal; eviction one key", async () => {
  const cache = createMemoryResponseCache({ clock: at() });
  await cache.put("a", entry());
  await cache.put("b", entry({ service: "gmail" }));
  await cache.put("c", entry({ fingerprint: "g" }));
  await cache.invalidate({ service: "drive", fingerprint: "f" });
  assert.equal(await cache.get("a"), undefined);
  assert.ok(await cache.get("b"));
  assert.ok(await cache.get("c"));
  await cache.evict("b");
  assert.equal(await cache.get("b"), undefined);
});

Deno.test("memory is bounded: the oldest go first, oversized bodies never come in", async () => {
  const cache = createMemoryResponseCache({ clock: at(), capacityBytes: 100 });
  for (const key of ["a", "b", "c"]) await cache.put(key, entry({ body: new Uint8Array(40) }));
  assert.equal(await cache.get("a"), undefined);
  assert.ok(await cache.get("c"));
  assert.equal(cache.stats().bytes, 80);
  await cache.put("big", entry({ body: new Uint8Array(8 * 1024 * 1024 + 1) }));
  assert.equal(await cache.get("big"), undefined);
});

Deno.test("the disabled cache keeps nothing", async () => {
  await disabledResponseCache.put("k", entry());
  assert.equal(await disabledResponseCache.get("k"), undefined);
  assert.equal(disabledResponseCache.cacheable?.("x"), false);
});
