import assert from "node:assert/strict";
import { openAuditLog } from "../lib/audit/mod.ts";
import { createResponseCache } from "../lib/cache/mod.ts";
import { systemClock } from "../lib/clock/mod.ts";
import { startEmulator } from "../lib/emulator/mod.ts";
import { openLedger } from "../lib/gain/mod.ts";
import { releaseSource } from "../lib/notifier/mod.ts";
import { type Recorded, runRecorded } from "./testing/recorded_host.ts";
import { withFolder } from "./testing/spawned.ts";

const CLOCK = { now: () => Date.parse("2026-05-23T14:30:00Z"), sleep: systemClock.sleep };

interface Place {
  home: string;
  cache: string;
  data: string;
  run: (...argv: string[]) => Promise<Recorded>;
}

async function inHome(body: (place: Place) => Promise<void>): Promise<void> {
  await withFolder((home) =>
    body({
      home,
      cache: `${home}/.cache/gum/default`,
      data: `${home}/.local/share/gum/default`,
      run: (...argv) =>
        runRecorded(argv, { environment: { HOME: home }, factories: { clock: CLOCK } }),
    })
  );
}

async function fillCache(directory: string): Promise<void> {
  const cache = createResponseCache({ clock: CLOCK, directory });
  const entry = {
    body: new TextEncoder().encode("{}"),
    opId: "x.y",
    variantId: "v",
    service: "s",
    fingerprint: "f",
  };
  await cache.put("a", entry);
  await cache.put("b", { ...entry, etag: "e" });
  await cache.get("a");
  cache.close();
}

async function fillLedger(directory: string): Promise<void> {
  const ledger = openLedger({ directory, clock: CLOCK });
  for (
    const [session, opId] of [["0a0b0c0d", "drive.files.list"], ["01020304", "gmail.users.get"]]
  ) {
    await ledger.append({
      session: session ?? "",
      op_id: opId ?? "",
      variant_id: "v",
      output_profile: null,
      args_hash: "",
      auth_subject_fingerprint: "",
      request_tokens: 1,
      response_tokens: 1_000,
      raw_tokens: 1_000,
      shaped_tokens: 250,
      cache_status: "miss",
      field_mask_status: "applied",
      served_from_cache: false,
      is_retry: false,
      op_family: "family",
      baseline_method: "estimated",
      ts: "2026-05-23T14:30:00.000Z",
    });
  }
  await ledger.close();
}

Deno.test("TestCacheStatsFormatJSONHasRequiredKeys: the same keys with and without the flag", async () => {
  await inHome(async ({ cache, run }) => {
    const empty = await run("cache", "stats");
    assert.deepEqual([empty.code, empty.stderr], [0, ""]);
    await fillCache(cache);
    const [bare, json] = [
      await run("cache", "stats"),
      await run("cache", "stats", "--format", "json"),
    ];
    assert.equal(bare.stdout, json.stdout);
    assert.deepEqual(JSON.parse(json.stdout), {
      semantic: { hits: 1, misses: 0, evictions: 0, entries: 2, bytes: 4 },
      http: { hits: 0, misses: 2, entries: 1, bytes: 2 },
      prompt: { supported: false, hits_estimate: null },
      audit_broken: false,
    });
    assert.match((await run("cache", "stats", "--format", "text")).stdout, /^semantic +hits 1/);
    const wrong = await run("cache", "stats", "--format", "yaml");
    assert.deepEqual([wrong.code, wrong.stdout], [2, ""]);
    assert.match(wrong.stderr, /CLI_ARG_INVALID/);
    const other = await run("cache", "stats", "--profile", "other");
    assert.equal(JSON.parse(other.stdout).semantic.entries, 0);
  });
});

Deno.test("cache clear and migrate: one JSON object each, exit by outcome", async () => {
  await inHome(async ({ cache, run }) => {
    assert.deepEqual(JSON.parse((await run("cache", "clear", "--expired")).stdout), {
      expired_removed: 0,
    });
    await fillCache(cache);
    const migrated = await run("cache", "migrate");
    assert.deepEqual(JSON.parse(migrated.stdout), {
      ok: true,
      profile_dir: cache,
      file_existed: true,
      schema_version_before: 1,
      schema_version_after: 1,
      entries_kept: 2,
      recreated: false,
    });
    assert.deepEqual(JSON.parse((await run("cache", "clear")).stdout), {
      cleared: true,
      removed: 2,
      bytes_freed: 4,
    });
    await Deno.writeTextFile(`${cache}/http-wal.db`, "garbage ".repeat(999));
    await Deno.writeTextFile(`${cache}/http.db`, "");
    const refused = await run("cache", "migrate");
    assert.equal(refused.code, 1);
    assert.equal(JSON.parse(refused.stdout).error, "CACHE_CORRUPT");
    assert.match(refused.stderr, /http\.db is not used/);
    const clear = await run("cache", "clear");
    assert.deepEqual([clear.code, clear.stdout], [1, ""]);
    assert.equal(JSON.parse(clear.stderr).error_code, "CACHE_CORRUPT");
    assert.equal(JSON.parse((await run("cache", "migrate", "--force")).stdout).recreated, true);
  });
});

Deno.test("TestGainDefaultsToTheTextRenderer: without a format it is for people", async () => {
  await inHome(async ({ data, run }) => {
    await fillLedger(data);
    const { stdout, stderr, code } = await run("gain");
    assert.deepEqual([code, stderr], [0, ""]);
    assert.match(stdout, /^window {6}last-30-sessions/);
    assert.match(stdout, /saved +1,500 tokens \(75\.00 %\)/);
    assert.match(stdout, /█{6}░{18}$/m);
    assert.equal((await run("gain", "--format", "TEXT")).stdout, stdout);
  });
});

Deno.test("TestGainFormatEnumIsEnforced: text, json and csv of the ledger, nothing else", async () => {
  await inHome(async ({ data, run }) => {
    await fillLedger(data);
    const json = JSON.parse((await run("gain", "--format", "json", "--by-op")).stdout);
    assert.deepEqual([json.mode, json.by_tool.length, json.sessions.length], ["summary", 2, 2]);
    assert.match((await run("gain", "--format", "csv", "--history")).stdout, /^session,op_family,/);
    for (const format of ["toon", "yaml", ""]) {
      const wrong = await run("gain", "--format", format);
      assert.deepEqual([wrong.code, wrong.stdout], [2, ""], format);
      assert.match(wrong.stderr, /CLI_ARG_INVALID: "--format"/);
    }
  });
});

Deno.test("gain flags are judged before the ledger is opened", async () => {
  await inHome(async ({ data, run }) => {
    await Deno.mkdir(`${data}/gain-ledger.jsonl`, { recursive: true });
    for (
      const argv of [
        ["--since", "2026-05-01"],
        ["--since", "2026-02-30T00:00:00Z"],
        ["--until", "2026-05-01T00:00:00"],
        ["--until", "yesterday"],
        ["--session", "XYZ"],
        ["--session", "0a0b0c0d", "--history"],
        ["--session", "0a0b0c0d", "--by-op"],
        ["--history", "--by-op"],
        ["--history", "--report", "x.html"],
        ["--fixture-replay", "--since", "2026-05-01T00:00:00Z"],
      ]
    ) {
      const wrong = await run("gain", ...argv);
      assert.deepEqual([wrong.code, wrong.stdout], [2, ""], argv.join(" "));
      assert.match(wrong.stderr, /CLI_ARG_INVALID: "--/);
    }
    const unreadable = await run("gain");
    assert.equal(unreadable.code, 1);
    const envelope = JSON.parse(unreadable.stderr);
    assert.equal(envelope.error_code, "GAIN_LEDGER_UNAVAILABLE");
    assert.ok(envelope.hint && envelope.path);
  });
});

Deno.test("gain by session and time; an unknown session is empty, not an error", async () => {
  await inHome(async ({ data, run }) => {
    await fillLedger(data);
    const json = async (...argv: string[]) =>
      JSON.parse((await run("gain", "--format", "json", ...argv)).stdout);
    assert.equal((await json("--session", "0a0b0c0d")).operations.length, 1);
    assert.deepEqual((await json("--session", "ffffffff")).operations, []);
    const late = await json("--since", "2026-05-23T16:30:00.001+02:00");
    assert.deepEqual([late.window, late.sessions], ["since:2026-05-23T14:30:00.001Z", []]);
    assert.equal((await json("--until", "2026-05-23T14:30:00Z")).sessions.length, 2);
  });
});

Deno.test("TestGainFixtureReplayKeepsToonAsItsDefault: the replay measures toon unless told", async () => {
  const asked: unknown[] = [];
  const replayFixtures = (request: unknown) => {
    asked.push(request);
    return Promise.resolve({ mode: "summary" } as never);
  };
  const replay = (...argv: string[]) =>
    runRecorded(["gain", "--fixture-replay", ...argv], { factories: { replayFixtures } });
  assert.equal(JSON.parse((await replay()).stdout).mode, "summary");
  await replay("--format", "json");
  assert.deepEqual(asked, [
    { format: undefined, directory: undefined },
    { format: "json", directory: undefined },
  ]);
  assert.equal((await replay("--format", "csv")).code, 2);
  const none = await runRecorded(["gain", "--fixture-replay"]);
  assert.equal(JSON.parse(none.stderr).error_code, "GAIN_FIXTURE_SET_MISSING");
});

Deno.test("gain switched off says so; the profile's word and the variable's", async () => {
  await inHome(async ({ home, run }) => {
    await Deno.mkdir(`${home}/.config/gum/default`, { recursive: true });
    await Deno.writeTextFile(`${home}/.config/gum/default/config.toml`, "gain.enabled = false\n");
    const off = JSON.parse((await run("gain")).stderr);
    assert.deepEqual([off.error_code, off.source], ["GAIN_DISABLED", "config"]);
    assert.equal((await run("gain", "--profile", "other")).code, 0);
    const byVariable = await runRecorded(["gain", "--profile", "other"], {
      environment: { HOME: home, GUM_GAIN_DISABLED: "1" },
    });
    assert.equal(JSON.parse(byVariable.stderr).source, "env");
  });
});

Deno.test("gain --report writes a page that stands alone", async () => {
  await inHome(async ({ home, data, run }) => {
    await fillLedger(data);
    const { code, stdout } = await run("gain", "--report", `${home}/r.html`);
    assert.equal(code, 0);
    assert.match(stdout, /^window/);
    const page = await Deno.readTextFile(`${home}/r.html`);
    assert.match(page, /^<!doctype html>/);
    assert.ok(page.includes("<svg") && !page.includes("http"));
    const blocked = await run("gain", "--report", `${home}/no/such/folder/r.html`);
    assert.equal(blocked.code, 1);
  });
});

Deno.test("audit tail and verify: the last rows, filtered, and whether all lines are whole", async () => {
  await inHome(async ({ home, data, run }) => {
    assert.deepEqual((await run("audit", "tail")).stdout, "");
    const log = openAuditLog({ directory: data, profileName: "default", clock: CLOCK });
    log.append({ op_id: "a.b", client_id: "cli", risk_class: "read", risk_override: false });
    log.append({ op_id: "c.d", client_id: "mcp", risk_class: "write", error_code: "SERVICE_DOWN" });
    log.append({ event: "auth_login" });
    await log.close();
    assert.deepEqual((await run("audit", "tail")).stdout.split("\n"), [
      "2026-05-23T14:30:00.000Z  cli  read  a.b  ok",
      "2026-05-23T14:30:00.000Z  mcp  write  c.d  SERVICE_DOWN",
      "2026-05-23T14:30:00.000Z  event  auth_login",
      "",
    ]);
    const seen = await runRecorded(["audit", "tail"], {
      environment: { HOME: home, NO_COLOR: "1" },
      factories: { clock: CLOCK },
      terminals: ["stdout"],
      columns: 60,
    });
    assert.match(seen.stdout, /^name +result +time +risk +client\n/);
    assert.match(seen.stdout, /^c\.d +SERVICE_DOWN +just now +write +mcp$/m);
    const failed = await run("audit", "tail", "--failed", "--format", "json");
    assert.equal(JSON.parse(failed.stdout).op_id, "c.d");
    assert.match((await run("audit", "tail", "-n", "1")).stdout, /auth_login\n$/);
    assert.equal((await run("audit", "tail", "--lines", "0")).code, 2);
    const sound = await run("audit", "verify");
    assert.deepEqual([sound.code, /whole: 3 rows/.test(sound.stdout)], [0, true]);
    await Deno.writeTextFile(`${data}/audit.jsonl`, "half\n", { append: true });
    const unsound = await run("audit", "verify", "--format", "json");
    assert.deepEqual([unsound.code, JSON.parse(unsound.stdout).ok], [1, false]);
    assert.match((await run("audit", "verify")).stdout, /FAIL.*1 unreadable \(line 4\)/);
  });
});

/** `gum version` of a build with releases; gives the profiles that a refresh was started for. */
async function versionWith(
  home: string,
  options: { config?: string; known?: string; version?: string },
): Promise<Recorded & { refreshed: string[] }> {
  const refreshed: string[] = [];
  if (options.config !== undefined) {
    await Deno.mkdir(`${home}/.config/gum/default`, { recursive: true });
    await Deno.writeTextFile(`${home}/.config/gum/default/config.toml`, options.config);
  }
  if (options.known !== undefined) {
    await Deno.mkdir(`${home}/.cache/gum/default`, { recursive: true });
    await Deno.writeTextFile(`${home}/.cache/gum/default/notify.json`, options.known);
  }
  const releases = () =>
    Promise.resolve({
      version: options.version ?? "1.2.3",
      source: { latest: "http://127.0.0.1:1/", page: "https://page.invalid" },
      startRefresh: (profile: string) => void refreshed.push(profile),
    });
  const ran = await runRecorded(["version"], {
    environment: { HOME: home },
    factories: { releases, clock: CLOCK },
  });
  return { ...ran, refreshed };
}

const NEWER = '{"checked_at":"2026-05-23T14:00:00Z","latest_version":"v2.0.0"}';
const ON = "notify.enabled = true\n";

Deno.test("TestVersionNotifierDisabledByDefault: nothing is read, said or asked", async () => {
  await withFolder(async (home) => {
    const { stdout, stderr, refreshed } = await versionWith(home, { known: NEWER });
    assert.deepEqual([stdout, stderr, refreshed], ["1.2.3\n", "", []]);
  });
});

Deno.test("TestVersionNotifierOptInPrintsToStderrNotStdout: one line each, a refresh when a day old", async () => {
  await withFolder(async (home) => {
    const first = await versionWith(home, { config: ON });
    assert.deepEqual([first.stdout, first.stderr, first.refreshed], ["1.2.3\n", "", ["default"]]);
    const known = await versionWith(home, { known: NEWER });
    assert.equal(known.stdout, "1.2.3\n");
    assert.equal(
      known.stderr,
      "[notify] gum v2.0.0 is out, this is 1.2.3: https://page.invalid\n",
    );
    assert.deepEqual(known.refreshed, []);
    const old = await versionWith(home, { known: NEWER.replace("23T14:00", "22T14:00") });
    assert.deepEqual([old.stderr, old.refreshed], [known.stderr, ["default"]]);
    const dev = await versionWith(home, { version: "dev" });
    assert.deepEqual([dev.stdout, dev.stderr, dev.refreshed], ["dev\n", "", []]);
    const corrupt = await versionWith(home, { known: "{" });
    assert.deepEqual([corrupt.stderr, corrupt.refreshed], ["", ["default"]]);
  });
});

Deno.test("the refresh command asks once and keeps what it heard; without a network it is silent", async () => {
  await withFolder(async (home) => {
    const abort = new AbortController();
    const server = Deno.serve(
      { hostname: "127.0.0.1", port: 0, signal: abort.signal, onListen() {} },
      () => Response.json({ tag_name: "v9.0.0" }),
    );
    const releases = (port: number) => () =>
      Promise.resolve({
        version: "1.2.3",
        source: { latest: `http://127.0.0.1:${port}/`, page: "" },
        startRefresh() {},
      });
    const refresh = (port: number) =>
      runRecorded(["__notify-refresh"], {
        environment: { HOME: home },
        factories: { releases: releases(port), clock: CLOCK },
      });
    const heard = await refresh(server.addr.port);
    abort.abort();
    await server.finished;
    assert.deepEqual([heard.code, heard.stdout, heard.stderr], [0, "", ""]);
    const file = `${home}/.cache/gum/default/notify.json`;
    const kept = await Deno.readTextFile(file);
    assert.match(kept, /v9\.0\.0/);
    const silent = await refresh(server.addr.port);
    assert.deepEqual([silent.code, silent.stdout, silent.stderr], [0, "", ""]);
    assert.equal(await Deno.readTextFile(file), kept);
  });
});

Deno.test("the refresh asks where the project's releases are; a running emulator answers for it", async () => {
  await withFolder(async (home) => {
    const emulator = await startEmulator();
    const source = releaseSource("example/gum");
    assert.ok(source !== undefined);
    const releases = () =>
      Promise.resolve({ version: "1.2.3", source, startRefresh: (name: string) => void name });
    const run = (words: string[], emulated?: string) =>
      runRecorded(words, {
        environment: { HOME: home, ...emulated === undefined ? {} : { GUM_EMULATOR: emulated } },
        factories: { releases, clock: CLOCK },
      });
    const refreshed = await run(["__notify-refresh"], emulator.origin);
    await emulator.close();
    assert.deepEqual([refreshed.code, refreshed.stdout, refreshed.stderr], [0, "", ""]);
    await Deno.mkdir(`${home}/.config/gum/default`, { recursive: true });
    await Deno.writeTextFile(`${home}/.config/gum/default/config.toml`, ON);
    const noticed = await run(["version"]);
    assert.equal(
      noticed.stderr,
      "[notify] gum v999.0.0 is out, this is 1.2.3: " +
        "https://github.com/example/gum/releases/latest\n",
    );
    // On the emulator the outside world is neither asked nor spoken of.
    const emulated = await run(["version"], "1");
    assert.deepEqual([emulated.stdout, emulated.stderr], ["1.2.3\n", ""]);
    const gone = await run(["__notify-refresh"], "http://127.0.0.1:1");
    assert.deepEqual([gone.code, gone.stdout, gone.stderr], [0, "", ""]);
  });
});

Deno.test("TestNewLedgerDefaultPathHonorsXDGDataHome: commands read where calls write", async () => {
  await withFolder(async (home) => {
    await fillLedger(`${home}/xdg/gum/default`);
    const { stdout } = await runRecorded(["gain", "--format", "json"], {
      environment: { HOME: `${home}/none`, XDG_DATA_HOME: `${home}/xdg` },
      factories: { clock: CLOCK },
    });
    assert.equal(JSON.parse(stdout).sessions.length, 2);
  });
});
