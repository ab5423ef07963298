import assert from "node:assert/strict";
import { GumError, isGumError } from "../../errors/mod.ts";
import {
  inTemporary,
  manifestTree,
  never,
  type TestProfile,
  testProfile,
  writePlugin,
} from "../testdata/fixture.ts";
import { checkNamespace, reservedPrefixes, transferNamespace } from "./mod.ts";

async function scene(
  run: (
    profile: TestProfile,
    plugin: (owner: string, name?: string) => Promise<string>,
  ) => Promise<void>,
  more: Parameters<typeof testProfile>[1] = {},
) {
  await inTemporary(async (directory) => {
    const profile = testProfile(directory, more);
    const plugin = (owner: string, name = "echo-box") =>
      writePlugin(`${directory}/${name}-${owner}`, {
        tree: manifestTree({ plugin: { name, namespace_owner: owner } }),
      });
    try {
      await run(profile, plugin);
    } finally {
      profile.parts.http.close();
    }
  });
}

const conflict = (error: unknown) => isGumError(error, "PLUGIN_NAMESPACE_CONFLICT");

Deno.test("TestPluginNamespaceOwnership: a prefix belongs to one owner; the conflict names both", async () => {
  await scene(async (profile, plugin) => {
    await profile.install(await plugin("io.a"));
    await profile.install(await plugin("io.a"));
    await assert.rejects(profile.install(await plugin("io.b")), (error) => {
      assert.ok(error instanceof GumError && conflict(error));
      assert.equal(error.details.existing_owner, "io.a");
      assert.equal(error.details.declared_owner, "io.b");
      return true;
    });
    await assert.rejects(profile.install(await plugin("IO.A")), conflict, "exact strings");
  });
});

Deno.test("TestPluginNamespaceOwnership: an owner is needed, reserved prefixes are nobody's", async () => {
  const reserved = reservedPrefixes(["gmail.users.messages.list", "drive.files.get"]);
  assert.deepEqual([...reserved].sort(), ["drive", "gmail", "google", "gum", "plug"]);
  await scene(async (profile, plugin) => {
    await assert.rejects(profile.install(await plugin("")), conflict);
    for (const name of ["gmail", "gum", "google", "plug", "flights"]) {
      await assert.rejects(profile.install(await plugin("io.a", name)), conflict, name);
      const dev = { ...profile.parts, settings: { isDev: true } };
      const { installPlugin } = await import("../install/mod.ts");
      const path = await plugin("io.a", name);
      await assert.rejects(
        installPlugin({ path, signal: never(), allowNamespaceConflict: true }, dev),
        conflict,
        "not to be overridden",
      );
    }
  });
});

Deno.test("TestPluginNamespaceOwnership: taking a prefix needs the profile and the flag", async () => {
  const cases: [boolean, boolean, boolean][] = [
    [false, false, false],
    [false, true, false],
    [true, false, false],
    [true, true, true],
  ];
  for (const [isDev, flag, allowed] of cases) {
    await scene(async (profile, plugin) => {
      await profile.install(await plugin("io.a"));
      const again = profile.install(await plugin("io.b"), { allowNamespaceConflict: flag });
      if (allowed) await again;
      else await assert.rejects(again, conflict, `${isDev} ${flag}`);
    }, { settings: { isDev } });
  }
  await scene(async (profile, plugin) => {
    const path = await plugin("io.a");
    await assert.rejects(
      profile.install(path, { allowNamespaceConflict: true }),
      conflict,
      "the flag alone is refused even without a conflict",
    );
  });
});

Deno.test("TestPluginNamespaceOwnership: profiles do not see each other", async () => {
  await inTemporary(async (directory) => {
    for (const owner of ["io.a", "io.b"]) {
      const profile = testProfile(directory, { name: owner.slice(3) });
      await profile.install(
        await writePlugin(`${directory}/${owner}`, {
          tree: manifestTree({ plugin: { namespace_owner: owner } }),
        }),
      );
      profile.parts.http.close();
    }
  });
});

Deno.test("TestPluginNamespaceOwnership: the lock holder is asked again under the lock", () => {
  const claim = {
    prefix: "p",
    declaredOwner: "b",
    reserved: new Set<string>(),
    isDev: false,
    allowConflict: false,
  };
  checkNamespace({ ...claim, lock: [] });
  const row = { name: "p", prefix: "p", namespace_owner: "a" };
  const lock = [row] as unknown as Parameters<typeof checkNamespace>[0]["lock"];
  assert.throws(() => checkNamespace({ ...claim, lock }), conflict);
});

Deno.test("a transfer and a release change owner, history and audit log; failures leave no trace", async () => {
  await scene(async (profile, plugin) => {
    await profile.install(await plugin("io.a"));
    profile.audit.rows.length = 0;
    const parts = { ...profile.parts, profileName: "default" };
    const move = (prefix: string, newOwner: string | null) =>
      transferNamespace({ prefix, newOwner, signal: never() }, parts);
    for (const unknown of ["none", "", "echo"]) {
      await assert.rejects(
        move(unknown, "io.b"),
        (error) => isGumError(error, "PLUGIN_PREFIX_NOT_BOUND"),
      );
    }
    assert.equal((await profile.registry.loadSnapshot()).generation, 1);
    assert.deepEqual(profile.audit.rows, []);
    assert.deepEqual(await move("echo-box", "io.b"), {
      prefix: "echo-box",
      oldOwner: "io.a",
      newOwner: "io.b",
      released: false,
    });
    await assert.rejects(profile.install(await plugin("io.a")), conflict);
    await move("echo-box", null);
    const [row] = (await profile.registry.loadSnapshot()).lock.plugins;
    assert.ok(row !== undefined && !("namespace_owner" in row));
    assert.deepEqual(row.transfer_history, [
      { at: "2026-03-04T05:06:07Z", from: "io.a", to: "io.b" },
      { at: "2026-03-04T05:06:07Z", from: "io.b", to: "" },
    ]);
    assert.deepEqual(profile.audit.rows, [
      {
        event: "plugin_namespace_transfer",
        prefix: "echo-box",
        old_owner: "io.a",
        new_owner: "io.b",
        released: false,
        profile: "default",
      },
      {
        event: "plugin_namespace_release",
        prefix: "echo-box",
        old_owner: "io.b",
        new_owner: "",
        released: true,
        profile: "default",
      },
    ]);
    await assert.rejects(
      move("echo-box", "io.c"),
      (error) => isGumError(error, "PLUGIN_PREFIX_NOT_BOUND"),
    );
    await profile.install(await plugin("io.c"));
    const [after] = (await profile.registry.loadSnapshot()).lock.plugins;
    assert.equal(after?.namespace_owner, "io.c");
    assert.equal(after?.transfer_history?.length, 2);
  });
});
