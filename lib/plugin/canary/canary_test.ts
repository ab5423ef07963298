import assert from "node:assert/strict";
import fc from "fast-check";
import type { Clock } from "../../clock/mod.ts";
import type { JsonObject } from "../../json/mod.ts";
import { silentLogger } from "../../log/mod.ts";
import { type CanaryResult, openPluginView } from "../status/mod.ts";
import { never } from "../testdata/fixture.ts";
import { eventually, type RunnableWorld, withScriptPlugin } from "../testdata/runnable.ts";
import type { CanaryOutcome, StateRow } from "../types.ts";
import { parseCanaryArgs, resolveCanaryArgs } from "./args.ts";
import { scheduleMs, startPassiveRunner } from "./passive.ts";

const NOW = Date.parse("2026-01-31T23:30:00Z");

Deno.test("canary arguments: relative dates count from today, everything else stays", () => {
  const resolved = resolveCanaryArgs({
    a: "+21d",
    b: "-1w",
    c: "+1m",
    d: "+1y",
    e: "21d",
    f: "+1x",
    g: 5,
    h: ["+0d", { x: "+1d" }],
  }, NOW);
  assert.deepEqual(resolved, {
    a: "2026-02-21",
    b: "2026-01-24",
    c: "2026-02-28",
    d: "2027-01-31",
    e: "21d",
    f: "+1x",
    g: 5,
    h: ["2026-01-31", { x: "+1d" }],
  });
});

Deno.test("canary arguments: any relative date is a date", () => {
  fc.assert(fc.property(
    fc.constantFrom("+", "-"),
    fc.integer({ min: 0, max: 999 }),
    fc.constantFrom("d", "w", "m", "y"),
    fc.integer({ min: 0, max: 4e12 }),
    (sign, count, unit, now) => {
      const { x } = resolveCanaryArgs({ x: `${sign}${count}${unit}` }, now);
      assert.match(String(x), /^[+-]?[0-9]{4,6}-[0-9]{2}-[0-9]{2}$/);
      assert.ok(!Number.isNaN(Date.parse(String(x))));
    },
  ));
});

Deno.test("canary arguments: words are pairs, values are JSON or text", () => {
  assert.deepEqual(parseCanaryArgs('a=1 b=x c="two words" d=[1, 2] e={"k": true} f= g=a=b'), {
    a: 1,
    b: "x",
    c: "two words",
    d: [1, 2],
    e: { k: true },
    f: "",
    g: "a=b",
  });
  assert.deepEqual(parseCanaryArgs(""), {});
  assert.equal(parseCanaryArgs("lonely"), undefined);
  assert.equal(parseCanaryArgs("=x"), undefined);
});

const REPORTING = `call = async (name, args) => {
  Deno.writeTextFileSync(Deno.env.get("PLUGIN_DATA_DIR") + "/args", JSON.stringify(args));
  if (args.fail) return { isError: true, content: [{ type: "text", text: '{"error_code":"PARSE_FAILURE","error":"odd page"}' }] };
  if (args.rpc) throw new Error("broken");
  return text("fine");
};`;

const declared = {
  tree: {
    requirements: {
      canary: { tool: "echo", args: { date: "+1d", kind: "x" }, timeout_ms: 5000 },
    },
  },
  behaviour: REPORTING,
};

async function stateOf({ profile }: RunnableWorld): Promise<StateRow | undefined> {
  return (await profile.registry.loadSnapshot()).state.plugins[0];
}

async function argsSeen({ profile, pluginId }: RunnableWorld): Promise<unknown> {
  return JSON.parse(
    await Deno.readTextFile(`${profile.registry.paths.dataDir(pluginId)}/args`),
  );
}

Deno.test("canary: passive is a handshake, live also makes the declared call", async () => {
  await withScriptPlugin(declared, async (world) => {
    const { runtime, pluginId } = world;
    const passive = await runtime.gatedCanary({ pluginId, live: false, signal: never() });
    assert.equal(passive.ok && passive.live, false);
    await assert.rejects(argsSeen(world), Deno.errors.NotFound);
    const live = await runtime.gatedCanary({
      pluginId,
      live: true,
      overrides: { kind: "y" },
      signal: never(),
    });
    assert.ok(live.ok);
    assert.equal(live.live, true);
    assert.ok(live.latency_ms > 0);
    assert.equal(live.sandbox.backend, "deno-permissions");
    const seen = await argsSeen(world) as { date: string; kind: string };
    assert.match(seen.date, /^[0-9]{4}-/);
    assert.equal(seen.kind, "y");
  });
});

Deno.test("canary: a failing answer fails it, and no crash is recorded", async () => {
  await withScriptPlugin(declared, async (world) => {
    const { runtime, pluginId } = world;
    for (const overrides of [{ fail: true }, { rpc: true }] as JsonObject[]) {
      const outcome = await runtime.gatedCanary({
        pluginId,
        live: true,
        overrides,
        signal: never(),
      });
      assert.deepEqual([outcome.ok, !outcome.ok && outcome.error_code], [false, "SERVICE_DOWN"]);
      assert.equal(!outcome.ok && outcome.source_error_code, "ErrCanaryFailed");
    }
    const row = await stateOf(world);
    assert.deepEqual([row?.quarantined, row?.retry_count], [false, 0]);
  });
});

async function quarantine(world: RunnableWorld, more: Partial<StateRow>): Promise<void> {
  await world.profile.registry.writeTransaction((draft) => {
    for (const row of draft.state.plugins) Object.assign(row, { quarantined: true, ...more });
  }, { signal: never() });
}

Deno.test("TestCanaryRefusesPermanentlyQuarantinedPlugin: it is not even started", async () => {
  await withScriptPlugin(declared, async (world) => {
    await quarantine(world, { permanent_quarantine: true });
    const { runtime, pluginId } = world;
    const outcome = await runtime.gatedCanary({ pluginId, live: true, signal: never() });
    assert.deepEqual(
      !outcome.ok && [outcome.error_code, outcome.source_error_code],
      ["VARIANT_QUARANTINED", "ErrPluginQuarantined"],
    );
    await assert.rejects(argsSeen(world), Deno.errors.NotFound);
    assert.equal((await stateOf(world))?.permanent_quarantine, true, "and nothing is lifted");
  });
});

Deno.test("TestCanaryRefusesQuarantinedPluginWithoutRetry: without a date only a command helps", async () => {
  await withScriptPlugin(declared, async (world) => {
    await quarantine(world, { last_error_code: "CANARY_FAILED" });
    const { runtime, pluginId } = world;
    const outcome = await runtime.gatedCanary({ pluginId, live: false, signal: never() });
    assert.equal(!outcome.ok && outcome.error_code, "VARIANT_QUARANTINED");
  });
});

Deno.test("TestCanaryUnquarantinedPluginStillReachesSpawn: a passed date lets it run, and nothing is lifted", async () => {
  await withScriptPlugin(declared, async (world) => {
    await quarantine(world, { next_retry_at: "2020-01-01T00:00:00Z", backoff_step: 2 });
    const { runtime, pluginId } = world;
    const outcome = await runtime.gatedCanary({ pluginId, live: true, signal: never() });
    assert.equal(outcome.ok, true);
    const row = await stateOf(world);
    assert.deepEqual([row?.quarantined, row?.backoff_step], [true, 2]);
    // Installing and setting up try a plugin without the gate.
    await quarantine(world, { permanent_quarantine: true });
    assert.equal((await runtime.liveCanary(pluginId, never())).ok, true);
  });
});

Deno.test("canary: codes say what was wrong", async () => {
  await withScriptPlugin(declared, async (world) => {
    const { runtime, pluginId, profile } = world;
    const codes: string[] = [];
    const run = async (id: string) => {
      const outcome = await runtime.gatedCanary({ pluginId: id, live: true, signal: never() });
      if (!outcome.ok) codes.push(outcome.source_error_code);
    };
    await run("nobody");
    const [lock] = (await profile.registry.loadSnapshot()).lock.plugins;
    await Deno.writeTextFile(`${lock?.executable.install_root}/planted`, "");
    await run(pluginId);
    assert.deepEqual(codes, ["ErrManifestNotFound", "ErrExecutableUntrusted"]);
    const controller = new AbortController();
    controller.abort(new Error("no"));
    await assert.rejects(runtime.liveCanary(pluginId, controller.signal), /no/);
  });
});

/** Time that passes only when it is told to. */
function steppingClock(): Clock & { advance(ms: number): void } {
  let now = NOW;
  const waiting = new Set<{ at: number; wake: () => void }>();
  return {
    now: () => now,
    sleep: (ms, signal) =>
      new Promise((resolve, reject) => {
        if (signal?.aborted) return reject(signal.reason);
        const entry = { at: now + ms, wake: resolve };
        waiting.add(entry);
        signal?.addEventListener("abort", () => {
          waiting.delete(entry);
          reject(signal.reason);
        }, { once: true });
      }),
    advance(ms) {
      now += ms;
      for (const entry of waiting) {
        if (entry.at > now) continue;
        waiting.delete(entry);
        entry.wake();
      }
    },
  };
}

Deno.test("passive canaries: not before a minute, then on schedule, one at a time, failures only marked", async () => {
  const clock = steppingClock();
  const runs: string[] = [];
  let busy = 0;
  let fails = false;
  const runner = startPassiveRunner({
    plugins: () => [{ pluginId: "a", schedule: "1h" }, { pluginId: "b" }],
    run: async (pluginId): Promise<CanaryOutcome> => {
      assert.equal(++busy, 1);
      await Promise.resolve();
      busy--;
      runs.push(pluginId);
      return fails
        ? {
          ok: false,
          plugin_id: pluginId,
          error_code: "SERVICE_DOWN",
          source_error_code: "x",
          message: "",
        }
        : {
          ok: true,
          plugin_id: pluginId,
          live: false,
          latency_ms: 12,
          sandbox: { backend: "x", fs: "enforced", network: "enforced" },
        };
    },
    clock,
    log: silentLogger,
    random: () => 0,
  });
  try {
    const settle = () => new Promise((resolve) => setTimeout(resolve, 0));
    clock.advance(59_000);
    await settle();
    assert.deepEqual(runs, []);
    assert.equal(runner.result("a"), undefined);
    clock.advance(1_000);
    await eventually(() => runs.length === 2, "the first round");
    assert.deepEqual(runner.result("a"), {
      status: "passing",
      last_run_at: "2026-01-31T23:31:00Z",
      latency_ms: 12,
    });
    assert.equal(runner.health().status, "healthy");
    fails = true;
    for (let minute = 0; minute < 61; minute++) {
      clock.advance(60_000);
      await settle();
    }
    assert.deepEqual(runs, ["a", "b", "a"]);
    assert.equal(runner.result("a")?.status, "failing");
    assert.match(runner.health().detail, /failing: a/);
  } finally {
    await runner.stop();
  }
});

Deno.test("passive canaries: schedules have a floor and a default", () => {
  assert.equal(scheduleMs(undefined), 6 * 3_600_000);
  assert.equal(scheduleMs("nonsense"), 6 * 3_600_000);
  assert.equal(scheduleMs("1m"), 15 * 60_000);
  assert.equal(scheduleMs("2h"), 2 * 3_600_000);
  assert.equal(scheduleMs("3d"), 3 * 86_400_000);
});

Deno.test("TestCanaryStaleOnStartup: every row is stale until a run of this process finished", async () => {
  await withScriptPlugin(declared, ({ profile, pluginId }) => {
    const results = new Map<string, CanaryResult>();
    const view = openPluginView({
      paths: profile.registry.paths,
      canaryResult: (id) => results.get(id),
    });
    const row = {
      canary_id: pluginId,
      op_id: "plug.echo-box.echo",
      variant_id: "plug.echo-box.echo.v1",
    };
    assert.deepEqual(view.canaries(), [{ ...row, status: "stale" }]);
    const found: CanaryResult = { status: "passing", last_run_at: "2026-01-01T00:00:00Z" };
    results.set(pluginId, found);
    assert.deepEqual(view.canaries(), [{ ...row, ...found }]);
    return Promise.resolve();
  });
});
