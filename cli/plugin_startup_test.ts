import assert from "node:assert/strict";
import { openPluginRegistry } from "../lib/plugin/mod.ts";
import { systemClock } from "../lib/clock/mod.ts";
import { promoteAtStart } from "./plugin_startup.ts";
import { recordedHost } from "./testing/recorded_host.ts";

Deno.test("TestCLIStartupPromotesPendingPlugin: before any command, in the profile that it is for", async () => {
  const home = await Deno.makeTempDir({ prefix: "gum-startup-" });
  try {
    const registry = (profile: string) =>
      openPluginRegistry({ profileDir: `${home}/.local/share/gum/${profile}`, clock: systemClock });
    for (const profile of ["default", "work"]) {
      await registry(profile).writeTransaction((draft) => {
        draft.state.plugins.push({
          name: `in-${profile}`,
          status: "installed_pending_restart",
          installed_at: "2026-01-01T00:00:00Z",
          activated_at: null,
          needs_configuration: false,
          quarantined: false,
          permanent_quarantine: false,
          retry_count: 0,
          backoff_step: 0,
        });
      }, { signal: new AbortController().signal });
    }
    const start = (argv: string[], word: string | undefined) =>
      promoteAtStart(recordedHost(argv, { environment: { HOME: home } }).host, word);
    assert.deepEqual(await start(["__complete", ""], "__complete"), []);
    assert.deepEqual(await start(["search", "--help"], "search"), []);
    assert.deepEqual(await start(["--version"], undefined), []);
    assert.deepEqual(await start(["search", "--profile", "../x"], "search"), []);
    assert.deepEqual(await start(["search", "--profile=work", "mail"], "search"), ["in-work"]);
    assert.deepEqual(await start(["search", "mail"], "search"), ["in-default"]);
    assert.deepEqual(await start(["search", "mail"], "search"), []);
    const [row] = (await registry("default").loadSnapshot()).state.plugins;
    assert.equal(row?.status, "active");
  } finally {
    await Deno.remove(home, { recursive: true });
  }
});

Deno.test("TestCLIStartupDoesNotCreateRegistryFiles: a home without plugins stays as it is", async () => {
  const home = await Deno.makeTempDir({ prefix: "gum-startup-" });
  try {
    const { host } = recordedHost(["search", "mail"], { environment: { HOME: home } });
    assert.deepEqual(await promoteAtStart(host, "search"), []);
    assert.deepEqual([...Deno.readDirSync(home)], []);
    const homeless = recordedHost([], { environment: { HOME: "" } }).host;
    assert.deepEqual(await promoteAtStart(homeless, "search"), []);
  } finally {
    await Deno.remove(home, { recursive: true });
  }
});
