import assert from "node:assert/strict";
import { environmentOf } from "../lib/config/environment.ts";
import { configuredLogLevel, logLevel } from "./log_level.ts";
import { runGum, withFolder } from "./testing/spawned.ts";

Deno.test("log.level: the profile's configuration sets it; a damaged one changes nothing", async () => {
  await withFolder(async (home) => {
    const environment = environmentOf({ HOME: home });
    const level = () => configuredLogLevel({ environment }, "work");
    assert.equal(await level(), undefined);
    await Deno.mkdir(`${home}/.config/gum/work`, { recursive: true });
    const rows: [string, string | undefined][] = [
      ["", undefined],
      ['log.level = "debug"\n', "debug"],
      ['[log]\nlevel = "error"\n', "error"],
      ['log.level = "loud"\n', undefined],
      ["log.level = 3\n", undefined],
      ["log.level = \n", undefined],
      ['level = "debug"\n', undefined],
      ['[output]\nlevel = "debug"\n', undefined],
    ];
    for (const [text, expected] of rows) {
      await Deno.writeTextFile(`${home}/.config/gum/work/config.toml`, text);
      assert.equal(await level(), expected, text);
    }
    assert.equal(await configuredLogLevel({ environment: environmentOf({}) }, "work"), undefined);
  });
  assert.deepEqual(["WARNING", "Info", "x", undefined].map(logLevel), [
    "warn",
    "info",
    undefined,
    undefined,
  ]);
});

Deno.test("log.level: flag before variable before configuration, in the real program", async () => {
  await withFolder(async (home) => {
    const set = await runGum(["config", "set", "log.level=debug"], { home });
    assert.equal(set.code, 0, set.stderr);
    const read = ["--emulator", "read", "gmail.users.labels.list", "--args", '{"userId":"me"}'];
    const debugs = async (argv: string[], env?: Record<string, string>) => {
      const { code, stderr } = await runGum([...argv, ...read], { home, env });
      assert.equal(code, 0, stderr);
      return stderr.includes('"level":"debug"');
    };
    assert.equal(await debugs([]), true);
    assert.equal(await debugs([], { GUM_LOG_LEVEL: "warn" }), false);
    assert.equal(await debugs(["--log-level", "error"], { GUM_LOG_LEVEL: "debug" }), false);
    assert.equal(await debugs(["--profile", "other"]), false);
  });
});
