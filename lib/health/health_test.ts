import assert from "node:assert/strict";
import { createResponseCache } from "../cache/mod.ts";
import { systemClock } from "../clock/mod.ts";
import {
  type CredentialPlace,
  keychainProbe,
  keychainSample,
  probeArtifacts,
  probeAuditLog,
  probeCache,
  probeLedger,
  tryWriting,
} from "./mod.ts";

async function inFolder(run: (root: string) => Promise<void>) {
  const root = await Deno.makeTempDir({ prefix: "gum-health-" });
  try {
    await run(root);
  } finally {
    await Deno.remove(root, { recursive: true });
  }
}

/** Everything below a folder, to see that probes leave nothing. */
function tree(path: string): string[] {
  return [...Deno.readDirSync(path)].flatMap(({ name, isDirectory }) =>
    isDirectory ? tree(`${path}/${name}`) : [`${path}/${name}`]
  ).sort();
}

Deno.test({
  name: "TestStatusHealthNoNetwork: every probe answers without the network and leaves nothing",
  permissions: { net: false, read: true, write: true },
  async fn() {
    await inFolder(async (root) => {
      const data = `${root}/not/there/yet`;
      const samples = [
        await probeAuditLog(data),
        await probeCache(data, { persist: true }),
        await probeCache(data, { persist: false }),
        await probeLedger(data, { off: false }),
        await probeLedger(data, { off: true }),
        await probeArtifacts(data),
      ];
      assert.deepEqual(samples.map(({ status }) => status), Array(6).fill("healthy"));
      assert.deepEqual(samples.map(({ detail }) => detail), [
        "no rows yet; the directory can be made",
        "no cache file yet",
        "memory only: the response cache is not kept on disk",
        "no entries yet",
        "accounting is switched off",
        "no artifacts yet",
      ]);
      assert.deepEqual(tree(root), []);
    });
  },
});

Deno.test("directories that cannot be resolved or used are unavailable", async () => {
  for (
    const sample of [
      await probeAuditLog(undefined),
      await probeCache(undefined, { persist: true }),
      await probeLedger(undefined, { off: false }),
      await probeArtifacts(undefined),
    ]
  ) assert.equal(sample.status, "unavailable");
  await inFolder(async (root) => {
    await Deno.writeTextFile(`${root}/file`, "");
    await assert.rejects(probeAuditLog(`${root}/file/below`));
    await assert.rejects(probeLedger(`${root}/file/below`, { off: false }));
  });
});

Deno.test("audit_log: the sentinel's text is shown; the next healthy look forgets it", async () => {
  await inFolder(async (root) => {
    await Deno.writeTextFile(`${root}/audit.broken`, "2026-05-23T14:30:00.123Z disk full\n");
    assert.deepEqual(await probeAuditLog(root), {
      status: "degraded",
      detail: "2026-05-23T14:30:00.123Z disk full",
    });
    await Deno.remove(`${root}/audit.broken`);
    assert.deepEqual(await probeAuditLog(root), {
      status: "healthy",
      detail: "audit log writable",
    });
    assert.deepEqual(tree(root), []);
  });
});

Deno.test("cache_sqlite: current, damaged, and of a newer gum", async () => {
  await inFolder(async (root) => {
    const cache = createResponseCache({ clock: systemClock, directory: root });
    await cache.warm();
    cache.close();
    assert.equal((await probeCache(root, { persist: true })).status, "healthy");
    assert.deepEqual(tree(root), [`${root}/http-wal.db`]);
    const { DatabaseSync } = await import("node:sqlite");
    const database = new DatabaseSync(`${root}/http-wal.db`);
    database.exec("PRAGMA user_version = 7");
    database.close();
    const newer = await probeCache(root, { persist: true });
    assert.deepEqual([newer.status, /schema 7/.test(newer.detail)], ["degraded", true]);
    await Deno.writeTextFile(`${root}/http-wal.db`, "x".repeat(5_000));
    assert.equal((await probeCache(root, { persist: true })).status, "unavailable");
  });
});

Deno.test("gain_ledger: writable, failing, overdue", async () => {
  await inFolder(async (root) => {
    await Deno.writeTextFile(`${root}/gain-ledger.jsonl`, "x".repeat(100));
    assert.equal((await probeLedger(root, { off: false })).detail, "ledger writable");
    const overdue = await probeLedger(root, { off: false, rotateBytes: 10 });
    assert.deepEqual([overdue.status, /overdue/.test(overdue.detail)], ["degraded", true]);
    const failing = await probeLedger(root, { off: false, failure: "disk full" });
    assert.deepEqual(failing, { status: "degraded", detail: "last append failed: disk full" });
  });
});

Deno.test("tee_filesystem: a secret that is none makes it degraded", async () => {
  await inFolder(async (root) => {
    await Deno.mkdir(`${root}/tee`);
    await Deno.writeTextFile(`${root}/tee.secret`, "short");
    assert.equal((await probeArtifacts(root)).status, "degraded");
    await Deno.remove(`${root}/tee.secret`);
    assert.equal((await probeArtifacts(root)).detail, "artifact tree writable");
  });
});

Deno.test("trying to write says whether the directory is there, and cleans up", async () => {
  await inFolder(async (root) => {
    assert.equal(await tryWriting(root, ".p"), "writable");
    assert.equal(await tryWriting(`${root}/a/b/c`, ".p"), "creatable");
    assert.deepEqual([...Deno.readDirSync(root)], []);
  });
});

Deno.test("keychain: the system's is healthy, a vault degraded, none unavailable; no store, no need", async () => {
  const sample = (place: CredentialPlace) => keychainSample(place);
  assert.deepEqual(sample({ backend: "secret-service", available: true }), {
    status: "healthy",
    detail: "secret-service answers",
  });
  assert.equal(sample({ backend: "vault", available: true }).status, "degraded");
  assert.deepEqual(
    sample({ backend: "secret-service", available: false, reason: "locked", detail: "ask" }),
    { status: "unavailable", detail: "locked: ask" },
  );
  assert.equal(sample({ backend: undefined, available: false }).status, "unavailable");
  assert.equal((await keychainProbe(undefined)()).status, "healthy");
});
