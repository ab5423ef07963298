import assert from "node:assert/strict";
import { environmentOf } from "../../../config/environment.ts";
import { sha256Hex } from "../../../digest/mod.ts";
import { isGumError } from "../../../errors/mod.ts";
import type { JsonObject } from "../../../json/mod.ts";
import {
  filesBelow,
  inTemporary,
  manifestTree,
  testProfile,
  writePlugin,
} from "../../testdata/fixture.ts";
import { type Answer, refusal, served, zip } from "../../testdata/packages.ts";

async function wheel(): Promise<Uint8Array<ArrayBuffer>> {
  return await zip({
    "echo_box/__init__.py": "def main():\n    print('from a wheel')\n",
    "echo_box-1.0.dist-info/METADATA": "Metadata-Version: 2.1\nName: echo-box\nVersion: 1.0\n",
    "echo_box-1.0.dist-info/WHEEL":
      "Wheel-Version: 1.0\nGenerator: test\nRoot-Is-Purelib: true\nTag: py3-none-any\n",
    "echo_box-1.0.dist-info/entry_points.txt": "[console_scripts]\necho-mcp = echo_box:main\n",
    "echo_box-1.0.dist-info/RECORD": "",
  });
}

const WHEEL_NAME = "echo_box-1.0-py3-none-any.whl";

function pythonTree(checksum: string, more: JsonObject = {}): JsonObject {
  return manifestTree({
    plugin: { executable: "echo-mcp", command: ["uvx", "echo-mcp", "--quiet"] },
    package: {
      source: "pypi",
      repository: "echo-box",
      ref: "==1.0",
      artifact: WHEEL_NAME,
      checksum,
      ...more,
    },
  });
}

Deno.test("TestInstallPyPIPackage: a verified wheel in an environment of its own, without an index", async () => {
  const bytes = await wheel();
  await inTemporary(async (directory) => {
    const plugin = await writePlugin(`${directory}/plugin`, {
      tree: pythonTree(await sha256Hex(bytes)),
    });
    const record = {
      urls: [{ filename: WHEEL_NAME, url: `https://files.example/${WHEEL_NAME}` }],
    };
    const answer: Answer = (path) =>
      path.endsWith("/echo-box/1.0/json")
        ? Response.json(record)
        : path === `/${WHEEL_NAME}`
        ? new Response(bytes)
        : undefined;
    await served(directory, { answer }, async (profile, asked) => {
      const { executable, risk } = await profile.install(plugin);
      assert.equal(asked.length, 2);
      assert.equal(risk, "low");
      assert.equal(executable.executable_path, `${executable.install_root}/venv/bin/echo-mcp`);
      assert.deepEqual(executable.argv_normalized.slice(1), ["--quiet"]);
      const { stdout } = await new Deno.Command(executable.executable_path, {
        clearEnv: true,
        env: { PYTHONDONTWRITEBYTECODE: "1" },
      }).output();
      assert.equal(new TextDecoder().decode(stdout).trim(), "from a wheel");
      const [row] = (await profile.registry.loadSnapshot()).lock.plugins;
      assert.ok(row !== undefined);
      assert.equal(row.package.ref, "1.0");
      const { verifyBinding } = await import("../mod.ts");
      await verifyBinding(row, {
        environment: profile.parts.environment,
        signal: AbortSignal.timeout(60_000),
      });
    });
  });
});

Deno.test("TestInstallPyPIPackage: wrong bytes, no such file and source archives build nothing", async () => {
  await inTemporary(async (directory) => {
    const plugin = await writePlugin(`${directory}/plugin`, { tree: pythonTree("0".repeat(64)) });
    const record = { urls: [{ filename: WHEEL_NAME, url: `https://files.example/${WHEEL_NAME}` }] };
    const answer: Answer = (path) =>
      path.endsWith("/json") ? Response.json(record) : new Response("other bytes");
    await served(directory, { answer }, async (profile) => {
      assert.equal(
        await refusal(profile.install(plugin)),
        "PLUGIN_EXECUTABLE_UNTRUSTED checksum_mismatch",
      );
      assert.deepEqual(await filesBelow(profile.registry.paths.pluginRoot("echo-box")), []);
    });
    const empty: Answer = () => Response.json({ urls: [] });
    await served(directory, { answer: empty }, async (profile) => {
      assert.equal(
        await refusal(profile.install(plugin)),
        "PLUGIN_EXECUTABLE_UNTRUSTED artifact_missing",
      );
    });
    const plain: Answer = () =>
      Response.json({ urls: [{ filename: WHEEL_NAME, url: "http://files.example/x" }] });
    await served(directory, { answer: plain }, async (profile) => {
      assert.equal(await refusal(profile.install(plugin)), "SERVICE_DOWN package_fetch_failed");
    });
    const sdist = await writePlugin(`${directory}/sdist`, {
      tree: pythonTree("0".repeat(64), { artifact: "echo-box-1.0.tar.gz" }),
    });
    const profile = testProfile(directory);
    await assert.rejects(
      profile.install(sdist),
      (error) => isGumError(error, "PLUGIN_MANIFEST_INVALID"),
    );
    profile.parts.http.close();
  });
});

Deno.test("TestInstallPyPIPackage: without Python nothing is installed", async () => {
  const { environmentOf } = await import("../../../config/environment.ts");
  const bytes = await wheel();
  await inTemporary(async (directory) => {
    const plugin = await writePlugin(`${directory}/plugin`, {
      tree: pythonTree(await sha256Hex(bytes)),
    });
    const record = { urls: [{ filename: WHEEL_NAME, url: `https://files.example/${WHEEL_NAME}` }] };
    const answer: Answer = (path) =>
      path.endsWith("/json") ? Response.json(record) : new Response(bytes);
    await served(directory, { answer }, async (profile) => {
      profile.parts.environment = environmentOf({ PATH: `${directory}/nothing` });
      assert.equal(
        await refusal(profile.install(plugin)),
        "PLUGIN_EXECUTABLE_UNTRUSTED python_not_found",
      );
    });
  });
});

Deno.test("TestInstallPyPIPackage: without an index of our own, pip fetches and the digest decides", async () => {
  const bytes = await wheel();
  await inTemporary(async (directory) => {
    const home = `${directory}/home`;
    await Deno.mkdir(`${home}/.config/pip`, { recursive: true });
    await Deno.mkdir(`${directory}/wheels`);
    await Deno.writeFile(`${directory}/wheels/${WHEEL_NAME}`, bytes);
    // What a user's own pip is configured for decides where packages come from.
    await Deno.writeTextFile(
      `${home}/.config/pip/pip.conf`,
      `[global]\nno-index = true\nfind-links = ${directory}/wheels\n`,
    );
    const environment = environmentOf({ PATH: Deno.env.get("PATH") ?? "", HOME: home });
    const install = async (name: string, checksum: string) => {
      const plugin = await writePlugin(`${directory}/plugin-${name}`, {
        tree: pythonTree(checksum),
      });
      return await testProfile(`${directory}/${name}`, { environment }).install(plugin);
    };
    const { executable } = await install("good", await sha256Hex(bytes));
    assert.equal(executable.executable_path, `${executable.install_root}/venv/bin/echo-mcp`);
    assert.equal(
      await refusal(install("bad", "0".repeat(64))),
      "PLUGIN_EXECUTABLE_UNTRUSTED checksum_mismatch",
    );
  });
});
