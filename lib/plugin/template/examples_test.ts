import assert from "node:assert/strict";
import { environmentOf } from "../../config/environment.ts";
import { systemClock } from "../../clock/mod.ts";
import { findGumError } from "../../errors/mod.ts";
import type { JsonObject } from "../../json/mod.ts";
import { judgeToolResult } from "../host/mod.ts";
import { BACKENDS, probeBackend } from "../sandbox/mod.ts";
import { inTemporary, never, testProfile } from "../testdata/fixture.ts";
import { runtimeOf } from "../testdata/runnable.ts";
import { writeTemplate } from "./mod.ts";

const EXAMPLES = new URL("../../../examples/plugins/", import.meta.url).pathname;

const [bubblewrap] = BACKENDS;
assert.ok(bubblewrap);
const probed = await probeBackend(
  bubblewrap,
  environmentOf({ PATH: Deno.env.get("PATH") ?? "" }),
);
const confined = probed.result.usable && probed.result.writes && probed.result.network;

/** Installs a plugin with its live canary and makes calls. */
async function installed(
  path: string,
  pluginId: string,
  work: (call: (tool: string, args: JsonObject) => Promise<unknown>) => Promise<void>,
): Promise<void> {
  await inTemporary(async (directory) => {
    const profile = testProfile(directory, { clock: systemClock } as never);
    const runtime = runtimeOf(profile, { sandbox: { backend: "auto" } });
    try {
      const result = await profile.install(path, { runCanary: false });
      assert.equal(result.plugin_id, pluginId);
      assert.deepEqual(result.warnings, []);
      const canary = await runtime.liveCanary(pluginId, never());
      assert.equal(canary.ok, true, JSON.stringify(canary));
      const plugin = await runtime.host.start(pluginId, { signal: never() });
      await work(async (tool, args) => {
        const answer = await plugin.callTool(tool, args, { signal: never(), timeoutMs: 5_000 });
        const verdict = judgeToolResult(answer);
        return verdict.kind === "body" ? JSON.parse(verdict.text) : verdict;
      });
    } finally {
      await runtime.close();
    }
  });
}

Deno.test("examples: the script installs without a warning, passes its canary and answers", async () => {
  await installed(`${EXAMPLES}word-count`, "word-count", async (call) => {
    assert.deepEqual(await call("count", { text: "b a b", top: 1 }), {
      total: 3,
      words: [{ word: "b", count: 2 }],
    });
    assert.deepEqual(await call("remember", { name: "x", text: "kept" }), { saved: "x" });
    const refused = await call("count", { text: "x".repeat(1_000_001) }) as { kind: string };
    assert.equal(refused.kind, "failed");
  });
});

Deno.test({
  name: "examples: the Python package runs confined",
  ignore: !confined,
  async fn() {
    await installed(`${EXAMPLES}unit-convert`, "unit-convert", async (call) => {
      assert.deepEqual(await call("convert", { value: 100, from: "c", to: "f" }), {
        value: 212,
        unit: "f",
      });
      // A second start still finds the installation as it was: no byte code was written into it.
      assert.equal(
        (await call("convert", { value: 1, from: "m", to: "c" }) as { kind: string }).kind,
        "failed",
      );
    });
  },
});

Deno.test("template: a new plugin installs, passes its canary and its own test", async () => {
  await inTemporary(async (directory) => {
    const path = `${directory}/my-first`;
    const written = await writeTemplate(path, "my-first");
    assert.ok(written.includes("plugin.toml"));
    await assert.rejects(
      writeTemplate(path, "my-first"),
      (error) => findGumError(error)?.code === "CLI_ARG_INVALID",
    );
    await assert.rejects(writeTemplate(`${directory}/x`, "Not An Id"));
    const { success, stderr } = await new Deno.Command(Deno.execPath(), {
      args: ["test", "-q", "--no-config", "--no-lock", `${path}/greeting_test.ts`],
    }).output();
    assert.ok(success, new TextDecoder().decode(stderr));
    await installed(path, "my-first", async (call) => {
      assert.deepEqual(await call("greet", { name: "Ada" }), { greeting: "Hello, Ada!" });
    });
  });
});

Deno.test("template: its server is the example's, byte for byte", async () => {
  assert.equal(
    await Deno.readTextFile(new URL("stdio_server.txt", import.meta.url)),
    await Deno.readTextFile(`${EXAMPLES}word-count/stdio_server.ts`),
  );
});

Deno.test("examples: the Python package's own tests pass", async () => {
  const { success, stderr } = await new Deno.Command("python3", {
    args: [`${EXAMPLES}unit-convert/tests/test_convert.py`],
  }).output();
  assert.ok(success, new TextDecoder().decode(stderr));
});
