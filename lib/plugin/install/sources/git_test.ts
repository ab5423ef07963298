import assert from "node:assert/strict";

import type { JsonObject } from "../../../json/mod.ts";

import {
  filesBelow,
  inTemporary,
  manifestTree,
  testProfile,
  writePlugin,
} from "../../testdata/fixture.ts";
import { PROGRAM, refusal } from "../../testdata/packages.ts";

async function git(cwd: string, ...args: string[]): Promise<string> {
  const { code, stdout, stderr } = await new Deno.Command("git", {
    args: ["-c", "user.name=A", "-c", "user.email=a@example.com", ...args],
    cwd,
    env: { GIT_CONFIG_GLOBAL: "/dev/null" },
  }).output();
  assert.equal(code, 0, new TextDecoder().decode(stderr));
  return new TextDecoder().decode(stdout).trim();
}

async function repository(directory: string): Promise<{ url: string; commit: string }> {
  await Deno.mkdir(`${directory}/sub/bin`, { recursive: true });
  await Deno.writeTextFile(`${directory}/sub/bin/echo-mcp`, PROGRAM);
  await Deno.writeTextFile(`${directory}/outside.txt`, "not part of it");
  await git(directory, "init", "--quiet", "--initial-branch=main");
  await git(directory, "add", ".");
  await git(directory, "commit", "--quiet", "-m", "one");
  return { url: `file://${directory}`, commit: await git(directory, "rev-parse", "HEAD") };
}

Deno.test("TestInstallGitPackage: a pinned commit of a real repository, without its repository", async () => {
  await inTemporary(async (directory) => {
    const { url, commit } = await repository(`${directory}/repo`);
    await Deno.writeTextFile(`${directory}/repo/sub/bin/echo-mcp`, "later");
    await git(`${directory}/repo`, "commit", "--quiet", "-am", "two");
    const install = async (source: JsonObject, more: { isDev: boolean }) => {
      const tree = manifestTree({
        package: { source: "git", repository: url, ref: commit, subdir: "sub", ...source },
      });
      const plugin = await writePlugin(`${directory}/plugin`, { tree });
      const profile = testProfile(directory, { settings: more });
      try {
        return await profile.install(plugin);
      } finally {
        profile.parts.http.close();
      }
    };
    const result = await install({}, { isDev: true });
    assert.equal(result.risk, "low");
    assert.equal(await Deno.readTextFile(result.executable.executable_path), PROGRAM);
    assert.deepEqual(await filesBelow(result.executable.install_root), [
      "bin/echo-mcp",
      "manifest.json",
    ]);
    const branch = await install({ ref: "main" }, { isDev: true });
    assert.equal(branch.risk, "dev-untrusted");
    assert.equal(await Deno.readTextFile(branch.executable.executable_path), "later");
    assert.equal(
      await refusal(install({ ref: "main" }, { isDev: false })),
      "PLUGIN_MANIFEST_INVALID",
      "a repository of this machine is for development profiles",
    );
    const remote = { repository: "https://example.invalid/a.git" };
    assert.equal(
      await refusal(install({ ...remote, ref: "main" }, { isDev: false })),
      "PLUGIN_EXECUTABLE_UNTRUSTED unpinned_ref",
    );
    for (const bad of ["ssh://host/a.git", "https://user:pw@host/a.git", "/abs", "ext::sh -c x"]) {
      assert.equal(
        await refusal(install({ repository: bad }, { isDev: true })),
        "PLUGIN_MANIFEST_INVALID",
        bad,
      );
    }
    assert.equal(
      await refusal(install({ ref: "0".repeat(40) }, { isDev: true })),
      "PLUGIN_EXECUTABLE_UNTRUSTED git_failed",
    );
    assert.equal(
      await refusal(install({ subdir: "none" }, { isDev: true })),
      "PLUGIN_EXECUTABLE_UNTRUSTED outside_install_root",
    );
    assert.equal(
      await refusal(install({ ref: "--upload-pack=x" }, { isDev: true })),
      "PLUGIN_MANIFEST_INVALID",
    );
  });
});

Deno.test({
  name:
    "TestInstallGitPackage: hooks and links of a repository do nothing but stop the installation",
  ignore: Deno.build.os === "windows",
  async fn() {
    await inTemporary(async (directory) => {
      const repo = `${directory}/repo`;
      const { url } = await repository(repo);
      await Deno.symlink("/etc/passwd", `${repo}/sub/link`);
      await git(repo, "add", ".");
      await git(repo, "commit", "--quiet", "-m", "link");
      const commit = await git(repo, "rev-parse", "HEAD");
      const tree = manifestTree({
        package: { source: "git", repository: url, ref: commit, subdir: "sub" },
      });
      const plugin = await writePlugin(`${directory}/plugin`, { tree });
      const profile = testProfile(directory, { settings: { isDev: true } });
      assert.equal(await refusal(profile.install(plugin)), "PLUGIN_EXECUTABLE_UNTRUSTED symlink");
      profile.parts.http.close();
    });
  },
});
