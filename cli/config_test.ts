import assert from "node:assert/strict";
import { type Recorded, type RecordedOptions, runRecorded } from "./testing/recorded_host.ts";
import { runGum, withFolder } from "./testing/spawned.ts";

async function inHome(
  body: (
    run: (argv: string[], options?: RecordedOptions) => Promise<Recorded>,
    home: string,
  ) => Promise<void>,
): Promise<void> {
  await withFolder(async (home) => {
    const run = (argv: string[], options: RecordedOptions = {}) =>
      runRecorded(argv, {
        ...options,
        environment: { HOME: home, PATH: "/usr/bin:/bin", ...options.environment },
        factories: { readFile: (path) => Deno.readFile(path), ...options.factories },
      });
    await body(run, home);
  });
}

Deno.test("gum config: set, get, list, unset", async () => {
  await inHome(async (run, home) => {
    const empty = await run(["config", "list"]);
    assert.deepEqual([empty.code, empty.stdout, empty.stderr], [0, "", ""]);
    const note = await run(["config", "list"], { terminals: ["stderr"] });
    assert.deepEqual([note.stdout, note.stderr], ["", "gum: nothing is set for profile default\n"]);
    for (
      const pair of [
        "rate_limit.capacity=50",
        "rate_limit.refill_per_second=0.5",
        "cache.enabled= TRUE ",
        'policy.deny_ops=["gmail.users.messages.send"]',
        "media.dirs=/srv/a, /srv/b",
        "profile.description=Work = mail",
      ]
    ) {
      const { code, stdout, stderr } = await run(["config", "set", pair]);
      assert.deepEqual([code, stdout, stderr], [0, "", ""], pair);
    }
    const file = await Deno.readTextFile(`${home}/.config/gum/default/config.toml`);
    assert.match(file, /^config_schema_version = 1\n/);
    assert.match(file, /\ncache\.enabled = true\n/);
    const got = await run(["config", "get", "profile.description"]);
    assert.equal(got.stdout, "Work = mail\n");
    assert.equal((await run(["config", "get", "media.dirs"])).stdout, '["/srv/a","/srv/b"]\n');
    const listed = await run(["config", "list"]);
    assert.equal(
      listed.stdout,
      [
        "cache.enabled=true",
        "config_schema_version=1",
        'media.dirs=["/srv/a","/srv/b"]',
        'policy.deny_ops=["gmail.users.messages.send"]',
        "profile.description=Work = mail",
        "rate_limit.capacity=50",
        "rate_limit.refill_per_second=0.5",
        "",
      ].join("\n"),
    );
    const json = JSON.parse((await run(["config", "list", "--format", "json"])).stdout);
    assert.deepEqual([json["rate_limit.capacity"], json["cache.enabled"]], [50, true]);
    assert.equal((await run(["config", "unset", "cache.enabled"])).code, 0);
    for (const word of ["get", "unset"]) {
      const gone = await run(["config", word, "cache.enabled"]);
      assert.deepEqual([gone.code, gone.stdout], [1, ""]);
      assert.match(gone.stderr, /"cache\.enabled" is not set; its default is true/);
    }
    // Another profile has a configuration of its own.
    assert.equal((await run(["--profile", "work", "config", "list"])).stdout, "");
  });
});

Deno.test("gum config set: what it refuses, and what it stores with a warning", async () => {
  await inHome(async (run, home) => {
    const refused: [string, RegExp][] = [
      ["cache.enabled", /expected key=value/],
      ["=x", /empty key or value/],
      ["cache.enabled=", /empty key or value/],
      ["cache.enabled=maybe", /must be true or false/],
      ["rate_limit.capacity=0", /must be from 1 to 10000/],
      ["rate_limit.capacity=ten", /whole number from 1 to 10000/],
      ["output.default_format=yaml", /one of toon, json, csv, markdown/],
      ["media.dirs=relative", /absolute path/],
      ["policy.mode=readonly", /one of read_only/],
      ["auth.expected_subject.byo_oauth=me@example.com", /16 lower-case/],
      ["config_schema_version=2", /from 1 to 1/],
      ["a..b=1", /not a possible key/],
    ];
    for (const [pair, reason] of refused) {
      const { code, stdout, stderr } = await run(["config", "set", pair]);
      assert.deepEqual([code, stdout], [2, ""], pair);
      assert.match(stderr, /^CLI_ARG_INVALID|"CLI_ARG_INVALID"|Error: CLI_ARG_INVALID/, pair);
      assert.match(stderr, reason, pair);
    }
    const canary = `AIza${"c".repeat(35)}`;
    const secret = await run(["config", "set", `my.key=${canary}`]);
    assert.equal(secret.code, 2);
    assert.ok(!secret.stderr.includes(canary));
    await assert.rejects(Deno.stat(`${home}/.config/gum/default/config.toml`));
    const unknown = await run(["config", "set", "later.key=5"]);
    assert.equal(unknown.code, 0);
    assert.match(unknown.stderr, /is not a key this version knows/);
    assert.doesNotMatch(unknown.stderr, /did you mean/);
    const mistyped = await run(["config", "set", "polcy.mode=read_only"]);
    assert.equal(mistyped.code, 0);
    assert.match(mistyped.stderr, /no effect; did you mean policy\.mode\?/);
    assert.match(
      (await run(["config", "get", "policymode"])).stderr,
      /did you mean policy\.mode\?/,
    );
    assert.equal((await run(["config", "unset", "polcy.mode"])).code, 0);
    assert.equal((await run(["config", "get", "later.key"])).stdout, "5\n");
  });
});

Deno.test("TestProfileConfigSchemaVersion: gum config refuses a newer file, gum doctor shows unknown keys", async () => {
  await inHome(async (run, home) => {
    const folder = `${home}/.config/gum/default`;
    await Deno.mkdir(folder, { recursive: true });
    await Deno.writeTextFile(`${folder}/config.toml`, "config_schema_version = 999\n");
    for (const argv of [["get", "a"], ["list"], ["set", "cache.enabled=1"], ["unset", "a"]]) {
      const { code, stdout, stderr } = await run(["config", ...argv]);
      assert.deepEqual([code, stdout], [1, ""]);
      assert.equal(JSON.parse(stderr).error_code, "CONFIG_SCHEMA_UNSUPPORTED");
    }
    await Deno.writeTextFile(`${folder}/config.toml`, "some.future.key = 1\n");
    const report = JSON.parse((await run(["doctor", "--format", "json"])).stdout);
    const check = report.checks.find((one: { name: string }) => one.name === "config");
    assert.equal(check.ok, true);
    assert.match(check.hint, /some\.future\.key/);
    assert.equal(check.warnings[0].key, "some.future.key");
  });
});

Deno.test("gum config: an invalid profile name touches nothing", async () => {
  await inHome(async (run, home) => {
    for (const argv of [["config", "set", "a=1"], ["doctor"], ["auth", "profiles"]]) {
      const { code, stderr } = await run(["--profile", "../x", ...argv]);
      assert.equal(code, 1);
      assert.match(stderr, /invalid profile name/);
    }
    assert.deepEqual([...Deno.readDirSync(home)], []);
  });
});

Deno.test("gum config: the real program, and two of them at once", async () => {
  await withFolder(async (home) => {
    const runs = await Promise.all([
      runGum(["config", "set", "cache.persist=false"], { home }),
      runGum(["config", "set", "gain.enabled=false"], { home }),
    ]);
    assert.deepEqual(runs.map((run) => [run.code, run.stderr]), [[0, ""], [0, ""]]);
    const { stdout } = await runGum(["config", "list"], { home });
    assert.equal(stdout, "cache.persist=false\nconfig_schema_version=1\ngain.enabled=false\n");
  });
});
