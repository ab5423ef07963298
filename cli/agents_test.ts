import assert from "node:assert/strict";
import { CURSOR, filesBelow, runAt, writeText } from "./testing/agents_home.ts";
import { withFolder } from "./testing/spawned.ts";

Deno.test("agents: a dry run names every file, shows the change and writes nothing", async () => {
  await withFolder(async (home) => {
    await writeText(`${home}/.cursor/mcp.json`, CURSOR);
    const before = await filesBelow(home);
    const { code, stdout, stderr } = await runAt(home, ["agents", "install", "--dry-run"]);
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
    assert.deepEqual(await filesBelow(home), before);
    const json = await runAt(home, ["agents", "install", "--dry-run", "--format", "json"]);
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
    await writeText(`${home}/.cursor/mcp.json`, CURSOR);
    await writeText(`${home}/.codex/config.toml`, 'model = "x" # mine');
    await Deno.chmod(`${home}/.codex/config.toml`, 0o644);
    const installed = await runAt(home, ["agents", "install"]);
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
    const again = await runAt(home, ["agents", "install"]);
    assert.equal(again.stdout.match(/^skipped /gm)?.length, 8);
    const removed = await runAt(home, ["agents", "uninstall"]);
    assert.equal(removed.code, 0, removed.stderr);
    assert.equal(await Deno.readTextFile(`${home}/.cursor/mcp.json`), CURSOR);
    assert.equal(await Deno.readTextFile(`${home}/.codex/config.toml`), 'model = "x" # mine');
    const left = (await filesBelow(home)).filter((path) => !/\.lock$|\.local\//.test(path));
    assert.deepEqual(left, [`${home}/.codex/config.toml`, `${home}/.cursor/mcp.json`]);
  });
});

Deno.test("agents: what was added after the installation survives taking gum out", async () => {
  await withFolder(async (home) => {
    const path = `${home}/.gemini/settings.json`;
    const target = ["--target", "gemini", "--features", "mcp"];
    await runAt(home, ["agents", "install", ...target]);
    const text = await Deno.readTextFile(path);
    await Deno.writeTextFile(
      path,
      text.replace(/\n {4}\}\n/, '\n    },\n    "later": {"command": "l"}\n'),
    );
    const { code, stderr } = await runAt(home, ["agents", "uninstall", ...target]);
    assert.equal(code, 0, stderr);
    assert.deepEqual(JSON.parse(await Deno.readTextFile(path)), {
      mcpServers: { later: { command: "l" } },
    });
  });
});

Deno.test("agents: a damaged record of what was changed costs exactness only", async () => {
  await withFolder(async (home) => {
    const target = ["--target", "gemini", "--features", "mcp"];
    const path = `${home}/.gemini/settings.json`;
    for (const damage of [new Uint8Array([0xff, 0x00]), new TextEncoder().encode("{")]) {
      await writeText(path, '{"theme":"dark"}');
      assert.equal((await runAt(home, ["agents", "install", ...target])).code, 0);
      await Deno.writeFile(`${home}/.local/share/gum/default/client_files.json`, damage);
      const { code, stderr } = await runAt(home, ["agents", "uninstall", ...target]);
      assert.equal(code, 0, stderr);
      const { theme, mcpServers = {} } = JSON.parse(await Deno.readTextFile(path));
      assert.deepEqual([theme, mcpServers], ["dark", {}]);
    }
  });
});

Deno.test("agents: links, folders and broken files are refused and left alone", async () => {
  await withFolder(async (home) => {
    await writeText(`${home}/elsewhere/x`, "");
    await Deno.symlink(`${home}/elsewhere`, `${home}/.claude`);
    const linked = await runAt(home, ["agents", "install", "--target", "claude"]);
    assert.match(linked.stderr, /\.claude is a symbolic link/);
    await Deno.mkdir(`${home}/.cursor/mcp.json`, { recursive: true });
    const folder = await runAt(home, [
      "agents",
      "install",
      "--target",
      "cursor",
      "--features",
      "mcp",
    ]);
    assert.match(folder.stderr, /mcp\.json is a directory/);
    await writeText(`${home}/.gemini/settings.json`, "{ broken");
    const broken = await runAt(home, [
      "agents",
      "install",
      "--target",
      "gemini",
      "--features",
      "mcp",
    ]);
    assert.match(broken.stderr, /settings\.json: the file is not valid JSON \(line 1\)/);
    assert.equal(await Deno.readTextFile(`${home}/.gemini/settings.json`), "{ broken");
    assert.deepEqual([linked.code, folder.code, broken.code], [1, 1, 1]);
    await writeText(`${home}/.gemini/settings.json`, " \n");
    const empty = await runAt(home, [
      "agents",
      "install",
      "--target",
      "gemini",
      "--features",
      "mcp",
    ]);
    assert.match(empty.stderr, /settings\.json: the file is empty; remove it/);
    assert.equal(await Deno.readTextFile(`${home}/.gemini/settings.json`), " \n");
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
      const { code, stderr } = await runAt(home, ["agents", "install", ...argv]);
      assert.equal(code, 2, argv.join(" "));
      assert.match(stderr, expected);
    }
  });
});

Deno.test("setup: shows the plan, asks, and says what comes next", async () => {
  await withFolder(async (home) => {
    const declined = await runAt(home, ["setup", "--target", "vscode"], { stdin: "n\n" });
    assert.equal(declined.code, 1);
    assert.match(declined.stderr, /Apply these changes\? \[y\/N\]: Error: setup cancelled; /);
    const dry = await runAt(home, ["setup", "--dry-run"]);
    assert.match(dry.stdout, /\nPlan:\nwould_write [\s\S]*dry run complete\n$/);
    assert.deepEqual((await filesBelow(home)).length, 0);
    const done = await runAt(home, ["setup", "--target", "vscode", "--scope", "project"], {
      stdin: "y\n",
    });
    assert.match(done.stdout, /setup complete\nwrote vscode [\s\S]* 2\. sign in: gum auth login/);
    assert.ok((await filesBelow(home)).includes(`${home}/project/.vscode/mcp.json`));
    const json = await runAt(home, ["setup", "--yes", "--force", "--format", "json"]);
    const report = JSON.parse(json.stdout);
    assert.deepEqual(Object.keys(report), ["request", "agent_plan", "applied", "next"]);
    assert.deepEqual([report.applied, report.request.force, report.next.length], [true, true, 4]);
  });
});

Deno.test("skills: list, show, export and install", async () => {
  await withFolder(async (home) => {
    const list = JSON.parse((await runAt(home, ["skills", "list", "--format", "json"])).stdout);
    assert.deepEqual(list.skills.map(({ name }: { name: string }) => name), ["core", "mcp"]);
    assert.ok(!("body" in list.skills[0]));
    const core = JSON.parse(
      (await runAt(home, ["skills", "show", "core", "--format", "json"])).stdout,
    );
    assert.equal(core.bytes, new TextEncoder().encode(core.body).length);
    assert.match(
      (await runAt(home, ["skills", "show", "core"])).stdout,
      /^name: core\n[\s\S]*\n\n# /,
    );
    for (const argv of [["nope"], ["core", "--version", "9.9.9"], ["core", "--version", "x"]]) {
      assert.equal((await runAt(home, ["skills", "show", ...argv])).code, 2, argv.join(" "));
    }
    const exported = await runAt(home, ["skills", "export", "--out", "out"]);
    assert.deepEqual(JSON.parse(exported.stdout).dir, `${home}/project/out`);
    const again = await runAt(home, ["skills", "export", "--out", "out"]);
    assert.deepEqual([again.code, /--force/.test(again.stderr)], [1, true]);
    assert.equal((await runAt(home, ["skills", "export", "--out", "out", "--force"])).code, 0);
    const environment = { CODEX_HOME: `${home}/codex` };
    const dry = await runAt(home, ["skills", "install", "--dry-run"], { environment });
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
    assert.equal((await runAt(home, ["skills", "install", "--target", "emacs"])).code, 2);
  });
});

/** A file of every client with something of its owner's in it, in the client's own dialect. */
const OWN_FILES: readonly { target: string; scope: string; path: string; text: string }[] = [
  {
    target: "claude",
    scope: "user",
    path: ".claude/mcp.json",
    text: '{"mcpServers":{"a":{"command":"x"}},"other":[1,2]}',
  },
  {
    target: "claude",
    scope: "project",
    path: "project/.mcp.json",
    text: '{\r\n\t"mcpServers": {\r\n\t\t"a": { "command": "x" }\r\n\t}\r\n}\r\n',
  },
  {
    target: "codex",
    scope: "user",
    path: ".codex/config.toml",
    text: '# mine\nmodel = "o"\n\n[mcp_servers.other]\ncommand = "x" # keep\n\n\n',
  },
  {
    target: "codex",
    scope: "project",
    path: "project/.codex/config.toml",
    text: "",
  },
  { target: "cursor", scope: "user", path: ".cursor/mcp.json", text: CURSOR },
  { target: "cursor", scope: "project", path: "project/.cursor/mcp.json", text: "{}" },
  {
    target: "gemini",
    scope: "user",
    path: ".gemini/settings.json",
    text: '{\n  "theme": "dark", /* keep */\n  "mcpServers": {}\n}',
  },
  { target: "gemini", scope: "project", path: "project/.gemini/settings.json", text: "{ }\n\n" },
  {
    target: "claude-desktop",
    scope: "user",
    path: ".config/Claude/claude_desktop_config.json",
    text: '{\n    "globalShortcut": "",\n    "mcpServers": {"gum": {"command": "my-own-gum"}}\n}\n',
  },
  {
    target: "vscode",
    scope: "user",
    path: ".config/Code/User/mcp.json",
    text:
      '// servers\n{\n\t"servers": {\n\t\t"a": { "type": "stdio", "command": "x" },\n\t},\n\t"inputs": [],\n}\n',
  },
  {
    target: "vscode",
    scope: "project",
    path: "project/.vscode/mcp.json",
    text: '{"servers":{}}\n',
  },
  {
    target: "windsurf",
    scope: "user",
    path: ".codeium/windsurf/mcp_config.json",
    text: '{\n  "mcpServers": {\n    "z": {\n      "command": "z"\n    }\n  }\n}',
  },
];

Deno.test("agents: every client in every scope, whatever its file looked like, comes back byte for byte", async () => {
  for (const { target, scope, path, text } of OWN_FILES) {
    await withFolder(async (home) => {
      const file = `${home}/${path}`;
      const words = ["--target", target, "--scope", scope, "--features", "mcp"];
      await writeText(file, text);
      const dry = await runAt(home, ["agents", "install", ...words, "--dry-run"]);
      assert.equal(dry.code, 0, dry.stderr);
      assert.equal(dry.stdout, `would_write ${target} mcp ${file}\n`);
      assert.match(dry.stderr, /^\+ .*gum/m, `${target} ${scope}`);
      assert.equal(await Deno.readTextFile(file), text);
      // Twice, the second time with another argument: the way back stays the same.
      for (const more of [[], ["--mcp-arg", "--read-only"]]) {
        const run = await runAt(home, ["agents", "install", ...words, ...more]);
        assert.equal(run.code, 0, run.stderr);
        const now = await Deno.readTextFile(file);
        assert.match(now, target === "codex" ? /command = "gum"/ : /"command": ?"gum"/);
        assert.match(now, /--stdio/);
        for (const [remark] of text.matchAll(/\/\/.*|\/\*.*?\*\/|# .*/g)) {
          assert.ok(now.includes(remark), `${target}: ${remark} is gone`);
        }
      }
      const gone = await runAt(home, ["agents", "uninstall", ...words]);
      assert.equal(gone.code, 0, gone.stderr);
      assert.equal(await Deno.readTextFile(file), text, `${target} ${scope}`);
      const nothing = await runAt(home, ["agents", "uninstall", ...words]);
      assert.deepEqual([nothing.code, nothing.stdout], [0, ""]);
    });
    // Where there was no file there is none afterwards.
    await withFolder(async (home) => {
      const words = ["--target", target, "--scope", scope, "--features", "mcp"];
      assert.equal((await runAt(home, ["agents", "install", ...words])).code, 0);
      assert.equal((await runAt(home, ["agents", "uninstall", ...words])).code, 0);
      await assert.rejects(Deno.stat(`${home}/${path}`), Deno.errors.NotFound);
    });
  }
});

Deno.test("agents: a skill file that was replaced by force comes back, one of an older gum goes", async () => {
  await withFolder(async (home) => {
    const skill = `${home}/.claude/skills/gum/SKILL.md`;
    const words = ["--target", "claude", "--features", "skills"];
    await writeText(skill, "# my own notes\n");
    const kept = await runAt(home, ["agents", "install", ...words]);
    assert.match(kept.stdout, /^skipped claude skills .*\/skills\/gum\/SKILL\.md$/m);
    const forced = await runAt(home, ["agents", "install", ...words, "--force"]);
    assert.equal(forced.code, 0, forced.stderr);
    assert.match(await Deno.readTextFile(skill), /^---\nname: gum\n/);
    const gone = await runAt(home, ["agents", "uninstall", ...words]);
    assert.match(gone.stdout, /^restored claude skills .*\/skills\/gum\/SKILL\.md$/m);
    assert.equal(await Deno.readTextFile(skill), "# my own notes\n");
    assert.deepEqual(
      (await filesBelow(home)).filter((path) => path.includes("/.claude/")),
      [skill],
    );
  });
  await withFolder(async (home) => {
    const skill = `${home}/.claude/skills/gum/SKILL.md`;
    const words = ["--target", "claude", "--features", "skills"];
    assert.equal((await runAt(home, ["agents", "install", ...words])).code, 0);
    // What another version would have left: its own text, recorded as its own.
    const record = `${home}/.local/share/gum/default/client_files.json`;
    const older = (text: string) => text.replaceAll("name: gum", "name: old-gum");
    await Deno.writeTextFile(skill, older(await Deno.readTextFile(skill)));
    const rows: { digest?: string }[] = JSON.parse(older(await Deno.readTextFile(record)));
    // A record without digests is read, too.
    for (const row of rows) delete row.digest;
    await Deno.writeTextFile(record, JSON.stringify(rows));
    const gone = await runAt(home, ["agents", "uninstall", ...words]);
    assert.match(gone.stdout, /^removed claude skills .*\/skills\/gum\/SKILL\.md$/m);
    await assert.rejects(Deno.stat(skill), Deno.errors.NotFound);
    // An edited one is its owner's.
    assert.equal((await runAt(home, ["agents", "install", ...words])).code, 0);
    await Deno.writeTextFile(skill, await Deno.readTextFile(skill) + "\nmine\n");
    const edited = await runAt(home, ["agents", "uninstall", ...words]);
    assert.match(edited.stdout, /^skipped claude skills .*\/skills\/gum\/SKILL\.md$/m);
    assert.match(await Deno.readTextFile(skill), /\nmine\n$/);
  });
});

Deno.test("agents: two installations at once both arrive, and both can be taken back", async () => {
  await withFolder(async (home) => {
    await writeText(`${home}/.cursor/mcp.json`, CURSOR);
    const words = (target: string) => ["--target", target, "--features", "mcp"];
    const targets = ["cursor", "gemini", "windsurf", "codex"];
    const runs = await Promise.all(
      targets.map((target) => runAt(home, ["agents", "install", ...words(target)])),
    );
    assert.deepEqual(runs.map(({ code }) => code), [0, 0, 0, 0]);
    const record = JSON.parse(
      await Deno.readTextFile(`${home}/.local/share/gum/default/client_files.json`),
    );
    assert.equal(record.length, 4);
    for (const target of targets) {
      assert.equal((await runAt(home, ["agents", "uninstall", ...words(target)])).code, 0);
    }
    assert.equal(await Deno.readTextFile(`${home}/.cursor/mcp.json`), CURSOR);
  });
});
