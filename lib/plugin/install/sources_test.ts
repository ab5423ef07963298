import assert from "node:assert/strict";
import { GumError, isGumError } from "../../errors/mod.ts";
import { createHttpClient } from "../../http/mod.ts";
import type { JsonObject } from "../../json/mod.ts";
import { sha256Hex } from "../digest.ts";
import {
  filesBelow,
  inTemporary,
  manifestTree,
  type TestProfile,
  testProfile,
  writePlugin,
} from "../testdata/fixture.ts";

type Answer = (path: string) => Response | undefined;

/** A profile whose downloads all go to a loopback server. */
async function served(
  directory: string,
  given: { answer: Answer; isDev?: boolean },
  run: (profile: TestProfile, asked: string[]) => Promise<void>,
): Promise<void> {
  const asked: string[] = [];
  const server = Deno.serve({ port: 0, hostname: "127.0.0.1", onListen: () => {} }, (request) => {
    const { pathname, searchParams } = new URL(request.url);
    asked.push(`${searchParams.get("host")} ${pathname}`);
    return given.answer(pathname) ?? new Response("no such file", { status: 404 });
  });
  const http = createHttpClient({
    rewriteOrigin(url) {
      const local = new URL(url.pathname, `http://127.0.0.1:${server.addr.port}`);
      local.searchParams.set("host", url.host);
      return local;
    },
  });
  try {
    const settings = { isDev: given.isDev ?? false };
    await run(testProfile(directory, { http, settings }), asked);
  } finally {
    http.close();
    await server.shutdown();
  }
}

async function refusal(work: Promise<unknown>): Promise<string> {
  const error = await work.then(() => undefined, (error) => error);
  assert.ok(error instanceof GumError, String(error));
  return `${error.code}${error.details.reason === undefined ? "" : ` ${error.details.reason}`}`;
}

async function gzip(bytes: Uint8Array<ArrayBuffer>): Promise<Uint8Array<ArrayBuffer>> {
  const stream = new Blob([bytes]).stream().pipeThrough(new CompressionStream("gzip"));
  return await new Response(stream).bytes();
}

interface TarEntry {
  name: string;
  content?: string;
  type?: string;
  link?: string;
}

/** A tar archive in the ustar form. */
function tar(entries: readonly TarEntry[]): Uint8Array<ArrayBuffer> {
  const encoder = new TextEncoder();
  const blocks: Uint8Array[] = [];
  for (const { name, content = "", type = "0", link = "" } of entries) {
    const header = new Uint8Array(512);
    const body = encoder.encode(content);
    const put = (text: string, at: number) => header.set(encoder.encode(text), at);
    put(name, 0);
    put("0000777\0", 100);
    put(body.length.toString(8).padStart(11, "0"), 124);
    put("        ", 148);
    put(type, 156);
    put(link, 157);
    put("ustar\0" + "00", 257);
    const sum = header.reduce((total, byte) => total + byte, 0);
    put(sum.toString(8).padStart(6, "0") + "\0 ", 148);
    const padded = new Uint8Array(Math.ceil(body.length / 512) * 512);
    padded.set(body);
    blocks.push(header, padded);
  }
  blocks.push(new Uint8Array(1024));
  const whole = new Uint8Array(blocks.reduce((size, block) => size + block.length, 0));
  let at = 0;
  for (const block of blocks) {
    whole.set(block, at);
    at += block.length;
  }
  return whole;
}

/** A zip archive made by somebody else's program. */
async function zip(files: Record<string, string>, more = ""): Promise<Uint8Array<ArrayBuffer>> {
  const script = `
import io, json, sys, zipfile
out = io.BytesIO()
with zipfile.ZipFile(out, "w", zipfile.ZIP_DEFLATED) as archive:
    for name, text in json.loads(sys.argv[1]).items():
        archive.writestr(name, text)
    ${more}
sys.stdout.buffer.write(out.getvalue())
`;
  const { code, stdout, stderr } = await new Deno.Command("python3", {
    args: ["-c", script, JSON.stringify(files)],
  }).output();
  assert.equal(code, 0, new TextDecoder().decode(stderr));
  return stdout;
}

async function releaseTree(
  artifact: string,
  bytes: Uint8Array,
  more: JsonObject = {},
): Promise<JsonObject> {
  return manifestTree({
    package: {
      source: "github_release",
      repository: "example/echo-mcp",
      ref: "v1.2.0",
      artifact,
      checksum: `sha256:${(await sha256Hex(bytes)).toUpperCase()}`,
      ...more,
    },
  });
}

const PROGRAM = "#!/bin/sh\necho packaged\n";

Deno.test("TestInstallGitHubReleasePackage: tar.gz, zip and a bare file, verified before they are opened", async () => {
  const archives: [string, Uint8Array<ArrayBuffer>][] = [
    [
      "echo.tar.gz",
      await gzip(tar([
        { name: "echo-1.2.0/", type: "5" },
        { name: "echo-1.2.0/bin/echo-mcp", content: PROGRAM },
        { name: "./echo-1.2.0/data/long.txt", content: "x".repeat(3000) },
      ])),
    ],
    ["echo.tgz", await gzip(tar([{ name: "bin/echo-mcp", content: PROGRAM }]))],
    ["echo.zip", await zip({ "echo-1.2.0/bin/echo-mcp": PROGRAM, "echo-1.2.0/empty": "" })],
    ["echo-linux", new TextEncoder().encode(PROGRAM)],
  ];
  for (const [artifact, bytes] of archives) {
    await inTemporary(async (directory) => {
      const tree = await releaseTree(artifact, bytes);
      const plugin = await writePlugin(`${directory}/plugin`, { tree });
      const answer: Answer = (path) =>
        path === `/example/echo-mcp/releases/download/v1.2.0/${artifact}`
          ? new Response(null, {
            status: 302,
            headers: { location: "https://objects.example/blob" },
          })
          : path === "/blob"
          ? new Response(bytes)
          : undefined;
      await served(directory, { answer }, async (profile, asked) => {
        const result = await profile.install(plugin);
        assert.deepEqual(asked.map((line) => line.split(" ")[0]), [
          "github.com",
          "objects.example",
        ]);
        assert.equal(result.risk, "low", "a verified release keeps the manifest's word");
        assert.equal(await Deno.readTextFile(result.executable.executable_path), PROGRAM);
        const [row] = (await profile.registry.loadSnapshot()).lock.plugins;
        assert.equal(row?.package.checksum, `sha256:${await sha256Hex(bytes)}`);
        assert.equal(row?.package.ref, "v1.2.0");
        const files = await filesBelow(result.executable.install_root);
        assert.ok(files.includes("manifest.json"), "the manifest comes along");
        assert.deepEqual(await filesBelow(profile.registry.paths.staging), ["echo-box.lock"]);
      });
    });
  }
});

Deno.test("TestInstallGitHubReleasePackage: a wrong checksum, a failing host and another manifest", async () => {
  const bytes = await gzip(tar([{ name: "bin/echo-mcp", content: PROGRAM }]));
  await inTemporary(async (directory) => {
    const tree = await releaseTree("echo.tar.gz", bytes, { checksum: "0".repeat(64) });
    const plugin = await writePlugin(`${directory}/plugin`, { tree });
    await served(directory, { answer: () => new Response(bytes) }, async (profile) => {
      assert.equal(
        await refusal(profile.install(plugin)),
        "PLUGIN_EXECUTABLE_UNTRUSTED checksum_mismatch",
      );
      assert.equal((await profile.registry.loadSnapshot()).generation, 0);
      assert.deepEqual(await filesBelow(profile.registry.paths.pluginRoot("echo-box")), []);
    });
    await served(directory, { answer: () => undefined }, async (profile) => {
      await assert.rejects(
        profile.install(plugin),
        (error) =>
          error instanceof GumError && error.code === "SERVICE_DOWN" && error.retryable &&
          error.details.reason === "package_fetch_failed" && error.details.http_status === 404,
      );
    });
    const downgrade = () =>
      new Response(null, { status: 302, headers: { location: "http://plain.example/x" } });
    await served(directory, { answer: downgrade }, async (profile) => {
      assert.equal(await refusal(profile.install(plugin)), "SERVICE_DOWN package_fetch_failed");
    });
  });
  for (const [name, content] of [["manifest.json", "{}"], ["plugin.toml", "a = 1"]] as const) {
    const other = await gzip(tar([{ name: "bin/echo-mcp", content: PROGRAM }, { name, content }]));
    await inTemporary(async (directory) => {
      const plugin = await writePlugin(`${directory}/plugin`, {
        tree: await releaseTree("echo.tar.gz", other),
      });
      await served(directory, { answer: () => new Response(other) }, async (profile) => {
        assert.equal(
          await refusal(profile.install(plugin)),
          "PLUGIN_EXECUTABLE_UNTRUSTED manifest_mismatch",
        );
      });
    });
  }
});

Deno.test("TestInstallGitHubReleasePackage: archives that would leave their directory are refused", async () => {
  const program = { name: "bin/echo-mcp", content: PROGRAM };
  const unsafe = "PLUGIN_EXECUTABLE_UNTRUSTED unsafe_archive_entry";
  const tars: [readonly TarEntry[], string][] = [
    [[program, { name: "../evil", content: "x" }], unsafe],
    [[program, { name: "/etc/evil", content: "x" }], unsafe],
    [[program, { name: "a/../../evil", content: "x" }], unsafe],
    [[program, { name: "link", type: "2", link: "/etc/passwd" }], unsafe],
    [[program, { name: "hard", type: "1", link: "bin/echo-mcp" }], unsafe],
    [[program, { name: "fifo", type: "6" }], unsafe],
    [[program, { name: "device", type: "3" }], unsafe],
    [[program, program], unsafe],
    [[program, { name: "bin/echo-mcp/below", content: "x" }], unsafe],
    [[{ name: "d/".repeat(40) + "x", content: "x" }], unsafe],
    [[{ name: "readme", content: "x" }], "PLUGIN_EXECUTABLE_UNTRUSTED executable_missing"],
  ];
  const cases: [string, Uint8Array<ArrayBuffer>, string][] = [];
  for (const [entries, wanted] of tars) {
    const bytes = await gzip(tar(entries));
    cases.push(["echo.tar.gz", bytes, wanted]);
  }
  const link = 'info = zipfile.ZipInfo("link"); info.external_attr = 0o120777 << 16; ' +
    'archive.writestr(info, "/etc/passwd")';
  cases.push(
    ["echo.zip", await zip({ "bin/echo-mcp": PROGRAM, "../evil": "x" }), unsafe],
    ["echo.zip", await zip({ "bin/echo-mcp": PROGRAM, "a\\b": "x" }), unsafe],
    ["echo.zip", await zip({ "bin/echo-mcp": PROGRAM }, link), unsafe],
    [
      "echo.zip",
      new TextEncoder().encode("no zip"),
      "PLUGIN_EXECUTABLE_UNTRUSTED archive_unreadable",
    ],
    [
      "echo.tar.gz",
      new TextEncoder().encode("no gzip"),
      "PLUGIN_EXECUTABLE_UNTRUSTED archive_unreadable",
    ],
    [
      "echo.tar.gz",
      await gzip(tar([program]).slice(0, 700)),
      "PLUGIN_EXECUTABLE_UNTRUSTED archive_unreadable",
    ],
  );
  const damaged = await zip({ "bin/echo-mcp": PROGRAM.repeat(50) });
  damaged[60] = (damaged[60] ?? 0) ^ 0xff;
  cases.push(["echo.zip", damaged, "PLUGIN_EXECUTABLE_UNTRUSTED archive_unreadable"]);
  for (const [artifact, bytes, wanted] of cases) {
    await inTemporary(async (directory) => {
      const plugin = await writePlugin(`${directory}/plugin`, {
        tree: await releaseTree(artifact, bytes),
      });
      await served(directory, { answer: () => new Response(bytes) }, async (profile) => {
        assert.equal(await refusal(profile.install(plugin)), wanted, artifact);
        assert.equal((await profile.registry.loadSnapshot()).generation, 0);
      });
      assert.deepEqual(
        (await filesBelow(directory)).filter((path) => path.includes("evil")),
        [],
      );
    });
  }
});

async function git(cwd: string, ...args: string[]): Promise<string> {
  const { code, stdout, stderr } = await new Deno.Command("git", {
    args: ["-c", "user.name=A", "-c", "user.email=a@example.com", ...args],
    cwd,
    env: { GIT_CONFIG_GLOBAL: "/dev/null" },
  }).output();
  assert.equal(code, 0, new TextDecoder().decode(stderr));
  return new TextDecoder().decode(stdout).trim();
}

async function repository(directory: string): Promise<{ url: string; commit: string }> {
  await Deno.mkdir(`${directory}/sub/bin`, { recursive: true });
  await Deno.writeTextFile(`${directory}/sub/bin/echo-mcp`, PROGRAM);
  await Deno.writeTextFile(`${directory}/outside.txt`, "not part of it");
  await git(directory, "init", "--quiet", "--initial-branch=main");
  await git(directory, "add", ".");
  await git(directory, "commit", "--quiet", "-m", "one");
  return { url: `file://${directory}`, commit: await git(directory, "rev-parse", "HEAD") };
}

Deno.test("TestInstallGitPackage: a pinned commit of a real repository, without its repository", async () => {
  await inTemporary(async (directory) => {
    const { url, commit } = await repository(`${directory}/repo`);
    await Deno.writeTextFile(`${directory}/repo/sub/bin/echo-mcp`, "later");
    await git(`${directory}/repo`, "commit", "--quiet", "-am", "two");
    const install = async (source: JsonObject, more: { isDev: boolean }) => {
      const tree = manifestTree({
        package: { source: "git", repository: url, ref: commit, subdir: "sub", ...source },
      });
      const plugin = await writePlugin(`${directory}/plugin`, { tree });
      const profile = testProfile(directory, { settings: more });
      try {
        return await profile.install(plugin);
      } finally {
        profile.parts.http.close();
      }
    };
    const result = await install({}, { isDev: true });
    assert.equal(result.risk, "low");
    assert.equal(await Deno.readTextFile(result.executable.executable_path), PROGRAM);
    assert.deepEqual(await filesBelow(result.executable.install_root), [
      "bin/echo-mcp",
      "manifest.json",
    ]);
    const branch = await install({ ref: "main" }, { isDev: true });
    assert.equal(branch.risk, "dev-untrusted");
    assert.equal(await Deno.readTextFile(branch.executable.executable_path), "later");
    assert.equal(
      await refusal(install({ ref: "main" }, { isDev: false })),
      "PLUGIN_MANIFEST_INVALID",
      "a repository of this machine is for development profiles",
    );
    const remote = { repository: "https://example.invalid/a.git" };
    assert.equal(
      await refusal(install({ ...remote, ref: "main" }, { isDev: false })),
      "PLUGIN_EXECUTABLE_UNTRUSTED unpinned_ref",
    );
    for (const bad of ["ssh://host/a.git", "https://user:pw@host/a.git", "/abs", "ext::sh -c x"]) {
      assert.equal(
        await refusal(install({ repository: bad }, { isDev: true })),
        "PLUGIN_MANIFEST_INVALID",
        bad,
      );
    }
    assert.equal(
      await refusal(install({ ref: "0".repeat(40) }, { isDev: true })),
      "PLUGIN_EXECUTABLE_UNTRUSTED git_failed",
    );
    assert.equal(
      await refusal(install({ subdir: "none" }, { isDev: true })),
      "PLUGIN_EXECUTABLE_UNTRUSTED outside_install_root",
    );
    assert.equal(
      await refusal(install({ ref: "--upload-pack=x" }, { isDev: true })),
      "PLUGIN_MANIFEST_INVALID",
    );
  });
});

Deno.test({
  name:
    "TestInstallGitPackage: hooks and links of a repository do nothing but stop the installation",
  ignore: Deno.build.os === "windows",
  async fn() {
    await inTemporary(async (directory) => {
      const repo = `${directory}/repo`;
      const { url } = await repository(repo);
      await Deno.symlink("/etc/passwd", `${repo}/sub/link`);
      await git(repo, "add", ".");
      await git(repo, "commit", "--quiet", "-m", "link");
      const commit = await git(repo, "rev-parse", "HEAD");
      const tree = manifestTree({
        package: { source: "git", repository: url, ref: commit, subdir: "sub" },
      });
      const plugin = await writePlugin(`${directory}/plugin`, { tree });
      const profile = testProfile(directory, { settings: { isDev: true } });
      assert.equal(await refusal(profile.install(plugin)), "PLUGIN_EXECUTABLE_UNTRUSTED symlink");
      profile.parts.http.close();
    });
  },
});

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
      const { verifyBinding } = await import("./mod.ts");
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
        "PLUGIN_EXECUTABLE_UNTRUSTED checksum_mismatch",
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
  const { environmentOf } = await import("../../config/environment.ts");
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
