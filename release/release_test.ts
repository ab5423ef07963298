import assert from "node:assert/strict";
import { parsePlan } from "../tasks/compile.ts";
import { pretendBuilt } from "./testing/pretend_built.ts";
import {
  archiveName,
  ARTIFACTS,
  checksumLines,
  hostTarget,
  TARGETS,
  tarGz,
  writeArchives,
  zip,
} from "./mod.ts";

async function inFolder(body: (folder: string) => Promise<void>): Promise<void> {
  const folder = await Deno.makeTempDir({ prefix: "gum-release-" });
  try {
    await body(folder);
  } finally {
    await Deno.remove(folder, { recursive: true });
  }
}

async function output(command: string, args: string[], cwd?: string): Promise<string> {
  const { code, stdout, stderr } = await new Deno.Command(command, { args, cwd }).output();
  assert.equal(code, 0, new TextDecoder().decode(stderr));
  return new TextDecoder().decode(stdout);
}

Deno.test("release: five platforms, two executables, names that scripts can derive", () => {
  assert.equal(TARGETS.length, 5);
  const names = TARGETS.flatMap((target) =>
    ARTIFACTS.map((artifact) => archiveName(artifact, { target, version: "v1.2.3" }))
  );
  assert.equal(new Set(names).size, 10);
  assert.ok(names.includes("gum_1.2.3_linux_amd64.tar.gz"));
  assert.ok(names.includes("gum-sandboxed_1.2.3_darwin_arm64.tar.gz"));
  assert.ok(names.includes("gum_1.2.3_windows_amd64.zip"));
  assert.equal(hostTarget({ os: "linux", arch: "aarch64" })?.triple, "aarch64-unknown-linux-gnu");
  assert.equal(hostTarget({ os: "freebsd", arch: "x86_64" }), undefined);
});

Deno.test("release: the compile task reads its flags and refuses what it does not know", () => {
  const plan = parsePlan(["--target", "all", "--artifact", "gum", "--version", "v1.2.3"]);
  assert.deepEqual([plan.targets.length, plan.artifacts.length, plan.out], [5, 1, "dist"]);
  const one = parsePlan(["--target", "x86_64-apple-darwin", "--out", "dist-mac"]);
  assert.deepEqual([one.targets.map(({ os }) => os), one.out], [["darwin"], "dist-mac"]);
  for (
    const argv of [
      ["--target", "sparc"],
      ["--version", "1.2"],
      ["--version", "v1.2.3; rm"],
      ["--repository", "a/b/c"],
      ["--out"],
      ["out", "x"],
    ]
  ) assert.throws(() => parsePlan(argv), Error, argv.join(" "));
});

Deno.test({
  name: "release: archives are the same bytes each time and open with the system's tools",
  ignore: Deno.build.os === "windows",
  async fn() {
    await inFolder(async (folder) => {
      const built = await pretendBuilt(folder);
      const write = (out: string) => writeArchives(built, { version: "v1.2.3", out });
      const [first, second] = [await write(`${folder}/a`), await write(`${folder}/b`)];
      assert.equal(first.length, 10);
      assert.deepEqual(first, second);
      await output("sha256sum", ["--check", "--strict", "checksums.txt"], `${folder}/a`);
      const listed = await output("tar", [
        "-tvzf",
        `${folder}/a/gum_1.2.3_linux_amd64.tar.gz`,
        "--full-time",
      ]);
      const lines = listed.trim().split("\n");
      assert.match(lines[0] ?? "", /^-rwxr-xr-x (root\/root|0\/0)\s+\d+ 2020-01-01 00:00:00 gum$/);
      assert.deepEqual(lines.map((line) => line.split(" ").at(-1)), [
        "gum",
        "LICENSE",
        "README.md",
        "CHANGELOG.md",
        "THIRD_PARTY_NOTICES.txt",
        "completions/gum.bash",
        "completions/_gum",
        "completions/gum.fish",
        "completions/gum.ps1",
      ]);
      const tested = await output("python3", [
        "-c",
        "import sys, zipfile; z = zipfile.ZipFile(sys.argv[1]); print(z.testzip(), z.namelist()[0])",
        `${folder}/a/gum_1.2.3_windows_amd64.zip`,
      ]);
      assert.equal(tested, "None gum.exe\n");
      const own = await Deno.readTextFile(`${folder}/a/release-binaries.sha256`);
      assert.match(own, /^[0-9a-f]{64} {2}aarch64-apple-darwin\/gum\n/);
    });
  },
});

Deno.test("release: archive forms keep empty, odd-sized and non-ASCII entries", async () => {
  await inFolder(async (folder) => {
    const entries = [
      { name: "empty", bytes: new Uint8Array() },
      { name: "block", bytes: new Uint8Array(512).fill(7) },
      { name: "größe.txt", bytes: new TextEncoder().encode("ä\n"), executable: true },
    ];
    await Deno.writeFile(`${folder}/x.tar.gz`, await tarGz(entries));
    await Deno.writeFile(`${folder}/x.zip`, await zip(entries));
    const read = await output("python3", [
      "-c",
      `import sys, tarfile, zipfile
t = tarfile.open(sys.argv[1]); z = zipfile.ZipFile(sys.argv[2])
print([(m.name, m.size, oct(m.mode)) for m in t] == [(i.filename, i.file_size, oct(i.external_attr >> 16 & 0o777)) for i in z.infolist()])
print(z.read("größe.txt").decode() == t.extractfile("größe.txt").read().decode() == "ä\\n")`,
      `${folder}/x.tar.gz`,
      `${folder}/x.zip`,
    ]);
    assert.equal(read, "True\nTrue\n");
  });
  await assert.rejects(tarGz([{ name: "x".repeat(101), bytes: new Uint8Array() }]), /too long/);
});

Deno.test("release: checksum lines are ordered by name", () => {
  const [low, high] = ["0".repeat(64), "f".repeat(64)];
  assert.equal(
    checksumLines([{ name: "b", sha256: low }, { name: "a", sha256: high }]),
    `${high}  a\n${low}  b\n`,
  );
});
