import assert from "node:assert/strict";
import { never } from "../testdata/fixture.ts";
import { withScriptPlugin } from "../testdata/runnable.ts";

Deno.test("TestNormalizedArgvReachesSubprocess: the recorded words arrive, those of the manifest do not run", async () => {
  await withScriptPlugin({
    tree: { plugin: { command: ["./main.ts", "--mode", "a b", "$HOME"] } },
    behaviour: "call = async () => text(Deno.args);",
  }, async ({ runtime, pluginId, profile }) => {
    const [row] = (await profile.registry.loadSnapshot()).lock.plugins;
    assert.deepEqual(row?.executable.argv_normalized.slice(-3), ["--mode", "a b", "$HOME"]);
    const running = await runtime.host.start(pluginId, { signal: never() });
    try {
      const options = { signal: never(), timeoutMs: 10_000 };
      const answer = await running.callTool("echo", {}, options);
      assert.deepEqual(answer.content, [{ type: "text", text: '["--mode","a b","$HOME"]' }]);
    } finally {
      await running.stop();
    }
  });
});
