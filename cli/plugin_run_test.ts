import assert from "node:assert/strict";
import { openPluginRegistry } from "../lib/plugin/mod.ts";
import { systemClock } from "../lib/clock/mod.ts";
import type { StateRow } from "../lib/plugin/types.ts";
import { runCommandLine } from "./run.ts";
import { processFactories } from "./host.ts";
import { recordedHost } from "./testing/recorded_host.ts";
import { COMMANDS } from "./tree.ts";

const WORD_COUNT = new URL("../examples/plugins/word-count", import.meta.url).pathname;

interface Ran {
  code: number;
  stdout: string;
  stderr: string;
}

interface Home {
  directory: string;
  run(...words: string[]): Promise<Ran>;
  change(fields: Partial<StateRow>): Promise<void>;
  state(): Promise<StateRow | undefined>;
  installRoot(): Promise<string>;
}

/** A home with the example plugin installed, and the program with nothing replaced. */
async function atHome(work: (home: Home) => Promise<void>): Promise<void> {
  const directory = await Deno.realPath(await Deno.makeTempDir({ prefix: "gum-plugin-run-" }));
  const registry = openPluginRegistry({
    profileDir: `${directory}/.local/share/gum/default`,
    clock: systemClock,
  });
  const signal = new AbortController().signal;
  const home: Home = {
    directory,
    async run(...words) {
      const { host, recorded } = recordedHost(words, {
        environment: {
          HOME: directory,
          PATH: Deno.env.get("PATH") ?? "",
          GUM_VAULT_KEY: new Uint8Array(32).fill(9).toBase64(),
        },
        factories: processFactories(),
      });
      const code = await runCommandLine(COMMANDS, host);
      return { ...recorded(), code };
    },
    async change(fields) {
      await registry.writeTransaction((draft) => {
        for (const row of draft.state.plugins) Object.assign(row, fields);
      }, { signal });
    },
    state: async () => (await registry.loadSnapshot()).state.plugins[0],
    installRoot: async () =>
      (await registry.loadSnapshot()).lock.plugins[0]?.executable.install_root ?? "",
  };
  try {
    const installed = await home.run("plugin", "install", WORD_COUNT, "--yes");
    assert.equal(installed.code, 0, installed.stderr);
    await work(home);
  } finally {
    await Deno.remove(directory, { recursive: true });
  }
}

Deno.test("gum plugin run: one tool through the kernel, its raw answer on stdout", async () => {
  await atHome(async ({ run }) => {
    const ran = await run("plugin", "run", "word-count", "count", '{"text":"a b a","top":1}');
    assert.equal(ran.code, 0, ran.stderr);
    assert.deepEqual(JSON.parse(ran.stdout), { total: 3, words: [{ word: "a", count: 2 }] });
    const bad = await run("plugin", "run", "word-count", "count", "{not json");
    assert.match(bad.stderr, /CLI_ARG_INVALID/);
    const unknown = await run("plugin", "run", "word-count", "nothing");
    assert.match(unknown.stderr, /OP_NOT_FOUND/);
  });
});

Deno.test("gum plugin run: a tool that writes needs --allow-write", async () => {
  await atHome(async ({ run, directory }) => {
    const args = '{"name":"note","text":"kept"}';
    const refused = await run("plugin", "run", "word-count", "remember", args);
    assert.notEqual(refused.code, 0);
    const path = `${directory}/.local/share/gum/default/plugin-data/word-count/note.txt`;
    await assert.rejects(Deno.stat(path), Deno.errors.NotFound);
    const ran = await run(
      "plugin",
      "run",
      "word-count",
      "remember",
      args,
      "--allow-write",
      "--yes",
    );
    assert.equal(ran.code, 0, ran.stderr);
    assert.equal(await Deno.readTextFile(path), "kept");
  });
});

Deno.test("gum plugin unquarantine, reload: two ways out, and only one of them proves anything", async () => {
  await atHome(async ({ run, change, state, installRoot }) => {
    await change({ quarantined: true, permanent_quarantine: true, backoff_step: 6 });
    const gated = await run("canary", "--plugin=word-count");
    assert.equal(JSON.parse(gated.stdout).error_code, "VARIANT_QUARANTINED");
    const lifted = await run("plugin", "unquarantine", "word-count");
    assert.deepEqual([lifted.code, lifted.stdout], [0, "unquarantined word-count\n"]);
    assert.deepEqual([(await state())?.quarantined, (await state())?.backoff_step], [false, 0]);

    await change({ quarantined: true, last_error_code: "CANARY_FAILED", reason: "CANARY_FAILED" });
    const reloaded = await run("plugin", "reload", "word-count");
    assert.deepEqual([reloaded.code, reloaded.stdout], [0, "reloaded word-count\n"]);
    assert.equal((await state())?.reason, undefined);

    await Deno.writeTextFile(`${await installRoot()}/main.ts`, "// changed");
    const failed = await run("plugin", "reload", "word-count");
    assert.notEqual(failed.code, 0);
    assert.match(failed.stderr, /passive canary/);
    assert.match(failed.stderr, /gum plugin reload word-count/);
    assert.deepEqual(
      [
        (await state())?.quarantined,
        (await state())?.last_error_code,
        (await state())?.backoff_step,
      ],
      [true, "PLUGIN_EXECUTABLE_UNTRUSTED", 1],
    );
    for (const command of ["reload", "unquarantine"]) {
      const absent = await run("plugin", command, "nobody");
      assert.match(absent.stderr, /PLUGIN_MANIFEST_NOT_FOUND/);
    }
  });
});

Deno.test("gum plugin reload --accept-runtime: pins the Deno that is there, after naming both", async () => {
  await atHome(async ({ run, directory, state }) => {
    const registry = openPluginRegistry({
      profileDir: `${directory}/.local/share/gum/default`,
      clock: systemClock,
    });
    await registry.writeTransaction((draft) => {
      for (const row of draft.lock.plugins) {
        row.executable_sha256 = "0".repeat(64);
        row.executable.executable_sha256 = "0".repeat(64);
        row.executable.runtime_version = "2.2.0";
      }
    }, { signal: new AbortController().signal });
    const refused = await run("plugin", "run", "word-count", "count", '{"text":"x"}');
    assert.match(refused.stderr, /runtime_changed/);
    assert.equal((await state())?.quarantined, false, "an upgrade is nobody's crash");
    const accepted = await run("plugin", "reload", "word-count", "--accept-runtime");
    assert.equal(accepted.code, 0, accepted.stderr);
    assert.match(accepted.stderr, new RegExp(`2\\.2\\.0.*${Deno.version.deno}`));
    assert.equal((await run("plugin", "run", "word-count", "count", '{"text":"x"}')).code, 0);
  });
});

Deno.test("gum canary: one line of JSON on stdout, whatever happens", async () => {
  await atHome(async ({ run, state, installRoot }) => {
    const passive = await run("canary", "--plugin=word-count");
    assert.equal(passive.code, 0, passive.stderr);
    assert.equal(passive.stdout.trim().split("\n").length, 1);
    const report = JSON.parse(passive.stdout);
    assert.deepEqual([report.ok, report.plugin_id, report.live], [true, "word-count", false]);
    assert.equal(report.sandbox.fs, "enforced");
    const live = await run("canary", "--plugin=word-count", "--live", "--canary-args=top=1");
    assert.equal(JSON.parse(live.stdout).live, true);
    const wrong = await run("canary", "--plugin=word-count", "--canary-args=lonely");
    assert.match(wrong.stderr, /CLI_ARG_INVALID/);
    await Deno.remove(`${await installRoot()}/main.ts`);
    const failed = await run("canary", "--plugin=word-count");
    assert.equal(JSON.parse(failed.stdout).source_error_code, "ErrExecutableUntrusted");
    assert.notEqual(failed.code, 0);
    assert.equal((await state())?.quarantined, false, "a canary records no crash");
    const absent = await run("canary", "--plugin=nobody");
    assert.equal(JSON.parse(absent.stdout).source_error_code, "ErrManifestNotFound");
  });
});

Deno.test("gum plugin new: files that can be installed at once", async () => {
  await atHome(async ({ run, directory }) => {
    const made = await run("plugin", "new", "my-own", `${directory}/my-own`);
    assert.equal(made.code, 0, made.stderr);
    const installed = await run("plugin", "install", `${directory}/my-own`, "--yes");
    assert.equal(installed.code, 0, installed.stderr);
    const ran = await run("plugin", "run", "my-own", "greet", '{"name":"Ada"}');
    assert.deepEqual(JSON.parse(ran.stdout), { greeting: "Hello, Ada!" });
    const validated = await run("plugin", "validate", `${directory}/my-own`);
    assert.equal(validated.code, 0, validated.stdout);
  });
});

Deno.test("gum plugin run, list: a script starts without a second wall too, by the name it may have", async () => {
  await atHome(async ({ run, directory }) => {
    await Deno.mkdir(`${directory}/.config/gum/default`, { recursive: true });
    await Deno.writeTextFile(
      `${directory}/.config/gum/default/config.toml`,
      '[plugins]\nsandbox = "deno-permissions"\n',
    );
    const canary = await run("canary", "--plugin=word-count", "--live");
    assert.equal(canary.code, 0, canary.stdout);
    assert.equal(JSON.parse(canary.stdout).sandbox.backend, "deno-permissions");
  });
});
