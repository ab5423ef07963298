import assert from "node:assert/strict";
import { type GeneratorHost, runGenerator } from "./run.ts";

const FOLDER = new URL("./", import.meta.url);

interface Run {
  code: number;
  out: string[];
  err: string[];
}

async function generator(args: string[], inputs = FOLDER): Promise<Run> {
  const run: Run = { code: -1, out: [], err: [] };
  const host: GeneratorHost = {
    inputs,
    print: (line) => run.out.push(line),
    printError: (line) => run.err.push(line),
  };
  run.code = await runGenerator(args, host);
  return run;
}

async function withFolder(body: (folder: string) => Promise<void>): Promise<void> {
  const folder = await Deno.makeTempDir({ prefix: "gen-catalog-" });
  try {
    await body(folder);
  } finally {
    await Deno.remove(folder, { recursive: true });
  }
}

async function contents(folder: string, prefix = ""): Promise<Map<string, string>> {
  const files = new Map<string, string>();
  for await (const entry of Deno.readDir(folder)) {
    const path = `${folder}/${entry.name}`;
    if (entry.isDirectory) {
      for (const [name, text] of await contents(path, `${prefix}${entry.name}/`)) {
        files.set(name, text);
      }
    } else {
      const bytes = await Deno.readFile(path);
      files.set(prefix + entry.name, Array.from(bytes, (byte) => byte.toString(16)).join(""));
    }
  }
  return files;
}

/** Copies the generator's inputs, without its outputs. */
async function copyInputs(to: string): Promise<URL> {
  const copy = async (path: string): Promise<void> => {
    const from = new URL(path, FOLDER);
    if (path.endsWith("/")) {
      await Deno.mkdir(`${to}/${path}`, { recursive: true });
      for await (const entry of Deno.readDir(from)) {
        if (entry.isFile) {
          await Deno.copyFile(new URL(entry.name, from), `${to}/${path}${entry.name}`);
        }
      }
    } else await Deno.copyFile(from, `${to}/${path}`);
  };
  for (const path of ["overrides.toml", "overrides.schema.json", "discovery/", "data/", "help/"]) {
    await copy(path);
  }
  return new URL(`file://${to}/`);
}

Deno.test("generator: two runs give the same bytes, and they are the committed ones", async () => {
  await withFolder(async (first) => {
    await withFolder(async (second) => {
      for (const folder of [first, second]) {
        const run = await generator(["--out", `${folder}/catalog.json`]);
        assert.equal(run.code, 0, run.err.join("\n"));
        assert.equal(run.out.length, 1);
        assert.match(run.out[0] ?? "", /^gen-catalog: 227 ops, 227 variants, 33 services, /);
      }
      const files = await contents(first);
      assert.deepEqual(files, await contents(second));
      assert.ok(files.has("catalog.json.sha256") && files.has("index/bm25.bin"));
      assert.ok(![...files.keys()].some((name) => name.endsWith(".staged")));
    });
  });
  const check = await generator(["--check"]);
  assert.equal(check.code, 0, check.err.join("\n"));
});

Deno.test("generator: --check names what drifted and writes nothing", async () => {
  await withFolder(async (folder) => {
    const out = ["--out", `${folder}/catalog.json`];
    assert.equal((await generator(out)).code, 0);
    await Deno.writeTextFile(`${folder}/catalog.json.sha256`, "x\n");
    await Deno.writeTextFile(`${folder}/schemas/old.request.json`, "{}");
    await Deno.remove(`${folder}/schemas/gum.code.request.json`);
    const before = await contents(folder);
    const check = await generator(["--check", ...out]);
    assert.equal(check.code, 1);
    assert.deepEqual(check.err, [
      "gen-catalog: differs: catalog.json.sha256",
      "gen-catalog: missing: schemas/gum.code.request.json",
      "gen-catalog: stale: schemas/old.request.json",
    ]);
    assert.deepEqual(await contents(folder), before);
    assert.equal((await generator(out)).code, 0);
    assert.equal((await generator(["--check", ...out])).code, 0);
  });
});

Deno.test("generator: a failing run leaves every output untouched", async () => {
  await withFolder(async (folder) => {
    const inputs = await copyInputs(folder);
    assert.equal((await generator([], inputs)).code, 0);
    const before = await contents(folder);
    const overrides = `${folder}/overrides.toml`;
    const good = await Deno.readTextFile(overrides);
    const breakage: [from: string, to: string, code: RegExp][] = [
      ["schema_version = 1", "schema_version = 9", /^gen-catalog: OVERRIDES_SCHEMA_INVALID/],
      [
        '[ops."gmail.users.getProfile"]',
        '[ops."gmail.users.getNothing"]',
        /DISCOVERY_METHOD_NOT_FOUND/,
      ],
      [
        '[ops."gmail.users.getProfile"]',
        '[ops."nowhere.users.getProfile"]',
        /DISCOVERY_METHOD_NOT_FOUND/,
      ],
      ["auth/gmail.metadata", "auth/drive", /SCOPE_NOT_ACCEPTED/],
      ["messages(id,threadId)", "messages(id,thread)", /DEFAULT_FIELDS_INVALID/],
      ['"admin.directory.domains.*"', '"admin.directory.users.*"', /EXCLUDED_OPERATION/],
      [
        '"flights.search" = "flights.search.v1"',
        '"flights.search" = "flights.other.v1"',
        /PROFILE_NOT_FOUND/,
      ],
    ];
    for (const [from, to, code] of breakage) {
      assert.ok(good.includes(from), from);
      await Deno.writeTextFile(overrides, good.replace(from, to));
      const run = await generator([], inputs);
      assert.equal(run.code, 1, to);
      assert.match(run.err[0] ?? "", code);
    }
    await Deno.writeTextFile(overrides, good);
    assert.deepEqual(await contents(folder), before);
  });
});

Deno.test("generator: a document that the lock does not vouch for is refused", async () => {
  await withFolder(async (folder) => {
    const inputs = await copyInputs(folder);
    const path = `${folder}/discovery/tasks.v1.json`;
    const text = await Deno.readTextFile(path);
    await Deno.writeTextFile(path, text.replace("Google Tasks API", "Google Chores API"));
    const run = await generator([], inputs);
    assert.equal(run.code, 1);
    assert.match(run.err[0] ?? "", /DISCOVERY_SNAPSHOT_INVALID: tasks\.v1: digest/);
  });
});

Deno.test("TestInjectDataManagerOffline: adds missing operations, twice is once", async () => {
  await withFolder(async (folder) => {
    const out = ["--out", `${folder}/catalog.json`];
    assert.equal((await generator(out)).code, 0);
    const full = await contents(folder);
    const path = `${folder}/catalog.json`;
    const catalog = JSON.parse(await Deno.readTextFile(path));
    catalog.ops = catalog.ops.filter((op: { service: string }) => op.service !== "datamanager");
    await Deno.writeTextFile(path, `${JSON.stringify(catalog, null, 2)}\n`);
    for (let round = 0; round < 2; round++) {
      const run = await generator(["--inject", "datamanager", ...out]);
      assert.equal(run.code, 0, run.err.join("\n"));
      assert.deepEqual(await contents(folder), full);
    }
    const unknown = await generator(["--inject", "nothing", ...out]);
    assert.equal(unknown.code, 0);
    assert.match(unknown.err[0] ?? "", /warning: no operations are built for nothing/);
  });
});

Deno.test("generator: every partial mode is a no-op on a current catalog", async () => {
  await withFolder(async (folder) => {
    const out = ["--out", `${folder}/catalog.json`];
    assert.equal((await generator(out)).code, 0);
    const before = await contents(folder);
    for (
      const mode of [
        "--apply-capabilities",
        "--apply-default-fields",
        "--enrich-request-fields",
        "--emit-schemas",
        "--project-response-schemas",
        "--suggest-risk",
        "--suggest-default-fields",
      ]
    ) {
      const run = await generator([mode, ...out]);
      assert.equal(run.code, 0, `${mode}: ${run.err.join("\n")}`);
      assert.deepEqual(await contents(folder), before, mode);
    }
  });
});

Deno.test("generator: unknown flags and two modes are refused with the usage line", async () => {
  for (const args of [["--colour"], ["--check", "--fetch"], ["--out"], ["--inject"]]) {
    const run = await generator(args);
    assert.equal(run.code, 1);
    assert.match(run.err[0] ?? "", /^gen-catalog: /);
  }
});

Deno.test("generator: runs offline under its own permission set", async () => {
  const command = new Deno.Command(Deno.execPath(), {
    args: ["run", "-q", "--no-prompt", "-P=gen", "catalog/generate.ts", "--check"],
    cwd: new URL("../", FOLDER),
    stdout: "piped",
    stderr: "piped",
  });
  const { code, stdout, stderr } = await command.output();
  assert.equal(code, 0, new TextDecoder().decode(stderr));
  assert.match(new TextDecoder().decode(stdout), /^gen-catalog: [^\n]+\n$/);
});
