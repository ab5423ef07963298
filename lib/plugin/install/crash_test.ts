import assert from "node:assert/strict";
import { environmentOf } from "../../config/environment.ts";
import type { JsonObject } from "../../json/mod.ts";
import { promotePending } from "../activation/mod.ts";
import { openPluginView } from "../status/mod.ts";
import {
  dyingFileSystem,
  filesBelow,
  inTemporary,
  Killed,
  manifestTree,
  never,
  schemaBundle,
  testProfile,
  writePlugin,
} from "../testdata/fixture.ts";
import { removePlugin, verifyBinding } from "./mod.ts";

const POSIX = Deno.build.os !== "windows";

function version(number: string): { tree: JsonObject; files: Record<string, string> } {
  return {
    tree: manifestTree({
      plugin: { version: number, schema_ref: "echo" },
      tools: [{ tool_name: `tool_${number}`, risk_class: "read" }],
    }),
    files: {
      "bin/echo-mcp": `#!/bin/sh\necho ${number}\n`,
      "schemas/echo.json": schemaBundle({ request: { type: "object", title: number } }),
    },
  };
}

/** What a start after the crash finds: one version, whole, and runnable as recorded. */
async function startFinds(directory: string): Promise<string> {
  const profile = testProfile(directory);
  await promotePending({ data: profile.profileDir }, { clock: profile.clock });
  const snapshot = await profile.registry.loadSnapshot();
  assert.equal(snapshot.ok, true);
  const versions = new Set([
    ...snapshot.lock.plugins.map(({ version }) => version),
    ...snapshot.catalog.variants.map(({ binding }) => binding.tool_name.replace("tool_", "")),
  ]);
  assert.equal(snapshot.state.plugins.length, snapshot.lock.plugins.length);
  assert.ok(versions.size <= 1, `a mix: ${[...versions]}`);
  const environment = environmentOf({ PATH: "" });
  for (const row of snapshot.lock.plugins) {
    await verifyBinding(row, { environment, signal: never() });
    assert.equal(snapshot.state.plugins[0]?.status, "active");
    const view = openPluginView({ paths: profile.registry.paths });
    assert.deepEqual(view.schemaRefs(), ["echo.request", "echo.response"]);
    assert.equal(view.schema("echo.request")?.title, row.version);
  }
  profile.parts.http.close();
  return [...versions][0] ?? "none";
}

Deno.test("TestPluginInstallCrashRecovery: an upgrade killed at any file operation leaves the old version or the new", async () => {
  await inTemporary(async (directory) => {
    const oldPlugin = await writePlugin(`${directory}/v1`, version("1"));
    const newPlugin = await writePlugin(`${directory}/v2`, version("2"));
    const template = testProfile(`${directory}/template`);
    await template.install(oldPlugin);
    template.parts.http.close();
    const found = new Map<string, number>();
    let operations: readonly { name: string }[] = [];
    for (let survive = 0;; survive++) {
      const root = `${directory}/run`;
      await copyProfile(`${directory}/template`, root);
      const fs = dyingFileSystem(survive);
      const profile = testProfile(root, { fs });
      await profile.install(newPlugin).catch((error) => {
        const killed = error instanceof Killed ||
          (error instanceof AggregateError && error.errors[0] instanceof Killed);
        assert.ok(killed, String(error));
      });
      profile.parts.http.close();
      operations = fs.log;
      const seen = await startFinds(root);
      assert.ok(seen === "1" || seen === "2", `after ${survive} operations: ${seen}`);
      found.set(seen, (found.get(seen) ?? 0) + 1);
      // The next installation of the plugin succeeds and sweeps what the crash left.
      const again = testProfile(root);
      const { install_txid: txid } = await again.install(newPlugin);
      const left = await filesBelow(again.registry.paths.plugins);
      assert.deepEqual(
        left.filter((path) =>
          !path.startsWith(`echo-box/${txid}/`) && !path.startsWith(".staging/")
        ),
        [],
      );
      again.parts.http.close();
      await Deno.remove(root, { recursive: true });
      if (!fs.died()) break;
    }
    const names = new Set(operations.map(({ name }) => name));
    for (
      const name of ["mkdir", "create", "write", "sync", "chmod", "rename", "syncdir", "remove"]
    ) {
      assert.ok(names.has(name), `${name} was among the ${operations.length} operations`);
    }
    assert.ok((found.get("1") ?? 0) > 0 && (found.get("2") ?? 0) > 0, "both ends were seen");
  });
});

Deno.test("TestPluginInstallCrashRecovery: a first installation killed at any file operation leaves all or nothing", async () => {
  await inTemporary(async (directory) => {
    const plugin = await writePlugin(`${directory}/v1`, version("1"));
    for (let survive = 0;; survive++) {
      const root = `${directory}/run`;
      const fs = dyingFileSystem(survive);
      const profile = testProfile(root, { fs });
      await profile.install(plugin).catch(() => assert.ok(fs.died()));
      profile.parts.http.close();
      assert.ok(["none", "1"].includes(await startFinds(root)), `after ${survive} operations`);
      await Deno.remove(root, { recursive: true }).catch(() => {/* it died before it made one */});
      if (!fs.died()) break;
    }
  });
});

Deno.test("TestPluginInstallCrashRecovery: a removal killed at any file operation leaves the plugin whole or gone", async () => {
  await inTemporary(async (directory) => {
    const plugin = await writePlugin(`${directory}/v1`, version("1"));
    const template = testProfile(`${directory}/template`);
    await template.install(plugin);
    template.parts.http.close();
    const found = new Set<string>();
    for (let survive = 0;; survive++) {
      const root = `${directory}/run`;
      await copyProfile(`${directory}/template`, root);
      const fs = dyingFileSystem(survive);
      const profile = testProfile(root, { fs });
      await removePlugin({ pluginId: "echo-box", purge: true, signal: never() }, {
        registry: profile.registry,
        auditSink: profile.audit,
        logger: profile.logger,
        profileName: "default",
        fs,
      }).catch(() => assert.ok(fs.died()));
      profile.parts.http.close();
      const seen = await startFinds(root);
      assert.ok(seen === "1" || seen === "none", `after ${survive} operations: ${seen}`);
      found.add(seen);
      await Deno.remove(root, { recursive: true });
      if (!fs.died()) break;
    }
    assert.deepEqual([...found].sort(), ["1", "none"], "both ends were seen");
  });
});

// The recorded paths are absolute, so a copied profile has to be told where it is.
async function copyProfile(from: string, to: string): Promise<void> {
  for (const path of await filesBelow(from)) {
    const target = `${to}/${path}`;
    await Deno.mkdir(target.slice(0, target.lastIndexOf("/")), { recursive: true });
    if (
      /\.(json|lock)$/.test(path) && !path.includes("/plugins/") && !path.includes("plugin-schemas")
    ) {
      const text = await Deno.readTextFile(`${from}/${path}`);
      await Deno.writeTextFile(target, text.replaceAll(`${from}/`, `${to}/`));
    } else {
      await Deno.copyFile(`${from}/${path}`, target);
      if (POSIX) {
        await Deno.chmod(target, (Deno.statSync(`${from}/${path}`).mode ?? 0o644) & 0o7777);
      }
    }
  }
}

const INSTALLER = new URL("../testdata/install_once.ts", import.meta.url).pathname;

async function installElsewhere(root: string, name: string, plugin: string): Promise<JsonObject> {
  const { code, stdout, stderr } = await new Deno.Command(Deno.execPath(), {
    args: ["run", "-q", "--no-prompt", "-P=test", INSTALLER, root, name, plugin],
    cwd: new URL("../../../", import.meta.url).pathname,
    stdout: "piped",
    stderr: "piped",
  }).output();
  assert.equal(code, 0, new TextDecoder().decode(stderr));
  return JSON.parse(new TextDecoder().decode(stdout));
}

Deno.test("TestPluginInstallTransactionAtomicity: two processes install at once, in one profile and in two", async () => {
  await inTemporary(async (directory) => {
    const one = await writePlugin(`${directory}/v1`, version("1"));
    const two = await writePlugin(`${directory}/v2`, {
      ...version("2"),
      tree: manifestTree({ plugin: { name: "other-box", version: "2" } }),
    });
    await Promise.all([
      installElsewhere(directory, "shared", one),
      installElsewhere(directory, "shared", two),
      installElsewhere(directory, "apart", one),
    ]);
    const names = async (name: string) => {
      const profile = testProfile(directory, { name });
      const snapshot = await profile.registry.loadSnapshot();
      for (const row of snapshot.lock.plugins) {
        await verifyBinding(row, { environment: environmentOf({}), signal: never() });
      }
      profile.parts.http.close();
      return [snapshot.generation, ...snapshot.lock.plugins.map((row) => row.name)];
    };
    assert.deepEqual(await names("shared"), [2, "echo-box", "other-box"]);
    assert.deepEqual(await names("apart"), [1, "echo-box"]);
  });
});

Deno.test("TestPluginInstallTransactionAtomicity: the same plugin twice at once keeps one whole version", async () => {
  await inTemporary(async (directory) => {
    const one = await writePlugin(`${directory}/v1`, version("1"));
    const two = await writePlugin(`${directory}/v2`, version("2"));
    await Promise.all([
      installElsewhere(directory, "default", one),
      installElsewhere(directory, "default", two),
    ]);
    const profile = testProfile(directory);
    assert.equal((await profile.registry.loadSnapshot()).generation, 2);
    const roots = [...Deno.readDirSync(profile.registry.paths.pluginRoot("echo-box"))];
    assert.equal(roots.length, 1, "one install root is left, the one that is recorded");
    profile.parts.http.close();
    assert.ok(["1", "2"].includes(await startFinds(directory)));
  });
});
