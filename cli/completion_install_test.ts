import assert from "node:assert/strict";
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
    assert.match(dry.stdout, /^would_write .*\/\.zshrc\nwould_write .*\/_gum\n$/);
    assert.match(dry.stderr, /for zsh, your login shell/);
    assert.match(dry.stderr, /^\+.*BEGIN gum completion/m);
    assert.equal(await textOf(rc), "# mine\nalias ll='ls -l'");
    const done = await runRecorded(["completion", "install"], { environment });
    assert.match(done.stdout, /^wrote .*\/\.zshrc\nwrote .*\/_gum\nStart a new zsh to use it\.\n$/);
    assert.match(await textOf(rc) ?? "", /^# mine\nalias ll='ls -l'\n# BEGIN gum completion\n/);
    const again = await runRecorded(["completion", "install"], { environment });
    assert.match(again.stdout, /^unchanged .*\/\.zshrc$/m);
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
