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
        factories: processFactories(
          undefined,
          undefined,
          () => activePlugins(argv, { environment, now: Date.now() }),
        ),
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
    const completed = await run("__complete", "read", "plug.w");
    assert.match(completed.stdout, /plug\.word-count\.count/);
    const elsewhere = await run("search", "count words text", "--profile", "other");
    assert.doesNotMatch(elsewhere.stdout, /plug\./);
  } finally {
    await Deno.remove(home, { recursive: true });
  }
});
