import assert from "node:assert/strict";
import { patchFile, withSortedServer } from "../lib/agents/mod.ts";
import { guideText } from "./init_guide.ts";
import { shellWords } from "../tasks/gum_program.ts";
import { isolatedEnvironment, runGum, withFolder } from "./testing/spawned.ts";

const GUM_ENTRY = { args: ["mcp", "--stdio"], command: "gum" };

Deno.test("TestSettingsAtomicPatch: a key written after the preview survives, the mode too", async () => {
  await withFolder(async (folder) => {
    const path = `${folder}/settings.json`;
    await Deno.writeTextFile(path, '{"mine":1}');
    await Deno.chmod(path, 0o640);
    const preview = withSortedServer(await Deno.readTextFile(path), "claude");
    assert.ok(!preview.includes("later"));
    await Deno.writeTextFile(path, '{"mine":1,"later":2}');
    await patchFile(path, (text) => withSortedServer(text, "claude"));
    assert.deepEqual(JSON.parse(await Deno.readTextFile(path)), {
      later: 2,
      mcpServers: { gum: GUM_ENTRY },
      mine: 1,
    });
    assert.equal(((await Deno.stat(path)).mode ?? 0) & 0o777, 0o640);
    assert.deepEqual(
      [...Deno.readDirSync(folder)].map(({ name }) => name).sort(),
      ["settings.json", "settings.lock"],
    );
  });
});

Deno.test("TestSettingsAtomicPatch: a link is followed and stays a link", async () => {
  await withFolder(async (folder) => {
    await Deno.mkdir(`${folder}/dotfiles`);
    await Deno.writeTextFile(`${folder}/dotfiles/real.json`, "{}");
    await Deno.symlink(`${folder}/dotfiles/real.json`, `${folder}/settings.json`);
    await patchFile(`${folder}/settings.json`, (text) => withSortedServer(text, "claude"));
    assert.ok((await Deno.lstat(`${folder}/settings.json`)).isSymlink);
    assert.match(await Deno.readTextFile(`${folder}/dotfiles/real.json`), /"gum"/);
  });
});

Deno.test("TestSettingsAtomicPatch: what a killed writer left goes with the next change", async () => {
  await withFolder(async (folder) => {
    for (const name of ["settings.json.0123456789ab.tmp", "settings.json.mine.tmp"]) {
      await Deno.writeTextFile(`${folder}/${name}`, "half");
    }
    await patchFile(`${folder}/settings.json`, (text) => withSortedServer(text, "claude"));
    assert.deepEqual(
      [...Deno.readDirSync(folder)].map(({ name }) => name).sort(),
      ["settings.json", "settings.json.mine.tmp", "settings.lock"],
    );
  });
});

Deno.test("TestSettingsAtomicPatch: a lock held by another process leaves the file as it is", async () => {
  await withFolder(async (folder) => {
    const path = `${folder}/settings.json`;
    await Deno.writeTextFile(path, "{}");
    const holder = new Deno.Command(Deno.execPath(), {
      args: [
        "eval",
        `const file = await Deno.open(${JSON.stringify(`${folder}/settings.lock`)}, ` +
        "{ write: true, create: true }); await file.lock(true); console.log('held'); " +
        "await Deno.stdin.read(new Uint8Array(1));",
      ],
      stdin: "piped",
      stdout: "piped",
    }).spawn();
    const reader = holder.stdout.getReader();
    await reader.read();
    try {
      await assert.rejects(
        patchFile(path, () => "{}changed", { lockWaitMs: 60 }),
        /settings\.lock is held by another process/,
      );
      assert.equal(await Deno.readTextFile(path), "{}");
    } finally {
      await holder.stdin.close();
      reader.releaseLock();
      await holder.stdout.cancel();
      await holder.status;
    }
  });
});

Deno.test("TestSettingsAtomicPatch: changes made at the same time all survive", async () => {
  await withFolder(async (folder) => {
    const path = `${folder}/settings.json`;
    await Promise.all(
      Array.from(
        { length: 8 },
        (_, index) =>
          patchFile(
            path,
            (text) => JSON.stringify({ ...JSON.parse(text ?? "{}"), [`key${index}`]: index }),
          ),
      ),
    );
    assert.equal(Object.keys(JSON.parse(await Deno.readTextFile(path))).length, 8);
  });
});

Deno.test("TestSettingsAtomicPatch: gum init asks, patches, writes GUM.md and names what is next", async () => {
  await withFolder(async (home) => {
    const project = `${home}/project`;
    await Deno.mkdir(`${project}/.claude`, { recursive: true });
    const settings = `${project}/.claude/settings.json`;
    await Deno.writeTextFile(settings, '{"z":1,"mcpServers":{"other":{"command":"o"}}}');
    const declined = await runGum(["init"], { home, cwd: project, stdin: "n\n" });
    assert.equal(declined.code, 1);
    assert.match(
      declined.stderr,
      /Apply this patch to .*\[y\/N\]: Error: init: patch declined by user/,
    );
    assert.equal(
      await Deno.readTextFile(settings),
      '{"z":1,"mcpServers":{"other":{"command":"o"}}}',
    );
    const runs = await Promise.all([
      runGum(["init", "--yes"], { home, cwd: project }),
      runGum(["init"], { home, cwd: project, stdin: "y\n" }),
    ]);
    for (const { code, stderr } of runs) assert.equal(code, 0, stderr);
    const [{ stdout }] = runs;
    assert.match(stdout, /^(UPDATE|No changes:) .*settings\.json/);
    assert.match(stdout, /Wrote .*GUM\.md\nNo usable Google credential/);
    assert.match(stdout, /gum auth use-oauth-client[\s\S]*gum auth login[\s\S]*gum doctor/);
    assert.deepEqual(JSON.parse(await Deno.readTextFile(settings)), {
      mcpServers: { gum: GUM_ENTRY, other: { command: "o" } },
      z: 1,
    });
    const guide = await Deno.readTextFile(`${project}/GUM.md`);
    for (
      const part of [
        "Profile selection",
        "Auth method",
        "Read-only profile",
        "Write-enabled profile",
        "Code-mode profile",
        "gum.search_apis",
        "gmail_send",
      ]
    ) assert.ok(guide.includes(part), part);
    const again = await runGum(["init", "--yes"], { home, cwd: project });
    assert.match(again.stdout, /^No changes: /);
    const out = ["agents", "uninstall", "--target", "claude", "--scope", "project"];
    assert.equal((await runGum(out, { home, cwd: project })).code, 0);
    assert.equal(
      await Deno.readTextFile(settings),
      '{"z":1,"mcpServers":{"other":{"command":"o"}}}',
    );
  });
});

Deno.test("init: GUM.md names every tool that is always listed", async () => {
  const roster = JSON.parse(
    await Deno.readTextFile(new URL("../docs/tier-a-roster.v1.json", import.meta.url)),
  );
  const named = (row: string | { name: string }) => typeof row === "string" ? row : row.name;
  const names: string[] = [...roster.meta_tools, ...roster.convenience_tools].map(named);
  assert.equal(names.length, 27);
  for (const name of names) assert.ok(guideText().includes(`\`${name}\``), name);
});

Deno.test("init: other targets, refresh, and what is refused", async () => {
  await withFolder(async (home) => {
    const desktop = await runGum(["init", "--target", "claude-desktop", "--yes"], {
      home,
      cwd: home,
    });
    assert.equal(desktop.code, 0, desktop.stderr);
    if (Deno.build.os === "linux") {
      const path = `${home}/.config/Claude/claude_desktop_config.json`;
      assert.deepEqual(JSON.parse(await Deno.readTextFile(path)).mcpServers.gum.args, [
        "mcp",
        "--stdio",
        "--tool-names=underscore",
      ]);
    }
    await Deno.remove(`${home}/GUM.md`);
    const refresh = await runGum(["init", "--refresh"], { home, cwd: home });
    assert.equal(refresh.stdout, `Wrote ${home}/GUM.md\n`);
    const both = await runGum(["init", "--target", "cursor", "--global"], { home, cwd: home });
    assert.equal(both.code, 2);
    await Deno.mkdir(`${home}/.cursor`);
    await Deno.writeTextFile(`${home}/.cursor/mcp.json`, "[]");
    const list = await runGum(["init", "--target", "cursor", "--yes"], { home, cwd: home });
    assert.deepEqual([list.code, await Deno.readTextFile(`${home}/.cursor/mcp.json`)], [1, "[]"]);
  });
});

Deno.test("completion install: the real shell finds gum's completions in a fresh home", async () => {
  await withFolder(async (home) => {
    await Deno.writeTextFile(`${home}/.bashrc`, "export MINE=1");
    for (const shell of ["bash", "zsh", "fish", "powershell"]) {
      const dry = await runGum(["completion", "install", shell, "--dry-run"], { home });
      assert.match(dry.stdout, /^would_write /, shell);
    }
    assert.deepEqual([...Deno.readDirSync(home)].map(({ name }) => name), [".bashrc"]);
    for (const shell of ["bash", "zsh", "fish", "powershell"]) {
      const { code, stdout } = await runGum(["completion", "install", shell], { home });
      assert.deepEqual([code, /^wrote /.test(stdout)], [0, true], shell);
    }
    assert.equal((await runGum(["completion", "install"], { home })).code, 2);
    assert.equal((await runGum(["completion", "bash", "extra"], { home })).code, 2);
    await Deno.writeTextFile(`${home}/gum`, `#!/bin/sh\nexec ${shellWords()} "$@"\n`, {
      mode: 0o755,
    });
    const env = await isolatedEnvironment(home);
    const shells: [string, string[], RegExp][] = [
      [
        "bash",
        ["--rcfile", `${home}/.bashrc`, "-i", "-c", "complete -p gum; echo $MINE"],
        /-F __gum_complete gum\n1/,
      ],
      ["zsh", ["-i", "-c", "echo $_comps[gum]"], /_gum/],
      ["fish", ["-c", "complete -C 'gum sea'"], /search/],
    ];
    for (const [shell, args, expected] of shells) {
      const output = await new Deno.Command(shell, {
        args,
        cwd: home,
        clearEnv: true,
        env: { ...env, PATH: `${home}:${env.PATH}`, TERM: "dumb" },
        stdin: "null",
      }).output().catch((error) => {
        // A shell that is not installed cannot be asked.
        if (error instanceof Deno.errors.NotFound) return undefined;
        throw error;
      });
      if (output === undefined) continue;
      const text = new TextDecoder();
      assert.match(text.decode(output.stdout), expected, `${shell}: ${text.decode(output.stderr)}`);
    }
    for (const shell of ["bash", "zsh", "fish", "powershell"]) {
      assert.equal((await runGum(["completion", "uninstall", shell], { home })).code, 0);
    }
    assert.equal(await Deno.readTextFile(`${home}/.bashrc`), "export MINE=1");
    await assert.rejects(Deno.stat(`${home}/.config/fish/completions/gum.fish`));
  });
});
