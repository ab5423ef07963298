import assert from "node:assert/strict";
import { systemClock } from "../../clock/mod.ts";
import { isGumError } from "../../errors/mod.ts";
import { setDefaultLogger } from "../../log/mod.ts";
import { realFileSystem } from "../file_system.ts";
import { pluginPaths } from "../paths.ts";
import {
  filesBelow,
  inTemporary,
  never,
  recordingLogger,
  stateRow,
  variantRow,
} from "../testdata/fixture.ts";
import { openPluginRegistry } from "./mod.ts";
import { addState, errnoError, registryIn, text } from "./testdata/rig.ts";

const json = (path: string) => JSON.parse(text(path));

Deno.test("TestPluginRegistryABISchemas: versions, stamps and private modes of all three files", async () => {
  await inTemporary(async (directory) => {
    const profileDir = `${directory}/gum/p`;
    const { registry } = registryIn(profileDir);
    await registry.writeTransaction(addState("one"), { signal: never() });
    const { catalog, lock, state } = registry.paths;
    assert.equal(json(catalog).plugin_catalog_schema_version, 1);
    assert.equal(json(lock).plugins_lock_schema_version, 1);
    assert.equal(json(state).plugin_state_schema_version, 1);
    assert.equal(json(catalog).updated_at, "2026-03-04T05:06:07Z");
    for (const path of [catalog, lock, state]) {
      assert.equal(json(path).install_generation, 1);
      assert.match(json(path).install_txid, /^[0-9a-f]{8}$/);
      assert.ok(!text(path).endsWith("\n"), "no newline at the end");
      assert.match(text(path), /^\{\n {2}"plugins?_[a-z_]+": 1,\n {2}"install_generation": 1,\n/);
      if (Deno.build.os !== "windows") {
        assert.equal((Deno.statSync(path).mode ?? 0) & 0o777, 0o600);
      }
    }
    if (Deno.build.os !== "windows") {
      assert.equal((Deno.statSync(profileDir).mode ?? 0) & 0o777, 0o700);
    }
  });
});

Deno.test("TestCatalogABIVersionsRejected: each registry file of another version has its own code", async () => {
  const cases = [
    ["catalog", "plugin_catalog_schema_version", "PLUGIN_CATALOG_SCHEMA_UNSUPPORTED"],
    ["lock", "plugins_lock_schema_version", "PLUGIN_LOCK_SCHEMA_UNSUPPORTED"],
    ["state", "plugin_state_schema_version", "PLUGIN_STATE_SCHEMA_UNSUPPORTED"],
  ] as const;
  for (const [kind, key, code] of cases) {
    for (const version of [undefined, 0, 2, 9999, "1", 1.5, null]) {
      await inTemporary(async (directory) => {
        const { registry } = registryIn(directory);
        await registry.writeTransaction(addState("one"), { signal: never() });
        const path = registry.paths[kind];
        await Deno.writeTextFile(path, JSON.stringify({ ...json(path), [key]: version }));
        const before = text(path);
        await assert.rejects(registry.loadSnapshot(), (error) => isGumError(error, code));
        await assert.rejects(
          registry.writeTransaction(addState("two"), { signal: never() }),
          (error) => isGumError(error, code),
        );
        assert.equal(text(path), before);
      });
    }
  }
});

Deno.test("TestWriteTransactionStampsTheCatalog: every publish carries one pair, one higher", async () => {
  await inTemporary(async (directory) => {
    const { registry } = registryIn(directory);
    let last = "";
    for (const generation of [1, 2, 3]) {
      const { snapshot } = await registry.writeTransaction((draft) => {
        assert.equal(draft.next.install_generation, generation);
        draft.catalog.variants.push(variantRow("p", `t${generation}`));
      }, { signal: never() });
      assert.equal(snapshot.generation, generation);
      assert.notEqual(snapshot.txid, last);
      last = snapshot.txid;
      for (const kind of ["catalog", "lock", "state"] as const) {
        assert.equal(json(registry.paths[kind]).install_txid, last);
      }
    }
  });
});

Deno.test("TestWriteTransactionSortsCatalogVariants: arrays are sorted by code unit before a publish", async () => {
  await inTemporary(async (directory) => {
    const { registry } = registryIn(directory);
    const { snapshot } = await registry.writeTransaction((draft) => {
      draft.catalog.variants.push(
        variantRow("b", "z"),
        variantRow("a", "z"),
        variantRow("a-b", "a"),
      );
      draft.state.plugins.push(stateRow("b"), stateRow("a-b"), stateRow("a"));
    }, { signal: never() });
    assert.deepEqual(snapshot.catalog.variants.map(({ variant_id }) => variant_id), [
      "plug.a-b.a.v1",
      "plug.a.z.v1",
      "plug.b.z.v1",
    ]);
    assert.deepEqual(snapshot.state.plugins.map(({ name }) => name), ["a", "a-b", "b"]);
  });
});

Deno.test("TestPluginInstallTransactionAtomicity: six writers at once make six generations", async () => {
  await inTemporary(async (directory) => {
    const names = ["a", "b", "c", "d", "e", "f"];
    await Promise.all(
      names.map((name) =>
        openPluginRegistry({ profileDir: directory, clock: systemClock })
          .writeTransaction(addState(name), { signal: never() })
      ),
    );
    const { registry } = registryIn(directory);
    const snapshot = await registry.loadSnapshot();
    assert.equal(snapshot.generation, 6);
    assert.equal(snapshot.ok, true);
    assert.deepEqual(snapshot.state.plugins.map(({ name }) => name), names);
    assert.deepEqual(await filesBelow(directory), [
      "plugin-catalog.json",
      "plugin-state.json",
      "plugins.install.lock",
      "plugins.lock",
    ]);
  });
});

Deno.test("a mutation that throws, reports no change or is aborted writes nothing", async () => {
  await inTemporary(async (directory) => {
    const { registry } = registryIn(directory);
    await registry.writeTransaction(addState("one"), { signal: never() });
    const before = text(registry.paths.state);
    await assert.rejects(
      registry.writeTransaction((draft) => {
        draft.state.plugins.length = 0;
        throw new Error("no");
      }, { signal: never() }),
      /no/,
    );
    const unchanged = await registry.writeTransaction((draft) => {
      draft.state.plugins.length = 0;
      return false;
    }, { signal: never() });
    assert.equal(unchanged.changed, false);
    let ran = false;
    await assert.rejects(
      registry.writeTransaction(() => {
        ran = true;
      }, { signal: AbortSignal.abort("stop") }),
      (reason) => reason === "stop",
    );
    assert.equal(ran, false, "an aborted signal runs nothing");
    const aborter = new AbortController();
    await assert.rejects(
      registry.writeTransaction((draft) => {
        draft.state.plugins.length = 0;
        aborter.abort("late");
      }, { signal: aborter.signal }),
      (reason) => reason === "late",
    );
    assert.equal(text(registry.paths.state), before);
    assert.deepEqual((await filesBelow(directory)).filter((name) => name.includes(".tmp.")), []);
  });
});

Deno.test("an abort after the first rename does not stop a publish", async () => {
  await inTemporary(async (directory) => {
    const aborter = new AbortController();
    const { registry } = registryIn(directory, {
      async rename(from, to) {
        await realFileSystem.rename(from, to);
        aborter.abort("late");
      },
    });
    await registry.writeTransaction(addState("one"), { signal: aborter.signal });
    assert.equal((await registry.loadSnapshot()).generation, 1);
  });
});

Deno.test("a held lock is waited for, then refused with its own code", async () => {
  await inTemporary(async (directory) => {
    const { registry } = registryIn(directory);
    await registry.writeTransaction(async () => {
      await assert.rejects(
        registry.writeTransaction(addState("two"), { signal: never(), lockTimeoutMs: 30 }),
        (error) => isGumError(error, "PLUGIN_INSTALL_LOCK_TIMEOUT"),
      );
    }, { signal: never() });
  });
});

Deno.test("TestWriteTransactionRollsBackTornPublish: a rename that fails restores every file before it", async () => {
  for (const failing of ["plugin-catalog.json", "plugins.lock", "plugin-state.json"]) {
    await inTemporary(async (directory) => {
      const good = registryIn(directory);
      await good.registry.writeTransaction(addState("one"), { signal: never() });
      const { catalog, lock, state } = good.registry.paths;
      const before = [catalog, lock, state].map(text);
      let failed = false;
      const { registry } = registryIn(directory, {
        rename(from, to) {
          if (to.endsWith(failing) && !failed) {
            failed = true;
            return Promise.reject(errnoError("EIO"));
          }
          return realFileSystem.rename(from, to);
        },
      });
      await assert.rejects(registry.writeTransaction(addState("two"), { signal: never() }), /sync/);
      assert.deepEqual([catalog, lock, state].map(text), before);
      assert.deepEqual((await filesBelow(directory)).filter((name) => name.includes(".tmp.")), []);
    });
  }
});

Deno.test("TestWriteTransactionRollbackRemovesFirstEverPublish: nothing was there, nothing stays", async () => {
  await inTemporary(async (directory) => {
    const { registry } = registryIn(directory, {
      rename: (from, to) =>
        to.endsWith("plugin-state.json")
          ? Promise.reject(errnoError("ENOSPC"))
          : realFileSystem.rename(from, to),
    });
    await assert.rejects(registry.writeTransaction(addState("one"), { signal: never() }));
    assert.deepEqual(await filesBelow(directory), ["plugins.install.lock"]);
  });
});

Deno.test("TestWriteTransactionReportsIncompleteRollback: both failures are told, the original first", async () => {
  await inTemporary(async (directory) => {
    const good = registryIn(directory);
    await good.registry.writeTransaction(addState("one"), { signal: never() });
    const original = errnoError("EIO");
    let broken = false;
    const { registry } = registryIn(directory, {
      rename(from, to) {
        if (to.endsWith("plugins.lock")) broken = true;
        return broken ? Promise.reject(original) : realFileSystem.rename(from, to);
      },
    });
    await assert.rejects(
      registry.writeTransaction(addState("two"), { signal: never() }),
      (error) =>
        error instanceof AggregateError && /rollback incomplete/.test(error.message) &&
        error.errors[0] === original && error.errors.length > 1,
    );
  });
});

Deno.test("TestWriteTransactionRemovesTempsWhenDirSyncFails: a real directory error undoes the publish", async () => {
  for (const failAt of [1, 2]) {
    await inTemporary(async (directory) => {
      const good = registryIn(directory);
      await good.registry.writeTransaction(addState("one"), { signal: never() });
      const before = text(good.registry.paths.state);
      let syncs = 0;
      const { registry } = registryIn(directory, {
        syncDirectory: (path) =>
          ++syncs >= failAt
            ? Promise.reject(errnoError("EIO"))
            : realFileSystem.syncDirectory(path),
      });
      await assert.rejects(registry.writeTransaction(addState("two"), { signal: never() }));
      assert.equal(text(registry.paths.state), before);
      assert.equal((await registry.loadSnapshot()).generation, 1);
      assert.deepEqual((await filesBelow(directory)).filter((name) => name.includes(".tmp.")), []);
    });
  }
});

Deno.test("TestRegistryLoggerInjection: the injected logger hears, the process logger is the fallback", async () => {
  const run = async (directory: string, logger?: ReturnType<typeof recordingLogger>) => {
    const registry = openPluginRegistry({ profileDir: directory, clock: systemClock, logger });
    await Deno.mkdir(directory, { recursive: true });
    await Deno.writeTextFile(`${pluginPaths(directory).state}.tmp.00000000`, "half");
    await registry.writeTransaction(addState("one"), { signal: never() });
  };
  await inTemporary(async (directory) => {
    const fallback = recordingLogger();
    const previous = setDefaultLogger(fallback);
    try {
      const injected = recordingLogger();
      await run(`${directory}/a`, injected);
      assert.equal(injected.records.length, 1);
      assert.equal(fallback.records.length, 0);
      await run(`${directory}/b`);
      assert.equal(fallback.records.length, 1);
    } finally {
      setDefaultLogger(previous);
    }
  });
});

Deno.test("unknown keys survive, rows without a name neither survive nor hide their neighbours", async () => {
  await inTemporary(async (directory) => {
    const { registry } = registryIn(directory);
    await registry.writeTransaction(addState("one"), { signal: never() });
    const path = registry.paths.state;
    const file = json(path);
    file.of_the_future = { b: 1, a: 2 };
    file.plugins[0].from_the_future = true;
    file.plugins.unshift(null, 7, [], { status: "active" });
    await Deno.writeTextFile(path, JSON.stringify(file));
    await registry.writeTransaction(addState("two"), { signal: never() });
    const written = json(path);
    assert.deepEqual(Object.keys(written.of_the_future), ["a", "b"]);
    assert.deepEqual(written.plugins.map((row: { name: string }) => row.name), ["one", "two"]);
    assert.equal(written.plugins[0].from_the_future, true);
  });
});

Deno.test("TestPluginInstallTransactionAtomicity: a commit's snapshot is its own, whoever publishes next", async () => {
  await inTemporary(async (directory) => {
    const other = registryIn(directory).registry;
    await other.writeTransaction(addState("first"), { signal: never() });
    let syncs = 0;
    const { registry } = registryIn(directory, {
      async syncDirectory(path) {
        await realFileSystem.syncDirectory(path);
        if (++syncs < 2) return;
        // All three are in place: what another process publishes as soon as it may.
        for (const kind of ["catalog", "lock", "state"] as const) {
          const next = { install_generation: 3, install_txid: "0badcafe" };
          const rows = kind === "state" ? { plugins: [stateRow("third")] } : {};
          const file = other.paths[kind];
          await Deno.writeTextFile(file, JSON.stringify({ ...json(file), ...next, ...rows }));
        }
      },
    });
    const { changed, snapshot } = await registry.writeTransaction(addState("second"), {
      signal: never(),
      txid: "deadbeef",
    });
    assert.equal(changed, true);
    assert.deepEqual([snapshot.generation, snapshot.txid, snapshot.ok], [2, "deadbeef", true]);
    assert.deepEqual(snapshot.state.plugins.map(({ name }) => name), ["first", "second"]);
    assert.equal((await registry.loadSnapshot()).txid, "0badcafe");
  });
});
