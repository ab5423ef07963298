import assert from "node:assert/strict";
import { findGumError, GumError, isGumError } from "../../errors/mod.ts";
import type { JsonObject } from "../../json/mod.ts";
import {
  filesBelow,
  inTemporary,
  manifestTree,
  never,
  schemaBundle,
  type TestProfile,
  testProfile,
  writePlugin,
} from "../testdata/fixture.ts";
import type { CanaryOutcome } from "../types.ts";
import { pluginProfiles } from "../status/mod.ts";
import { removePlugin } from "./mod.ts";

const POSIX = Deno.build.os !== "windows";

/** A plugin's directory and a profile to install it into. */
async function scene(
  run: (at: { directory: string; plugin: string; profile: TestProfile }) => Promise<void>,
  given: Parameters<typeof writePlugin>[1] & { profile?: Parameters<typeof testProfile>[1] } = {},
) {
  await inTemporary(async (directory) => {
    const plugin = await writePlugin(`${directory}/plugin`, given);
    const profile = testProfile(directory, given.profile);
    try {
      await run({ directory, plugin, profile });
    } finally {
      profile.parts.http.close();
    }
  });
}

const NEEDS: JsonObject = {
  needs_user_creds: ["ECHO_SESSION"],
  credential_descriptors: [{
    alias: "session",
    env: "ECHO_SESSION",
    kind: "session",
    display_name: "Echo cookie",
    setup_hint: "From the browser",
  }],
  auth_components: [{ kind: "billing_enabled", display_name: "Billing" }],
};

const passing: CanaryOutcome = {
  ok: true,
  plugin_id: "echo-box",
  live: true,
  latency_ms: 3,
  sandbox: { backend: "bubblewrap", fs: "enforced", network: "enforced" },
};
const failing: CanaryOutcome = {
  ok: false,
  plugin_id: "echo-box",
  error_code: "SERVICE_DOWN",
  source_error_code: "ErrCanaryFailed",
  message: "no",
};

Deno.test("TestInstallWritesSpecInitialState: a plugin that needs nothing waits for a restart", async () => {
  await scene(async ({ plugin, profile }) => {
    const result = await profile.install(plugin);
    assert.equal(result.status, "installed_pending_restart");
    assert.equal(result.install_generation, 1);
    assert.equal(result.risk, "dev-untrusted");
    assert.deepEqual(result.warnings.map(({ code }) => code), [
      "no_output_profile",
      "no_request_schema",
      "canary_not_run",
    ]);
    const { state, lock, catalog } = await profile.registry.loadSnapshot();
    assert.deepEqual(state.plugins, [{
      activated_at: null,
      backoff_step: 0,
      installed_at: "2026-03-04T05:06:07Z",
      name: "echo-box",
      needs_configuration: false,
      permanent_quarantine: false,
      quarantined: false,
      retry_count: 0,
      status: "installed_pending_restart",
    }]);
    const [row] = lock.plugins;
    assert.equal(row?.namespace_owner, "io.example.echo");
    assert.equal(row?.executable_sha256, row?.executable.executable_sha256);
    assert.equal(row?.package.checksum, `sha256:${row?.tree_sha256}`);
    assert.equal(
      row?.executable.install_root,
      profile.registry.paths.installRoot("echo-box", result.install_txid),
    );
    assert.deepEqual(row?.executable.argv_normalized, [
      `${row?.executable.install_root}/bin/echo-mcp`,
    ]);
    assert.deepEqual(catalog.variants.map(({ variant_id }) => variant_id), [
      "plug.echo-box.echo.v1",
    ]);
    assert.deepEqual(profile.audit.rows, [
      { event: "plugin_installed", plugin: "echo-box", version: "1.2.0" },
    ]);
  });
});

Deno.test("TestInstallArmsNeedsConfiguration: needed credentials park the plugin with safe descriptors", async () => {
  await scene(async ({ plugin, profile }) => {
    const { status } = await profile.install(plugin);
    assert.equal(status, "needs_configuration");
    const [row] = (await profile.registry.loadSnapshot()).state.plugins;
    assert.equal(row?.needs_configuration, true);
    assert.equal(row?.reason, "missing_credentials");
    assert.deepEqual(row?.credential_descriptors, [{
      alias: "session",
      display_name: "Echo cookie",
      kind: "session",
      setup_hint: "From the browser",
    }]);
    assert.deepEqual(row?.prerequisites?.map(({ kind }) => kind), ["billing_enabled"]);
    for (const path of ["catalog", "lock", "state"] as const) {
      const text = Deno.readTextFileSync(profile.registry.paths[path]);
      assert.ok(!text.includes("ECHO_SESSION"), `${path} names no variable`);
    }
  }, { tree: manifestTree({ requirements: NEEDS }) });
  const token = { needs_user_creds: ["google_access_token"] };
  const tools = [{ tool_name: "echo", risk_class: "read", auth_strategy: "compound" }];
  await scene(async ({ plugin, profile }) => {
    assert.equal((await profile.install(plugin)).status, "installed_pending_restart");
  }, { tree: manifestTree({ requirements: token, tools }) });
});

Deno.test("TestInstallNeedsConfigurationSkipsLiveCanary: it runs only where it could pass", async () => {
  let runs = 0;
  const canary = () => Promise.resolve((runs++, passing));
  await scene(async ({ plugin, profile }) => {
    await profile.install(plugin);
    assert.equal(runs, 0);
    const [row] = (await profile.registry.loadSnapshot()).state.plugins;
    assert.equal(row?.quarantined, false);
  }, { tree: manifestTree({ requirements: NEEDS }), profile: { canary } });
  await scene(async ({ plugin, profile }) => {
    await profile.install(plugin, { runCanary: false });
    assert.equal(runs, 0);
    const { sandbox } = await profile.install(plugin);
    assert.equal(runs, 1);
    assert.equal(sandbox?.backend, "bubblewrap");
  }, { profile: { canary } });
});

Deno.test("a failing live canary quarantines the installed plugin without a retry", async () => {
  await scene(async ({ plugin, profile }) => {
    const result = await profile.install(plugin);
    assert.equal(result.status, "quarantined");
    const [row] = (await profile.registry.loadSnapshot()).state.plugins;
    assert.equal(row?.quarantined, true);
    assert.equal(row?.last_error_code, "CANARY_FAILED");
    assert.equal(row?.reason, "CANARY_FAILED");
    assert.equal(row?.next_retry_at, undefined);
    assert.deepEqual(profile.audit.rows.map(({ event }) => event), [
      "plugin_installed",
      "plugin_quarantined",
    ]);
  }, { profile: { canary: () => Promise.resolve(failing) } });
});

Deno.test("a canary that this machine keeps from running is said, and quarantines nothing", async () => {
  const unconfined: CanaryOutcome = {
    ...failing,
    source_error_code: "ErrSandboxUnsupported",
    message: "nothing on this host can confine plugin echo-box",
    host_condition: true,
  } as CanaryOutcome;
  await scene(async ({ plugin, profile }) => {
    const result = await profile.install(plugin);
    assert.equal(result.status, "installed_pending_restart");
    assert.equal(result.canary, undefined);
    assert.deepEqual(
      result.warnings.filter(({ code }) => code === "canary_not_run").map(({ message }) => message),
      ["the canary could not be run on this machine: nothing on this host can confine plugin echo-box"],
    );
    const [row] = (await profile.registry.loadSnapshot()).state.plugins;
    assert.equal(row?.quarantined, false);
    assert.deepEqual(profile.audit.rows.map(({ event }) => event), ["plugin_installed"]);
  }, { profile: { canary: () => Promise.resolve(unconfined) } });
});

Deno.test("TestReinstallMergesRowsAndKeepsNewDigest: one row each, the new digest, the old quarantine", async () => {
  await scene(async ({ plugin, profile }) => {
    await profile.install(plugin);
    await profile.registry.writeTransaction((draft) => {
      const [state] = draft.state.plugins;
      const [lock] = draft.lock.plugins;
      if (state === undefined || lock === undefined) throw new Error("no rows");
      Object.assign(state, {
        status: "active",
        activated_at: "2026-03-04T06:00:00Z",
        quarantined: true,
        last_error_code: "SERVICE_DOWN",
        retry_count: 2,
        backoff_step: 2,
        next_retry_at: "2026-03-04T07:00:00Z",
      });
      lock.transfer_history = [{ from: "a", to: "b", at: "2026-01-01T00:00:00Z" }];
    }, { signal: never() });
    await writePlugin(plugin, {
      tree: manifestTree({
        plugin: { version: "1.3.0" },
        tools: [{ tool_name: "shout", risk_class: "read" }],
      }),
      files: { "bin/echo-mcp": "#!/bin/sh\nexec tr a-z A-Z\n" },
    });
    profile.clock.set("2026-03-05T00:00:00Z");
    const result = await profile.install(plugin);
    assert.equal(result.status, "quarantined");
    const { catalog, lock, state } = await profile.registry.loadSnapshot();
    assert.deepEqual([catalog.variants.length, lock.plugins.length, state.plugins.length], [
      1,
      1,
      1,
    ]);
    assert.equal(catalog.variants[0]?.op_id, "plug.echo-box.shout");
    assert.equal(lock.plugins[0]?.version, "1.3.0");
    assert.equal(lock.plugins[0]?.transfer_history?.length, 1);
    const { fileSha256 } = await import("../digest.ts");
    const row = lock.plugins[0];
    assert.equal(row?.executable_sha256, await fileSha256(row?.executable.executable_path ?? ""));
    assert.equal(state.plugins[0]?.installed_at, "2026-03-05T00:00:00Z");
    assert.equal(state.plugins[0]?.activated_at, null);
    assert.equal(state.plugins[0]?.status, "installed_pending_restart");
    assert.equal(state.plugins[0]?.backoff_step, 2);
    const roots = [...Deno.readDirSync(profile.registry.paths.pluginRoot("echo-box"))];
    assert.deepEqual(roots.map(({ name }) => name), [result.install_txid], "older roots are swept");
  });
});

Deno.test("TestRemoveWithRegistryClearsAllThreeFiles: rows, files and schemas go, data stays until it is purged", async () => {
  await scene(async ({ plugin, profile }) => {
    await profile.install(plugin);
    const { paths } = profile.registry;
    assert.equal((await filesBelow(paths.schemas)).length, 2);
    const dataFile = `${paths.dataDir("echo-box")}/note`;
    await Deno.mkdir(paths.dataDir("echo-box"), { recursive: true });
    await Deno.writeTextFile(dataFile, "mine");
    const parts = { ...profile.parts, profileName: "default" };
    assert.equal(await removePlugin({ pluginId: "echo-box", signal: never() }, parts), true);
    const { catalog, lock, state, generation } = await profile.registry.loadSnapshot();
    assert.deepEqual([catalog.variants, lock.plugins, state.plugins], [[], [], []]);
    assert.equal(generation, 2);
    assert.deepEqual(await filesBelow(paths.schemas), []);
    assert.deepEqual(await filesBelow(paths.pluginRoot("echo-box")), []);
    assert.equal(Deno.readTextFileSync(dataFile), "mine");
    assert.equal(await removePlugin({ pluginId: "echo-box", signal: never() }, parts), false);
    assert.equal(
      (await profile.registry.loadSnapshot()).generation,
      2,
      "no generation for nothing",
    );
    await removePlugin({ pluginId: "echo-box", purge: true, signal: never() }, parts);
    assert.deepEqual(await filesBelow(paths.dataDir("echo-box")), []);
    assert.deepEqual(
      profile.audit.rows.filter(({ event }) => event === "plugin_removed"),
      [{ event: "plugin_removed", plugin: "echo-box", version: "1.2.0" }],
    );
    await assert.rejects(
      removePlugin({ pluginId: "../echo-box", signal: never() }, parts),
      (error) => isGumError(error, "PLUGIN_MANIFEST_INVALID"),
    );
  }, {
    tree: manifestTree({ plugin: { schema_ref: "echo" } }),
    files: { "schemas/echo.json": schemaBundle() },
  });
});

Deno.test("TestRemoveThenInstallDifferentOwnerSucceeds: the namespace lease goes with the plugin", async () => {
  await scene(async ({ directory, plugin, profile }) => {
    await profile.install(plugin);
    const other = await writePlugin(`${directory}/other`, {
      tree: manifestTree({ plugin: { namespace_owner: "net.other" } }),
    });
    await assert.rejects(
      profile.install(other),
      (error) => isGumError(error, "PLUGIN_NAMESPACE_CONFLICT"),
    );
    await removePlugin(
      { pluginId: "echo-box", signal: never() },
      { ...profile.parts, profileName: "default" },
    );
    await profile.install(other);
    const [row] = (await profile.registry.loadSnapshot()).lock.plugins;
    assert.equal(row?.namespace_owner, "net.other");
  });
});

Deno.test({
  name: "modes are pinned: no setuid, no group or world write, whatever the source and the umask",
  ignore: !POSIX,
  async fn() {
    await scene(async ({ plugin, profile }) => {
      await Deno.chmod(`${plugin}/bin/echo-mcp`, 0o6777);
      await Deno.chmod(`${plugin}/lib.txt`, 0o777);
      const before = Deno.umask(0);
      try {
        const { executable } = await profile.install(plugin);
        const mode = (path: string) =>
          (Deno.statSync(`${executable.install_root}/${path}`).mode ?? 0) & 0o7777;
        assert.equal(mode("bin/echo-mcp"), 0o755);
        assert.equal(mode("lib.txt"), 0o644);
        assert.equal(mode("bin"), 0o755);
        assert.equal(mode("manifest.json"), 0o644);
        assert.equal((Deno.statSync(profile.registry.paths.staging).mode ?? 0) & 0o777, 0o700);
      } finally {
        Deno.umask(before);
      }
    }, { files: { "lib.txt": "x" } });
  },
});

Deno.test({
  name: "links and special files in the source are refused and leave nothing",
  ignore: !POSIX,
  async fn() {
    await scene(async ({ plugin, profile }) => {
      await Deno.symlink("/etc/passwd", `${plugin}/innocent`);
      await assert.rejects(
        profile.install(plugin),
        (error) =>
          isGumError(error, "PLUGIN_EXECUTABLE_UNTRUSTED") &&
          /"reason":"symlink"/.test(JSON.stringify(error)),
      );
      await Deno.remove(`${plugin}/innocent`);
      const fifo = await new Deno.Command("mkfifo", { args: [`${plugin}/pipe`] }).output();
      assert.equal(fifo.code, 0);
      await assert.rejects(
        profile.install(plugin),
        (error) =>
          isGumError(error, "PLUGIN_EXECUTABLE_UNTRUSTED") &&
          /"reason":"special_file"/.test(JSON.stringify(error)),
      );
      assert.deepEqual(
        await filesBelow(profile.registry.paths.plugins),
        [".staging/echo-box.lock"],
      );
      assert.equal((await profile.registry.loadSnapshot()).generation, 0);
    });
  },
});

Deno.test("a missing executable is refused; what is installed comes from the manifest's directory", async () => {
  await scene(async ({ plugin, profile }) => {
    await Deno.remove(`${plugin}/bin/echo-mcp`);
    await assert.rejects(
      profile.install(plugin),
      (error) => /"reason":"executable_missing"/.test(JSON.stringify(error)),
    );
    await writePlugin(plugin);
    await Deno.mkdir(`${plugin}/.git`);
    await Deno.writeTextFile(`${plugin}/.git/config`, "");
    const { executable } = await profile.install(`${plugin}/manifest.json`);
    assert.deepEqual(await filesBelow(executable.install_root), ["bin/echo-mcp", "manifest.json"]);
  });
});

Deno.test("TestProfileStripNullsSafety: bundled profiles pass the rules, and every named one exists", async () => {
  const tool = { tool_name: "echo", risk_class: "read", output_profile: "echo.v1" };
  const tree = manifestTree({ tools: [tool] });
  await scene(async ({ plugin, profile }) => {
    const refusal = async (text: string | undefined, more: JsonObject = {}) => {
      await writePlugin(plugin, {
        tree: manifestTree({ tools: [{ ...tool, ...more }] }),
        ...(text === undefined ? {} : { files: { "profiles/echo.v1.toml": text } }),
      });
      return await profile.install(plugin).then(
        () => "ok",
        (error) => error instanceof GumError ? error.code : String(error),
      );
    };
    const lossy = 'keep_fields = ["text"]\n';
    assert.equal(await refusal(undefined), "PLUGIN_MANIFEST_INVALID", "named and absent");
    assert.equal(await refusal("not TOML"), "PLUGIN_MANIFEST_INVALID");
    assert.equal(await refusal(`${lossy}recovery = "none"\n`), "PLUGIN_MANIFEST_INVALID");
    const stripping = `${lossy}strip_nulls = true\nrecovery = "local_artifact"\n`;
    assert.equal(await refusal(stripping), "PROFILE_STRIP_NULLS_UNSAFE");
    assert.equal(await refusal(stripping, { null_elision_safe_fields: ["text"] }), "ok");
    const snapshot = await profile.registry.loadSnapshot();
    const [state] = snapshot.state.plugins;
    if (state !== undefined) state.status = "active";
    assert.deepEqual([...(await pluginProfiles(snapshot)).keys()], ["echo.v1"]);
    assert.equal(
      await refusal(undefined, { output_profile: "flights.search.v1" }),
      "ok",
    );
  }, { tree });
});

Deno.test({
  name:
    "a link or a pipe in the place of a manifest or a schema is refused, and nothing waits for it",
  ignore: !POSIX,
  async fn() {
    const given = {
      tree: manifestTree({ plugin: { schema_ref: "echo" } }),
      files: { "schemas/echo.json": schemaBundle() },
    };
    for (const path of ["manifest.json", "schemas/echo.json"]) {
      await scene(async ({ directory, plugin, profile }) => {
        await Deno.rename(`${plugin}/${path}`, `${directory}/elsewhere`);
        await Deno.symlink(`${directory}/elsewhere`, `${plugin}/${path}`);
        await assert.rejects(
          profile.install(plugin),
          (error) =>
            findGumError(error, "PLUGIN_EXECUTABLE_UNTRUSTED")?.details.reason === "symlink",
          path,
        );
      }, given);
    }
    await scene(async ({ plugin, profile }) => {
      await Deno.remove(`${plugin}/schemas/echo.json`);
      await new Deno.Command("mkfifo", { args: [`${plugin}/schemas/echo.json`] }).output();
      await assert.rejects(
        profile.install(plugin),
        (error) => isGumError(error, "PLUGIN_SCHEMA_REF_INVALID"),
      );
    }, given);
  },
});

Deno.test("a purge finds the secrets that a removal kept, and those of no other plugin", async () => {
  await scene(async ({ plugin, profile }) => {
    await profile.install(plugin);
    const accounts = new Set(
      ["echo-box.session", "echo-box.old_one", "echo-box2.session", "echo.session"]
        .map((name) => `gum.plugin.default.${name}`),
    );
    const parts = {
      ...profile.parts,
      profileName: "default",
      credentials: () => ({
        accounts: () => Promise.resolve([...accounts]),
        delete: (account: string) => Promise.resolve(void accounts.delete(account)),
      }),
    };
    await removePlugin({ pluginId: "echo-box", signal: never() }, parts);
    assert.equal(accounts.size, 4, "a removal keeps them");
    await removePlugin({ pluginId: "echo-box", purge: true, signal: never() }, parts);
    assert.deepEqual([...accounts], [
      "gum.plugin.default.echo-box2.session",
      "gum.plugin.default.echo.session",
    ]);
  }, { tree: manifestTree({ requirements: NEEDS }) });
});

Deno.test("who takes a name whose data is still there is told so before anything is written", async () => {
  await scene(async ({ directory, plugin, profile }) => {
    const codes = async (path: string) => {
      let seen: string[] = [];
      await profile.install(path, {
        onPlan: ({ warnings }) => seen = warnings.map(({ code }) => code),
      });
      return seen.filter((code) => code === "earlier_data");
    };
    assert.deepEqual(await codes(plugin), []);
    await Deno.mkdir(profile.registry.paths.dataDir("echo-box"), { recursive: true });
    assert.deepEqual(await codes(plugin), [], "its own data");
    const parts = { ...profile.parts, profileName: "default" };
    await removePlugin({ pluginId: "echo-box", signal: never() }, parts);
    const other = await writePlugin(`${directory}/other`, {
      tree: manifestTree({ plugin: { namespace_owner: "net.other" } }),
    });
    assert.deepEqual(await codes(other), ["earlier_data"]);
  });
});
