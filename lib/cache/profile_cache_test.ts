import assert from "node:assert/strict";
import { createResponseCache, disabledResponseCache } from "./mod.ts";
import { entry, openRig, standingClock } from "./testdata/rig.ts";

const bytes = (length: number) => new Uint8Array(length).fill(32);

Deno.test("an entry is fresh for its operation's time, then good for revalidation, then gone", async () => {
  await using rig = await openRig();
  const cache = rig.open({ ttl: { configured: { "x.slow": 5_000, "x.never": 0 } } });
  await cache.put("k", entry({ opId: "x.slow", etag: "e" }));
  assert.equal((await cache.get("k"))?.fresh, true);
  rig.clock.advance(5_000);
  assert.deepEqual([(await cache.get("k"))?.fresh, (await cache.get("k"))?.etag], [false, "e"]);
  await cache.renew("k");
  assert.equal((await cache.get("k"))?.fresh, true);
  rig.clock.advance(168 * 3_600_000);
  assert.equal(await cache.get("k"), undefined);
  assert.equal(cache.cacheable?.("x.never"), false);
  await cache.put("n", entry({ opId: "x.never" }));
  assert.equal(await cache.get("n"), undefined);
});

Deno.test("without an ETag an answer past its time is a miss", async () => {
  await using rig = await openRig();
  const cache = rig.open();
  await cache.put("k", entry());
  rig.clock.advance(60_000);
  assert.equal(await cache.get("k"), undefined);
});

Deno.test("an entry survives its process; what was delivered is known to its session only", async () => {
  await using rig = await openRig();
  const first = rig.open();
  await first.put("k", entry({ body: new TextEncoder().encode('{"a":1}'), etag: 'W/"x"' }));
  assert.equal((await first.get("k"))?.seen, true);
  first.close();
  assert.equal(await first.get("k"), undefined, "a closed cache misses");
  const second = rig.open();
  const found = await second.get("k");
  assert.deepEqual(
    [new TextDecoder().decode(found?.body), found?.etag, found?.seen],
    ['{"a":1}', 'W/"x"', false],
  );
  assert.equal((await second.get("k"))?.seen, true);
});

Deno.test("callers get copies: writing into one changes nobody else's", async () => {
  await using rig = await openRig();
  const cache = rig.open();
  const body = new TextEncoder().encode("{}");
  await cache.put("k", entry({ body }));
  body[0] = 0;
  const found = await cache.get("k");
  found?.body.fill(0);
  assert.deepEqual((await cache.get("k"))?.body, new TextEncoder().encode("{}"));
});

Deno.test("TestPrincipalScopedRecoveryAndCache: a write drops one service of one principal", async () => {
  await using rig = await openRig();
  const cache = rig.open();
  await cache.put("a", entry());
  await cache.put("b", entry({ service: "gmail" }));
  await cache.put("c", entry({ fingerprint: "g" }));
  await cache.invalidate({ service: "drive", fingerprint: "f" });
  assert.equal(await cache.get("a"), undefined);
  assert.ok(await cache.get("b"));
  assert.ok(await cache.get("c"));
  await cache.evict("b");
  assert.equal(await cache.get("b"), undefined);
  assert.deepEqual(rig.rows().map(({ key }) => key), ["c"]);
});

Deno.test("what another process changes is seen at once, although memory has the old answer", async () => {
  await using rig = await openRig();
  const [one, other] = [rig.open(), rig.open()];
  await one.put("k", entry());
  assert.ok(await one.get("k"));
  await other.invalidate({ service: "drive", fingerprint: "f" });
  assert.equal(await one.get("k"), undefined);
  await other.put("k", entry({ body: new TextEncoder().encode("[1]") }));
  assert.equal(new TextDecoder().decode((await one.get("k"))?.body), "[1]");
});

Deno.test("statistics are cumulative over processes and count rows that are fresh", async () => {
  await using rig = await openRig();
  const first = rig.open();
  await first.get("k");
  await first.put("k", entry({ etag: "e", body: bytes(10) }));
  await first.get("k");
  first.close();
  const second = rig.open();
  await second.get("k");
  await second.renew("k");
  assert.deepEqual(second.stats(), {
    semantic: { hits: 2, misses: 1, evictions: 0, entries: 1, bytes: 10 },
    http: { hits: 1, misses: 1, entries: 1, bytes: 10 },
    backend: "file",
  });
  rig.clock.advance(60_000);
  assert.deepEqual(second.stats(), {
    semantic: { hits: 2, misses: 1, evictions: 0, entries: 0, bytes: 0 },
    http: { hits: 1, misses: 1, entries: 1, bytes: 10 },
    backend: "file",
  });
});

Deno.test("memory alone is bounded: the least recently used go first, oversized bodies stay out", async () => {
  const cache = createResponseCache({ clock: standingClock(), hot: { bytes: 100 } });
  await cache.put("a", entry({ body: bytes(40) }));
  await cache.put("b", entry({ body: bytes(40) }));
  await cache.get("a");
  await cache.put("c", entry({ body: bytes(40) }));
  assert.equal(await cache.get("b"), undefined);
  assert.ok(await cache.get("a"));
  await cache.put("big", entry({ body: new Uint8Array(8 * 1024 * 1024 + 1) }));
  assert.equal(await cache.get("big"), undefined);
  const { semantic, backend } = cache.stats();
  assert.deepEqual(semantic, { hits: 2, misses: 2, evictions: 1, entries: 2, bytes: 80 });
  assert.equal(backend, "memory");
  cache.close();
  cache.close();
});

Deno.test("the disabled cache keeps nothing and counts nothing", async () => {
  await disabledResponseCache.put("k", entry());
  assert.equal(await disabledResponseCache.get("k"), undefined);
  assert.equal(disabledResponseCache.cacheable?.("x"), false);
  assert.deepEqual(Object.keys(disabledResponseCache.stats()), ["semantic", "http"]);
});

Deno.test("a folder that cannot be used leaves the cache in memory, said once", async () => {
  await using rig = await openRig();
  const file = await Deno.makeTempFile();
  const cache = rig.open({ directory: `${file}/below` });
  await cache.put("k", entry());
  assert.ok(await cache.get("k"));
  assert.deepEqual(rig.logs, ["cache_open_failed"]);
  await Deno.remove(file);
});

Deno.test("rows that a write could not remove are served to nobody", async () => {
  await using rig = await openRig();
  const cache = rig.open({ busyTimeoutMs: 0 });
  await cache.put("old", entry());
  await cache.put("other", entry({ fingerprint: "g" }));
  const holder = rig.connect();
  holder.exec("BEGIN IMMEDIATE");
  await assert.rejects(cache.invalidate({ service: "drive", fingerprint: "f" }));
  assert.equal(await cache.get("old"), undefined);
  assert.equal((await cache.get("other"))?.fresh, true);
  holder.exec("ROLLBACK");
  assert.equal(await cache.get("old"), undefined);
  assert.deepEqual(rig.rows().map(({ key }) => key), ["other"]);
  await cache.put("old", entry());
  assert.equal((await cache.get("old"))?.fresh, true);
});

Deno.test("an answer asked for before a write is not kept, one asked for after it is", async () => {
  await using rig = await openRig();
  const cache = rig.open();
  const scope = { service: "drive", fingerprint: "f" };
  const before = cache.changes?.(scope);
  await cache.invalidate(scope);
  await cache.put("k", { ...entry(), changes: before });
  assert.equal(await cache.get("k"), undefined);
  await cache.put("k", { ...entry(), changes: cache.changes?.(scope) });
  assert.equal((await cache.get("k"))?.fresh, true);
  const elsewhere = { service: "gmail", fingerprint: "f" };
  const gmail = cache.changes?.(elsewhere);
  await cache.invalidate(scope);
  await cache.put("m", { ...entry({ service: "gmail" }), changes: gmail });
  assert.equal((await cache.get("m"))?.fresh, true);
});
