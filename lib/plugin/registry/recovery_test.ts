import assert from "node:assert/strict";
import { isGumError } from "../../errors/mod.ts";
import { realFileSystem } from "../file_system.ts";
import {
  dyingFileSystem,
  filesBelow,
  fixedClock,
  inTemporary,
  Killed,
  never,
  recordingLogger,
  stateRow,
  variantRow,
} from "../testdata/fixture.ts";
import type { RegistryMutation } from "../types.ts";
import { openPluginRegistry, readInventory } from "./mod.ts";

const add = (name: string): RegistryMutation => (draft) => {
  draft.state.plugins.push(stateRow(name));
  draft.catalog.variants.push(variantRow(name, "t"));
  draft.lock.plugins.push({ name } as typeof draft.lock.plugins[number]);
};

function registryIn(profileDir: string, fs = realFileSystem) {
  const logger = recordingLogger();
  const registry = openPluginRegistry({ profileDir, clock: fixedClock(), logger, fs });
  return { registry, logger };
}

/** The same names in all three files, or the picture is a mix. */
function names(
  snapshot: Awaited<ReturnType<ReturnType<typeof registryIn>["registry"]["loadSnapshot"]>>,
) {
  const state = snapshot.state.plugins.map(({ name }) => name);
  assert.deepEqual(snapshot.lock.plugins.map(({ name }) => name), state);
  assert.deepEqual(snapshot.catalog.variants.map((row) => row.owner_plugin), state);
  return state;
}

const json = (path: string) => JSON.parse(Deno.readTextFileSync(path));
const write = (path: string, value: unknown) => Deno.writeTextFileSync(path, JSON.stringify(value));

Deno.test("TestPluginInstallCrashRecovery: killed at any file operation, a start finds one generation", async () => {
  let operations = 0;
  for (let survive = 0;; survive++) {
    const done = await inTemporary(async (directory) => {
      const before = registryIn(directory);
      await before.registry.writeTransaction(add("old"), { signal: never() });
      const fs = dyingFileSystem(survive);
      const { registry } = registryIn(directory, fs);
      let finished = true;
      try {
        await registry.writeTransaction(add("new"), { signal: never() });
      } catch (error) {
        const killed = error instanceof Killed ||
          (error instanceof AggregateError && error.errors[0] instanceof Killed);
        assert.ok(killed, String(error));
        finished = false;
      }
      operations = fs.log.length;
      const after = registryIn(directory);
      const read = await after.registry.loadSnapshot();
      assert.equal(read.ok, true, `after ${survive} operations`);
      const seen = names(read);
      assert.ok(
        seen.join() === "old" || seen.join() === "new,old",
        `after ${survive} operations: ${seen}`,
      );
      const inventory = readInventory(
        after.registry.paths,
        (_, error) => assert.fail(String(error)),
      );
      assert.deepEqual(names(inventory), seen, "the lock-free reader sees the same");
      // The next writer settles it, keeps what was read, and leaves no temporary file.
      const { snapshot } = await after.registry.writeTransaction(add("zz"), { signal: never() });
      assert.deepEqual(names(snapshot), [...seen, "zz"]);
      const left = await filesBelow(directory);
      assert.deepEqual(left.filter((path) => /\.tmp\./.test(path) && !path.includes("/")), []);
      return finished;
    });
    if (done) break;
  }
  assert.ok(operations >= 14, `the harness saw ${operations} operations`);
});

Deno.test("TestPluginInstallCrashRecovery: the first publish of a profile, killed at any operation", async () => {
  for (let survive = 0;; survive++) {
    const done = await inTemporary(async (directory) => {
      const { registry } = registryIn(directory, dyingFileSystem(survive));
      const finished = await registry.writeTransaction(add("one"), { signal: never() })
        .then(() => true, () => false);
      const read = await registryIn(directory).registry.loadSnapshot();
      assert.equal(read.ok, true, `after ${survive} operations`);
      assert.ok(["", "one"].includes(names(read).join()));
      return finished;
    });
    if (done) break;
  }
});

Deno.test("TestPluginInstallCrashRecovery: an interrupted publish is finished, other leftovers move aside", async () => {
  await inTemporary(async (directory) => {
    const { registry } = registryIn(directory);
    await registry.writeTransaction(add("one"), { signal: never() });
    const { catalog, lock, state } = registry.paths;
    const stamp = { install_generation: 2, install_txid: "00000002" };
    const next = (path: string) => ({ ...json(path), ...stamp });
    write(catalog, next(catalog));
    write(`${lock}.tmp.00000002`, next(lock));
    write(`${state}.tmp.00000002`, next(state));
    Deno.writeTextFileSync(`${state}.tmp.0badc0de`, '{"half');
    const again = registryIn(directory);
    const { snapshot } = await again.registry.writeTransaction(() => false, { signal: never() });
    assert.deepEqual([snapshot.generation, snapshot.txid], [2, "00000002"]);
    assert.equal(json(state).install_generation, 2);
    const orphans = await filesBelow(registry.paths.orphans);
    assert.equal(orphans.length, 1);
    assert.match(orphans[0] ?? "", /^plugin-state\.json\.tmp\.0badc0de\./);
    const events = again.logger.records.map(({ fields }) => fields.event);
    assert.ok(events.includes("plugin_registry_orphan_quarantined"));
    assert.equal((Deno.statSync(registry.paths.orphans).mode ?? 0) & 0o777, 0o700);
  });
});

Deno.test("TestPluginInstallCrashRecovery: finals that agree stay, whatever is staged beside them", async () => {
  await inTemporary(async (directory) => {
    const { registry } = registryIn(directory);
    await registry.writeTransaction(add("one"), { signal: never() });
    const { catalog, lock, state } = registry.paths;
    for (const path of [catalog, lock, state]) {
      write(`${path}.tmp.00000009`, {
        ...json(path),
        install_generation: 9,
        install_txid: "00000009",
      });
    }
    assert.equal((await registry.loadSnapshot()).generation, 1);
    await registry.writeTransaction(add("two"), { signal: never() });
    assert.equal((await registry.loadSnapshot()).generation, 2);
    assert.equal((await filesBelow(registry.paths.orphans)).length, 3);
  });
});

Deno.test("TestPluginInstallCrashRecovery: nothing complete means nothing active, until somebody repairs", async () => {
  await inTemporary(async (directory) => {
    const { registry, logger } = registryIn(directory);
    await registry.writeTransaction(add("one"), { signal: never() });
    await registry.writeTransaction(add("two"), { signal: never() });
    await Deno.remove(registry.paths.catalog);
    const file = json(registry.paths.lock);
    file.install_generation = 7;
    file.plugins.pop();
    write(registry.paths.lock, file);
    const torn = await registry.loadSnapshot();
    assert.equal(torn.ok, false);
    assert.equal(torn.state.plugins.length, 2, "the inventory is still shown");
    await assert.rejects(
      registry.writeTransaction(add("three"), { signal: never(), repair: false }),
      (error) => isGumError(error, "PLUGIN_REGISTRY_INCONSISTENT"),
    );
    const { snapshot } = await registry.writeTransaction((draft) => {
      assert.deepEqual(draft.state.plugins.map(({ name }) => name), ["one"]);
    }, { signal: never() });
    assert.equal(snapshot.ok, true);
    assert.equal(snapshot.generation, 8);
    assert.ok(
      logger.records.some(({ fields }) => fields.event === "plugin_registry_repaired"),
    );
  });
});

Deno.test("TestCatalogOnlyTearIsDetected: a catalog with another pair is a tear", async () => {
  await inTemporary(async (directory) => {
    const { registry } = registryIn(directory);
    await registry.writeTransaction(add("one"), { signal: never() });
    write(registry.paths.catalog, {
      ...json(registry.paths.catalog),
      install_generation: 2,
      install_txid: "feedf00d",
    });
    assert.equal((await registry.loadSnapshot()).ok, false);
  });
});

Deno.test("TestUnstampedCatalogIsAcceptedOnce: a catalog from before the pair takes the pair of the others", async () => {
  await inTemporary(async (directory) => {
    const { registry } = registryIn(directory);
    await registry.writeTransaction(add("one"), { signal: never() });
    const { install_generation: _g, install_txid: _t, ...bare } = json(registry.paths.catalog);
    write(registry.paths.catalog, bare);
    const read = await registry.loadSnapshot();
    assert.deepEqual([read.ok, read.generation], [true, 1]);
    await registry.writeTransaction(add("two"), { signal: never() });
    assert.equal(json(registry.paths.catalog).install_generation, 2);
  });
});

Deno.test("a reader waits for a publish in progress and sees the new generation whole", async () => {
  await inTemporary(async (directory) => {
    const { registry } = registryIn(directory);
    await registry.writeTransaction(add("one"), { signal: never() });
    const { state } = registry.paths;
    const old = json(state);
    let reading: ReturnType<typeof registry.loadSnapshot> | undefined;
    await registry.writeTransaction(async () => {
      write(state, { ...old, install_generation: 2, install_txid: "0000000a" });
      reading = registry.loadSnapshot();
      await Promise.resolve();
      write(state, old);
      return false;
    }, { signal: never() });
    assert.deepEqual([(await reading)?.ok, (await reading)?.generation], [true, 1]);
  });
});

Deno.test("read-only surfaces show no rows for a damaged file and say so once", async () => {
  await inTemporary(async (directory) => {
    const { registry } = registryIn(directory);
    await registry.writeTransaction(add("one"), { signal: never() });
    Deno.writeTextFileSync(registry.paths.lock, "not json");
    const reported: string[] = [];
    const inventory = readInventory(registry.paths, (path) => reported.push(path));
    assert.deepEqual(reported, [registry.paths.lock]);
    assert.equal(inventory.ok, false);
    const { plugin_state_schema_version: _, ...unversioned } = json(registry.paths.state);
    write(registry.paths.state, unversioned);
    const lenient = readInventory(registry.paths, () => {});
    assert.deepEqual(lenient.state.plugins.map(({ name }) => name), ["one"]);
  });
});
