import assert from "node:assert/strict";
import fc from "fast-check";
import { findGumError, GumError } from "../../errors/mod.ts";
import { TokenUnavailable } from "../environment/mod.ts";
import type { RunningPlugin } from "../host/mod.ts";
import {
  type fixedClock,
  inTemporary,
  never,
  type recordingAudit,
  recordingLogger,
  stateRow,
  testProfile,
} from "../testdata/fixture.ts";
import { withScriptPlugin } from "../testdata/runnable.ts";
import type { LockRow, StateRow } from "../types.ts";
import { enterCrash, liftQuarantine, nextBackoff, quarantineGate } from "./ladder.ts";
import { reloadPlugin } from "./reload.ts";
import { crashCode, createPluginSupervisor, PluginQuarantinedError } from "./supervisor.ts";

interface Bench {
  clock: ReturnType<typeof fixedClock>;
  audit: ReturnType<typeof recordingAudit>;
  supervisor: ReturnType<typeof createPluginSupervisor>;
  row(): Promise<StateRow | undefined>;
  starts: number;
  outcome: () => Promise<RunningPlugin>;
}

/** A real registry with one plugin; the host is replaced, because its failures are the input. */
async function withSupervisor(
  state: Partial<StateRow> | undefined,
  work: (bench: Bench) => Promise<void>,
): Promise<void> {
  await inTemporary(async (directory) => {
    const { registry, clock, audit } = testProfile(directory);
    if (state !== undefined) {
      await registry.writeTransaction((draft) => {
        draft.lock.plugins = [{ name: "echo-box" } as LockRow]; // all that the supervisor reads
        draft.state.plugins = [stateRow("echo-box", state)];
      }, { signal: never() });
    }
    const bench: Bench = {
      clock,
      audit,
      starts: 0,
      outcome: () => Promise.reject(new Error("it broke")),
      row: async () => (await registry.loadSnapshot()).state.plugins[0],
      supervisor: createPluginSupervisor({
        host: {
          start: () => {
            bench.starts++;
            return bench.outcome();
          },
        },
        registry,
        audit,
        clock,
        log: recordingLogger(),
      }),
    };
    await work(bench);
  });
}

const running = (): RunningPlugin => ({ stop: () => Promise.resolve() }) as RunningPlugin;
const start = ({ supervisor }: Bench) => supervisor.start("echo-box", { signal: never() });

Deno.test("supervisor ladder: five waits, then never again", () => {
  const waits = [1, 2, 3, 4, 5].map((step) => nextBackoff(step));
  assert.deepEqual(waits.map((wait) => wait.kind === "wait" && wait.ms), [
    30_000,
    60_000,
    120_000,
    240_000,
    480_000,
  ]);
  assert.deepEqual(nextBackoff(6), { kind: "permanent" });
  assert.deepEqual(nextBackoff(0), { kind: "none" });
  assert.deepEqual(nextBackoff(-1), { kind: "none" });
});

Deno.test("supervisor ladder: lifting after any failures leaves a healthy row, other fields kept", () => {
  fc.assert(fc.property(
    fc.array(fc.constantFrom("SERVICE_DOWN", "PLUGIN_EXECUTABLE_UNTRUSTED"), { maxLength: 9 }),
    fc.integer({ min: 0, max: 4e12 }),
    (codes, now) => {
      const row = stateRow("x");
      for (const code of codes) enterCrash(row, { code, now });
      assert.equal(row.backoff_step, codes.length);
      const gate = quarantineGate(row, now);
      assert.equal(gate.allowed, codes.length === 0);
      liftQuarantine(row);
      assert.deepEqual(row, stateRow("x"));
      assert.deepEqual(quarantineGate(row, now), { allowed: true });
    },
  ));
});

Deno.test("supervisor: failures climb the ladder and each wait keeps the plugin from starting", async () => {
  await withSupervisor({}, async (bench) => {
    const waits = [30, 60, 120, 240, 480];
    let now = Date.parse("2026-03-04T05:06:07Z");
    for (const [at, seconds] of waits.entries()) {
      await assert.rejects(start(bench), /it broke/);
      const row = await bench.row();
      assert.equal(row?.backoff_step, at + 1);
      assert.equal(row?.last_error_code, "SERVICE_DOWN");
      assert.equal(Date.parse(row?.next_retry_at ?? ""), now + seconds * 1000);
      bench.clock.set(new Date(now + seconds * 1000 - 1000).toISOString());
      await assert.rejects(start(bench), PluginQuarantinedError);
      assert.equal(bench.starts, at + 1, "the gate came first");
      now += seconds * 1000;
      bench.clock.set(new Date(now).toISOString());
    }
    await assert.rejects(start(bench), /it broke/);
    const row = await bench.row();
    assert.equal(row?.permanent_quarantine, true);
    assert.equal(row?.next_retry_at, undefined);
    bench.clock.set("2030-01-01T00:00:00Z");
    await assert.rejects(start(bench), PluginQuarantinedError);
    const events = bench.audit.rows.filter(({ event }) => event === "plugin_quarantined");
    assert.deepEqual(events.map(({ permanent }) => permanent), [
      false,
      false,
      false,
      false,
      false,
      true,
    ]);
  });
});

Deno.test("supervisor: a persisted step goes on where it was, and a good start clears it", async () => {
  await withSupervisor({
    quarantined: true,
    backoff_step: 3,
    retry_count: 3,
    last_error_code: "SERVICE_DOWN",
    next_retry_at: "2026-03-04T05:06:00Z",
  }, async (bench) => {
    await assert.rejects(start(bench));
    assert.equal((await bench.row())?.backoff_step, 4);
    bench.clock.set("2026-03-04T06:00:00Z");
    bench.outcome = () => Promise.resolve(running());
    await start(bench);
    assert.deepEqual(await bench.row(), stateRow("echo-box"));
    assert.equal(bench.audit.rows.at(-1)?.event, "plugin_unquarantined");
  });
});

Deno.test("supervisor: a changed program is quarantined without a date to try it again", async () => {
  await withSupervisor({}, async (bench) => {
    bench.outcome = () => Promise.reject(new GumError("PLUGIN_EXECUTABLE_UNTRUSTED"));
    await assert.rejects(start(bench));
    const row = await bench.row();
    assert.equal(row?.last_error_code, "PLUGIN_EXECUTABLE_UNTRUSTED");
    assert.equal(row?.next_retry_at, undefined);
    bench.clock.set("2030-01-01T00:00:00Z");
    await assert.rejects(start(bench), PluginQuarantinedError);
  });
});

Deno.test("supervisor: conditions of the host and of the person are nobody's crash", async () => {
  const blameless = [
    new GumError("PLUGIN_SANDBOX_UNSUPPORTED"),
    new GumError("AUTH_REQUIRED"),
    new GumError("AUTH_KEYCHAIN_UNAVAILABLE"),
    new GumError("PLUGIN_INSTALL_LOCK_TIMEOUT"),
    new GumError("PLUGIN_EXECUTABLE_UNTRUSTED", { details: { reason: "runtime_changed" } }),
    new GumError("PLUGIN_MANIFEST_NOT_FOUND", { details: { reason: "plugin_not_installed" } }),
    new TokenUnavailable("echo-box", new Error("offline")),
    new Deno.errors.NotCapable("run"),
  ];
  await withSupervisor({}, async (bench) => {
    for (const error of blameless) {
      bench.outcome = () => Promise.reject(error);
      await assert.rejects(start(bench), error);
    }
    assert.deepEqual(await bench.row(), stateRow("echo-box"));
    assert.deepEqual(bench.audit.rows, []);
  });
  assert.equal(crashCode(new GumError("PLUGIN_BINDING_INVALID")), "PLUGIN_BINDING_INVALID");
  assert.equal(crashCode(new GumError("INVALID_ARGS")), "SERVICE_DOWN");
});

Deno.test("supervisor: a caller who gives up is no crash, and an unknown plugin gets no row", async () => {
  await withSupervisor({}, async (bench) => {
    const controller = new AbortController();
    bench.outcome = () => {
      controller.abort(new Error("gave up"));
      return Promise.reject(new Error("gave up"));
    };
    await assert.rejects(bench.supervisor.start("echo-box", { signal: controller.signal }));
    assert.deepEqual(await bench.row(), stateRow("echo-box"));
  });
  await withSupervisor(undefined, async (bench) => {
    await bench.supervisor.recordCrash("echo-box", "SERVICE_DOWN", { signal: never() });
    assert.equal(await bench.row(), undefined);
    assert.deepEqual(bench.audit.rows, []);
  });
});

Deno.test("supervisor: an executable changed by one byte never runs and quarantines the plugin", async () => {
  await withScriptPlugin({
    behaviour:
      `onStart = () => Deno.writeTextFileSync(Deno.env.get("PLUGIN_DATA_DIR") + "/ran", "");`,
  }, async ({ runtime, pluginId, profile }) => {
    const { lock } = await profile.registry.loadSnapshot();
    const entry = lock.plugins[0]?.executable.entry_path ?? "";
    const bytes = await Deno.readFile(entry);
    const at = bytes.length - 2;
    bytes[at] = (bytes[at] ?? 0) ^ 1;
    await Deno.writeFile(entry, bytes);
    await assert.rejects(
      runtime.supervisor.start(pluginId, { signal: never() }),
      (error) => {
        const known = findGumError(error, "PLUGIN_EXECUTABLE_UNTRUSTED");
        assert.equal(known?.details.reason, "digest_mismatch");
        assert.match(known?.suggestion ?? "", /gum plugin reload echo-box/);
        return true;
      },
    );
    const [row] = (await profile.registry.loadSnapshot()).state.plugins;
    assert.equal(row?.quarantined, true);
    assert.equal(row?.last_error_code, "PLUGIN_EXECUTABLE_UNTRUSTED");
    await assert.rejects(
      Deno.stat(`${profile.registry.paths.dataDir(pluginId)}/ran`),
      Deno.errors.NotFound,
    );
    await assert.rejects(
      runtime.supervisor.start(pluginId, { signal: never() }),
      PluginQuarantinedError,
    );
    // The file is as it was again: a reload is the way back.
    bytes[at] = (bytes[at] ?? 0) ^ 1;
    await Deno.writeFile(entry, bytes);
    const { supervisor } = runtime;
    await reloadPlugin(pluginId, { registry: profile.registry, supervisor, signal: never() });
    const [healed] = (await profile.registry.loadSnapshot()).state.plugins;
    assert.equal(healed?.quarantined, false);
    assert.equal(await Deno.readTextFile(`${profile.registry.paths.dataDir(pluginId)}/ran`), "");
  });
});

Deno.test("supervisor: a sibling file added to the installation refuses the start", async () => {
  await withScriptPlugin({}, async ({ runtime, pluginId, profile }) => {
    const { lock } = await profile.registry.loadSnapshot();
    await Deno.writeTextFile(`${lock.plugins[0]?.executable.install_root}/extra.ts`, "");
    await assert.rejects(
      runtime.supervisor.start(pluginId, { signal: never() }),
      (error) => findGumError(error)?.details.reason === "tree_digest_mismatch",
    );
  });
});

Deno.test("reload: a plugin that still fails is quarantined anew, at the first step", async () => {
  await withScriptPlugin({ behaviour: `Deno.exit(1);` }, async ({ runtime, pluginId, profile }) => {
    const { supervisor } = runtime;
    const parts = { registry: profile.registry, supervisor, signal: never() };
    await profile.registry.writeTransaction((draft) => {
      const [row] = draft.state.plugins;
      if (row !== undefined) Object.assign(row, { permanent_quarantine: true, backoff_step: 7 });
    }, { signal: never() });
    await assert.rejects(reloadPlugin(pluginId, parts), /passive canary/);
    const [row] = (await profile.registry.loadSnapshot()).state.plugins;
    assert.equal(row?.backoff_step, 1);
    assert.equal(row?.permanent_quarantine, false);
    await assert.rejects(
      reloadPlugin("nobody", parts),
      (error) => findGumError(error)?.code === "PLUGIN_MANIFEST_NOT_FOUND",
    );
  });
});
