/** What only the compiled executable can show. `deno task compile` builds it; CI does so first. */

import assert from "node:assert/strict";
import {
  ARTIFACTS,
  compileStaged,
  executableName,
  hostTarget,
  LARGEST_EXECUTABLE,
  type Target,
  TARGETS,
} from "../release/mod.ts";
import { permissionFlags, type PermissionGrant } from "./permission_flags.ts";

const ROOT = new URL("..", import.meta.url).pathname;
const HOST = hostTarget();
const [GUM, SANDBOXED] = ARTIFACTS.map((artifact) =>
  `${ROOT}dist/${HOST === undefined ? artifact.name : executableName(artifact, HOST)}`
) as [string, string];
// A release must not go out unproved: its workflow sets the variable, and a missing executable fails.
const gate = Deno.env.get("GUM_RELEASE_GATE") === "1";
const built = gate || (exists(GUM) && exists(SANDBOXED));
if (!built) {
  console.log("skipped: dist/gum is not built (deno task compile; it needs a runtime base)");
}
// What builds anew needs the base itself; CI says whether there is one.
const canBuild = gate || Deno.env.has("DENORT_BIN") || Deno.env.get("GUM_BASE") === "download";
if (!canBuild) console.log("skipped: no runtime base to build with (.ci/runtime_base)");

function exists(path: string): boolean {
  try {
    return Deno.statSync(path).isFile;
  } catch (error) {
    if (error instanceof Deno.errors.NotFound) return false;
    throw error;
  }
}

async function gum(
  args: string[],
  binary = GUM,
): Promise<{ code: number; stdout: string; stderr: string }> {
  const home = await Deno.makeTempDir();
  try {
    const output = await new Deno.Command(binary, {
      args,
      // Nothing of the developer's own set-up: a clean home, an empty folder.
      cwd: home,
      clearEnv: true,
      // PATH must exist: the runtime resolves the programs of the permission table with it.
      env: { HOME: home, PATH: "/nonexistent" },
      stdin: "null",
    }).output();
    const text = (bytes: Uint8Array) => new TextDecoder().decode(bytes);
    return { code: output.code, stdout: text(output.stdout), stderr: text(output.stderr) };
  } finally {
    await Deno.remove(home, { recursive: true });
  }
}

const test = (name: string, fn: () => Promise<void>) =>
  Deno.test({ name: `TestCompiledExecutable: ${name}`, ignore: !built, fn });

Deno.test({
  name: "TestBinarySize: both executables stay within 120 MB",
  ignore: !built,
  fn() {
    for (const path of [GUM, SANDBOXED]) {
      const { size } = Deno.statSync(path);
      assert.ok(size > 10_000_000 && size <= LARGEST_EXECUTABLE, `${path}: ${size}`);
    }
  },
});

/** Names of the libraries that an executable asks the system for. */
async function linkedLibraries(path: string): Promise<string[]> {
  const [command, ...args] = Deno.build.os === "darwin" ? ["otool", "-L", path] : ["ldd", path];
  const { stdout } = await new Deno.Command(command ?? "", { args }).output();
  const lines = new TextDecoder().decode(stdout).split("\n").slice(
    Deno.build.os === "darwin" ? 1 : 0,
  );
  return lines.flatMap((line) => /^\s+(\S+)/.exec(line)?.[1] ?? []);
}

Deno.test({
  name: "TestNoSharedLibDependencies: nothing beyond the system's own libraries is linked",
  ignore: !built || Deno.build.os === "windows",
  async fn() {
    const allowed = Deno.build.os === "darwin"
      ? /^\/(usr\/lib|System)\//
      : /^(\/\S*\/)?(linux-vdso|ld-linux-[a-z0-9-]+|lib(dl|gcc_s|rt|pthread|m|c))\.so(\.\d+)?$/;
    for (const path of [GUM, SANDBOXED]) {
      const linked = await linkedLibraries(path);
      assert.ok(linked.length >= 3, `what ${path} links is named`);
      assert.deepEqual(linked.filter((name) => !allowed.test(name)), []);
    }
  },
});

Deno.test({
  name: "TestReleaseBinaryNoCGo: no native module is bundled and none could be loaded",
  ignore: !built,
  async fn() {
    const config = JSON.parse(await Deno.readTextFile(`${ROOT}deno.json`));
    for (const set of ["gum", "gum_sandboxed"]) assert.ok(!("ffi" in config.permissions[set]), set);
    let scanned = 0;
    for await (const entry of Deno.readDir(`${ROOT}dist/app`)) {
      const source = await Deno.readTextFile(`${ROOT}dist/app/${entry.name}`);
      assert.doesNotMatch(source, /Deno\.dlopen|process\.dlopen|\.node["'`]\)/, entry.name);
      scanned++;
    }
    assert.ok(scanned > 10, "the bundle was scanned");
  },
});

test("finds its embedded index and catalog from an empty folder", async () => {
  const search = await gum(["search", "unread", "mail", "--format", "json"]);
  assert.equal(search.code, 0, search.stderr);
  assert.equal(search.stderr, "");
  assert.equal(JSON.parse(search.stdout).results[0].op_id, "gmail.users.messages.list");
  const described = await gum(["describe", "drive.files.list"]);
  assert.equal(JSON.parse(described.stdout).op.op_id, "drive.files.list");
});

test("runs a call on its own emulator, lazily loaded parts included", async () => {
  const answer = await gum(["--emulator", "call", "drive.files.list", "--risk=read", "--json"]);
  assert.equal(answer.code, 0, answer.stderr);
  assert.ok(JSON.parse(answer.stdout).files.length > 0);
});

test("asks for nothing at a terminal prompt and reports errors as envelopes", async () => {
  const answer = await gum(["read", "no.such.operation"]);
  assert.equal(answer.code, 4);
  assert.equal(answer.stdout, "");
  assert.equal(JSON.parse(answer.stderr).error_code, "OP_NOT_FOUND");
});

test("plays the whole demo over MCP", async () => {
  const demo = await new Deno.Command(Deno.execPath(), {
    args: ["task", "-q", "demo"],
    env: { GUM_BIN: GUM, NO_COLOR: "1" },
    stdin: "null",
  }).output();
  assert.equal(demo.code, 0, new TextDecoder().decode(demo.stderr));
});

test("scripts run in both languages, and a spinning one is ended", async () => {
  const script =
    `let ids = gum_call("gmail.users.messages.list", {userId: "me", maxResults: 2})["messages"].map(m => m.id)
let mails = gum_parallel(ids.map(id => ({op_id: "gmail.users.messages.get", args: {userId: "me", id}})))
gum_print({count: len(mails.results), failed: len(mails.results.filter(r => "error" in r))})`;
  const risor = await gum(["--emulator", "code", script]);
  assert.deepEqual([risor.code, risor.stdout], [0, '{"count":2,"failed":0}\n'], risor.stderr);
  const labels = 'gum_call("gmail.users.labels.list", { userId: "me" })';
  const javascript = await gum([
    "--emulator",
    "code",
    "--language",
    "javascript",
    `(await Promise.all([${labels}, ${labels}])).length`,
  ]);
  assert.deepEqual([javascript.code, javascript.stdout], [0, "2\n"], javascript.stderr);
  const endless = [
    "--emulator",
    "code",
    "--timeout-sec",
    "1",
    "/(a+)+$/.test('a'.repeat(60) + 'b')",
  ];
  const ended = await gum([...endless, "--language", "javascript"]);
  assert.equal(ended.code, 1);
  assert.match(ended.stderr, /CODE_MODE_(TIMEOUT|LIMIT)/);
});

/** The end of an executable, where the program is: the runtime base comes first. */
async function programPart(path: string): Promise<Uint8Array> {
  return (await Deno.readFile(path)).subarray(-24_000_000);
}

/** Where `part` begins in `bytes`, or -1. */
function find(bytes: Uint8Array, part: Uint8Array): number {
  for (let at = bytes.indexOf(part[0] ?? 0); at >= 0; at = bytes.indexOf(part[0] ?? 0, at + 1)) {
    if (part.every((byte, offset) => bytes[at + offset] === byte)) return at;
  }
  return -1;
}

/** The permissions that the compiler wrote into an executable, as its runtime reads them. */
async function bakedPermissions(path: string): Promise<Record<string, unknown>> {
  const bytes = await programPart(path);
  const at = find(bytes, new TextEncoder().encode('{"argv":['));
  const metadata = new TextDecoder().decode(bytes.subarray(at, at + 20_000));
  const permissions = /"permissions":(\{.*?\}),"location"/s.exec(metadata)?.[1];
  assert.ok(at >= 0 && permissions !== undefined, `${path} holds no metadata`);
  return JSON.parse(permissions);
}

async function assertPermissions(path: string, permissionSet: string): Promise<void> {
  const { permissions } = JSON.parse(await Deno.readTextFile(`${ROOT}deno.json`));
  const baked = await bakedPermissions(path);
  assert.equal(baked.prompt, false);
  for (const kind of ["net", "env", "read", "write", "sys", "run", "ffi", "import"]) {
    const grant = (permissions[permissionSet] as Record<string, PermissionGrant>)[kind];
    const allowed = typeof grant === "object" && !Array.isArray(grant) ? grant.allow : grant;
    // Everything of a kind is an empty list there, and nothing is null.
    const expected = allowed === true ? [] : allowed ?? null;
    assert.deepEqual(baked[`allow_${kind}`], expected, `${path}: ${kind}`);
  }
}

test("each executable carries exactly the permissions of its set", async () => {
  await assertPermissions(GUM, "gum");
  await assertPermissions(SANDBOXED, "gum_sandboxed");
});

/** What the first bytes of a program for this platform say. */
function madeFor(bytes: Uint8Array, { os, arch }: Target): boolean {
  const view = new DataView(bytes.buffer, bytes.byteOffset);
  if (os === "linux") {
    return view.getUint32(0) === 0x7f454c46 &&
      view.getUint16(18, true) === (arch === "amd64" ? 62 : 183);
  }
  if (os === "darwin") {
    return view.getUint32(0, true) === 0xfeedfacf &&
      view.getUint32(4, true) === (arch === "amd64" ? 0x01000007 : 0x0100000c);
  }
  return view.getUint16(0) === 0x4d5a &&
    view.getUint16(view.getUint32(60, true) + 4, true) === 0x8664;
}

for (const target of TARGETS) {
  const folder = target.triple === HOST?.triple ? "dist" : `dist/${target.triple}`;
  const paths = ARTIFACTS.map((artifact) => ({
    artifact,
    path: `${ROOT}${folder}/${executableName(artifact, target)}`,
  }));
  const made = gate || paths.every(({ path }) => exists(path));
  if (built && !made) {
    console.log(`skipped: nothing is built for ${target.triple}; it has no runtime base here`);
  }
  Deno.test({
    name: `TestBinarySize: ${target.triple} within 120 MB, with catalog, index and pack inside`,
    ignore: !made,
    async fn() {
      for (const { artifact, path } of paths) {
        const bytes = await Deno.readFile(path);
        assert.ok(bytes.length <= LARGEST_EXECUTABLE, `${path}: ${bytes.length}`);
        assert.ok(madeFor(bytes, target), `${path} is for another platform`);
        const program = await programPart(path);
        for (
          const file of ["catalog.json", "index/bm25.bin", "longtail/methods.bin", "schemas"]
        ) {
          const shipped = file === "schemas" ? firstFileOf("catalog/schemas") : `catalog/${file}`;
          const content = await Deno.readFile(`${ROOT}${shipped}`);
          assert.ok(find(program, content.subarray(0, 4096)) >= 0, `${path} lacks ${shipped}`);
        }
        await assertPermissions(path, artifact.permissionSet);
      }
    },
  });
}

function firstFileOf(folder: string): string {
  const [first] = [...Deno.readDirSync(`${ROOT}${folder}`)].filter(({ isFile }) => isFile);
  assert.ok(first !== undefined, `${folder} is not empty`);
  return `${folder}/${first.name}`;
}

test("the sandboxed one does the same work and starts no program", async () => {
  const answer = await gum(["--emulator", "read", "gmail.users.labels.list"], SANDBOXED);
  assert.equal(answer.code, 0, answer.stderr);
  const script = await gum(["--emulator", "code", "gum_print(1 + 1)"], SANDBOXED);
  assert.deepEqual([script.code, script.stdout], [0, "2\n"], script.stderr);
  assert.deepEqual(await bakedPermissions(SANDBOXED).then(({ allow_run }) => allow_run), null);
});

test("a plugin is written, installed, started and called", async () => {
  const home = await Deno.makeTempDir({ prefix: "gum-plugin-" });
  const run = async (...args: string[]) => {
    const { code, stdout, stderr } = await new Deno.Command(GUM, {
      args,
      cwd: home,
      clearEnv: true,
      // Plugins that are scripts run on a Deno of the machine.
      env: { HOME: home, PATH: Deno.env.get("PATH") ?? "" },
      stdin: "null",
    }).output();
    const text = new TextDecoder();
    assert.equal(code, 0, `${args.join(" ")}: ${text.decode(stderr)}`);
    return text.decode(stdout);
  };
  try {
    await run("plugin", "new", "greeter");
    assert.match(await run("plugin", "install", "./greeter", "--yes"), /^installed greeter$/m);
    const found = JSON.parse(await run("search", "greeter", "--format", "json"));
    assert.equal(found.results[0].op_id, "plug.greeter.greet");
    const answer = await run("read", "plug.greeter.greet", "--args", '{"name":"World"}');
    assert.match(answer, /World/);
  } finally {
    await Deno.remove(home, { recursive: true });
  }
});

/** Compiles a few lines with the flags and runs them; they print JSON. */
async function probe(flags: readonly string[], source: string): Promise<unknown> {
  assert.ok(HOST !== undefined);
  const stage = await Deno.makeTempDir({ prefix: "gum-probe-" });
  try {
    await Deno.writeTextFile(`${stage}/main.js`, source);
    await Deno.writeTextFile(`${stage}/shipped.txt`, "embedded");
    const path = `${stage}/${Deno.build.os === "windows" ? "probe.exe" : "probe"}`;
    const missing = await compileStaged({
      stage,
      target: HOST,
      path,
      flags,
      entry: "main.js",
      include: ["shipped.txt"],
    });
    assert.equal(missing, undefined);
    await Deno.remove(`${stage}/shipped.txt`);
    const { stdout, stderr } = await new Deno.Command(path, {
      cwd: "/",
      clearEnv: true,
      env: { PATH: "/usr/bin:/bin" },
      stdin: "null",
    }).output();
    const text = new TextDecoder();
    assert.equal(text.decode(stderr), "");
    return JSON.parse(text.decode(stdout));
  } finally {
    await Deno.remove(stage, { recursive: true });
  }
}

const NAME_OF = `const nameOf = async (attempt) => {
  try { await attempt(); return "done"; } catch (error) { return error.name; }
};\n`;

Deno.test({
  name: "TestCompiledExecutable: embedded files and a worker need no permission at all",
  ignore: !canBuild,
  async fn() {
    const seen = await probe(
      [],
      NAME_OF + `
const code = "postMessage(navigator.hardwareConcurrency > 0 ? 'alive' : '')";
const url = "data:text/javascript," + encodeURIComponent(code);
const worker = new Worker(url, { type: "module", deno: { permissions: "none" } });
const said = await new Promise((resolve) => worker.onmessage = ({ data }) => resolve(data));
worker.terminate();
console.log(JSON.stringify({
  shipped: Deno.readTextFileSync(new URL("./shipped.txt", import.meta.url)),
  said,
  outside: await nameOf(() => Deno.readTextFile("/etc/hostname")),
}));`,
    );
    assert.deepEqual(seen, { shipped: "embedded", said: "alive", outside: "NotCapable" });
  },
});

Deno.test({
  name: "TestCompiledExecutable: the permission table holds inside an executable",
  ignore: !canBuild || Deno.build.os === "windows",
  async fn() {
    const { permissions } = JSON.parse(await Deno.readTextFile(`${ROOT}deno.json`));
    const source = NAME_OF + `
console.log(JSON.stringify({
  host: await nameOf(() => fetch("https://plugins.example.org/")),
  program: await nameOf(() => new Deno.Command("sh", { args: ["-c", "true"] }).output()),
  library: await nameOf(() => Deno.dlopen("/lib/libc.so.6", {})),
  code: await nameOf(() => import("https://deno.land/x/" + "anything.js")),
  system: await nameOf(() => Deno.networkInterfaces()),
  variable: Deno.env.get("PATH_OF_NOBODY") ?? "unseen",
}));`;
    for (const set of ["gum", "gum_sandboxed"]) {
      const { code, ...rest } = await probe(
        permissionFlags(permissions[set]),
        source,
      ) as Record<string, string>;
      assert.deepEqual(rest, {
        host: "NotCapable",
        program: "NotCapable",
        library: "NotCapable",
        system: "NotCapable",
        variable: "unseen",
      }, set);
      assert.notEqual(code, "done", set);
    }
  },
});

Deno.test({
  name: "TestReproducibleBuild: two checkouts in two folders give the same bytes",
  ignore: !canBuild,
  async fn() {
    const listed = await new Deno.Command("git", {
      args: ["ls-files", "-z", "--cached", "--others", "--exclude-standard"],
      cwd: ROOT,
    }).output();
    // What a build reads; the rest of the tree would only take time.
    const needed =
      /^(main\.ts|deno\.(json|lock)|(cli|lib|mcp|catalog|release|tasks|lint|docs|testdata\/release_fixtures)\/.*(?<!_test\.ts))$/;
    const files = new TextDecoder().decode(listed.stdout).split("\0").filter((path) =>
      needed.test(path)
    );
    const folder = await Deno.makeTempDir({ prefix: "gum-twice-" });
    const checkouts = [`${folder}/one`, `${folder}/another/place`] as const;
    for (const file of files) {
      if (!exists(`${ROOT}${file}`)) continue;
      for (const checkout of checkouts) {
        const target = `${checkout}/${file}`;
        await Deno.mkdir(target.slice(0, target.lastIndexOf("/")), { recursive: true });
        await Deno.copyFile(`${ROOT}${file}`, target);
      }
    }
    const build = async (checkout: string): Promise<string[]> => {
      const { code, stdout, stderr } = await new Deno.Command(Deno.execPath(), {
        args: ["task", "-q", "compile", "--version", "v1.2.3", "--out", `${checkout}/out`],
        cwd: checkout,
        stdin: "null",
      }).output();
      const text = new TextDecoder();
      assert.equal(code, 0, text.decode(stderr));
      return [...text.decode(stdout).matchAll(/sha256 ([0-9a-f]{64})/g)].map(([, sum = ""]) => sum);
    };
    try {
      const first = await build(checkouts[0]);
      assert.equal(first.length, 2);
      assert.notEqual(first[0], first[1]);
      assert.deepEqual(await build(checkouts[1]), first);
      const stamped = await gum(["--version"], `${checkouts[0]}/out/${GUM.split("/").at(-1)}`);
      assert.equal(stamped.stdout, "v1.2.3\n");
    } finally {
      await Deno.remove(folder, { recursive: true });
    }
  },
});
