import assert from "node:assert/strict";
import { jcs } from "../lib/format/jcs.ts";
import {
  openPluginRegistry,
  openPluginView,
  pluginPaths,
  type StateRow,
} from "../lib/plugin/mod.ts";
import { systemClock } from "../lib/clock/mod.ts";
import type { VariableName } from "../lib/config/environment.ts";
import { commands } from "./plugin.ts";
import { runCommandLine } from "./run.ts";
import { recordedHost } from "./testing/recorded_host.ts";

interface Home {
  profileDir: string;
  plugin: string;
  run(
    words: readonly string[],
    more?: { stdin?: string; terminals?: ("stdin" | "stdout" | "stderr")[] },
  ): Promise<{ code: number; stdout: string; stderr: string }>;
}

const MANIFEST = {
  manifest_schema_version: 1,
  plugin: {
    name: "echo-box",
    display_name: "Echo Box",
    version: "1.2.0",
    description: "Says <what> & how",
    namespace_owner: "io.example.echo",
    shape: "mcp-plugin",
    executable: "bin/echo-mcp",
  },
  tools: [{ tool_name: "echo", risk_class: "read" }],
};

async function atHome(run: (home: Home) => Promise<void>, manifest: object = MANIFEST) {
  const home = await Deno.realPath(await Deno.makeTempDir({ prefix: "gum-plugin-cli-" }));
  try {
    const plugin = `${home}/plugin`;
    await Deno.mkdir(`${plugin}/bin`, { recursive: true });
    await Deno.writeTextFile(`${plugin}/bin/echo-mcp`, "#!/bin/sh\nexec cat\n");
    await Deno.writeTextFile(`${plugin}/manifest.json`, JSON.stringify(manifest));
    const environment: Partial<Record<VariableName, string>> = {
      HOME: home,
      PATH: Deno.env.get("PATH") ?? "",
      GUM_VAULT_KEY: new Uint8Array(32).fill(9).toBase64(),
    };
    await run({
      profileDir: `${home}/.local/share/gum/default`,
      plugin,
      async run(words, more = {}) {
        const { host, recorded } = recordedHost(["plugin", ...words], { environment, ...more });
        const code = await runCommandLine(commands, host);
        return { ...recorded(), code };
      },
    });
  } finally {
    await Deno.remove(home, { recursive: true });
  }
}

async function changeState(profileDir: string, more: Partial<StateRow>) {
  await openPluginRegistry({ profileDir, clock: systemClock }).writeTransaction((draft) => {
    for (const row of draft.state.plugins) Object.assign(row, more);
  }, { signal: new AbortController().signal });
}

Deno.test("gum plugin install: needs --yes, refuses addresses, shows what it asks for, reports", async () => {
  await atHome(async ({ run, plugin, profileDir }) => {
    const unacknowledged = await run(["install", `${plugin}/nothing-is-read`]);
    assert.equal(unacknowledged.code, 2);
    assert.match(unacknowledged.stderr, /required flag --yes.*third-party code/);
    for (const url of ["https://example.com/p", "HTTP://example.com"]) {
      const refused = await run(["install", url, "--yes"]);
      assert.match(refused.stderr, /CLI_ARG_INVALID/);
    }
    await assert.rejects(Deno.stat(profileDir), Deno.errors.NotFound);
    const done = await run(["install", plugin, "--yes", "--no-canary"]);
    assert.equal(done.code, 0, done.stderr);
    assert.match(
      done.stdout,
      /^installed echo-box\nstatus: installed_pending_restart\nsandbox: .*\ntrust: .*dev-untrusted/,
    );
    assert.match(done.stderr, /network: none/);
    const again = await run(["install", plugin, "--yes", "--no-canary", "--format", "json"]);
    const shown = JSON.parse(again.stdout);
    assert.deepEqual(Object.keys(shown), [
      "plugin_id",
      "version",
      "status",
      "install_generation",
      "install_txid",
      "risk",
      "executable",
      "sandbox",
      "warnings",
    ]);
    assert.equal(shown.install_generation, 2);
    const audit = await Deno.readTextFile(`${profileDir}/audit.jsonl`);
    assert.equal(audit.match(/"plugin_installed"/g)?.length, 2);
    const bad = await run(["install", `${plugin}/none`, "--yes"]);
    assert.equal(JSON.parse(bad.stderr).error_code, "PLUGIN_MANIFEST_NOT_FOUND");
    assert.equal(bad.stdout, "");
  });
});

Deno.test("TestPluginListJSONEmptyProfileIsValidJSON: no plugin is an empty list", async () => {
  await atHome(async ({ run, profileDir }) => {
    const json = await run(["list", "--format", "json"]);
    assert.deepEqual(JSON.parse(json.stdout), { plugins: [] });
    const text = await run(["list"]);
    assert.deepEqual([text.stdout, text.stderr, text.code], ["", "", 0]);
    const terminal = await run(["list"], { terminals: ["stderr"] });
    assert.match(terminal.stderr, /no plugin is installed/);
    await assert.rejects(Deno.stat(profileDir), Deno.errors.NotFound);
  });
});

Deno.test("TestPluginListJSONRowsMirrorTheResourceColumns: the resource's columns, pending rows included", async () => {
  await atHome(async ({ run, plugin }) => {
    await run(["install", plugin, "--yes", "--no-canary"]);
    const { stdout } = await run(["list", "--format", "json"]);
    assert.deepEqual(JSON.parse(stdout), {
      plugins: [{
        name: "echo-box",
        version: "1.2.0",
        shape: "mcp-plugin",
        status: "installed_pending_restart",
        tos: "unspecified",
        risk: "dev-untrusted",
        variant_count: 1,
      }],
    });
    assert.deepEqual(Object.keys(JSON.parse(stdout).plugins[0]), [
      "name",
      "version",
      "shape",
      "status",
      "tos",
      "risk",
      "variant_count",
    ]);
  });
});

Deno.test("TestPluginListRejectsUnknownFormat: text and json, nothing else", async () => {
  await atHome(async ({ run }) => {
    const { code, stderr } = await run(["list", "--format", "yaml"]);
    assert.equal(code, 2);
    assert.match(stderr, /CLI_ARG_INVALID.*--format/);
  });
});

Deno.test("gum plugin list as text: one word for each status, a footer for quarantined ones", async () => {
  await atHome(async ({ run, plugin, profileDir }) => {
    await run(["install", plugin, "--yes", "--no-canary"]);
    const word = async () => (await run(["list"])).stdout.split("\n")[1]?.split(/\s{2,}/)[2];
    assert.equal(await word(), "pending-restart");
    await changeState(profileDir, { status: "active", activated_at: "2026-01-01T00:00:00Z" });
    assert.equal(await word(), "active");
    await changeState(profileDir, { needs_configuration: true });
    assert.equal(await word(), "needs-configuration");
    await changeState(profileDir, {
      quarantined: true,
      last_error_code: "SERVICE_DOWN",
      retry_count: 3,
    });
    const { stdout } = await run(["list"]);
    assert.match(stdout, /^ID +VERSION +STATUS +RETRIES +NEXT-RETRY +LAST-ERROR +NAME\n/);
    assert.match(stdout, /\necho-box +1\.2\.0 +quarantined +3 +- +SERVICE_DOWN +Echo Box\n/);
    assert.match(stdout, /\n1 plugin is quarantined; .*reload.*unquarantine/);
    await changeState(profileDir, { permanent_quarantine: true });
    assert.equal(await word(), "quarantined-permanent");
    await changeState(profileDir, {
      permanent_quarantine: false,
      quarantined: false,
      needs_configuration: false,
    });
    await Deno.remove(`${profileDir}/plugins/echo-box`, { recursive: true });
    assert.equal(await word(), "unloadable");
    await Deno.mkdir(`${profileDir}/plugins/stray-box/0000`, { recursive: true });
    assert.match((await run(["list"])).stdout, /\nstray-box +- +unloadable/);
  });
});

Deno.test("a registry file of another version is an error here, not an empty list", async () => {
  await atHome(async ({ run, plugin, profileDir }) => {
    await run(["install", plugin, "--yes", "--no-canary"]);
    const path = `${profileDir}/plugin-state.json`;
    const text = await Deno.readTextFile(path);
    await Deno.writeTextFile(path, text.replace('schema_version": 1', 'schema_version": 2'));
    const { code, stderr } = await run(["list", "--format", "json"]);
    assert.notEqual(code, 0);
    assert.equal(JSON.parse(stderr).error_code, "PLUGIN_STATE_SCHEMA_UNSUPPORTED");
  });
});

Deno.test("TestPluginInfoJSONCarriesSpecFields: the record of the resource", async () => {
  await atHome(async ({ run, plugin }) => {
    await run(["install", plugin, "--yes", "--no-canary"]);
    const shown = JSON.parse((await run(["info", "echo-box", "--format", "json"])).stdout);
    assert.equal(shown.status, "installed_pending_restart");
    assert.equal(shown.reason, "restart_required");
    for (
      const key of [
        "name",
        "version",
        "description",
        "namespace_owner",
        "shape",
        "tos",
        "risk",
        "variant_ids",
        "variant_count",
        "package",
        "install_generation",
        "installed_at",
        "executable",
      ]
    ) assert.ok(key in shown, key);
  });
});

Deno.test("TestPluginInfoJSONIsCanonical: the resource's bytes and a newline", async () => {
  await atHome(async ({ run, plugin, profileDir }) => {
    await run(["install", plugin, "--yes", "--no-canary"]);
    const { stdout } = await run(["info", "echo-box", "--format", "json"]);
    const record = openPluginView({ paths: pluginPaths(profileDir) }).record("echo-box");
    assert.equal(stdout, jcs(record) + "\n");
    assert.ok(stdout.includes("Says <what> & how"), "not escaped");
  });
});

Deno.test("TestPluginInfoTextReportsStatus: a line for each fact and the next step", async () => {
  await atHome(async ({ run, plugin, profileDir }) => {
    await run(["install", plugin, "--yes", "--no-canary"]);
    const text = async () => (await run(["info", "echo-box"])).stdout;
    assert.match(await text(), /^name: echo-box$/m);
    assert.match(await text(), /^status: installed_pending_restart$/m);
    assert.match(await text(), /^next: restart the MCP server$/m);
    await changeState(profileDir, { needs_configuration: true });
    assert.match(await text(), /^next: gum plugin setup echo-box$/m);
    await changeState(profileDir, { quarantined: true });
    assert.match(
      await text(),
      /^next: gum plugin reload echo-box, or gum plugin unquarantine echo-box$/m,
    );
  });
});

Deno.test("TestPluginInfoUnknownPluginErrors: RESOURCE_NOT_FOUND and a number of its own", async () => {
  await atHome(async ({ run }) => {
    const { code, stdout, stderr } = await run(["info", "none"]);
    assert.equal(code, 4);
    assert.equal(stdout, "");
    const envelope = JSON.parse(stderr);
    assert.equal(envelope.error_code, "RESOURCE_NOT_FOUND");
    assert.equal(envelope.name, "none");
  });
});

Deno.test("TestPluginInfoRejectsUnknownFormat: text and json, nothing else", async () => {
  await atHome(async ({ run }) => {
    const { code, stderr } = await run(["info", "x", "--format", "toon"]);
    assert.equal(code, 2);
    assert.match(stderr, /CLI_ARG_INVALID/);
  });
});

Deno.test("TestPluginInfoCmdRegistered: the command tree names every command of the group", () => {
  const [plugin] = commands;
  const names = plugin?.children.map(({ name }) => name) ?? [];
  for (const name of ["install", "list", "info", "remove", "setup", "transfer-namespace"]) {
    assert.ok(names.includes(name), name);
  }
  assert.equal(plugin?.group, "plugin");
  assert.equal(plugin?.run, undefined, "the word alone prints help");
});

Deno.test("TestPluginRemoveCmdClearsRegistry: rows and files go, an unknown id is no failure", async () => {
  await atHome(async ({ run, plugin, profileDir }) => {
    await run(["install", plugin, "--yes", "--no-canary"]);
    const removed = await run(["remove", "echo-box"]);
    assert.deepEqual([removed.code, removed.stdout], [0, "removed echo-box\n"]);
    assert.deepEqual(JSON.parse((await run(["list", "--format", "json"])).stdout), { plugins: [] });
    await assert.rejects(Deno.stat(`${profileDir}/plugins/echo-box`), Deno.errors.NotFound);
    const again = await run(["remove", "echo-box"]);
    assert.deepEqual([again.code, again.stdout], [0, ""], "nothing was removed");
    assert.match(again.stderr, /not installed/);
    const purged = await run(["remove", "echo-box", "--purge"]);
    assert.deepEqual([purged.code, purged.stdout], [0, ""]);
    assert.match(purged.stderr, /not installed; data and secrets it may have left are deleted/);
    const bad = await run(["remove", "../x"]);
    assert.equal(JSON.parse(bad.stderr).error_code, "PLUGIN_MANIFEST_INVALID");
  });
});

Deno.test("TestPluginRemoveUsesRegistryWhenProfileExists: the generation moves on and the lease is free", async () => {
  await atHome(async ({ run, plugin, profileDir }) => {
    await run(["install", plugin, "--yes", "--no-canary"]);
    await run(["remove", "echo-box", "--purge"]);
    const lock = JSON.parse(await Deno.readTextFile(`${profileDir}/plugins.lock`));
    assert.deepEqual([lock.install_generation, lock.plugins], [2, []]);
    const other = { ...MANIFEST, plugin: { ...MANIFEST.plugin, namespace_owner: "net.other" } };
    await Deno.writeTextFile(`${plugin}/manifest.json`, JSON.stringify(other));
    assert.equal((await run(["install", plugin, "--yes", "--no-canary"])).code, 0);
  });
});

Deno.test("gum plugin transfer-namespace: one of two flags, and --yes", async () => {
  await atHome(async ({ run, plugin, profileDir }) => {
    await run(["install", plugin, "--yes", "--no-canary"]);
    const move = (...words: string[]) => run(["transfer-namespace", "echo-box", ...words]);
    for (
      const words of [["--yes"], ["--yes", "--release", "--new-owner", "x"], [
        "--yes",
        "--new-owner",
        " ",
      ]]
    ) {
      assert.match((await move(...words)).stderr, /CLI_ARG_INVALID/, words.join(" "));
    }
    assert.match((await move("--release")).stderr, /required flag --yes/);
    assert.equal(
      (await move("--new-owner", "io.b", "--yes")).stdout,
      'transferred namespace "echo-box" from "io.example.echo" to "io.b"\n',
    );
    assert.equal(
      (await move("--release", "--yes")).stdout,
      'released namespace "echo-box" (was owned by "io.b")\n',
    );
    const unbound = await move("--release", "--yes");
    assert.equal(JSON.parse(unbound.stderr).error_code, "PLUGIN_PREFIX_NOT_BOUND");
    const audit = await Deno.readTextFile(`${profileDir}/audit.jsonl`);
    assert.equal(audit.match(/plugin_namespace_/g)?.length, 2);
  });
});

Deno.test("gum plugin setup: reads a line for each secret and leaks none", async () => {
  const manifest = {
    ...MANIFEST,
    requirements: {
      needs_user_creds: ["ECHO_SESSION"],
      credential_descriptors: [{
        alias: "session",
        env: "ECHO_SESSION",
        kind: "session",
        display_name: "Echo cookie",
        setup_hint: "From the browser",
      }],
    },
  };
  await atHome(async ({ run, plugin, profileDir }) => {
    await Deno.mkdir(`${profileDir}/../../../../.config/gum/default`, { recursive: true });
    await Deno.writeTextFile(
      `${profileDir}/../../../../.config/gum/default/config.toml`,
      '[auth]\ncredential_store = "vault"\n',
    );
    const installed = await run(["install", plugin, "--yes", "--no-canary"]);
    assert.match(installed.stdout, /next: gum plugin setup echo-box/);
    const { stdout, stderr } = await run(["setup", "echo-box"], { stdin: "s3cr3t-cookie\n" });
    assert.match(stderr, /From the browser\nEcho cookie \(session\): \n/);
    const shown = stdout + stderr + installed.stdout + installed.stderr;
    assert.ok(!shown.includes("ECHO_SESSION") && !shown.includes("s3cr3t"));
    const empty = await run(["setup", "none"]);
    assert.equal(JSON.parse(empty.stderr).error_code, "PLUGIN_MANIFEST_NOT_FOUND");
  }, manifest);
  await atHome(async ({ run, plugin }) => {
    await run(["install", plugin, "--yes", "--no-canary"]);
    const { code, stdout } = await run(["setup", "echo-box"]);
    assert.deepEqual([code, stdout], [0, 'plugin "echo-box" needs no credentials\n']);
  });
});

Deno.test("names complete from every row of the inventory, for the first word only", async () => {
  await atHome(async ({ run, plugin }) => {
    await run(["install", plugin, "--yes", "--no-canary"]);
    const { host } = recordedHost([], { environment: { HOME: plugin.replace(/\/plugin$/, "") } });
    const [group] = commands;
    for (const name of ["info", "remove", "setup"]) {
      const complete = group?.children.find((child) => child.name === name)?.args[0]?.complete;
      const request = {
        prefix: "",
        words: [],
        host,
        catalog: () => Promise.reject(new Error("no")),
      };
      const found = await complete?.(request);
      assert.deepEqual(found?.candidates.map(({ value }) => value), ["echo-box"], name);
      const second = await complete?.({ ...request, words: ["echo-box"] });
      assert.deepEqual(second?.candidates, []);
    }
  });
});

Deno.test("gum plugin validate: every broken rule, in words and as JSON, and nothing is written", async () => {
  await atHome(async ({ run, plugin, profileDir }) => {
    const good = await run(["validate", plugin]);
    assert.equal(good.code, 0, good.stderr);
    assert.match(good.stdout, /^echo-box 1\.2\.0 can be installed\n/);
    assert.match(good.stdout, /\nnetwork: none\n/);
    await Deno.remove(`${plugin}/bin/echo-mcp`);
    const manifest = structuredClone(MANIFEST) as typeof MANIFEST & { requirements?: object };
    manifest.plugin.version = "";
    manifest.requirements = { auth_components: ["magic"] };
    await Deno.writeTextFile(`${plugin}/manifest.json`, JSON.stringify(manifest));
    const bad = await run(["validate", plugin, "--format", "json"]);
    assert.equal(bad.code, 1);
    const found = JSON.parse(bad.stdout);
    assert.equal(found.ok, false);
    assert.deepEqual(found.violations.map(({ code }: { code: string }) => code), [
      "PLUGIN_MANIFEST_INVALID",
      "AUTH_COMPONENT_UNKNOWN",
    ]);
    assert.match((await run(["validate", plugin])).stdout, /^2 rules are broken\n {2}PLUGIN_/);
    await assert.rejects(Deno.stat(profileDir), Deno.errors.NotFound);
  });
});

Deno.test("gum plugin info: says what confines it here, and that its tools are not what they were", async () => {
  await atHome(async ({ run, plugin, profileDir }) => {
    await run(["install", plugin, "--yes", "--no-canary"]);
    const before = await run(["info", "echo-box"]);
    assert.match(before.stdout, /\nsandbox: \S.*\n/);
    assert.doesNotMatch(before.stdout, /tool_drift/);
    await openPluginRegistry({ profileDir, clock: systemClock }).writeTransaction((draft) => {
      for (const row of draft.lock.plugins) {
        row.tools = {
          sha256: "a".repeat(64),
          drifted_sha256: "b".repeat(64),
          drifted_at: "2026-01-02T03:04:05Z",
        };
      }
    }, { signal: new AbortController().signal });
    const after = await run(["info", "echo-box"]);
    assert.match(after.stdout, /\ntool_drift: .*2026-01-02T03:04:05Z\n/);
    const json = await run(["info", "echo-box", "--format", "json"]);
    assert.doesNotMatch(json.stdout, /sandbox|drift/, "the resource's payload stays as it is");
  });
});

Deno.test("an author's words can neither steer a terminal nor pass for lines of gum's", async () => {
  const manifest = structuredClone(MANIFEST);
  manifest.plugin.display_name = "Nice\u001b[2J\nstatus: active";
  manifest.plugin.description = "x\r\nsandbox: bubblewrap\u202e";
  await atHome(async ({ run, plugin }) => {
    const terminals: ("stdout" | "stderr")[] = ["stdout", "stderr"];
    const shown = [
      await run(["install", plugin, "--yes", "--no-canary"], { terminals }),
      await run(["info", "echo-box"], { terminals }),
      await run(["list"], { terminals }),
    ].map(({ stdout, stderr }) => stdout + stderr).join("");
    // deno-lint-ignore no-control-regex -- the escape is what must not be there
    assert.doesNotMatch(shown, /\u001b\[2J|\u202e/);
    assert.equal(shown.match(/^status: active/gm), null);
    assert.equal(shown.match(/^sandbox: /gm)?.length, 2, "one of the report, one of the record");
  }, manifest);
});
