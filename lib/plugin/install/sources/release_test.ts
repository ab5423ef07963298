import { sha256Hex } from "../../../digest/mod.ts";
import assert from "node:assert/strict";
import { GumError } from "../../../errors/mod.ts";
import type { JsonObject } from "../../../json/mod.ts";
import { filesBelow, inTemporary, manifestTree, writePlugin } from "../../testdata/fixture.ts";
import {
  type Answer,
  gzip,
  PROGRAM,
  refusal,
  served,
  tar,
  type TarEntry,
  zip,
} from "../../testdata/packages.ts";

async function releaseTree(
  artifact: string,
  bytes: Uint8Array,
  more: JsonObject = {},
): Promise<JsonObject> {
  return manifestTree({
    package: {
      source: "github_release",
      repository: "example/echo-mcp",
      ref: "v1.2.0",
      artifact,
      checksum: `sha256:${(await sha256Hex(bytes)).toUpperCase()}`,
      ...more,
    },
  });
}

/** Python's own writer in the 64-bit form, for one entry. */
const WIDE_ENTRY = 'handle = archive.open("bin/echo-mcp", "w", force_zip64=True); ' +
  `handle.write(${JSON.stringify(PROGRAM)}.encode()); handle.close()`;

/** An archive whose entries and directory are described in the 64-bit fields alone. */
async function wideDirectory(files: Record<string, string>): Promise<Uint8Array<ArrayBuffer>> {
  // The limits at which Python's writer changes the form are lowered, so that it writes it all.
  const bytes = await zip(files, "zipfile.ZIP64_LIMIT = 1; zipfile.ZIP_FILECOUNT_LIMIT = 1");
  // It still repeats the directory's numbers in the 32-bit record, which has no comment behind it.
  bytes.fill(0xff, bytes.length - 14, bytes.length - 2);
  return bytes;
}

/** One record of an extended header: its length counts itself, in bytes. */
function pax(key: string, value: string): string {
  const rest = new TextEncoder().encode(` ${key}=${value}\n`).length;
  const digits = (length: number) => String(length).length;
  const length = rest + digits(rest + digits(rest));
  return `${length} ${key}=${value}\n`;
}

Deno.test("TestInstallGitHubReleasePackage: tar.gz, zip and a bare file, verified before they are opened", async () => {
  const archives: [string, Uint8Array<ArrayBuffer>][] = [
    [
      "echo.tar.gz",
      await gzip(tar([
        { name: "echo-1.2.0/", type: "5" },
        { name: "echo-1.2.0/bin/echo-mcp", content: PROGRAM },
        { name: "./echo-1.2.0/data/long.txt", content: "x".repeat(3000) },
        {
          name: "PaxHeader",
          type: "x",
          content: pax("comment", "grün\n") + pax("path", "echo-1.2.0/déjà vu.txt"),
        },
        { name: "other name", content: "y" },
      ])),
    ],
    ["echo.tgz", await gzip(tar([{ name: "bin/echo-mcp", content: PROGRAM }]))],
    ["echo.zip", await zip({ "echo-1.2.0/bin/echo-mcp": PROGRAM, "echo-1.2.0/empty": "" })],
    [
      "echo-wide.zip",
      // A writer to a stream does not know sizes beforehand, so it takes the 64-bit form.
      await zip({}, WIDE_ENTRY),
    ],
    ["echo-many.zip", await wideDirectory({ "bin/echo-mcp": PROGRAM, "notes.txt": "x" })],
    ["echo-linux", new TextEncoder().encode(PROGRAM)],
  ];
  for (const [artifact, bytes] of archives) {
    await inTemporary(async (directory) => {
      const tree = await releaseTree(artifact, bytes);
      const plugin = await writePlugin(`${directory}/plugin`, { tree });
      const answer: Answer = (path) =>
        path === `/example/echo-mcp/releases/download/v1.2.0/${artifact}`
          ? new Response(null, {
            status: 302,
            headers: { location: "https://objects.example/blob" },
          })
          : path === "/blob"
          ? new Response(bytes)
          : undefined;
      await served(directory, { answer }, async (profile, asked) => {
        const result = await profile.install(plugin);
        assert.deepEqual(asked.map((line) => line.split(" ")[0]), [
          "github.com",
          "objects.example",
        ]);
        assert.equal(result.risk, "low", "a verified release keeps the manifest's word");
        assert.equal(await Deno.readTextFile(result.executable.executable_path), PROGRAM);
        const [row] = (await profile.registry.loadSnapshot()).lock.plugins;
        assert.equal(row?.package.checksum, `sha256:${await sha256Hex(bytes)}`);
        assert.equal(row?.package.ref, "v1.2.0");
        const files = await filesBelow(result.executable.install_root);
        assert.ok(files.includes("manifest.json"), "the manifest comes along");
        assert.deepEqual(await filesBelow(profile.registry.paths.staging), ["echo-box.lock"]);
      });
    });
  }
});

Deno.test("TestInstallGitHubReleasePackage: a wrong checksum, a failing host and another manifest", async () => {
  const bytes = await gzip(tar([{ name: "bin/echo-mcp", content: PROGRAM }]));
  await inTemporary(async (directory) => {
    const tree = await releaseTree("echo.tar.gz", bytes, { checksum: "0".repeat(64) });
    const plugin = await writePlugin(`${directory}/plugin`, { tree });
    await served(directory, { answer: () => new Response(bytes) }, async (profile) => {
      assert.equal(
        await refusal(profile.install(plugin)),
        "PLUGIN_EXECUTABLE_UNTRUSTED checksum_mismatch",
      );
      assert.equal((await profile.registry.loadSnapshot()).generation, 0);
      assert.deepEqual(await filesBelow(profile.registry.paths.pluginRoot("echo-box")), []);
    });
    await served(directory, { answer: () => undefined }, async (profile) => {
      await assert.rejects(
        profile.install(plugin),
        (error) =>
          error instanceof GumError && error.code === "SERVICE_DOWN" && error.retryable &&
          error.details.reason === "package_fetch_failed" && error.details.http_status === 404,
      );
    });
    // Five redirects are followed, a sixth is not.
    for (const [hops, wanted] of [[5, "ok"], [6, "SERVICE_DOWN package_fetch_failed"]] as const) {
      const good = await writePlugin(`${directory}/plugin-${hops}`, {
        tree: await releaseTree("echo.tar.gz", bytes),
      });
      let followed = 0;
      const chain = () =>
        followed++ < hops
          ? new Response(null, {
            status: 302,
            headers: { location: `https://hop.example/${followed}` },
          })
          : new Response(bytes);
      await served(`${directory}/hops-${hops}`, { answer: chain }, async (profile) => {
        const install = profile.install(good);
        assert.equal(wanted === "ok" ? (await install, "ok") : await refusal(install), wanted);
      });
    }
    const downgrade = () =>
      new Response(null, { status: 302, headers: { location: "http://plain.example/x" } });
    await served(directory, { answer: downgrade }, async (profile) => {
      assert.equal(await refusal(profile.install(plugin)), "SERVICE_DOWN package_fetch_failed");
    });
  });
  for (const [name, content] of [["manifest.json", "{}"], ["plugin.toml", "a = 1"]] as const) {
    const other = await gzip(tar([{ name: "bin/echo-mcp", content: PROGRAM }, { name, content }]));
    await inTemporary(async (directory) => {
      const plugin = await writePlugin(`${directory}/plugin`, {
        tree: await releaseTree("echo.tar.gz", other),
      });
      await served(directory, { answer: () => new Response(other) }, async (profile) => {
        assert.equal(
          await refusal(profile.install(plugin)),
          "PLUGIN_EXECUTABLE_UNTRUSTED manifest_mismatch",
        );
      });
    });
  }
});

Deno.test("TestInstallGitHubReleasePackage: archives that would leave their directory are refused", async () => {
  const program = { name: "bin/echo-mcp", content: PROGRAM };
  const unsafe = "PLUGIN_EXECUTABLE_UNTRUSTED unsafe_archive_entry";
  const unreadable = "PLUGIN_EXECUTABLE_UNTRUSTED archive_unreadable";
  const tars: [readonly TarEntry[], string][] = [
    [[program, { name: "../evil", content: "x" }], unsafe],
    [[program, { name: "/etc/evil", content: "x" }], unsafe],
    [[program, { name: "a/../../evil", content: "x" }], unsafe],
    [[program, { name: "link", type: "2", link: "/etc/passwd" }], unsafe],
    [[program, { name: "hard", type: "1", link: "bin/echo-mcp" }], unsafe],
    [[program, { name: "fifo", type: "6" }], unsafe],
    [[program, { name: "device", type: "3" }], unsafe],
    [[program, { name: "x", type: "x", content: pax("path", "../evil") }, {
      name: "good",
      content: "x",
    }], unsafe],
    [[program, { name: "x", type: "x", content: pax("linkpath", "/etc/passwd") }], unsafe],
    // Lengths that say nothing: a reader that searched for the next record would do so for hours.
    [[{ name: "x", type: "x", content: "1".repeat(60_000) }, program], unreadable],
    [[{ name: "x", type: "x", content: "9 a=bcdef\n" }, program], unreadable],
    [[program, program], unsafe],
    [[program, { name: "bin/echo-mcp/below", content: "x" }], unsafe],
    [[{ name: "d/".repeat(40) + "x", content: "x" }], unsafe],
    [[{ name: "readme", content: "x" }], "PLUGIN_EXECUTABLE_UNTRUSTED executable_missing"],
  ];
  const cases: [string, Uint8Array<ArrayBuffer>, string][] = [];
  for (const [entries, wanted] of tars) {
    const bytes = await gzip(tar(entries));
    cases.push(["echo.tar.gz", bytes, wanted]);
  }
  const link = 'info = zipfile.ZipInfo("link"); info.external_attr = 0o120777 << 16; ' +
    'archive.writestr(info, "/etc/passwd")';
  cases.push(
    ["echo.zip", await zip({ "bin/echo-mcp": PROGRAM, "../evil": "x" }), unsafe],
    ["echo.zip", await zip({ "bin/echo-mcp": PROGRAM, "a\\b": "x" }), unsafe],
    ["echo.zip", await zip({ "bin/echo-mcp": PROGRAM }, link), unsafe],
    [
      "echo.zip",
      new TextEncoder().encode("no zip"),
      "PLUGIN_EXECUTABLE_UNTRUSTED archive_unreadable",
    ],
    [
      "echo.tar.gz",
      new TextEncoder().encode("no gzip"),
      "PLUGIN_EXECUTABLE_UNTRUSTED archive_unreadable",
    ],
    [
      "echo.tar.gz",
      await gzip(tar([program]).slice(0, 700)),
      "PLUGIN_EXECUTABLE_UNTRUSTED archive_unreadable",
    ],
  );
  const damaged = await zip({ "bin/echo-mcp": PROGRAM.repeat(50) });
  damaged[60] = (damaged[60] ?? 0) ^ 0xff;
  cases.push(["echo.zip", damaged, "PLUGIN_EXECUTABLE_UNTRUSTED archive_unreadable"]);
  // A 64-bit archive whose locator, end record or entry fields lie.
  for (const signature of [0x07064b50, 0x06064b50]) {
    const lying = await wideDirectory({ "bin/echo-mcp": PROGRAM, "notes.txt": "x" });
    const view = new DataView(lying.buffer, lying.byteOffset, lying.byteLength);
    let at = lying.length - 4;
    while (at > 0 && view.getUint32(at, true) !== signature) at--;
    view.setBigUint64(at + (signature === 0x07064b50 ? 8 : 48), 0xffff_ffff_ffff_ffffn, true);
    cases.push(["echo.zip", lying, "PLUGIN_EXECUTABLE_UNTRUSTED archive_unreadable"]);
  }
  for (const [artifact, bytes, wanted] of cases) {
    await inTemporary(async (directory) => {
      const plugin = await writePlugin(`${directory}/plugin`, {
        tree: await releaseTree(artifact, bytes),
      });
      await served(directory, { answer: () => new Response(bytes) }, async (profile) => {
        assert.equal(await refusal(profile.install(plugin)), wanted, artifact);
        assert.equal((await profile.registry.loadSnapshot()).generation, 0);
      });
      assert.deepEqual(
        (await filesBelow(directory)).filter((path) => path.includes("evil")),
        [],
      );
    });
  }
});
