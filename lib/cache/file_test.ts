import assert from "node:assert/strict";
import { isGumError } from "../errors/mod.ts";
import {
  clearCache,
  clearExpired,
  inspectCacheFile,
  migrateCache,
  readCacheStats,
  unusedLeftovers,
} from "./mod.ts";
import { bringUpToDate, SCHEMA_STEPS, type SchemaStep, schemaVersion } from "./schema.ts";
import { entry, openRig, type Rig } from "./testdata/rig.ts";

const POSIX = Deno.build.os !== "windows";

/** A version after the shipped one, to prove what holds for every step. */
const NEXT: SchemaStep = (database) => database.exec("ALTER TABLE entry ADD COLUMN note TEXT");
const FAILING: SchemaStep = (database) => {
  database.exec("ALTER TABLE entry ADD COLUMN note TEXT; DELETE FROM entry");
  throw new Error("step failed");
};

async function filled(rig: Rig): Promise<void> {
  const cache = rig.open();
  await cache.put("old", entry({ etag: "e" }));
  rig.clock.advance(90_000);
  await cache.put("new", entry());
  cache.close();
}

Deno.test("the file is private from its first byte and its directory too; a looser file is tightened", async () => {
  await using rig = await openRig();
  const first = rig.open();
  await first.put("k", entry());
  if (POSIX) {
    assert.equal(((await Deno.stat(rig.folder)).mode ?? 0) & 0o777, 0o700);
    for (const { name } of Deno.readDirSync(rig.folder)) {
      assert.equal(((await Deno.stat(`${rig.folder}/${name}`)).mode ?? 0) & 0o777, 0o600, name);
    }
    first.close();
    await Deno.chmod(`${rig.folder}/http-wal.db`, 0o644);
    const second = rig.open();
    assert.ok(await second.get("k"));
    assert.equal(((await Deno.stat(`${rig.folder}/http-wal.db`)).mode ?? 0) & 0o777, 0o600);
  }
});

Deno.test("a file that is not SQLite: calls go on in memory, the probe and the commands name it", async () => {
  await using rig = await openRig();
  await Deno.mkdir(rig.folder, { recursive: true });
  await Deno.writeTextFile(`${rig.folder}/http-wal.db`, "no database ".repeat(1_000));
  const cache = rig.open();
  await cache.put("k", entry());
  assert.ok(await cache.get("k"));
  assert.deepEqual(rig.logs, ["cache_open_failed"]);
  assert.equal((await inspectCacheFile(rig.folder)).kind, "corrupt");
  await assert.rejects(clearCache(rig.folder), (error) => isGumError(error, "CACHE_CORRUPT"));
});

Deno.test("a file damaged in its middle is let go where it is met; memory goes on", async () => {
  await using rig = await openRig();
  const first = rig.open();
  for (let index = 0; index < 200; index++) {
    await first.put(`k${index}`, entry({ body: new Uint8Array(5_000).fill(48) }));
  }
  first.close();
  const path = `${rig.folder}/http-wal.db`;
  const bytes = await Deno.readFile(path);
  bytes.fill(0xee, 8_192);
  await Deno.writeFile(path, bytes);
  const second = rig.open();
  let failures = 0;
  for (let index = 0; index < 200; index++) {
    await second.get(`k${index}`).catch(() => failures++);
  }
  assert.ok(failures <= 1, "one failure at most, then it is memory alone");
  await second.put("fine", entry());
  assert.ok(await second.get("fine"));
});

Deno.test("TestMigrateCorruptWALWithoutForceStillFails: reported, nothing changed", async () => {
  await using rig = await openRig();
  await Deno.mkdir(rig.folder, { recursive: true });
  const path = `${rig.folder}/http-wal.db`;
  await Deno.writeTextFile(path, "garbage".repeat(1_000));
  const report = await migrateCache(rig.folder, { force: false });
  assert.deepEqual([report.ok, report.error], [false, "CACHE_CORRUPT"]);
  assert.match(String(report.hint), /--force/);
  assert.equal(await Deno.readTextFile(path), "garbage".repeat(1_000));
});

Deno.test("TestMigrateForceRecoversCorruptWAL: with force an empty file takes its place", async () => {
  await using rig = await openRig();
  await Deno.mkdir(rig.folder, { recursive: true });
  await Deno.writeTextFile(`${rig.folder}/http-wal.db`, "garbage".repeat(1_000));
  await Deno.writeTextFile(`${rig.folder}/http-wal.db-wal`, "more garbage");
  const report = await migrateCache(rig.folder, { force: true });
  assert.deepEqual(
    [report.ok, report.recreated, report.entries_kept, report.schema_version_after],
    [true, true, 0, 1],
  );
  const cache = rig.open();
  await cache.put("k", entry());
  cache.close();
  assert.equal(rig.rows().length, 1);
});

Deno.test("TestMigratePreservesEntryExpiry: a stale row stays stale, a fresh one fresh", async () => {
  await using rig = await openRig();
  await filled(rig);
  const report = await migrateCache(rig.folder, {
    force: false,
    steps: [...SCHEMA_STEPS, NEXT],
  });
  assert.deepEqual([report.schema_version_before, report.schema_version_after], [1, 2]);
  assert.equal(report.entries_kept, 2);
  const rows = rig.connect().prepare("SELECT key, fresh_until_ms FROM entry ORDER BY key").all();
  const now = rig.clock.now();
  assert.deepEqual(rows.map((row) => [row.key, Number(row.fresh_until_ms) > now]), [
    ["new", true],
    ["old", false],
  ]);
});

Deno.test("TestMigrateKeepsCacheBucketKeysBare: keys stay exactly as they were", async () => {
  await using rig = await openRig();
  await filled(rig);
  const before = rig.rows().map(({ key }) => key);
  const again = await migrateCache(rig.folder, { force: false });
  assert.deepEqual([again.schema_version_before, again.recreated], [1, false]);
  await migrateCache(rig.folder, { force: false, steps: [...SCHEMA_STEPS, NEXT] });
  assert.deepEqual(rig.rows().map(({ key }) => key), before);
});

Deno.test("TestImportIsInvisibleUntilCommit: another connection sees the file before or after", async () => {
  await using rig = await openRig();
  await filled(rig);
  const other = rig.connect();
  const seen: unknown[] = [];
  const looking: SchemaStep = (database) => {
    NEXT(database);
    database.exec("UPDATE entry SET note = 'x'");
    seen.push(schemaVersion(other), other.prepare("SELECT * FROM entry").all()[0]?.note);
  };
  bringUpToDate(rig.connect(), [...SCHEMA_STEPS, looking]);
  assert.deepEqual(seen, [1, undefined]);
  assert.equal(schemaVersion(other), 2);
});

Deno.test("TestImportRollbackLeavesNothing: a failed step leaves neither rows nor version", async () => {
  await using rig = await openRig();
  await filled(rig);
  await assert.rejects(
    migrateCache(rig.folder, { force: false, steps: [...SCHEMA_STEPS, FAILING] }),
    /step failed/,
  );
  const after = rig.connect();
  assert.equal(schemaVersion(after), 1);
  const [row] = after.prepare("SELECT * FROM entry").all();
  assert.equal(rig.rows().length, 2);
  assert.ok(row !== undefined && !("note" in row));
});

Deno.test("a file of a newer gum is not touched: memory alone, commands say which version", async () => {
  await using rig = await openRig();
  await filled(rig);
  rig.connect().exec("PRAGMA user_version = 9");
  const cache = rig.open();
  assert.equal(await cache.get("new"), undefined);
  assert.deepEqual(rig.logs.slice(-1), ["cache_open_failed"]);
  assert.deepEqual(await inspectCacheFile(rig.folder), { kind: "newer", version: 9 });
  const report = await migrateCache(rig.folder, { force: false });
  assert.deepEqual([report.ok, report.error, report.found], [false, "CACHE_SCHEMA_UNSUPPORTED", 9]);
  await assert.rejects(
    clearCache(rig.folder),
    (error) => isGumError(error, "CACHE_SCHEMA_UNSUPPORTED"),
  );
});

Deno.test("a migration waits for the lock of another one, then says so", async () => {
  await using rig = await openRig();
  await filled(rig);
  using lock = await Deno.open(`${rig.folder}/http-wal.db.lock`, { create: true, write: true });
  await lock.lock(true);
  await assert.rejects(
    migrateCache(rig.folder, { force: false, lockWaitMs: 30 }),
    (error) => isGumError(error, "CACHE_STORE_FAILED"),
  );
});

Deno.test("clearing deletes rows and counters and gives the space back; without a file it is a no-op", async () => {
  await using rig = await openRig();
  assert.deepEqual(await clearCache(rig.folder), { removed: 0, bytesFreed: 0 });
  assert.equal(await clearExpired(rig.folder, { now: 0 }), 0);
  const cache = rig.open();
  for (let index = 0; index < 50; index++) {
    await cache.put(`k${index}`, entry({ body: new Uint8Array(20_000).fill(48) }));
  }
  cache.close();
  const path = `${rig.folder}/http-wal.db`;
  const before = (await Deno.stat(path)).size;
  assert.deepEqual(await clearCache(rig.folder), { removed: 50, bytesFreed: 1_000_000 });
  assert.ok((await Deno.stat(path)).size < before / 10);
  const { semantic } = await readCacheStats(rig.folder, { now: rig.clock.now() });
  assert.deepEqual(semantic, { hits: 0, misses: 0, evictions: 0, entries: 0, bytes: 0 });
});

Deno.test("a folder below a plain file holds no cache: the commands find nothing, calls live in memory", async () => {
  await using rig = await openRig();
  await Deno.mkdir(rig.folder, { recursive: true });
  await Deno.writeTextFile(`${rig.folder}/file`, "");
  const directory = `${rig.folder}/file/gum/default`;
  const now = rig.clock.now();
  assert.equal((await readCacheStats(directory, { now })).semantic.entries, 0);
  assert.deepEqual(await clearCache(directory), { removed: 0, bytesFreed: 0 });
  assert.equal(await clearExpired(directory, { now }), 0);
  assert.deepEqual(await unusedLeftovers(directory), []);
  const cache = rig.open({ directory });
  await cache.put("k", entry());
  assert.equal((await cache.get("k"))?.fresh, true);
  assert.deepEqual(rig.logs, ["cache_open_failed"]);
});

Deno.test("files of other programs in the folder are named and not opened", async () => {
  await using rig = await openRig();
  assert.deepEqual(await unusedLeftovers(rig.folder), []);
  await Deno.mkdir(rig.folder, { recursive: true });
  await Deno.writeTextFile(`${rig.folder}/http.db.bak`, "x");
  assert.deepEqual(await unusedLeftovers(rig.folder), ["http.db.bak"]);
});

Deno.test("TestBBoltHotLastAccessNoRace: two processes read one key while a third writes; nothing is lost", async () => {
  await using rig = await openRig();
  const seed = rig.open();
  await seed.put("shared", entry());
  seed.close();
  const module = new URL("./mod.ts", import.meta.url).href;
  const worker = (body: string) => `
    import { createResponseCache } from ${JSON.stringify(module)};
    const clock = { now: () => ${rig.clock.now()}, sleep: () => Promise.resolve() };
    const cache = createResponseCache({ clock, directory: ${JSON.stringify(rig.folder)} });
    const entry = { body: new Uint8Array([123, 125]), opId: "x.y", variantId: "v", service: "s",
      fingerprint: "f" };
    for (let index = 0; index < 150; index++) { ${body} }
    cache.close();`;
  const run = async (name: string, body: string) => {
    const file = `${rig.folder}/${name}.ts`;
    await Deno.writeTextFile(file, worker(body));
    const { code, stderr } = await new Deno.Command(Deno.execPath(), {
      args: ["run", "-q", "--no-prompt", "--allow-read", "--allow-write", file],
      stdout: "null",
    }).output();
    assert.equal(code, 0, new TextDecoder().decode(stderr));
  };
  const read = 'if ((await cache.get("shared")) === undefined) throw new Error("lost");';
  await Promise.all([
    run("reader1", read),
    run("reader2", read),
    run("writer", "await cache.put(`w${index}`, entry);"),
  ]);
  const rows = rig.rows();
  assert.equal(rows.length, 151);
  assert.equal(rows.find(({ key }) => key === "shared")?.hits, 300);
});
