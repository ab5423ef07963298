import assert from "node:assert/strict";
import { environmentOf } from "../../config/environment.ts";
import { GumError } from "../../errors/mod.ts";
import type { JsonObject } from "../../json/mod.ts";
import { checkManifest } from "../manifest/mod.ts";
import {
  inTemporary,
  manifestTree,
  never,
  type TestProfile,
  testProfile,
  writePlugin,
} from "../testdata/fixture.ts";
import type { LockRow } from "../types.ts";
import { normalizeCommand, startablePath, verifyBinding, withInjectedEnv } from "./mod.ts";

const environment = environmentOf({ PATH: Deno.env.get("PATH") ?? "" });

async function reasonOf(work: () => Promise<unknown> | unknown): Promise<string> {
  try {
    await work();
    return "ok";
  } catch (error) {
    assert.ok(error instanceof GumError, String(error));
    assert.equal(error.code, "PLUGIN_EXECUTABLE_UNTRUSTED");
    return String(error.details.reason);
  }
}

async function installed(
  run: (at: { row: LockRow; root: string; profile: TestProfile }) => Promise<void>,
  tree: JsonObject = manifestTree(),
) {
  await inTemporary(async (directory) => {
    const plugin = await writePlugin(`${directory}/plugin`, {
      tree,
      files: { "lib/helper.txt": "help", "main.js": "console.log(1)" },
    });
    const profile = testProfile(directory);
    try {
      await profile.install(plugin);
      const [row] = (await profile.registry.loadSnapshot()).lock.plugins;
      assert.ok(row !== undefined);
      await run({ row, root: row.executable.install_root, profile });
    } finally {
      profile.parts.http.close();
    }
  });
}

const verify = (row: LockRow) =>
  reasonOf(() => verifyBinding(row, { environment, signal: never() }));

Deno.test("TestPluginExecutableBinding: one changed byte in the executable is refused", async () => {
  await installed(async ({ row }) => {
    assert.equal(await verify(row), "ok");
    const { executable_path: path } = row.executable;
    const bytes = await Deno.readFile(path);
    const at = bytes.length >> 1;
    bytes[at] = (bytes[at] ?? 0) ^ 1;
    await Deno.writeFile(path, bytes);
    assert.equal(await verify(row), "digest_mismatch");
    bytes[at] = (bytes[at] ?? 0) ^ 1;
    await Deno.writeFile(path, bytes);
    assert.equal(await verify(row), "ok", "the verdict is not remembered either way");
  });
});

Deno.test("TestPluginExecutableBinding: manifest, sibling, new file, mode and removal are seen", async () => {
  const cases: [string, (root: string) => Promise<void>][] = [
    ["manifest_digest_mismatch", (root) => Deno.writeTextFile(`${root}/manifest.json`, "{}")],
    ["manifest_digest_mismatch", (root) => Deno.remove(`${root}/manifest.json`)],
    ["tree_digest_mismatch", (root) => Deno.writeTextFile(`${root}/lib/helper.txt`, "evil")],
    ["tree_digest_mismatch", (root) => Deno.writeTextFile(`${root}/lib/new.txt`, "")],
    ["tree_digest_mismatch", (root) => Deno.remove(`${root}/lib/helper.txt`)],
    [
      "digest_mismatch",
      (root) =>
        Deno.remove(`${root}/bin/echo-mcp`).then(() => Deno.mkdir(`${root}/x`)).then(() =>
          Deno.writeTextFile(`${root}/bin/echo-mcp`, "other")
        ),
    ],
    ["outside_install_root", (root) => Deno.remove(`${root}/bin/echo-mcp`)],
  ];
  if (Deno.build.os !== "windows") {
    cases.push(
      // Reading a pipe would wait for somebody to write to it.
      [
        "tree_digest_mismatch",
        (root) =>
          new Deno.Command("mkfifo", { args: [`${root}/lib/pipe`] }).output().then(() => {}),
      ],
      ["tree_digest_mismatch", (root) => Deno.chmod(`${root}/lib/helper.txt`, 0o755)],
      [
        "outside_install_root",
        async (root) => {
          await Deno.rename(`${root}/bin/echo-mcp`, `${root}/../moved`);
          await Deno.symlink(`${root}/../moved`, `${root}/bin/echo-mcp`);
        },
      ],
    );
  }
  for (const [reason, spoil] of cases) {
    await installed(async ({ row, root }) => {
      await spoil(root);
      assert.equal(await verify(row), reason, spoil.toString());
    });
  }
});

Deno.test("TestPluginExecutableBinding: the record itself: prefix tolerated, mirror, completeness, names", async () => {
  await installed(async ({ row, root }) => {
    const changed = (more: Partial<LockRow>, executable: Partial<LockRow["executable"]> = {}) => ({
      ...row,
      ...more,
      executable: { ...row.executable, ...executable },
    });
    const prefixed = `sha256:${row.executable_sha256.toUpperCase()}`;
    assert.equal(
      await verify(changed({ executable_sha256: prefixed }, { executable_sha256: prefixed })),
      "ok",
    );
    assert.equal(await verify(changed({ executable_sha256: "0".repeat(64) })), "digest_mismatch");
    assert.equal(await verify(changed({ tree_sha256: "" })), "binding_incomplete");
    for (const part of ["executable", "executable_sha256", "declared_capabilities", "package"]) {
      const { [part as "package"]: _, ...rest } = row;
      assert.equal(await verify(rest as LockRow), "binding_incomplete", `without ${part}`);
    }
    assert.equal(
      await verify(changed({}, { executable_path: "bin/echo-mcp" })),
      "binding_incomplete",
    );
    assert.equal(await verify(changed({}, { argv_normalized: ["/bin/sh"] })), "binding_incomplete");
    for (
      const [name, reason] of [["python3.11", "interpreter"], ["Bash.EXE", "interpreter"], [
        "npx",
        "wrapper",
      ]]
    ) {
      const path = `${root}/bin/${name}`;
      await Deno.copyFile(row.executable.executable_path, path);
      const named = changed({}, { executable_path: path, argv_normalized: [path] });
      assert.equal(await verify(named), reason, "even with a matching digest");
    }
  });
});

Deno.test("a refusal for a digest names the way out of the quarantine too", async () => {
  await installed(async ({ row }) => {
    await Deno.writeTextFile(row.executable.executable_path, "other");
    await assert.rejects(
      verifyBinding(row, { environment, signal: never() }),
      (error) =>
        error instanceof GumError && error.suggestion.includes("gum plugin reload echo-box") &&
        error.suggestion.includes("Install the plugin again"),
    );
  });
});

Deno.test("TestPluginCommandNormalization: the command selects, each wrong selector has its reason", async () => {
  const select = async (
    plugin: JsonObject,
    more: { isDev?: boolean; package?: JsonObject } = {},
  ) => {
    const tree = manifestTree({
      plugin,
      ...(more.package === undefined ? {} : { package: more.package }),
    });
    const { manifest } = await checkManifest(tree);
    return normalizeCommand(manifest, { isDev: more.isDev ?? false });
  };
  const reason = (plugin: JsonObject, more?: Parameters<typeof select>[1]) =>
    reasonOf(() => select(plugin, more));
  assert.deepEqual(await select({}), {
    kind: "package",
    relativePath: "bin/echo-mcp",
    residual: [],
  });
  assert.deepEqual(await select({ command: ["./bin/echo-mcp", "mcp", "--fast"] }), {
    kind: "package",
    relativePath: "bin/echo-mcp",
    residual: ["mcp", "--fast"],
  });
  assert.equal(await reason({ command: ["/bin/echo-mcp"] }), "absolute");
  assert.equal(await reason({ command: ["../bin/echo-mcp"] }), "traversal");
  assert.equal(await reason({ command: ["python3.11", "bin/echo-mcp"] }), "interpreter");
  assert.equal(await reason({ command: ["Node.exe", "x"] }), "interpreter");
  assert.equal(await reason({ command: ["env", "bin/echo-mcp"] }), "wrapper");
  assert.equal(await reason({ command: ["npx", "echo-mcp"] }), "wrapper");
  assert.equal(await reason({ command: ["echo-mcp"] }), "path_only");
  assert.equal(await reason({ command: ["bin/other"] }), "not_declared_executable");
  assert.equal(await reason({ executable: "bin/python3" }), "interpreter");
  assert.equal(await reason({ executable: "bin/uvx" }), "wrapper");
  const isDev = true;
  assert.deepEqual(await select({ command: ["python3", "x.py"] }, { isDev }), {
    kind: "unverified",
    program: "python3",
    residual: ["x.py"],
  });
  assert.equal(await reason({ command: ["env", "x"] }, { isDev }), "wrapper", "not even there");
  assert.equal(await reason({ command: ["../x"] }, { isDev }), "traversal");
  const wheel = {
    package: {
      source: "pypi",
      repository: "echo-box",
      ref: "1.0",
      artifact: "echo_box-1.0-py3-none-any.whl",
      checksum: "0".repeat(64),
    },
  };
  for (
    const command of [["echo-mcp"], ["uvx", "echo-mcp"], ["pipx", "run", "echo-mcp"], [
      "pipx",
      "echo-mcp",
    ]]
  ) {
    assert.deepEqual(await select({ executable: "echo-mcp", command }, wheel), {
      kind: "package",
      relativePath: Deno.build.os === "windows" ? "venv/Scripts/echo-mcp.exe" : "venv/bin/echo-mcp",
      residual: [],
    });
  }
  assert.equal(
    await reason({ executable: "echo-mcp", command: ["uvx", "other"] }, wheel),
    "path_only",
  );
});

Deno.test("the development escape hatch records the real program and marks the row", async () => {
  await inTemporary(async (directory) => {
    const tree = manifestTree({ plugin: { command: ["sh", "-c", "true"] } });
    const plugin = await writePlugin(`${directory}/plugin`, { tree });
    const profile = testProfile(directory, { settings: { isDev: true } });
    const result = await profile.install(plugin);
    assert.equal(result.risk, "dev-untrusted");
    assert.equal(result.executable.dev_unverified, true);
    assert.ok(result.executable.executable_path.startsWith("/"));
    assert.deepEqual(result.executable.argv_normalized.slice(1), ["-c", "true"]);
    const [row] = (await profile.registry.loadSnapshot()).lock.plugins;
    assert.ok(row !== undefined);
    assert.equal(await verify(row), "ok");
    row.executable.executable_sha256 = row.executable_sha256 = "0".repeat(64);
    assert.equal(await verify(row), "digest_mismatch", "the digest is checked all the same");
    profile.parts.http.close();
  });
});

const SCRIPT = manifestTree({
  plugin: { shape: "deno-script", executable: "main.js", command: ["main.js", "--quiet"] },
  declared_capabilities: {
    network: true,
    net_hosts: ["a.example:443", "b.example"],
    fs_write_dir: "out",
    env_allow: ["ECHO_AGENT"],
  },
});

Deno.test("a deno-script is bound to runtime and module, and confined by flags", async () => {
  await installed(async ({ row, root, profile }) => {
    const data = profile.registry.paths.dataDir("echo-box");
    const { executable } = row;
    assert.equal(executable.entry_path, `${root}/main.js`);
    assert.match(executable.runtime_version ?? "", /^[0-9]+\./);
    const argv = executable.argv_normalized;
    assert.deepEqual(argv.slice(0, 2), [executable.executable_path, "run"]);
    assert.deepEqual(argv.slice(-2), [`${root}/main.js`, "--quiet"]);
    for (
      const flag of [
        "--no-prompt",
        "--no-remote",
        "--deny-run",
        "--deny-ffi",
        `--allow-read=${root},${data}`,
        `--allow-write=${data}/out`,
        "--allow-net=a.example:443,b.example",
      ]
    ) assert.ok(argv.includes(flag), flag);
    assert.ok(!argv.some((word) => word.startsWith("--allow-env")));
    const spawned = withInjectedEnv(argv, ["B", "A"]);
    assert.ok(spawned.includes("--allow-env=A,B"));
    assert.ok(spawned.indexOf("--allow-env=A,B") < spawned.indexOf(`${root}/main.js`));
    assert.deepEqual(withInjectedEnv(argv, []), argv);
    assert.equal(await verify(row), "ok");
    await Deno.writeTextFile(`${root}/main.js`, "evil()");
    assert.equal(await verify(row), "digest_mismatch");
    row.executable.executable_sha256 = row.executable_sha256 = "1".repeat(64);
    assert.equal(await verify(row), "runtime_changed");
  }, SCRIPT);
});

Deno.test("a deno-script runs under its recorded command and can do no more than it says", async () => {
  await inTemporary(async (directory) => {
    const plugin = await writePlugin(`${directory}/plugin`, {
      tree: SCRIPT,
      files: {
        "main.js": `const attempt = async (work) => {
            try { await work(); return "yes"; } catch (error) { return error.name; }
          };
          console.log(JSON.stringify({
            writeData: await attempt(() => Deno.writeTextFile(Deno.env.get("DATA") + "/out/x", "1")),
            writeElsewhere: await attempt(() => Deno.writeTextFile(Deno.env.get("DATA") + "/x", "1")),
            readEtc: await attempt(() => Deno.readTextFile("/etc/hosts")),
            run: await attempt(() => new Deno.Command("/bin/true").output()),
            env: await attempt(() => Deno.env.get("HOME")),
          }));`,
      },
    });
    const profile = testProfile(directory);
    const { executable } = await profile.install(plugin);
    const data = profile.registry.paths.dataDir("echo-box");
    await Deno.mkdir(`${data}/out`, { recursive: true });
    const [program = "", ...args] = withInjectedEnv(executable.argv_normalized, ["DATA"]);
    const { stdout } = await new Deno.Command(program, {
      args,
      clearEnv: true,
      env: { DATA: data, HOME: "/root", DENO_DIR: `${data}/.deno`, NO_COLOR: "1" },
    }).output();
    assert.deepEqual(JSON.parse(new TextDecoder().decode(stdout)), {
      writeData: "yes",
      writeElsewhere: "NotCapable",
      readEtc: "NotCapable",
      run: "NotCapable",
      env: "NotCapable",
    });
    profile.parts.http.close();
  });
});

Deno.test("a script below a path that no permission list can name is refused, and nothing is written", async () => {
  await inTemporary(async (directory) => {
    const plugin = await writePlugin(`${directory}/plugin`, {
      tree: SCRIPT,
      files: { "main.js": "" },
    });
    const profile = testProfile(`${directory}/a,b`);
    await assert.rejects(
      profile.install(plugin),
      (error) =>
        error instanceof GumError && error.code === "PLUGIN_SANDBOX_UNSUPPORTED" &&
        error.details.reason === "path_not_representable",
    );
    assert.equal((await profile.registry.loadSnapshot()).generation, 0);
    profile.parts.http.close();
  });
});

Deno.test("without a Deno runtime a deno-script is not installed", async () => {
  await inTemporary(async (directory) => {
    const plugin = await writePlugin(`${directory}/plugin`, {
      tree: SCRIPT,
      files: { "main.js": "" },
    });
    const profile = testProfile(directory, { settings: { isDev: false, denoPath: "/bin/sh" } });
    assert.equal(await reasonOf(() => profile.install(plugin)), "deno_not_found");
    const newer = await writePlugin(`${directory}/newer`, {
      tree: { ...SCRIPT, deno: { min_version: "999.0.0" } },
      files: { "main.js": "" },
    });
    const current = testProfile(directory);
    assert.equal(await reasonOf(() => current.install(newer)), "deno_too_old");
    current.parts.http.close();
    const gone = testProfile(directory, { settings: { isDev: false, denoPath: "/none/deno" } });
    assert.equal(await reasonOf(() => gone.install(plugin)), "deno_not_found");
    profile.parts.http.close();
    gone.parts.http.close();
  });
});

Deno.test("permissions are shown before anything is written", async () => {
  await inTemporary(async (directory) => {
    const plugin = await writePlugin(`${directory}/plugin`, {
      tree: SCRIPT,
      files: { "main.js": "" },
    });
    const profile = testProfile(directory);
    let lines: string[] = [];
    await assert.rejects(
      profile.install(plugin, {
        onPlan({ permissions }) {
          lines = permissions;
          throw new Error("not this one");
        },
      }),
      /not this one/,
    );
    assert.equal((await profile.registry.loadSnapshot()).generation, 0);
    assert.ok(lines.some((line) => line.includes("--allow-net=a.example:443,b.example")));
    assert.ok(lines.some((line) => line === "network: a.example:443, b.example"));
    assert.ok(!lines.join().includes("ECHO_AGENT"));
    profile.parts.http.close();
  });
});

Deno.test({
  name: "a linked runtime is started by the name that the search path has for it",
  ignore: Deno.build.os === "windows",
  async fn() {
    await inTemporary(async (directory) => {
      const real = `${directory}/deno-real`;
      await Deno.writeTextFile(real, "");
      await Deno.mkdir(`${directory}/bin`);
      await Deno.symlink(real, `${directory}/bin/deno`);
      const at = { environment: environmentOf({ PATH: `${directory}/bin` }) };
      assert.equal(await startablePath(real, at), `${directory}/bin/deno`);
      assert.equal(await startablePath("/other/deno", at), "/other/deno");
      assert.equal(await startablePath(real, { environment: environmentOf({}) }), real);
    });
  },
});
