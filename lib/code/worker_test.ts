/** The committed worker is what its sources make, and who may call the dispatcher. */

import assert from "node:assert/strict";

const ROOT = new URL("../..", import.meta.url);

Deno.test("the committed worker and library are fresh", async () => {
  const { success, stderr } = await new Deno.Command(Deno.execPath(), {
    args: [
      "run",
      "-q",
      "--no-prompt",
      "--unstable-bundle",
      "-P=gen",
      "lib/code/generate_worker.ts",
      "--check",
    ],
    cwd: ROOT,
    env: { DENO_NO_UPDATE_CHECK: "1" },
  }).output();
  assert.ok(success, new TextDecoder().decode(stderr));
});

Deno.test("TestNoCyclicImports: in code mode only the file of single calls reaches the dispatcher", async () => {
  const callers: string[] = [];
  for await (const entry of Deno.readDir(new URL("lib/code/", ROOT))) {
    if (!entry.isFile || !entry.name.endsWith(".ts") || entry.name.endsWith("_test.ts")) continue;
    const source = await Deno.readTextFile(new URL(`lib/code/${entry.name}`, ROOT));
    if (/\.dispatch\(/.test(source)) callers.push(entry.name);
  }
  // Batches go through the same function as single calls, so that no gate exists twice.
  assert.deepEqual(callers, ["host_functions.ts"]);
});

Deno.test("the worker needs no permission and its console is silent", async () => {
  const source = await Deno.readTextFile(new URL("lib/code/sandbox.ts", ROOT));
  assert.match(source, /permissions: "none"/);
  const program = `
    import { openSandbox } from "${new URL("lib/code/sandbox.ts", ROOT)}";
    const sandbox = await openSandbox();
    const job = { language: "javascript", program: "1 + 1", memoryBytes: 1 << 24,
      stackBytes: 1 << 18, maxSteps: 1e6, allowWrite: false, allowDestructive: false };
    const ending = await sandbox.run(job, () => "", new AbortController().signal);
    Deno.stdout.writeSync(new TextEncoder().encode(JSON.stringify(ending)));`;
  const file = await Deno.makeTempFile({ suffix: ".ts", prefix: "gum-" });
  try {
    await Deno.writeTextFile(file, program);
    const { stdout, stderr } = await new Deno.Command(Deno.execPath(), {
      args: [
        "run",
        "-q",
        "--no-prompt",
        "--allow-read",
        "--config",
        new URL("deno.json", ROOT).pathname,
        file,
      ],
      cwd: ROOT,
      env: { DENO_NO_UPDATE_CHECK: "1" },
    }).output();
    assert.equal(new TextDecoder().decode(stderr), "");
    const ending = JSON.parse(new TextDecoder().decode(stdout));
    assert.deepEqual(JSON.parse(ending.outcome), { kind: "value", text: "2" });
  } finally {
    await Deno.remove(file);
  }
});
