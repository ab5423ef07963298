import assert from "node:assert/strict";
import { parse as parseToml } from "smol-toml";
import { environmentOf } from "../../config/environment.ts";
import { systemClock } from "../../clock/mod.ts";
import { sha256Hex } from "../../digest/mod.ts";
import { findGumError } from "../../errors/mod.ts";
import type { JsonObject } from "../../json/mod.ts";
import { judgeToolResult } from "../host/mod.ts";
import { BACKENDS, probeBackend } from "../sandbox/mod.ts";
import { inTemporary, never, testProfile } from "../testdata/fixture.ts";
import { served, zip } from "../testdata/packages.ts";
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
    const written = await writeTemplate(path, { name: "my-first" });
    assert.ok(written.includes("plugin.toml"));
    await assert.rejects(
      writeTemplate(path, { name: "my-first" }),
      (error) => findGumError(error)?.code === "CLI_ARG_INVALID",
    );
    await assert.rejects(writeTemplate(`${directory}/x`, { name: "Not An Id" }));
    const { success, stderr } = await new Deno.Command(Deno.execPath(), {
      args: ["test", "-q", "--no-config", "--no-lock", `${path}/greeting_test.ts`],
    }).output();
    assert.ok(success, new TextDecoder().decode(stderr));
    await installed(path, "my-first", async (call) => {
      assert.deepEqual(await call("greet", { name: "Ada" }), { greeting: "Hello, Ada!" });
    });
  });
});

Deno.test({
  name: "template: a new plugin in Python installs, passes its canary and its own test",
  ignore: !confined,
  async fn() {
    await inTemporary(async (directory) => {
      // The name of a module that Python itself has must do no harm.
      const path = `${directory}/json`;
      const written = await writeTemplate(path, { name: "json", shape: "mcp-plugin" });
      assert.ok(written.includes("bin/json"));
      const { success, stderr } = await new Deno.Command("python3", {
        args: [`${path}/tests/test_greeting.py`],
      }).output();
      assert.ok(success, new TextDecoder().decode(stderr));
      await installed(path, "json", async (call) => {
        assert.deepEqual(await call("greet", { name: "Ada" }), { greeting: "Hello, Ada!" });
        assert.equal((await call("greet", {}) as { kind: string }).kind, "failed");
        assert.deepEqual(await call("greet", { name: "Bo" }), { greeting: "Hello, Bo!" });
      });
    });
  },
});

Deno.test("template: its servers are those of the examples, byte for byte", async () => {
  for (
    const [text, example] of [
      ["stdio_server.txt", "word-count/stdio_server.ts"],
      ["stdio_server_py.txt", "unit-convert/unit_convert/stdio_server.py"],
    ] as const
  ) {
    assert.equal(
      await Deno.readTextFile(new URL(text, import.meta.url)),
      await Deno.readTextFile(`${EXAMPLES}${example}`),
    );
  }
});

/** The example as the wheel that its project file describes. */
async function exampleWheel(): Promise<Uint8Array<ArrayBuffer>> {
  const project = parseToml(await Deno.readTextFile(`${EXAMPLES}unit-convert/pyproject.toml`))
    .project as { name: string; version: string; scripts: Record<string, string> };
  const info = `unit_convert-${project.version}.dist-info`;
  const files: Record<string, string> = {
    [`${info}/METADATA`]:
      `Metadata-Version: 2.1\nName: ${project.name}\nVersion: ${project.version}\n`,
    [`${info}/WHEEL`]:
      "Wheel-Version: 1.0\nGenerator: test\nRoot-Is-Purelib: true\nTag: py3-none-any\n",
    [`${info}/entry_points.txt`]: "[console_scripts]\n" +
      Object.entries(project.scripts).map(([name, target]) => `${name} = ${target}\n`).join(""),
    [`${info}/RECORD`]: "",
  };
  for await (const { name } of Deno.readDir(`${EXAMPLES}unit-convert/unit_convert`)) {
    if (!name.endsWith(".py")) continue;
    const path = `unit_convert/${name}`;
    files[path] = await Deno.readTextFile(`${EXAMPLES}unit-convert/${path}`);
  }
  return await zip(files);
}

Deno.test({
  name:
    "TestInstallPyPIPackage: the example as a wheel installs, passes its canary and answers twice",
  ignore: !confined,
  async fn() {
    const wheel = await exampleWheel();
    const artifact = "unit_convert-1.0.0-py3-none-any.whl";
    const example = `${EXAMPLES}unit-convert`;
    const manifest = parseToml(await Deno.readTextFile(`${example}/plugin.toml`)) as unknown as {
      plugin: JsonObject;
      package?: JsonObject;
    };
    manifest.plugin.executable = "unit-convert";
    manifest.package = {
      source: "pypi",
      repository: "unit-convert",
      ref: "1.0.0",
      artifact,
      checksum: await sha256Hex(wheel),
    };
    await inTemporary(async (directory) => {
      const plugin = `${directory}/plugin`;
      await Deno.mkdir(`${plugin}/schemas`, { recursive: true });
      await Deno.writeTextFile(`${plugin}/manifest.json`, JSON.stringify(manifest));
      const schema = "schemas/unit-convert.convert.json";
      await Deno.copyFile(`${example}/${schema}`, `${plugin}/${schema}`);
      const answer = (path: string) =>
        path.endsWith("/json")
          ? Response.json({ urls: [{ filename: artifact, url: `https://files.example/w` }] })
          : new Response(wheel);
      await served(directory, { answer }, async (profile) => {
        const { risk } = await profile.install(plugin);
        assert.equal(risk, "low", "a verified wheel keeps the manifest's word");
        const runtime = runtimeOf(profile, { sandbox: { backend: "auto" }, clock: systemClock });
        try {
          // The second start proves that the first wrote nothing into the environment.
          for (let start = 0; start < 2; start++) {
            const canary = await runtime.liveCanary("unit-convert", never());
            assert.equal(canary.ok, true, JSON.stringify(canary));
          }
        } finally {
          await runtime.close();
        }
      });
    });
  },
});

Deno.test("examples: the Python package's own tests pass", async () => {
  const { success, stderr } = await new Deno.Command("python3", {
    args: [`${EXAMPLES}unit-convert/tests/test_convert.py`],
  }).output();
  assert.ok(success, new TextDecoder().decode(stderr));
});
