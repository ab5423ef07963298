/** What is loaded of this folder by commands that need no credential: nothing, or a few small files. */

import assert from "node:assert/strict";
import {
  isolatedEnvironment,
  type Ran,
  ROOT,
  runDeno,
  withFolder,
} from "../../cli/testing/spawned.ts";
import { importGraph, sourceFiles } from "../../lint/import_graph.ts";

const root = ROOT.replace(/\/$/, "");
const edges = importGraph(root);
const auth = sourceFiles(root).filter((file) => file.startsWith("lib/auth/"));

/** Everything that loading a file loads. */
function loadedWith(file: string): Set<string> {
  const loaded = new Set<string>();
  const add = (path: string) => {
    if (loaded.has(path)) return;
    loaded.add(path);
    for (const edge of edges) {
      if (edge.from === path && !edge.typeOnly && !edge.lazy) add(edge.to);
    }
  };
  add(file);
  return loaded;
}

const POISON = "data:application/typescript," +
  encodeURIComponent('throw new Error("poisoned: " + import.meta.url.length);');

/** What a process says that loaded such a module. */
const DIED = /poisoned|does not provide an export/;

/** Runs the program with these modules replaced by one that fails as soon as it is loaded. */
async function runPoisoned(
  poisoned: readonly string[],
  argv: string[],
  home: string,
): Promise<Ran> {
  const { imports, ...config } = JSON.parse(await Deno.readTextFile(`${root}/deno.json`));
  const map = Object.fromEntries(
    poisoned.map((file) => [new URL(`file://${root}/${file}`).href, POISON]),
  );
  const path = `${home}/import_map.json`;
  await Deno.writeTextFile(path, JSON.stringify({ imports: { ...imports, ...map } }));
  assert.ok(config.permissions.gum !== undefined);
  return await runDeno([
    "run",
    "-q",
    "--no-prompt",
    "--no-check",
    "-P=gum",
    `--import-map=${path}`,
    `${root}/main.ts`,
    ...argv,
  ], { env: await isolatedEnvironment(home) });
}

Deno.test("auth is loaded late: the face of the folder is small and uses no package", () => {
  const face = [...loadedWith("lib/auth/mod.ts")];
  const own = face.filter((file) => file.startsWith("lib/auth/"));
  assert.ok(own.length <= 8, own.join(" "));
  assert.deepEqual(face.filter((to) => !to.startsWith("lib/")), []);
});

Deno.test("auth is loaded late: no package for signing in is loaded by anything at all", () => {
  const used = edges.filter(({ from, to }) =>
    from.startsWith("lib/auth/") && !to.startsWith("lib/") && !to.startsWith("node:")
  );
  assert.deepEqual(used.map(({ from, to }) => `${from} imports ${to}`), []);
});

Deno.test("auth is loaded late: commands without a session run with every module of it broken", async () => {
  await withFolder(async (home) => {
    const words = [
      ["--version"],
      ["--help"],
      ["search", "mail"],
      ["describe", "gmail.users.messages.list"],
      ["schema"],
      ["config", "list"],
      ["config", "set", "log.level=warn"],
      ["completion", "bash"],
      ["audit", "tail"],
      ["cache", "stats"],
      ["skills", "list"],
    ];
    for (const argv of words) {
      const ran = await runPoisoned(auth, argv, home);
      assert.doesNotMatch(ran.stderr, DIED, argv.join(" "));
      assert.equal(ran.code, 0, `${argv.join(" ")}: ${ran.stderr}`);
    }
    // The poison works: a command about credentials dies of it.
    const status = await runPoisoned(auth, ["auth", "status"], home);
    assert.notEqual(status.code, 0);
    assert.match(status.stderr, DIED);
  });
});

Deno.test("auth is loaded late: calls that need no credential run with all but its face broken", async () => {
  await withFolder(async (home) => {
    const face = loadedWith("lib/auth/mod.ts");
    const rest = auth.filter((file) => !face.has(file));
    const words = [
      ["code", "1 + 1"],
      ["--emulator", "read", "gmail.users.labels.list", "--args", '{"userId":"me"}'],
      [
        "--emulator",
        "code",
        'gum_call("gmail.users.labels.list", {userId: "me"}).labels',
      ],
    ];
    for (const argv of words) {
      const ran = await runPoisoned(rest, [...argv, "--log-level", "debug"], home);
      assert.doesNotMatch(ran.stderr, DIED, argv.join(" "));
      assert.ok(!ran.stderr.includes("cannot be looked"), ran.stderr);
      assert.equal(ran.code, 0, `${argv.join(" ")}: ${ran.stderr}`);
    }
    const status = await runPoisoned(rest, ["auth", "status"], home);
    assert.match(status.stderr, DIED);
  });
});
