import assert from "node:assert/strict";
import { systemClock } from "../../clock/mod.ts";
import { environmentOf } from "../../config/environment.ts";
import { findGumError } from "../../errors/mod.ts";
import { BACKENDS, probeBackend } from "../sandbox/mod.ts";
import { never } from "../testdata/fixture.ts";
import {
  eventually,
  isRunning,
  pythonServer,
  withNativePlugin,
  withScriptPlugin,
} from "../testdata/runnable.ts";
import { CallFailure } from "./types.ts";

const [bubblewrap] = BACKENDS;
assert.ok(bubblewrap);
const { result: probed } = await probeBackend(
  bubblewrap,
  environmentOf({ PATH: Deno.env.get("PATH") ?? "" }),
);
const confined = probed.usable && probed.writes;
if (!confined) console.log(`skipped: bubblewrap does not confine here (${probed.reason})`);

const options = () => ({ signal: never(), timeoutMs: 5_000 });

Deno.test("plugin host: a started script answers, stops and is gone", async () => {
  await withScriptPlugin({}, async ({ runtime, pluginId }) => {
    const plugin = await runtime.host.start(pluginId, { signal: never() });
    const answer = await plugin.callTool("echo", { a: 1 }, options());
    assert.deepEqual(answer.content, [{ type: "text", text: '{"a":1}' }]);
    assert.equal(plugin.alive, true);
    assert.equal(plugin.sandbox.backend, "deno-permissions");
    await Promise.all([plugin.stop(), plugin.stop()]);
    assert.equal(plugin.alive, false);
    assert.deepEqual(await plugin.exited, { code: 0, signal: null, expected: true });
  });
});

Deno.test("TestPluginAliveFlipsWhenSessionEnds: a plugin that exits is not alive any more", async () => {
  await withScriptPlugin({
    behaviour: `call = async () => { Deno.exit(3); };`,
  }, async ({ runtime, pluginId }) => {
    const plugin = await runtime.host.start(pluginId, { signal: never() });
    await assert.rejects(
      plugin.callTool("echo", {}, options()),
      (error) => error instanceof CallFailure && error.reason === "connection_closed",
    );
    const exit = await plugin.exited;
    assert.deepEqual(exit, { code: 3, signal: null, expected: false });
    assert.equal(plugin.alive, false);
  });
});

Deno.test("TestPluginAliveFalseAfterStop: a stopped plugin takes no calls", async () => {
  await withScriptPlugin({}, async ({ runtime, pluginId }) => {
    const plugin = await runtime.host.start(pluginId, { signal: never() });
    await plugin.stop();
    assert.equal(plugin.alive, false);
    await assert.rejects(plugin.callTool("echo", {}, options()), CallFailure);
  });
});

Deno.test("plugin host: a plugin that crashes on start fails at once, with its last words logged", async () => {
  await withScriptPlugin({
    behaviour: `onStart = () => { console.error("no config"); Deno.exit(7); };`,
    timing: { handshakeMs: 30_000 },
  }, async ({ runtime, pluginId, profile }) => {
    const before = performance.now();
    await assert.rejects(runtime.host.start(pluginId, { signal: never() }), /did not finish/);
    assert.ok(performance.now() - before < 15_000, "it waited for the handshake's time");
    const record = profile.logger.records.find(({ message }) =>
      /could not be started/.test(message)
    );
    assert.equal(record?.fields.exit_code, 7);
    assert.match(String(record?.fields.stderr), /no config/);
  });
});

Deno.test("plugin host: a plugin that says nothing is given up after the handshake's time", async () => {
  await withScriptPlugin({
    behaviour: `write = () => {};`,
    timing: { handshakeMs: 400 },
  }, async ({ runtime, pluginId }) => {
    await assert.rejects(runtime.host.start(pluginId, { signal: never() }), /did not finish/);
  });
});

Deno.test("plugin host: an aborted start leaves no process and gives the caller's reason", async () => {
  await withScriptPlugin({ behaviour: `write = () => {};` }, async ({ runtime, pluginId }) => {
    const controller = new AbortController();
    const starting = runtime.host.start(pluginId, { signal: controller.signal });
    const reason = new Error("changed my mind");
    setTimeout(() => controller.abort(reason), 150);
    await assert.rejects(starting, reason);
  });
});

Deno.test("plugin host: one endless line ends the session instead of filling memory", async () => {
  await withScriptPlugin({
    behaviour: `call = async () => { const piece = "x".repeat(1 << 20); for (;;) raw(piece); };`,
  }, async ({ runtime, pluginId }) => {
    const plugin = await runtime.host.start(pluginId, { signal: never() });
    await assert.rejects(plugin.callTool("echo", {}, options()), /10485760 bytes/);
    assert.equal((await plugin.exited).signal, "SIGKILL");
  });
});

Deno.test("plugin host: some garbage is skipped, a hundred lines of it are not", async () => {
  await withScriptPlugin({
    behaviour: `call = async (name, { lines }) => {
      for (let at = 0; at < lines; at++) raw(at % 2 ? "not json\\n" : "[1,2]\\n\\n");
      return text("done");
    };`,
  }, async ({ runtime, pluginId }) => {
    const plugin = await runtime.host.start(pluginId, { signal: never() });
    const answer = await plugin.callTool("echo", { lines: 99 }, options());
    assert.deepEqual(answer.content, [{ type: "text", text: "done" }]);
    await assert.rejects(plugin.callTool("echo", { lines: 2 }, options()), /100 lines/);
    assert.equal(plugin.alive, false);
  });
});

Deno.test("plugin host: a plugin that hangs is stopped by force, after a grace", async () => {
  await withScriptPlugin({
    behaviour: `
      Deno.addSignalListener("SIGTERM", () => {});
      onEnd = () => new Promise(() => setInterval(() => {}, 1000));`,
  }, async ({ runtime, pluginId }) => {
    const plugin = await runtime.host.start(pluginId, { signal: never() });
    await plugin.stop();
    const exit = await plugin.exited;
    assert.equal(exit.signal, "SIGKILL");
    assert.equal(exit.expected, true);
  });
});

Deno.test("plugin host: a call that hangs times out; an aborted one tells the plugin", async () => {
  await withScriptPlugin({
    behaviour: `
      const seen = [];
      onNotification = (method) => seen.push(method);
      call = (name, args) => args.report ? Promise.resolve(text(seen)) : new Promise(() => {});`,
  }, async ({ runtime, pluginId }) => {
    const plugin = await runtime.host.start(pluginId, { signal: never() });
    await assert.rejects(
      plugin.callTool("echo", {}, { signal: never(), timeoutMs: 200 }),
      (error) => error instanceof CallFailure && error.reason === "call_timeout",
    );
    const controller = new AbortController();
    const reason = new Error("enough");
    const calling = plugin.callTool("echo", {}, { signal: controller.signal, timeoutMs: 5_000 });
    controller.abort(reason);
    await assert.rejects(calling, reason);
    const report = await plugin.callTool("echo", { report: true }, options());
    assert.match(JSON.stringify(report.content), /notifications\/cancelled/);
  });
});

Deno.test("plugin host: what the protocol does not allow plugins is answered, not obeyed", async () => {
  await withScriptPlugin({
    behaviour: `
      let answered;
      call = () => new Promise((resolve) => { answered = resolve; write({ jsonrpc: "2.0", id: "s1", method: "sampling/createMessage", params: { messages: [], maxTokens: 1 } }); });
      const plain = JSON.parse;
      JSON.parse = (line) => { const m = plain(line); if (m.id === "s1") { answered(text(m.error ?? m.result)); return { method: "x" }; } return m; };`,
  }, async ({ runtime, pluginId }) => {
    const plugin = await runtime.host.start(pluginId, { signal: never() });
    const answer = await plugin.callTool("echo", {}, options());
    assert.match(JSON.stringify(answer.content), /-32601/);
  });
});

Deno.test("plugin host: a tool that the plugin does not offer refuses the start", async () => {
  await withScriptPlugin({ behaviour: `tools = [];` }, async ({ runtime, pluginId }) => {
    await assert.rejects(runtime.host.start(pluginId, { signal: never() }), (error) => {
      assert.equal(findGumError(error)?.code, "PLUGIN_BINDING_INVALID");
      assert.equal(findGumError(error)?.details.tool_name, "echo");
      return true;
    });
  });
});

Deno.test("plugin host: an unknown plugin is not installed, and a bad id is none", async () => {
  await withScriptPlugin({}, async ({ runtime }) => {
    for (
      const [id, code] of [["nobody", "PLUGIN_MANIFEST_NOT_FOUND"], [
        "../x",
        "PLUGIN_MANIFEST_INVALID",
      ]]
    ) {
      await assert.rejects(
        runtime.host.start(id ?? "", { signal: never() }),
        (error) => findGumError(error)?.code === code,
      );
    }
  });
});

Deno.test("plugin host: closing the host stops everything it started", async () => {
  await withScriptPlugin({}, async ({ runtime, pluginId }) => {
    const plugin = await runtime.host.start(pluginId, { signal: never() });
    await runtime.host.close();
    assert.equal(plugin.alive, false);
    await assert.rejects(runtime.host.start(pluginId, { signal: never() }));
  });
});

Deno.test({
  name: "plugin host: a grandchild does not outlive its plugin, even with the output in its hands",
  ignore: Deno.build.os !== "linux",
  async fn() {
    await withNativePlugin({
      executable: pythonServer('str(subprocess.Popen(["sleep", "300"]).pid)'),
      sandbox: { isDev: true, backend: "off" },
    }, async ({ runtime, pluginId }) => {
      const plugin = await runtime.host.start(pluginId, { signal: never() });
      const answer = await plugin.callTool("echo", {}, options());
      const [block] = answer.content as { text: string }[];
      const pid = Number(block?.text);
      assert.equal(await isRunning(pid), true);
      await plugin.stop();
      await eventually(async () => !await isRunning(pid), "the grandchild ends");
    });
  },
});

/** Starts a process in a session of its own that writes as long as it lives. */
const RUNAWAY = `str(subprocess.Popen(["sh", "-c",
    "while :; do date +%s%N > $PLUGIN_DATA_DIR/beat; sleep 0.02; done"], start_new_session=True).pid)`
  .replaceAll(/\n\s*/g, " ");

Deno.test({
  name:
    "plugin host: a grandchild that left the group does not outlive its plugin under bubblewrap",
  ignore: !confined,
  async fn() {
    await withNativePlugin({
      executable: pythonServer(RUNAWAY),
      sandbox: { backend: "bubblewrap" },
    }, async ({ runtime, pluginId, profile }) => {
      const beat = () =>
        Deno.readTextFile(`${profile.registry.paths.dataDir(pluginId)}/beat`).catch(() => "");
      const plugin = await runtime.host.start(pluginId, { signal: never() });
      await plugin.callTool("echo", {}, options());
      const first = await beat();
      await eventually(async () => await beat() !== first, "it lives");
      await plugin.stop();
      await eventually(async () => {
        const before = await beat();
        await systemClock.sleep(120);
        return await beat() === before;
      }, "it ends");
    });
  },
});

Deno.test({
  name: "plugin host: without the permission to run its program a plugin is not blamed",
  permissions: { read: true, run: false },
  async fn() {
    const { startChild } = await import("./child.ts");
    const { silentLogger } = await import("../../log/mod.ts");
    const { systemClock } = await import("../../clock/mod.ts");
    assert.throws(
      () =>
        startChild({
          command: { program: "/usr/bin/bwrap", args: [] },
          cwd: "/",
          variables: {},
          graceMs: 1,
          clock: systemClock,
          log: silentLogger,
          onOutput() {},
          onErrorOutput() {},
          onEnd() {},
        }),
      (error) => {
        const known = findGumError(error, "PLUGIN_SANDBOX_UNSUPPORTED");
        assert.match(known?.suggestion ?? "", /--allow-run=bwrap/);
        return true;
      },
    );
  },
});

Deno.test("plugin host: a plugin that asks without reading the answers is cut off", async () => {
  await withScriptPlugin({
    behaviour: `call = () => {
      for (let at = 0;; at++) write({ jsonrpc: "2.0", id: at + "x".repeat(1 << 20), method: "ping" });
    };`,
  }, async ({ runtime, pluginId, profile }) => {
    const plugin = await runtime.host.start(pluginId, { signal: never() });
    await assert.rejects(
      plugin.callTool("echo", {}, { signal: never(), timeoutMs: 60_000 }),
      (error) =>
        error instanceof CallFailure && error.reason === "connection_closed" &&
        /more requests than it reads answers to/.test(error.message),
    );
    assert.equal((await plugin.exited).signal, "SIGKILL");
    assert.ok(profile.logger.records.some(({ message }) => /was cut off/.test(message)));
  });
});
