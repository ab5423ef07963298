import assert from "node:assert/strict";
import { filesOf, type ShellPlaces } from "./shell_files.ts";
import { runRecorded } from "./testing/recorded_host.ts";
import { withFolder } from "./testing/spawned.ts";

async function textOf(path: string): Promise<string | undefined> {
  try {
    return await Deno.readTextFile(path);
  } catch (error) {
    if (error instanceof Deno.errors.NotFound) return undefined;
    throw error;
  }
}

Deno.test("completion install: without a name it is for the login shell, and says so", async () => {
  await withFolder(async (home) => {
    const rc = `${home}/.zshrc`;
    await Deno.writeTextFile(rc, "# mine\nalias ll='ls -l'");
    const environment = { HOME: home, SHELL: "/usr/bin/zsh" };
    const dry = await runRecorded(["completion", "install", "--dry-run"], { environment });
    assert.equal(dry.code, 0, dry.stderr);
    assert.match(dry.stdout, /^would_write .*\/_gum\nwould_write .*\/\.zshrc\n$/);
    assert.match(dry.stderr, /for zsh, your login shell/);
    assert.match(dry.stderr, /^\+.*BEGIN gum completion/m);
    assert.equal(await textOf(rc), "# mine\nalias ll='ls -l'");
    const done = await runRecorded(["completion", "install"], { environment });
    assert.match(done.stdout, /^wrote .*\/_gum\nwrote .*\/\.zshrc\nStart a new zsh to use it\.\n$/);
    assert.match(await textOf(rc) ?? "", /^# mine\nalias ll='ls -l'\n# BEGIN gum completion\n/);
    const again = await runRecorded(["completion", "install"], { environment });
    assert.match(again.stdout, /^unchanged .*\/_gum\nunchanged .*\/\.zshrc\n/);
    const gone = await runRecorded(["completion", "uninstall"], { environment });
    assert.equal(gone.code, 0, gone.stderr);
    assert.match(gone.stdout, /^removed .*\/_gum$/m);
    assert.equal(await textOf(rc), "# mine\nalias ll='ls -l'");
  });
});

Deno.test("completion install: every shell is known by the name it logs in with", async () => {
  await withFolder(async (home) => {
    for (
      const [path, shell] of [
        ["/bin/bash", "bash"],
        ["/usr/local/bin/fish", "fish"],
        ["/opt/microsoft/powershell/7/pwsh", "powershell"],
        ["C:\\Program Files\\PowerShell\\7\\pwsh.exe", "powershell"],
      ]
    ) {
      const environment = { HOME: home, SHELL: path };
      const run = await runRecorded(["completion", "install", "--dry-run"], { environment });
      assert.equal(run.code, 0, run.stderr);
      assert.ok(run.stderr.includes(`for ${shell}, your login shell`), run.stderr);
    }
    const other = await runRecorded(["completion", "install"], {
      environment: { HOME: home, SHELL: "/bin/tcsh" },
    });
    assert.equal(other.code, 2);
    assert.match(other.stderr, /your shell tcsh has no script; name a shell: bash, zsh, fish/);
    const named = await runRecorded(["completion", "install", "fish", "--dry-run"], {
      environment: { HOME: home, SHELL: "/bin/tcsh" },
    });
    assert.equal(named.code, 0);
    assert.ok(!named.stderr.includes("login shell"));
  });
});

Deno.test("completion install: a start-up file comes back byte for byte, and nothing stands beside it", async () => {
  const own = ["", "\n", "# mine\n\n", "export A=1", "a\r\nb\r\n", "\t\n \n"];
  for (const text of own) {
    await withFolder(async (home) => {
      const rc = `${home}/.zshrc`;
      await Deno.writeTextFile(rc, text);
      await Deno.chmod(rc, 0o640);
      const environment = { HOME: home };
      for (const more of [[], ["--no-descriptions"]]) {
        const argv = ["completion", "install", "zsh", ...more];
        assert.equal((await runRecorded(argv, { environment })).code, 0);
      }
      assert.match(await textOf(rc) ?? "", /BEGIN gum completion/);
      assert.deepEqual(
        [...Deno.readDirSync(home)].map(({ name }) => name).sort(),
        [".local", ".zshrc"],
      );
      const gone = await runRecorded(["completion", "uninstall", "zsh"], { environment });
      assert.equal(gone.code, 0, gone.stderr);
      assert.equal(await textOf(rc), text, JSON.stringify(text));
      assert.equal(((await Deno.stat(rc)).mode ?? 0) & 0o777, 0o640);
    });
  }
});

Deno.test("completion install: lines that were added behind gum's survive, a file it made goes", async () => {
  await withFolder(async (home) => {
    const rc = `${home}/.bashrc`;
    const environment = { HOME: home };
    const run = (action: string) => runRecorded(["completion", action, "bash"], { environment });
    for (const text of ["export A=1", "export A=1\n"]) {
      await Deno.writeTextFile(rc, text);
      await run("install");
      await Deno.writeTextFile(rc, await textOf(rc) + "export B=2\n");
      await run("uninstall");
      assert.equal(await textOf(rc), "export A=1\nexport B=2\n");
    }
    await Deno.remove(rc);
    await run("install");
    await run("uninstall");
    assert.equal(await textOf(rc), undefined);
  });
});

Deno.test("completion install: a linked start-up file stays a link", async () => {
  await withFolder(async (home) => {
    await Deno.mkdir(`${home}/dotfiles`);
    await Deno.writeTextFile(`${home}/dotfiles/bashrc`, "a=1\n");
    await Deno.symlink(`${home}/dotfiles/bashrc`, `${home}/.bashrc`);
    const environment = { HOME: home };
    await runRecorded(["completion", "install", "bash"], { environment });
    assert.ok((await Deno.lstat(`${home}/.bashrc`)).isSymlink);
    assert.match(await textOf(`${home}/dotfiles/bashrc`) ?? "", /BEGIN gum completion/);
    assert.deepEqual([...Deno.readDirSync(`${home}/dotfiles`)].length, 1);
    await runRecorded(["completion", "uninstall", "bash"], { environment });
    assert.equal(await textOf(`${home}/dotfiles/bashrc`), "a=1\n");
  });
});

Deno.test("completion install: each shell's own places are respected", async () => {
  const places: ShellPlaces = {
    home: "/h",
    os: "linux",
    data: "/d",
    config: "/c",
    bashLogin: [".profile"],
  };
  const startup = (shell: "bash" | "zsh", more: Partial<ShellPlaces>) =>
    filesOf(shell, { ...places, ...more }).startup;
  assert.equal(startup("zsh", {})?.path, "/h/.zshrc");
  assert.equal(startup("zsh", { zdotdir: "/z" })?.path, "/z/.zshrc");
  assert.equal(startup("bash", {})?.path, "/h/.bashrc");
  assert.equal(startup("bash", { os: "darwin" })?.path, "/h/.profile");
  assert.match(startup("bash", { os: "darwin" })?.lines[0] ?? "", /^\[ -n "\$BASH_VERSION" \] && /);
  assert.equal(startup("bash", { os: "darwin", bashLogin: [] })?.path, "/h/.bash_profile");
  assert.equal(filesOf("fish", places).script, "/c/fish/completions/gum.fish");
  await withFolder(async (home) => {
    const environment = { HOME: home, ZDOTDIR: `${home}/z`, XDG_CONFIG_HOME: `${home}/x` };
    const zsh = await runRecorded(["completion", "install", "zsh"], { environment });
    assert.equal(zsh.code, 0, zsh.stderr);
    assert.match(await textOf(`${home}/z/.zshrc`) ?? "", /BEGIN gum completion/);
    await runRecorded(["completion", "install", "fish"], { environment });
    assert.match(await textOf(`${home}/x/fish/completions/gum.fish`) ?? "", /complete -c gum/);
  });
});

Deno.test("completion install: the script of another program named gum is left alone", async () => {
  await withFolder(async (home) => {
    const environment = { HOME: home };
    const script = `${home}/.config/fish/completions/gum.fish`;
    const theirs = "# fish completion for gum\nfunction __gum_debug\nend\n";
    await Deno.mkdir(`${home}/.config/fish/completions`, { recursive: true });
    await Deno.writeTextFile(script, theirs);
    const refused = await runRecorded(["completion", "install", "fish"], { environment });
    assert.equal(refused.code, 1);
    assert.match(refused.stderr, /gum\.fish completes another program named gum; move it away/);
    const gone = await runRecorded(["completion", "uninstall", "fish"], { environment });
    assert.deepEqual([gone.code, gone.stdout], [0, `skipped ${script}\n`]);
    assert.equal(await textOf(script), theirs);
  });
});

Deno.test("completion install: a start-up file whose marks contradict is named and left alone", async () => {
  await withFolder(async (home) => {
    await Deno.writeTextFile(`${home}/.zshrc`, "# BEGIN gum completion\nmine\n");
    const environment = { HOME: home };
    const broken = await runRecorded(["completion", "install", "zsh"], { environment });
    assert.equal(broken.code, 1);
    assert.match(broken.stderr, /\.zshrc: the line "# BEGIN gum completion" has no line /);
    assert.equal(await textOf(`${home}/.zshrc`), "# BEGIN gum completion\nmine\n");
  });
});
