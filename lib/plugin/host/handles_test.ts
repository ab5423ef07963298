import assert from "node:assert/strict";
import { systemClock } from "../../clock/mod.ts";
import { secret } from "../../auth/mod.ts";
import { findGumError } from "../../errors/mod.ts";
import { never } from "../testdata/fixture.ts";
import { eventually, withScriptPlugin } from "../testdata/runnable.ts";
import { createPluginHandles } from "./handles.ts";
import type { RunningPlugin } from "./types.ts";

const options = () => ({ signal: never(), timeoutMs: 5_000 });
const PID =
  `call = async (name, { exit }) => { if (exit) Deno.exit(9); return text(String(Deno.pid)); };`;

async function pidOf(plugin: RunningPlugin): Promise<string> {
  return JSON.stringify((await plugin.callTool("echo", {}, options())).content);
}

Deno.test("plugin handles: callers who come together share one start", async () => {
  await withScriptPlugin({ behaviour: PID }, async ({ runtime, pluginId }) => {
    const { handles } = runtime;
    const pids = await Promise.all(
      [1, 2, 3].map(() => handles.use(pluginId, pidOf, { signal: never() })),
    );
    assert.equal(new Set(pids).size, 1);
    assert.equal(await handles.use(pluginId, pidOf, { signal: never() }), pids[0]);
  });
});

Deno.test("plugin handles: one caller's abort does not take the start from the others", async () => {
  await withScriptPlugin({ behaviour: PID }, async ({ runtime, pluginId }) => {
    const controller = new AbortController();
    const leaving = runtime.handles.use(pluginId, pidOf, { signal: controller.signal });
    const staying = runtime.handles.use(pluginId, pidOf, { signal: never() });
    const reason = new Error("leaving");
    setTimeout(() => controller.abort(reason), 5);
    await assert.rejects(leaving, reason);
    assert.match(await staying, /[0-9]+/);
  });
});

Deno.test("TestEnsureRunningRestartsDeadPlugin: the next call gets a new process", async () => {
  await withScriptPlugin({ behaviour: PID }, async ({ runtime, pluginId, profile }) => {
    const { handles } = runtime;
    const first = await handles.use(pluginId, pidOf, { signal: never() });
    await assert.rejects(
      handles.use(pluginId, (plugin) => plugin.callTool("echo", { exit: true }, options()), {
        signal: never(),
      }),
    );
    await eventually(() => handles.peek(pluginId)?.alive === false, "the handle is dead");
    const second = await handles.use(pluginId, pidOf, { signal: never() });
    assert.notEqual(second, first);
    const [row] = (await profile.registry.loadSnapshot()).state.plugins;
    assert.equal(row?.retry_count, 0, "a death after a good start is no crash by itself");
  });
});

Deno.test("TestEnsureRunningRestartFailureDropsCacheEntry: a failed restart leaves nothing behind", async () => {
  await withScriptPlugin({ behaviour: PID }, async ({ runtime, pluginId, profile }) => {
    const { handles } = runtime;
    await handles.use(pluginId, pidOf, { signal: never() });
    await handles.peek(pluginId)?.stop();
    const [lock] = (await profile.registry.loadSnapshot()).lock.plugins;
    await Deno.writeTextFile(lock?.executable.entry_path ?? "", "// something else");
    await assert.rejects(
      handles.use(pluginId, pidOf, { signal: never() }),
      (error) => findGumError(error)?.code === "PLUGIN_EXECUTABLE_UNTRUSTED",
    );
    assert.equal(handles.peek(pluginId), undefined);
  });
});

Deno.test("plugin handles: three deaths in five minutes are one crash", async () => {
  await withScriptPlugin({ behaviour: PID }, async ({ runtime, pluginId, profile }) => {
    const { handles } = runtime;
    for (let round = 0; round < 3; round++) {
      await assert.rejects(
        handles.use(pluginId, (plugin) => plugin.callTool("echo", { exit: true }, options()), {
          signal: never(),
        }),
      );
      await eventually(() => handles.peek(pluginId)?.alive !== true, "it died");
    }
    await eventually(async () => {
      const [row] = (await profile.registry.loadSnapshot()).state.plugins;
      return row?.quarantined === true && row.retry_count === 1;
    }, "the storm is recorded once");
  });
});

Deno.test("plugin handles: a token about to expire is exchanged before the next call", async () => {
  let issued = 0;
  await withScriptPlugin({
    tree: {
      requirements: { auth_components: ["google_access_token"] },
      tools: [{ tool_name: "echo", risk_class: "read", auth_strategy: "compound" }],
    },
    behaviour: `call = async () => text(Deno.env.get("GOOGLE_ACCESS_TOKEN"));`,
    sources: {
      tokenResolver: () => {
        issued++;
        return Promise.resolve({
          token: secret(`token-${issued}`),
          subjectFingerprint: "fp",
          scopes: [],
          expiresAt: Date.now() + (issued === 1 ? 4 * 60_000 : 60 * 60_000),
        });
      },
    },
  }, async ({ runtime, pluginId, audit }) => {
    const { handles } = runtime;
    assert.match(await handles.use(pluginId, pidOf, { signal: never() }), /token-1/);
    assert.match(await handles.use(pluginId, pidOf, { signal: never() }), /token-2/);
    assert.match(await handles.use(pluginId, pidOf, { signal: never() }), /token-2/);
    assert.equal(audit.rows.filter(({ event }) => event === "plugin_token_forwarded").length, 2);
  });
});

Deno.test("plugin handles: an unused process is stopped, and started again when needed", async () => {
  await withScriptPlugin({ behaviour: PID, idleMs: 100 }, async ({ runtime, pluginId }) => {
    const { handles } = runtime;
    const first = await handles.use(pluginId, pidOf, { signal: never() });
    await eventually(() => handles.peek(pluginId) === undefined, "it was stopped");
    assert.notEqual(await handles.use(pluginId, pidOf, { signal: never() }), first);
  });
});

Deno.test("plugin handles: a process that nobody waited for in the end is stopped when idle", async () => {
  await withScriptPlugin({ behaviour: PID }, async ({ runtime, pluginId }) => {
    const leaving = new AbortController();
    const handles = createPluginHandles({
      // A start that is too far to be given up when its only caller leaves.
      async start(id) {
        const plugin = await runtime.host.start(id, { signal: never() });
        leaving.abort(new Error("leaving"));
        return plugin;
      },
      idleMs: 50,
      clock: systemClock,
      log: { log() {} },
    });
    await assert.rejects(handles.use(pluginId, pidOf, { signal: leaving.signal }), /leaving/);
    await eventually(() => handles.peek(pluginId) !== undefined, "it was started");
    await eventually(() => handles.peek(pluginId) === undefined, "it was stopped");
    await handles.close();
  });
});

Deno.test("plugin handles: closing gives up a start that hangs", async () => {
  const handles = createPluginHandles({
    start: (_id, signal) =>
      new Promise((_, reject) => signal.addEventListener("abort", () => reject(signal.reason))),
    clock: systemClock,
    log: { log() {} },
  });
  const using = handles.use("x", () => Promise.resolve(1), { signal: never() });
  const refused = assert.rejects(using, /closing/);
  await systemClock.sleep(1);
  await handles.close();
  await refused;
  await assert.rejects(handles.use("x", () => Promise.resolve(1), { signal: never() }), /closing/);
});
