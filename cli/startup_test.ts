import assert from "node:assert/strict";
import { commandWord, ROUTES } from "../main.ts";
import { VERSION } from "../lib/version/mod.ts";
import { COMMANDS } from "./tree.ts";
import {
  GUM,
  isolatedEnvironment,
  PROGRAM,
  ROOT,
  runDeno,
  runGum,
  withFolder,
} from "./testing/spawned.ts";
import type { CommandSpec } from "./types.ts";

Deno.test("startup: main.ts routes every root command and keeps all its sub-commands need", () => {
  assert.deepEqual(Object.keys(ROUTES).toSorted(), COMMANDS.map((one) => one.name).toSorted());
  const needs = (command: CommandSpec): string[] => [
    ...command.permissions,
    ...command.children.flatMap(needs),
  ];
  for (const command of COMMANDS) {
    const kept = ROUTES[command.name]?.keeps ?? [];
    // The environment names the profile before the command is reached.
    assert.deepEqual(
      [...new Set([...needs(command), "env"])].toSorted(),
      [...kept].toSorted(),
      command.name,
    );
    assert.ok(needs(command).includes("read"), `${command.name} could not load its modules`);
  }
});

Deno.test("startup: every route loads a module that declares its word", async () => {
  for (const [word, route] of Object.entries(ROUTES)) {
    const { commands } = await route.load();
    assert.ok(commands.some((command) => command.name === word), word);
  }
});

Deno.test("startup: the command word is found past global flags", () => {
  assert.equal(commandWord(["--profile", "search", "read"]), "read");
  assert.equal(commandWord(["--emulator", "--log-level=debug", "call"]), "call");
  assert.equal(commandWord(["--max-items", "3", "read"]), "read");
  assert.equal(commandWord(["--dry-run", "read", "x"]), "read");
  assert.equal(commandWord(["--version"]), undefined);
  assert.equal(commandWord(["--", "read"]), undefined);
  assert.equal(commandWord([]), undefined);
});

Deno.test("startup: hot commands load no Node built-in and no package", async () => {
  const info = await runDeno(["info", "--json", "main.ts"]);
  const graph = JSON.parse(info.stdout) as {
    modules: {
      specifier: string;
      dependencies?: { code?: { specifier?: string }; isDynamic?: boolean }[];
    }[];
  };
  const heavy = new Map(graph.modules.map((module) => [
    module.specifier,
    (module.dependencies ?? [])
      .filter((dependency) => dependency.isDynamic !== true)
      .map((dependency) => dependency.code?.specifier ?? "")
      .filter((specifier) => specifier !== "" && !specifier.startsWith("file:")),
  ]));
  const commands: [string[], RegExp][] = [
    [["--version"], /lib\/version\/mod\.ts$/],
    [["search", "mail"], /lib\/catalog\/search\/mod\.ts$/],
    [["__complete", "read", "gmail."], /cli\/complete_values\.ts$/],
    [["serch"], /cli\/error_rendering\.ts$/],
  ];
  for (const [argv, expected] of commands) {
    const loaded = await loadedModules(argv);
    assert.ok(loaded.some((url) => expected.test(url)), `${argv}: ${loaded.join("\n")}`);
    for (const url of loaded) {
      assert.ok(heavy.has(url), `${url} is not in the graph`);
      assert.deepEqual(heavy.get(url), [], `gum ${argv.join(" ")} loads ${url}`);
    }
  }
});

Deno.test("startup: commands that look at this machine load nothing that calls or signs in", async (t) => {
  const looking: { argv: string; loads: string; never: RegExp }[] = [
    {
      argv: "doctor",
      loads: "lib/plugin/sandbox/probe.ts",
      never: /^lib\/(http|cache|catalog|gain|tokens|artifact|dispatch|session|auth\/account)\//,
    },
    {
      argv: "auth status",
      loads: "lib/auth/account/status_report.ts",
      never:
        /^lib\/(http|audit|session|auth\/(managed|strategy_|resolver|login|oauth\/(?!endpoints)))/,
    },
    {
      argv: "status",
      loads: "cli/status_run.ts",
      never: /^lib\/(http|audit|auth|catalog|dispatch|session)\//,
    },
    {
      argv: "call gmail.users.messages.list --skeleton",
      loads: "cli/call_skeleton.ts",
      never: /^lib\/(http|audit|auth|dispatch|session)\/|^cli\/invoke_run\.ts$/,
    },
    {
      argv: "catalog list-overrides",
      loads: "lib/catalog/risk_overrides.ts",
      never: /^lib\/catalog\/(longtail|derive|search\/indexing)\//,
    },
  ];
  for (const { argv, loads, never } of looking) {
    await t.step(`gum ${argv}`, async () => {
      const loaded = (await loadedModules(argv.split(" ")))
        .map((url) => url.replace(new URL("..", import.meta.url).href, ""));
      assert.ok(loaded.includes(loads), `${loads} is loaded: ${loaded.join(", ")}`);
      assert.deepEqual(loaded.filter((file) => never.test(file)), []);
    });
  }
});

/** Modules that a run evaluated: the coverage report has one file for each. */
async function loadedModules(argv: string[]): Promise<string[]> {
  const urls: string[] = [];
  await withFolder(async (folder) => {
    const [run = "", ...flags] = GUM;
    const records = `${folder}/records`;
    await runDeno([run, `--coverage=${records}`, ...flags, ...argv], {
      env: await isolatedEnvironment(folder),
    });
    for await (const entry of Deno.readDir(records)) {
      if (!entry.name.endsWith(".json")) continue;
      urls.push(JSON.parse(await Deno.readTextFile(`${records}/${entry.name}`)).url);
    }
  });
  return urls;
}

Deno.test("startup: gum search ends without net, run, write, sys, ffi and import", async () => {
  await withFolder(async (folder) => {
    const probe = `${folder}/probe.ts`;
    const imports = (name: string, path: string) =>
      `import { ${name} } from ${JSON.stringify(new URL(path, import.meta.url).href)};\n`;
    await Deno.writeTextFile(
      probe,
      imports("ROUTES", "../main.ts") + imports("revokePermissions", "./host.ts") + `
revokePermissions(ROUTES[Deno.args[0]].keeps);
const states = ["net", "run", "write", "sys", "ffi", "import", "read"]
  .map((name) => [name, Deno.permissions.querySync({ name }).state]);
console.log(JSON.stringify(Object.fromEntries(states)));
`,
    );
    const states = async (word: string) => {
      const flags = ["--no-prompt", "-A", "--no-check", `--config=${ROOT}deno.json`];
      const { stdout, stderr } = await runDeno(["run", "-q", ...flags, probe, word]);
      assert.equal(stderr, "");
      return JSON.parse(stdout);
    };
    const searching = await states("search");
    for (const kind of ["net", "run", "write", "sys", "ffi", "import"]) {
      assert.notEqual(searching[kind], "granted", kind);
    }
    assert.equal(searching.read, "granted");
    const calling = await states("call");
    assert.deepEqual([calling.net, calling.write], ["granted", "granted"]);
    assert.notEqual(calling.ffi, "granted");
  });
});

Deno.test("startup: the real gum search leaves nothing behind", async () => {
  await withFolder(async (home) => {
    const { code, stdout, stderr } = await runGum(["search", "mail"], { home });
    assert.deepEqual([code, stderr], [0, ""]);
    assert.ok(JSON.parse(stdout).results.length > 0);
    assert.deepEqual([...Deno.readDirSync(home)], []);
  });
});

Deno.test("TestVersionStamp: the real program prints exactly the stamp", async () => {
  await withFolder(async (home) => {
    for (const argv of [["--version"], ["version"], ["version", "--log-level=error"]]) {
      const { code, stdout, stderr } = await runGum(argv, { home });
      assert.deepEqual([code, stdout, stderr], [0, VERSION + "\n", ""], argv.join(" "));
    }
  });
});

Deno.test("startup: a bad profile name creates nothing on disk", async () => {
  await withFolder(async (home) => {
    const cases: [string[], Record<string, string>][] = [
      [["--profile", "../x"], {}],
      [["--profile", "a b"], {}],
      [["--profile=profiles"], {}],
      [[], { GUM_PROFILE: "no/pe" }],
    ];
    for (const [flags, env] of cases) {
      const run = await runGum(["read", "drive.about.get", ...flags], { home, env });
      assert.deepEqual([run.code, run.stdout], [1, ""], run.stderr);
      assert.equal(JSON.parse(run.stderr).error_code, "PROFILE_NAME_INVALID");
    }
    assert.deepEqual([...Deno.readDirSync(home)], []);
  });
});

Deno.test("startup: a reader that leaves early ends the program quietly", async () => {
  const child = new Deno.Command("sh", {
    args: ["-c", '"$0" "$@" | head -n 1', ...PROGRAM, "schema"],
    stdin: "null",
  });
  const { stdout, stderr } = await child.output();
  assert.equal(new TextDecoder().decode(stdout), "{\n");
  assert.equal(new TextDecoder().decode(stderr), "");
});

Deno.test("startup: gum mcp answers the client and exits 0 on SIGTERM", async () => {
  await withFolder(async (home) => {
    const [program, ...words] = PROGRAM;
    const child = new Deno.Command(program, {
      args: [...words, "mcp", "--stdio", "--emulator"],
      clearEnv: true,
      env: await isolatedEnvironment(home),
      stdin: "piped",
      stdout: "piped",
      stderr: "piped",
    }).spawn();
    const stderr = new Response(child.stderr).text();
    const writer = child.stdin.getWriter();
    const initialize = {
      jsonrpc: "2.0",
      id: 1,
      method: "initialize",
      params: {
        protocolVersion: "2025-06-18",
        capabilities: {},
        clientInfo: { name: "test", version: "1" },
      },
    };
    await writer.write(new TextEncoder().encode(JSON.stringify(initialize) + "\n"));
    const reader = child.stdout.getReader();
    const { value } = await reader.read();
    assert.equal(JSON.parse(new TextDecoder().decode(value)).result.serverInfo.version, VERSION);
    child.kill("SIGTERM");
    const { code, signal } = await child.status;
    assert.deepEqual([code, signal], [0, null]);
    assert.equal((await reader.read()).done, true);
    await writer.close().catch(() => {}); // the reader is gone, which is what closed it
    for (const line of (await stderr).trimEnd().split("\n")) JSON.parse(line);
  });
});
