import assert from "node:assert/strict";
import { jumpingClock, temporaryDirectory } from "../dispatch/testdata/fixture.ts";
import { isGumError } from "../errors/mod.ts";
import { HEADER_LINE } from "../gain/mod.ts";
import { silentLogger } from "../log/mod.ts";
import type { JsonObject } from "../json/mod.ts";
import { type LocalStateOptions, openLocalState } from "./local_state.ts";
import { openSession, type SessionOptions } from "./mod.ts";

const READ = {
  opId: "gmail.users.labels.list",
  args: { userId: "me" },
  format: "json",
  caller: "cli",
} as const;

/** Opens emulator sessions over one set of folders. */
async function withFolders(
  run: (
    folders: { config: string; data: string; cache: string },
    open: (options?: Partial<SessionOptions>) => ReturnType<typeof openSession>,
  ) => Promise<void>,
): Promise<void> {
  await using root = await temporaryDirectory();
  const directories = {
    config: `${root.path}/config`,
    data: `${root.path}/data`,
    cache: `${root.path}/cache`,
  };
  await run(directories, (options = {}) =>
    openSession({
      profileName: "default",
      emulator: true,
      directories,
      clock: jumpingClock(Date.parse("2026-05-19T10:00:00Z")),
      log: silentLogger,
      ...options,
    }));
}

function linesOf(path: string): JsonObject[] {
  return Deno.readTextFileSync(path).trimEnd().split("\n").map((line) => JSON.parse(line));
}

Deno.test("TestDefaultDispatcherWiresGainLedger: a real call leaves a header and one row", async () => {
  await withFolders(async ({ data }, open) => {
    const session = await open();
    await session.kernel.dispatch(READ);
    await session.close();
    const folder = `${data}/gum/default`;
    const [header, row, ...others] = linesOf(`${folder}/gain-ledger.jsonl`);
    assert.equal(JSON.stringify(header), HEADER_LINE);
    assert.deepEqual(others, []);
    assert.deepEqual([row?.op_id, row?.cache_status, row?.baseline_method], [
      READ.opId,
      "miss",
      "estimated",
    ]);
    assert.ok(Number(row?.raw_tokens) > 0 && Number(row?.shaped_tokens) > 0);
    const [audit] = linesOf(`${folder}/audit.jsonl`);
    assert.deepEqual([audit?.v, audit?.op_id, audit?.client_id], [1, READ.opId, "cli"]);
    assert.equal(audit?.args_hash, row?.args_hash);
  });
});

Deno.test("TestGumGainReportsRealDispatch: the summary knows what this session just did", async () => {
  await withFolders(async (_folders, open) => {
    const session = await open();
    await session.kernel.dispatch(READ);
    await session.kernel.dispatch(READ);
    const summary = await session.gain?.();
    assert.deepEqual([summary?.mode, summary?.window, summary?.end_to_end_savings], [
      "summary",
      "last-30-sessions",
      null,
    ]);
    const [row] = summary?.sessions as JsonObject[];
    assert.deepEqual([row?.calls, row?.op_families], [2, ["gmail.users.labels"]]);
    await session.close();
  });
});

Deno.test("TestDefaultDispatcherWiresGainLedger: a failure of the service is accounted, a refusal is not", async () => {
  await withFolders(async ({ data }, open) => {
    const session = await open();
    await assert.rejects(
      session.kernel.dispatch({
        opId: "gmail.users.messages.get",
        args: { userId: "me", id: "0000000000000000" },
      }),
    );
    await assert.rejects(
      session.kernel.dispatch({
        opId: "gmail.users.labels.delete",
        args: { userId: "me", id: "Label_1" },
      }),
    );
    await session.close();
    const rows = linesOf(`${data}/gum/default/gain-ledger.jsonl`).slice(1);
    assert.equal(rows.length, 1);
    assert.match(String(rows[0]?.error_code), /^[A-Z_]+$/);
    assert.ok(Number(rows[0]?.raw_tokens) > 0, "the service's error body was received");
    assert.equal(linesOf(`${data}/gum/default/audit.jsonl`).length, 1);
  });
});

Deno.test("TestDefaultPathIsPerProfile: profiles keep their rows apart", async () => {
  await withFolders(async ({ data }, open) => {
    for (const profileName of ["default", "work"]) {
      const session = await open({ profileName });
      await session.kernel.dispatch(READ);
      await session.close();
    }
    for (const profile of ["default", "work"]) {
      assert.equal(linesOf(`${data}/gum/${profile}/gain-ledger.jsonl`).length, 2);
      assert.equal(linesOf(`${data}/gum/${profile}/audit.jsonl`).length, 1);
    }
  });
});

Deno.test("TestGainLedgerHonorsProfileDataDir: the ledger lies below the given data directory", async () => {
  await withFolders(async (_folders, open) => {
    await using elsewhere = await temporaryDirectory();
    const session = await open({ directories: { data: elsewhere.path } });
    await session.kernel.dispatch(READ);
    await session.close();
    assert.equal(linesOf(`${elsewhere.path}/gum/default/gain-ledger.jsonl`).length, 2);
  });
});

Deno.test("TestGainDisabledSkipsLedger: switched off, calls run and leave audit rows only", async () => {
  await withFolders(async ({ data }, open) => {
    const session = await open({ gainDisabled: true });
    await session.kernel.dispatch(READ);
    await assert.rejects(
      async () => await session.gain?.(),
      (error) => isGumError(error, "GAIN_DISABLED"),
    );
    await session.close();
    const names = [...Deno.readDirSync(`${data}/gum/default`)].map(({ name }) => name);
    assert.ok(names.includes("audit.jsonl"));
    assert.ok(!names.some((name) => name.startsWith("gain-ledger")), names.join());
  });
});

async function gainAnswerWith(config: string): Promise<string> {
  let answer = "";
  await withFolders(async (folders, open) => {
    await Deno.mkdir(`${folders.config}/gum/default`, { recursive: true });
    await Deno.writeTextFile(`${folders.config}/gum/default/config.toml`, config, { mode: 0o600 });
    const session = await open();
    answer = await session.gain?.().then(
      (result) => String(result.mode),
      (error) => isGumError(error, "GAIN_DISABLED") ? "GAIN_DISABLED" : String(error),
    ) ?? "";
    await session.close();
  });
  return answer;
}

Deno.test("TestGainConfigOptOutReturnsGainDisabled: the profile's switch", async () => {
  assert.equal(await gainAnswerWith("gain.enabled = false\n"), "GAIN_DISABLED");
});

Deno.test("TestGainConfigTrueKeepsReporting: on is on", async () => {
  assert.equal(await gainAnswerWith("gain.enabled = true\n"), "summary");
});

Deno.test("TestGainConfigGarbageValueKeepsReporting: what is no answer leaves it on", async () => {
  assert.equal(await gainAnswerWith('gain.enabled = "perhaps"\n'), "summary");
  assert.equal(await gainAnswerWith("not toml at all ["), "summary");
});

Deno.test("TestEnabledIsPerProfile: one profile's switch leaves the other's alone", async () => {
  await withFolders(async (folders, open) => {
    await Deno.mkdir(`${folders.config}/gum/work`, { recursive: true });
    await Deno.writeTextFile(`${folders.config}/gum/work/config.toml`, "gain.enabled = false\n");
    for (const profileName of ["default", "work"]) {
      const session = await open({ profileName });
      await session.kernel.dispatch(READ);
      await session.close();
    }
    assert.equal(linesOf(`${folders.data}/gum/default/gain-ledger.jsonl`).length, 2);
    await assert.rejects(Deno.stat(`${folders.data}/gum/work/gain-ledger.jsonl`));
  });
});

Deno.test("TestGainLedgerUnavailableReturnsTerminalError: no ledger can be made; calls still answer", async () => {
  await withFolders(async ({ data }, open) => {
    await Deno.mkdir(`${data}/gum/default/gain-ledger.jsonl`, { recursive: true });
    const session = await open();
    const answer = await session.kernel.dispatch(READ);
    assert.equal(answer.opId, READ.opId);
    await assert.rejects(async () => await session.gain?.(), (error) => {
      assert.ok(isGumError(error, "GAIN_LEDGER_UNAVAILABLE"));
      return true;
    });
    await session.close();
  });
  const without = await openSession({ profileName: "default", emulator: true, log: silentLogger });
  assert.equal((await without.kernel.dispatch(READ)).opId, READ.opId);
  await assert.rejects(
    async () => await without.gain?.(),
    (error) => isGumError(error, "GAIN_LEDGER_UNAVAILABLE"),
  );
  await without.close();
});

Deno.test("a folder that cannot be written: calls answer, and health and the sentinel say so", async () => {
  await withFolders(async ({ data }, open) => {
    const folder = `${data}/gum/default`;
    await Deno.mkdir(`${folder}/audit.jsonl`, { recursive: true });
    const session = await open();
    await session.kernel.dispatch(READ);
    await session.close();
    assert.equal(session.auditBroken?.(), true);
    const sample = await session.health?.audit_log?.();
    assert.equal(sample?.status, "degraded");
  });
});

Deno.test("data below a plain file: calls answer, health says that nothing can be kept", async () => {
  const root = await Deno.makeTempDir({ prefix: "gum-state-" });
  try {
    await Deno.writeTextFile(`${root}/file`, "");
    const below = `${root}/file/sub`;
    const session = await openSession({
      profileName: "default",
      emulator: true,
      log: silentLogger,
      directories: { data: below, cache: below, config: `${root}/config` },
    });
    assert.equal((await session.kernel.dispatch(READ)).opId, READ.opId);
    assert.equal(session.auditBroken?.(), true);
    for (const subsystem of ["audit_log", "gain_ledger", "tee_filesystem"] as const) {
      const sample = async () => await session.health?.[subsystem]?.();
      await assert.rejects(sample(), Deno.errors.NotADirectory, subsystem);
    }
    await session.close();
  } finally {
    await Deno.remove(root, { recursive: true });
  }
});

Deno.test("on the emulator the cache stays in memory: nothing of it reaches the real file", async () => {
  await withFolders(async ({ cache }, open) => {
    const session = await open({ serving: true });
    await session.kernel.dispatch(READ);
    await session.kernel.dispatch(READ);
    const { semantic } = session.kernel.cacheStats();
    assert.equal((semantic as JsonObject).hits, 1);
    assert.match(String((await session.health?.cache_sqlite?.())?.detail), /memory only/);
    await session.close();
    await assert.rejects(Deno.stat(`${cache}/gum/default/http-wal.db`));
  });
});

function stateOptions(root: string, extra: Partial<LocalStateOptions> = {}): LocalStateOptions {
  return {
    profileName: "default",
    directories: { data: `${root}/data`, cache: `${root}/cache` },
    emulator: false,
    serving: false,
    settings: {
      cache: {
        enabled: true,
        persist: true,
        maxSizeMb: 1,
        maxEntries: 16,
        ttl: {},
        etagRetentionHours: 1,
      },
      gain: { on: true },
      audit: {
        maxSizeMb: 1,
        maxFiles: 1,
        retentionDays: 1,
        unbounded: false,
        drainTimeoutSeconds: 1,
      },
    },
    clock: jumpingClock(),
    log: silentLogger,
    ...extra,
  };
}

Deno.test("off the emulator the cache has its file; switched off nothing is cacheable", async () => {
  await using root = await temporaryDirectory();
  const entry = {
    body: new TextEncoder().encode("{}"),
    opId: "x.y",
    variantId: "v",
    service: "s",
    fingerprint: "f",
  };
  const state = openLocalState(stateOptions(root.path));
  await state.cache.put("k", entry);
  await state.close();
  await state.close();
  assert.ok((await Deno.stat(`${root.path}/cache/gum/default/http-wal.db`)).size > 0);
  const options = stateOptions(root.path);
  options.settings.cache.enabled = false;
  const off = openLocalState(options);
  assert.equal(off.cache.cacheable?.("x.y"), false);
  await off.close();
});

Deno.test("a server clears the cache of what nobody can use any more when it starts", async () => {
  await using root = await temporaryDirectory();
  const clock = jumpingClock();
  const first = openLocalState(stateOptions(root.path, { clock }));
  await first.cache.put("k", {
    body: new TextEncoder().encode("{}"),
    opId: "x.y",
    variantId: "v",
    service: "s",
    fingerprint: "f",
  });
  await first.close();
  clock.advance(3_600_000);
  const second = openLocalState(stateOptions(root.path, { clock, serving: true }));
  await second.close();
  const { DatabaseSync } = await import("node:sqlite");
  const database = new DatabaseSync(`${root.path}/cache/gum/default/http-wal.db`);
  assert.equal(database.prepare("SELECT count(*) AS n FROM entry").get()?.n, 0);
  database.close();
});

Deno.test("nothing is written before a call needs it", async () => {
  await using root = await temporaryDirectory();
  for (const serving of [false, true]) {
    const state = openLocalState(stateOptions(root.path, { serving }));
    await state.close();
    assert.deepEqual([...Deno.readDirSync(root.path)], []);
  }
});

Deno.test("TestUnsupportedFsyncWritesAuditRow: an event row is a row like any other", async () => {
  await using root = await temporaryDirectory();
  const state = openLocalState(stateOptions(root.path));
  state.audit.append({
    event: "fsync_not_supported",
    path: "/x",
    syscall_errno: "EINVAL",
    suggestion: "move it",
  });
  await state.close();
  const [row] = linesOf(`${root.path}/data/gum/default/audit.jsonl`);
  assert.deepEqual(Object.keys(row ?? {}), [
    "v",
    "ts",
    "event",
    "path",
    "suggestion",
    "syscall_errno",
  ]);
});
