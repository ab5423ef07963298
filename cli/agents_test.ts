import assert from "node:assert/strict";
import { runCommandLine } from "./run.ts";
import { recordedHost, type RecordedOptions } from "./testing/recorded_host.ts";
import { withFolder } from "./testing/spawned.ts";
import { COMMANDS } from "./tree.ts";

/** Runs a command at home in `home`, inside `home/project`. */
async function at(home: string, argv: readonly string[], options: RecordedOptions = {}) {
  await Deno.mkdir(`${home}/project`, { recursive: true });
  const { host, recorded } = recordedHost(argv, {
    ...options,
    environment: { HOME: home, ...options.environment },
  });
  const code = await runCommandLine(COMMANDS, {
    ...host,
    workingDirectory: () => `${home}/project`,
  });
  return { ...recorded(), code };
}

const CURSOR = '{\n  // mine\n  "mcpServers": {\n    "a": {"command": "x"}, // keep\n  },\n}\n';

async function write(path: string, text: string): Promise<void> {
  await Deno.mkdir(path.slice(0, path.lastIndexOf("/")), { recursive: true });
  await Deno.writeTextFile(path, text);
}

async function files(folder: string): Promise<string[]> {
  const found: string[] = [];
  for await (const entry of Deno.readDir(folder)) {
    const path = `${folder}/${entry.name}`;
    if (entry.isDirectory) found.push(...await files(path));
    else found.push(path);
  }
  return found.sort();
}

Deno.test("agents: a dry run names every file, shows the change and writes nothing", async () => {
  await withFolder(async (home) => {
    await write(`${home}/.cursor/mcp.json`, CURSOR);
    const before = await files(home);
    const { code, stdout, stderr } = await at(home, ["agents", "install", "--dry-run"]);
    assert.equal(code, 0, stderr);
    const lines = stdout.trimEnd().split("\n");
    assert.equal(lines.length, 12);
    assert.deepEqual(
      lines.map((line) => line.split(" ")[3]),
      lines.map((line) => line.split(" ")[3]).toSorted(),
    );
    assert.ok(
      lines.includes(`would_write codex,cursor,gemini skills ${home}/.agents/skills/gum/SKILL.md`),
    );
    assert.ok(lines.includes(`would_write codex mcp ${home}/.codex/config.toml`));
    assert.match(stderr, /\+ {5}"gum": \{/);
    assert.deepEqual(await files(home), before);
    const json = await at(home, ["agents", "install", "--dry-run", "--format", "json"]);
    const plan = JSON.parse(json.stdout);
    assert.deepEqual(Object.keys(plan), [
      "target",
      "scope",
      "features",
      "toolset",
      "dry_run",
      "actions",
    ]);
    assert.deepEqual([plan.dry_run, plan.actions.length, json.stderr], [true, 12, ""]);
  });
});

Deno.test("agents: installing keeps comments and keys, uninstalling restores byte for byte", async () => {
  await withFolder(async (home) => {
    await write(`${home}/.cursor/mcp.json`, CURSOR);
    await write(`${home}/.codex/config.toml`, 'model = "x" # mine');
    await Deno.chmod(`${home}/.codex/config.toml`, 0o644);
    const installed = await at(home, ["agents", "install"]);
    assert.equal(installed.code, 0, installed.stderr);
    assert.ok(
      (await Deno.readTextFile(`${home}/.cursor/mcp.json`)).startsWith(CURSOR.slice(0, 60)),
    );
    assert.equal((await Deno.stat(`${home}/.codex/config.toml`)).mode ?? 0 & 0o777, 0o100644);
    const skill = await Deno.readTextFile(`${home}/.claude/skills/gum/SKILL.md`);
    assert.match(skill, /^---\nname: gum\ndescription: ".*"\n---\n\n# /);
    assert.equal(
      (await Deno.stat(`${home}/.claude/skills/gum/SKILL.md`)).mode ?? 0 & 0o777,
      0o100600,
    );
    const again = await at(home, ["agents", "install"]);
    assert.equal(again.stdout.match(/^skipped /gm)?.length, 8);
    const removed = await at(home, ["agents", "uninstall"]);
    assert.equal(removed.code, 0, removed.stderr);
    assert.equal(await Deno.readTextFile(`${home}/.cursor/mcp.json`), CURSOR);
    assert.equal(await Deno.readTextFile(`${home}/.codex/config.toml`), 'model = "x" # mine');
    const left = (await files(home)).filter((path) => !/\.lock$|\.local\//.test(path));
    assert.deepEqual(left, [`${home}/.codex/config.toml`, `${home}/.cursor/mcp.json`]);
  });
});

Deno.test("agents: what was added after the installation survives taking gum out", async () => {
  await withFolder(async (home) => {
    const path = `${home}/.gemini/settings.json`;
    const target = ["--target", "gemini", "--features", "mcp"];
    await at(home, ["agents", "install", ...target]);
    const text = await Deno.readTextFile(path);
    await Deno.writeTextFile(
      path,
      text.replace(/\n {4}\}\n/, '\n    },\n    "later": {"command": "l"}\n'),
    );
    const { code, stderr } = await at(home, ["agents", "uninstall", ...target]);
    assert.equal(code, 0, stderr);
    assert.deepEqual(JSON.parse(await Deno.readTextFile(path)), {
      mcpServers: { later: { command: "l" } },
    });
  });
});

Deno.test("agents: links, folders and broken files are refused and left alone", async () => {
  await withFolder(async (home) => {
    await write(`${home}/elsewhere/x`, "");
    await Deno.symlink(`${home}/elsewhere`, `${home}/.claude`);
    const linked = await at(home, ["agents", "install", "--target", "claude"]);
    assert.match(linked.stderr, /\.claude is a symbolic link/);
    await Deno.mkdir(`${home}/.cursor/mcp.json`, { recursive: true });
    const folder = await at(home, ["agents", "install", "--target", "cursor", "--features", "mcp"]);
    assert.match(folder.stderr, /mcp\.json is a directory/);
    await write(`${home}/.gemini/settings.json`, "{ broken");
    const broken = await at(home, ["agents", "install", "--target", "gemini", "--features", "mcp"]);
    assert.match(broken.stderr, /settings\.json: the file is not valid JSON \(line 1\)/);
    assert.equal(await Deno.readTextFile(`${home}/.gemini/settings.json`), "{ broken");
    assert.deepEqual([linked.code, folder.code, broken.code], [1, 1, 1]);
    assert.deepEqual([...Deno.readDirSync(`${home}/elsewhere`)].map(({ name }) => name), ["x"]);
  });
});

Deno.test("agents: bad values are named", async () => {
  await withFolder(async (home) => {
    for (
      const [argv, expected] of [
        [["--target", "emacs"], /"emacs"/],
        [["--scope", "world"], /"world"/],
        [["--features", "skills,magic"], /"magic"/],
        [["--toolset", "huge"], /"huge"/],
        [["--format", "xml"], /"xml"/],
        [["--mcp-arg", "a\nb"], /--mcp-arg/],
        [["--mcp-arg="], /--mcp-arg/],
        [["--target", "windsurf", "--scope", "project"], /windsurf has no MCP file/],
      ] as const
    ) {
      const { code, stderr } = await at(home, ["agents", "install", ...argv]);
      assert.equal(code, 2, argv.join(" "));
      assert.match(stderr, expected);
    }
  });
});

Deno.test("setup: shows the plan, asks, and says what comes next", async () => {
  await withFolder(async (home) => {
    const declined = await at(home, ["setup", "--target", "vscode"], { stdin: "n\n" });
    assert.equal(declined.code, 5);
    assert.match(declined.stderr, /Apply these changes\? \[y\/N\]: Error: setup cancelled; /);
    const dry = await at(home, ["setup", "--dry-run"]);
    assert.match(dry.stdout, /\nPlan:\nwould_write [\s\S]*dry run complete\n$/);
    assert.deepEqual((await files(home)).length, 0);
    const done = await at(home, ["setup", "--target", "vscode", "--scope", "project"], {
      stdin: "y\n",
    });
    assert.match(done.stdout, /setup complete\nwrote vscode [\s\S]* 2\. sign in: gum auth login/);
    assert.ok((await files(home)).includes(`${home}/project/.vscode/mcp.json`));
    const json = await at(home, ["setup", "--yes", "--force", "--format", "json"]);
    const report = JSON.parse(json.stdout);
    assert.deepEqual(Object.keys(report), ["request", "agent_plan", "applied", "next"]);
    assert.deepEqual([report.applied, report.request.force, report.next.length], [true, true, 4]);
  });
});

Deno.test("skills: list, show, export and install", async () => {
  await withFolder(async (home) => {
    const list = JSON.parse((await at(home, ["skills", "list", "--format", "json"])).stdout);
    assert.deepEqual(list.skills.map(({ name }: { name: string }) => name), ["core", "mcp"]);
    assert.ok(!("body" in list.skills[0]));
    const core = JSON.parse(
      (await at(home, ["skills", "show", "core", "--format", "json"])).stdout,
    );
    assert.equal(core.bytes, new TextEncoder().encode(core.body).length);
    assert.match((await at(home, ["skills", "show", "core"])).stdout, /^name: core\n[\s\S]*\n\n# /);
    for (const argv of [["nope"], ["core", "--version", "9.9.9"], ["core", "--version", "x"]]) {
      assert.equal((await at(home, ["skills", "show", ...argv])).code, 2, argv.join(" "));
    }
    const exported = await at(home, ["skills", "export", "--out", "out"]);
    assert.deepEqual(JSON.parse(exported.stdout).dir, `${home}/project/out`);
    const again = await at(home, ["skills", "export", "--out", "out"]);
    assert.deepEqual([again.code, /--force/.test(again.stderr)], [1, true]);
    assert.equal((await at(home, ["skills", "export", "--out", "out", "--force"])).code, 0);
    const environment = { CODEX_HOME: `${home}/codex` };
    const dry = await at(home, ["skills", "install", "--dry-run"], { environment });
    assert.deepEqual(JSON.parse(dry.stdout), {
      target: "codex",
      dir: `${home}/codex/skills`,
      dry_run: true,
      written: [
        "gum-mcp/SKILL.md",
        "gum-mcp/agents/openai.yaml",
        "gum/SKILL.md",
        "gum/agents/openai.yaml",
      ],
    });
    await assert.rejects(Deno.stat(`${home}/codex`), Deno.errors.NotFound);
    assert.equal((await at(home, ["skills", "install", "--target", "emacs"])).code, 2);
  });
});
