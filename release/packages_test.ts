import assert from "node:assert/strict";
import {
  ARTIFACTS,
  homebrewFormula,
  hostTarget,
  type PackageFacts,
  scoopManifest,
  TARGETS,
  writeArchives,
  writeNpmPackages,
} from "./mod.ts";
import { pretendBuilt } from "./testing/pretend_built.ts";

const SMOKE = new URL("testing/formula_smoke.rb", import.meta.url).pathname;

function invented(): PackageFacts {
  const archives = TARGETS.flatMap((target) =>
    ARTIFACTS.map((artifact, index) => ({
      target,
      artifact,
      name: `${artifact.name}_1.2.3_${target.os}_${target.arch}.tar.gz`,
      bytes: 1,
      sha256: `${index}${target.triple.length % 10}`.repeat(32),
    }))
  );
  return { version: "v1.2.3", repository: "example/gum", archives };
}

async function ran(
  command: string,
  args: string[],
  options: { cwd?: string; env?: Record<string, string> } = {},
): Promise<{ code: number; stdout: string; stderr: string } | undefined> {
  try {
    const { code, stdout, stderr } = await new Deno.Command(command, {
      args,
      stdin: "null",
      ...options,
    }).output();
    const text = (bytes: Uint8Array) => new TextDecoder().decode(bytes);
    return { code, stdout: text(stdout), stderr: text(stderr) };
  } catch (error) {
    if (error instanceof Deno.errors.NotFound) return undefined;
    throw error;
  }
}

async function inFolder(body: (folder: string) => Promise<void>): Promise<void> {
  const folder = await Deno.makeTempDir({ prefix: "gum-packages-" });
  try {
    await body(folder);
  } finally {
    await Deno.remove(folder, { recursive: true });
  }
}

Deno.test("TestHomebrewFormula: each platform has its own address and checksum, Windows none", () => {
  const facts = invented();
  const formula = homebrewFormula(facts);
  for (const { name, sha256, target, artifact } of facts.archives) {
    const expected = artifact.name === "gum" && target.os !== "windows";
    const source = `url "https://github.com/example/gum/releases/download/v1.2.3/${name}"\n` +
      `      sha256 "${sha256}"`;
    assert.equal(formula.includes(source), expected, name);
  }
  assert.match(formula, /^class Gum < Formula$/m);
  assert.doesNotMatch(formula, /cask|sandboxed|windows/);
  const partly = homebrewFormula({
    ...facts,
    archives: facts.archives.filter(({ target }) => target.os === "linux"),
  });
  assert.doesNotMatch(partly, /on_macos/);
});

Deno.test("TestHomebrewFormula: it is Ruby, and installs what the archive holds", async () => {
  const host = hostTarget();
  if (host === undefined || host.os === "windows" || await ran("ruby", ["-v"]) === undefined) {
    console.log("skipped: the formula is not run; Ruby is not installed");
    return;
  }
  await inFolder(async (folder) => {
    const archives = await writeArchives(await pretendBuilt(`${folder}/built`), {
      version: "v1.2.3",
      out: `${folder}/out`,
    });
    const path = `${folder}/gum.rb`;
    const facts = { version: "v1.2.3", repository: "example/gum", archives };
    await Deno.writeTextFile(path, homebrewFormula(facts));
    const syntax = await ran("ruby", ["-c", path]);
    assert.deepEqual([syntax?.code, syntax?.stdout], [0, "Syntax OK\n"]);
    const smoke = (out: string) =>
      ran("ruby", [SMOKE, path, out, `${folder}/prefix`, host.os, host.arch]);
    const installed = await smoke(`${folder}/out`);
    assert.equal(installed?.code, 0, installed?.stderr ?? "");
    assert.equal(installed?.stdout, "ok 1.2.3\n");
    for (const file of ["bin/gum", "etc/bash_completion.d/gum", "share/zsh/site-functions/_gum"]) {
      assert.ok((await Deno.stat(`${folder}/prefix/${file}`)).isFile, file);
    }
    // Another archive under the same name is not what the formula means.
    await Deno.writeTextFile(`${folder}/out/${archives[0]?.name}`, "other bytes");
    for (const { name } of archives) await Deno.writeTextFile(`${folder}/out/${name}`, "other");
    assert.notEqual((await smoke(`${folder}/out`))?.code, 0);
  });
});

Deno.test("TestScoopManifest: names the archive for Windows and how to find the next one", () => {
  const facts = invented();
  const manifest = JSON.parse(scoopManifest(facts) ?? "");
  const archive = facts.archives.find(({ target, artifact }) =>
    target.os === "windows" && artifact.name === "gum"
  );
  assert.deepEqual(manifest.architecture, {
    "64bit": {
      url: `https://github.com/example/gum/releases/download/v1.2.3/${archive?.name}`,
      hash: archive?.sha256,
    },
  });
  assert.deepEqual([manifest.version, manifest.bin], ["1.2.3", "gum.exe"]);
  const next = manifest.autoupdate.architecture["64bit"].url.replaceAll("$version", "1.2.4");
  assert.match(next, /\/v1\.2\.4\/gum_1\.2\.4_windows_amd64\.zip$/);
  assert.equal(
    scoopManifest({ ...facts, archives: facts.archives.filter((a) => a !== archive) }),
    undefined,
  );
});

/** The packages, packed by npm; undefined without npm. */
async function packed(folder: string, script?: string): Promise<Map<string, string> | undefined> {
  if (await ran("npm", ["--version"]) === undefined) {
    console.log("skipped: npm is not installed");
    return undefined;
  }
  const folders = await writeNpmPackages(await pretendBuilt(`${folder}/built`, script), {
    name: "gum-test",
    version: "v1.2.3",
    repository: "example/gum",
    out: `${folder}/npm`,
  });
  assert.equal(folders.length, 6);
  const tarballs = new Map<string, string>();
  for (const path of folders) {
    const done = await ran("npm", ["pack", "--silent", "--pack-destination", folder], {
      cwd: path,
    });
    assert.equal(done?.code, 0, done?.stderr ?? "");
    tarballs.set(path.split("/").at(-1) ?? "", `${folder}/${done?.stdout.trim()}`);
  }
  return tarballs;
}

/** Installs from the tarballs alone, never from the registry. */
async function installed(folder: string, tarballs: readonly string[]): Promise<string> {
  const project = `${folder}/project`;
  await Deno.mkdir(project);
  await Deno.writeTextFile(`${project}/package.json`, '{"private":true}');
  const flags = ["--offline", "--no-audit", "--no-fund", "--silent", "--ignore-scripts"];
  const done = await ran("npm", ["install", ...flags, ...tarballs], {
    cwd: project,
    env: { npm_config_cache: `${folder}/cache` },
  });
  assert.equal(done?.code, 0, `${done?.stdout}${done?.stderr}`);
  return `${project}/node_modules/.bin/gum`;
}

function hostPackage(): string {
  const host = hostTarget();
  return `gum-test-${host?.os === "windows" ? "win32" : host?.os}-${
    host?.arch === "amd64" ? "x64" : "arm64"
  }`;
}

const posix = { ignore: Deno.build.os === "windows" };

Deno.test(
  "TestNpmPackages: installed from tarballs, the launcher is the program",
  posix,
  async () => {
    await inFolder(async (folder) => {
      const tarballs = await packed(
        folder,
        '#!/bin/sh\necho "$@"; cat; echo trouble >&2; [ "$1" = die ] && kill -TERM $$; exit 7\n',
      );
      if (tarballs === undefined) return;
      const gum = await installed(folder, [
        tarballs.get(hostPackage()) ?? "",
        tarballs.get("gum-test") ?? "",
      ]);
      const child = new Deno.Command(gum, {
        args: ["a b", "--c"],
        stdin: "piped",
        stdout: "piped",
        stderr: "piped",
      }).spawn();
      const writer = child.stdin.getWriter();
      await writer.write(new TextEncoder().encode("from stdin\n"));
      await writer.close();
      const { code, stdout, stderr } = await child.output();
      assert.equal(new TextDecoder().decode(stdout), "a b --c\nfrom stdin\n");
      assert.deepEqual([code, new TextDecoder().decode(stderr)], [7, "trouble\n"]);
      const died = await new Deno.Command(gum, { args: ["die"], stdin: "null" }).output();
      assert.equal(died.signal, "SIGTERM");
    });
  },
);

Deno.test(
  "TestNpmPackages: without the platform's package the launcher says so",
  posix,
  async () => {
    await inFolder(async (folder) => {
      const tarballs = await packed(folder);
      if (tarballs === undefined) return;
      const listing = await ran("tar", ["-tzf", tarballs.get("gum-test") ?? ""]);
      assert.deepEqual(listing?.stdout.trim().split("\n").toSorted(), [
        "package/LICENSE",
        "package/README.md",
        "package/bin/gum.cjs",
        "package/package.json",
      ]);
      // Nothing fetches the optional packages: the cache is empty and npm is offline.
      const project = `${folder}/bare`;
      await Deno.mkdir(project);
      await ran("tar", ["-xzf", tarballs.get("gum-test") ?? "", "-C", project]);
      const alone = await ran("node", [`${project}/package/bin/gum.cjs`, "--version"]);
      assert.equal(alone?.code, 1);
      assert.match(alone?.stderr ?? "", new RegExp(`^gum: the package ${hostPackage()} is not`));
    });
  },
);
