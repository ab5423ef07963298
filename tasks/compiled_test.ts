/** What only the compiled executable can show. `deno task compile` builds it; CI does so first. */

import assert from "node:assert/strict";

const BINARY = new URL(
  Deno.build.os === "windows" ? "../dist/gum.exe" : "../dist/gum",
  import.meta.url,
).pathname;
const built = exists(BINARY);
if (!built) {
  console.log("skipped: dist/gum is not built (deno task compile; it needs a runtime base)");
}

function exists(path: string): boolean {
  try {
    return Deno.statSync(path).isFile;
  } catch (error) {
    if (error instanceof Deno.errors.NotFound) return false;
    throw error;
  }
}

async function gum(args: string[]): Promise<{ code: number; stdout: string; stderr: string }> {
  const home = await Deno.makeTempDir();
  try {
    const output = await new Deno.Command(BINARY, {
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
  name: "TestBinarySize: the executable stays within 120 MB",
  ignore: !built,
  fn() {
    assert.ok(Deno.statSync(BINARY).size <= 120_000_000);
  },
});

Deno.test({
  name: "TestNoSharedLibDependencies: nothing beyond the system's own libraries is linked",
  ignore: !built || Deno.build.os !== "linux",
  async fn() {
    const { stdout } = await new Deno.Command("ldd", { args: [BINARY] }).output();
    const linked = [...new TextDecoder().decode(stdout).matchAll(/^\s*(?:\/\S*\/)?(\S+?\.so)\b/gm)]
      .map((match) => match[1] ?? "");
    const allowed = /^(linux-vdso|ld-linux-x86-64|lib(dl|gcc_s|rt|pthread|m|c))\.so$/;
    assert.ok(linked.length >= 3, "ldd names what is linked");
    assert.deepEqual(linked.filter((name) => !allowed.test(name)), []);
  },
});

Deno.test({
  name: "TestReleaseBinaryNoCGo: no native module is bundled and none could be loaded",
  ignore: !built,
  async fn() {
    const config = JSON.parse(await Deno.readTextFile(new URL("../deno.json", import.meta.url)));
    for (const set of ["gum", "gum_sandboxed"]) assert.ok(!("ffi" in config.permissions[set]), set);
    const chunks = new URL("../dist/app/", import.meta.url);
    let scanned = 0;
    for await (const entry of Deno.readDir(chunks)) {
      const source = await Deno.readTextFile(new URL(entry.name, chunks));
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
    env: { GUM_BIN: BINARY, NO_COLOR: "1" },
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
