import assert from "node:assert/strict";
import { createSnapshot, embeddedRequestSchema } from "../../catalog/mod.ts";
import { openPluginView, pluginOps } from "../status/mod.ts";
import {
  embeddedCatalog,
  filesBelow,
  fixedClock,
  inTemporary,
  manifestTree,
  never,
  recordingAudit,
  recordingLogger,
  stateRow,
  type TestProfile,
  testProfile,
  variantRow,
  writePlugin,
} from "../testdata/fixture.ts";
import type { StateRow } from "../types.ts";
import { promotePending } from "./mod.ts";

async function seeded(rows: readonly StateRow[], run: (profile: TestProfile) => Promise<void>) {
  await inTemporary(async (directory) => {
    const profile = testProfile(directory);
    profile.parts.http.close();
    await profile.registry.writeTransaction((draft) => {
      draft.state.plugins.push(...rows);
      for (const { name } of rows) {
        draft.catalog.variants.push(variantRow(name, "t"));
        draft.lock.plugins.push(
          { name, version: "1", variant_count: 1 } as typeof draft.lock.plugins[number],
        );
      }
    }, { signal: never() });
    await run(profile);
  });
}

const pending = (name: string, more: Partial<StateRow> = {}) =>
  stateRow(name, { status: "installed_pending_restart", activated_at: null, ...more });

const start = (profile: TestProfile, more: Partial<Parameters<typeof promotePending>[1]> = {}) => {
  const [logger, auditSink] = [recordingLogger(), recordingAudit()];
  const names = promotePending({ data: profile.profileDir }, {
    clock: fixedClock("2026-05-05T05:05:05Z"),
    logger,
    auditSink,
    ...more,
  });
  return names.then((activated) => ({ activated, logger, auditSink }));
};

Deno.test("TestPromotePendingRestartActivatesInstalledRow: a waiting plugin becomes active at the start", async () => {
  await seeded([pending("a"), stateRow("b")], async (profile) => {
    const { activated, auditSink } = await start(profile);
    assert.deepEqual(activated, ["a"]);
    const { state, generation } = await profile.registry.loadSnapshot();
    assert.equal(generation, 2);
    const [row] = state.plugins;
    assert.deepEqual([row?.status, row?.activated_at], ["active", "2026-05-05T05:05:05Z"]);
    assert.deepEqual(auditSink.rows, [{ event: "plugin_activated", plugin: "a", version: "1" }]);
    assert.deepEqual((await start(profile)).activated, [], "once");
    assert.equal((await profile.registry.loadSnapshot()).generation, 2);
  });
});

Deno.test("TestPromotePendingRestartSkipsNeedsConfiguration: what needs configuration or is quarantined stays", async () => {
  const rows = [
    pending("a", { needs_configuration: true, status: "needs_configuration" }),
    pending("b", { needs_configuration: true }),
    pending("c", { quarantined: true }),
  ];
  await seeded(rows, async (profile) => {
    const before = Deno.readTextFileSync(profile.registry.paths.state);
    assert.deepEqual((await start(profile)).activated, []);
    assert.equal(Deno.readTextFileSync(profile.registry.paths.state), before);
  });
});

Deno.test("TestPromotePendingRestartWithoutPendingRowsSkipsWrite: nothing waits, nothing is written", async () => {
  await seeded([stateRow("a")], async (profile) => {
    const stat = () => Deno.statSync(profile.registry.paths.state);
    const before = stat();
    assert.deepEqual((await start(profile)).activated, []);
    assert.deepEqual([stat().mtime, stat().ino], [before.mtime, before.ino]);
  });
});

Deno.test("TestCLIStartupDoesNotCreateRegistryFiles: a profile without plugins stays without a trace", async () => {
  await inTemporary(async (directory) => {
    const profile = testProfile(`${directory}/none`);
    profile.parts.http.close();
    assert.deepEqual((await start(profile)).activated, []);
    assert.deepEqual(await filesBelow(directory), []);
    await assert.rejects(Deno.stat(profile.profileDir), Deno.errors.NotFound);
    await Deno.writeTextFile(`${directory}/file`, "");
    assert.deepEqual(
      (await start({ ...profile, profileDir: `${directory}/file/gum/default` })).activated,
      [],
    );
  });
});

Deno.test("TestCLIStartupPromotesPendingPlugin: an installed plugin is there after the next start", async () => {
  await inTemporary(async (directory) => {
    const profile = testProfile(directory);
    await profile.install(await writePlugin(`${directory}/plugin`));
    profile.parts.http.close();
    const ops = async (startedAt?: number) =>
      pluginOps(await profile.registry.loadSnapshot(), startedAt).map(({ op_id }) => op_id);
    assert.deepEqual(await ops(), []);
    assert.deepEqual((await start(profile)).activated, ["echo-box"]);
    assert.deepEqual(await ops(), ["plug.echo-box.echo"]);
    assert.deepEqual(await ops(Date.parse("2026-05-05T05:05:05.900Z")), ["plug.echo-box.echo"]);
    assert.deepEqual(
      await ops(Date.parse("2026-05-05T05:05:04Z")),
      [],
      "a session that runs already does not see it",
    );
  });
});

Deno.test("TestCLIStartupLeavesQuarantinedPluginPending: a failed canary keeps the plugin back", async () => {
  await inTemporary(async (directory) => {
    const profile = testProfile(directory, {
      canary: () =>
        Promise.resolve({
          ok: false,
          plugin_id: "echo-box",
          error_code: "SERVICE_DOWN",
          source_error_code: "ErrCanaryFailed",
          message: "no",
        }),
    });
    await profile.install(await writePlugin(`${directory}/plugin`));
    profile.parts.http.close();
    assert.deepEqual((await start(profile)).activated, []);
    const [row] = (await profile.registry.loadSnapshot()).state.plugins;
    assert.deepEqual([row?.status, row?.quarantined], ["installed_pending_restart", true]);
  });
});

Deno.test("a start finishes an interrupted publish, and never fails its command", async () => {
  await seeded([stateRow("a")], async (profile) => {
    const { catalog, lock, state } = profile.registry.paths;
    const next = (path: string, more: object = {}) =>
      JSON.stringify({
        ...JSON.parse(Deno.readTextFileSync(path)),
        install_generation: 2,
        install_txid: "00000002",
        ...more,
      });
    Deno.writeTextFileSync(catalog, next(catalog));
    Deno.writeTextFileSync(lock, next(lock));
    Deno.writeTextFileSync(`${state}.tmp.00000002`, next(state, { plugins: [pending("a")] }));
    assert.deepEqual((await start(profile)).activated, ["a"]);
    assert.equal((await profile.registry.loadSnapshot()).generation, 3);
    Deno.writeTextFileSync(state, '{"installed_pending_restart"');
    const { activated, logger } = await start(profile);
    assert.deepEqual(activated, []);
    assert.equal(logger.records.at(-1)?.fields.event, "plugin_activation_skipped");
  });
});

Deno.test("a held lock does not stall a start for long", async () => {
  await seeded([pending("a")], async (profile) => {
    await profile.registry.whileLocked({ signal: never() }, async () => {
      const { activate } = { activate: (await import("./activate.ts")).activatePending };
      await assert.rejects(
        activate(profile.profileDir, { clock: fixedClock(), lockTimeoutMs: 20 }),
      );
    });
  });
});

Deno.test("TestPluginInactiveInventoryOnly: pending, unconfigured and quarantined plugins are inventory, not catalog", async () => {
  const rows = [
    stateRow("a-active"),
    pending("b-pending"),
    stateRow("c-config", {
      status: "needs_configuration",
      needs_configuration: true,
      credential_descriptors: [{
        alias: "key",
        kind: "api_key",
        display_name: "Key",
        setup_hint: "",
      }],
    }),
    stateRow("d-quarantined", { quarantined: true, reason: "CANARY_FAILED" }),
  ];
  await seeded(rows, async (profile) => {
    const registry = await profile.registry.loadSnapshot();
    const snapshot = createSnapshot(embeddedCatalog(), {
      requestSchema: embeddedRequestSchema,
      pluginOps: pluginOps(registry),
    });
    assert.ok(snapshot.findOp("plug.a-active.t") !== undefined);
    assert.equal(snapshot.findOp("plug.a-active.t")?.service_family, "plugin.a-active");
    const view = openPluginView({ paths: profile.registry.paths });
    assert.equal(view.lookup({ opId: "plug.a-active.t" }), undefined);
    assert.equal(view.lookup({ opId: "plug.nobody.t" }), undefined);
    for (
      const [name, status] of [
        ["b-pending", "installed_pending_restart"],
        ["c-config", "needs_configuration"],
        ["d-quarantined", "quarantined"],
      ]
    ) {
      assert.equal(snapshot.findOp(`plug.${name}.t`), undefined);
      assert.equal(snapshot.findVariant(`plug.${name}.t.v1`), undefined);
      const entry = view.lookup({ opId: `plug.${name}.t` });
      assert.equal(entry?.status, status);
      assert.equal(entry?.pluginName, name);
      assert.deepEqual(view.lookup({ variantId: `plug.${name}.t.v1` }), entry);
      assert.deepEqual(
        entry?.credentialAliases,
        status === "needs_configuration" ? ["key"] : undefined,
      );
    }
  });
});

Deno.test("a first-party id wins over a plugin's, and a damaged registry activates nothing", async () => {
  await seeded([stateRow("a")], async (profile) => {
    const logger = recordingLogger();
    const registry = await profile.registry.loadSnapshot();
    const [op] = pluginOps(registry);
    const taken = embeddedCatalog().ops[0];
    assert.ok(op !== undefined && taken !== undefined);
    const variant = {
      ...op.variants[0],
      variant_id: taken.default_variant_id,
    } as typeof op.variants[0];
    const snapshot = createSnapshot(embeddedCatalog(), {
      requestSchema: () => undefined,
      pluginOps: [{ ...op, variants: [variant] }],
      logger,
    });
    assert.equal(snapshot.findVariant(taken.default_variant_id)?.op.op_id, taken.op_id);
    assert.equal(logger.records.length, 1);
    assert.deepEqual(pluginOps({ ...registry, ok: false }), []);
    assert.ok(manifestTree().tools !== undefined);
  });
});
