import assert from "node:assert/strict";
import { environmentOf } from "../lib/config/environment.ts";
import { openPluginRegistry } from "../lib/plugin/mod.ts";
import { systemClock } from "../lib/clock/mod.ts";
import { activePlugins } from "./active_plugins.ts";
import { processFactories } from "./host.ts";
import { runCommandLine } from "./run.ts";
import { recordedHost } from "./testing/recorded_host.ts";
import { COMMANDS } from "./tree.ts";

const WORD_COUNT = new URL("../examples/plugins/word-count", import.meta.url).pathname;

Deno.test("active plugins: search, describe and completion see them, waiting ones are not seen", async () => {
  const home = await Deno.realPath(await Deno.makeTempDir({ prefix: "gum-active-" }));
  try {
    const values = {
      HOME: home,
      PATH: Deno.env.get("PATH") ?? "",
      GUM_VAULT_KEY: new Uint8Array(32).fill(9).toBase64(),
    };
    const environment = environmentOf(values);
    const run = async (...argv: string[]) => {
      const { host, recorded } = recordedHost(argv, {
        environment: values,
        factories: processFactories({
          plugins: () => activePlugins(argv, { environment, now: Date.now() }),
        }),
      });
      const code = await runCommandLine(COMMANDS, host);
      return { ...recorded(), code };
    };
    assert.deepEqual((await activePlugins([], { environment, now: Date.now() })).ops, []);
    const installed = await run("plugin", "install", WORD_COUNT, "--yes");
    assert.equal(installed.code, 0, installed.stderr);
    assert.doesNotMatch((await run("search", "count words text")).stdout, /plug\./);
    await openPluginRegistry({
      profileDir: `${home}/.local/share/gum/default`,
      clock: systemClock,
    }).writeTransaction((draft) => {
      for (const row of draft.state.plugins) {
        row.status = "active";
        row.activated_at = "2026-01-01T00:00:00Z";
      }
    }, { signal: new AbortController().signal });
    assert.match((await run("search", "count words text")).stdout, /plug\.word-count\.count/);
    const described = await run("describe", "plug.word-count.count");
    assert.equal(described.code, 0, described.stderr);
    assert.match(described.stdout, /word-count/);
    assert.deepEqual(JSON.parse(described.stdout).example_args, { text: "<text>" });
    assert.equal(JSON.parse(described.stdout).hint, undefined);
    const called = await run(
      ...["call", "plug.word-count.count", "--risk=read", "--text", "a b a", "--top=1"],
      "--no-envelope",
    );
    assert.equal(called.code, 0, called.stderr);
    assert.deepEqual(JSON.parse(called.stdout).words, [{ word: "a", count: 2 }], called.stderr);
    const unknown = await run("call", "plug.word-count.count", "--risk=read", "--test", "a");
    assert.match(unknown.stderr, /unknown flag: --test/);
    const completed = await run("__complete", "read", "plug.w");
    assert.match(completed.stdout, /plug\.word-count\.count/);
    const elsewhere = await run("search", "count words text", "--profile", "other");
    assert.doesNotMatch(elsewhere.stdout, /plug\./);
  } finally {
    await Deno.remove(home, { recursive: true });
  }
});

Deno.test("describe: an operation of a plugin that is not there says how to get one", async () => {
  const home = await Deno.realPath(await Deno.makeTempDir({ prefix: "gum-hint-" }));
  try {
    const describe = async (opId: string, terminals: ("stdout")[] = []) => {
      const { host, recorded } = recordedHost(["describe", opId], {
        environment: { HOME: home },
        factories: processFactories(undefined),
        terminals,
      });
      assert.equal(await runCommandLine(COMMANDS, host), 0);
      return recorded().stdout;
    };
    const names: Record<string, string> = {
      "flights.search": "google-flights",
      "scholar.search": "google-scholar",
      "patents.search": "google-patents",
      "trends.daily": "google-trends",
      "youtube.transcripts.get": "youtube-transcripts",
    };
    for (const [opId, plugin] of Object.entries(names)) {
      const { hint } = JSON.parse(await describe(opId));
      assert.match(hint, new RegExp(`^Plugin ${plugin} is not installed.*gum plugin install`));
    }
    assert.equal(JSON.parse(await describe("gmail.users.messages.list")).hint, undefined);
    assert.match(
      await describe("flights.search", ["stdout"]),
      /PLUGIN\S*\n +Plugin google-flights/,
    );
    const profileDir = `${home}/.local/share/gum/default`;
    await openPluginRegistry({ profileDir, clock: systemClock }).writeTransaction((draft) => {
      draft.state.plugins.push({
        name: "google-flights",
        status: "active",
        installed_at: "2026-01-01T00:00:00Z",
        activated_at: null,
        needs_configuration: false,
        quarantined: false,
        permanent_quarantine: false,
        retry_count: 0,
        backoff_step: 0,
      });
    }, { signal: new AbortController().signal });
    assert.equal(JSON.parse(await describe("flights.search")).hint, undefined);
    assert.match(JSON.parse(await describe("scholar.search")).hint, /google-scholar/);
  } finally {
    await Deno.remove(home, { recursive: true });
  }
});
