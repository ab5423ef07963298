/** The installer against releases on loopback: it installs what was released, or nothing. */

import assert from "node:assert/strict";
import { ARTIFACTS, hostTarget, type ReleaseArchive, writeArchives } from "./mod.ts";
import { pretendBuilt } from "./testing/pretend_built.ts";

const SCRIPT = new URL("install.sh", import.meta.url).pathname;
const HOST = hostTarget();
const runs = HOST !== undefined && HOST.os !== "windows";

interface Releases {
  url: string;
  folder: string;
  archive: ReleaseArchive;
  /** Paths that were asked for. */
  asked: string[];
  home: string;
}

/** Releases v1.2.3 on loopback; `change` may spoil them first. */
async function withReleases(
  change: (releases: Releases) => Promise<void>,
  body: (releases: Releases) => Promise<void>,
): Promise<void> {
  const root = await Deno.makeTempDir({ prefix: "gum-install-" });
  const folder = `${root}/releases`;
  const home = `${root}/home`;
  await Deno.mkdir(home);
  const archives = await writeArchives(await pretendBuilt(`${root}/built`), {
    version: "v1.2.3",
    out: folder,
  });
  const archive = archives.find(({ target, artifact }) =>
    target.triple === HOST?.triple && artifact === ARTIFACTS[0]
  );
  assert.ok(archive !== undefined);
  const asked: string[] = [];
  const server = Deno.serve({ port: 0, hostname: "127.0.0.1", onListen() {} }, async (request) => {
    const { pathname } = new URL(request.url);
    asked.push(pathname);
    if (pathname === "/releases/latest") {
      return new Response(null, { status: 302, headers: { location: "/releases/tag/v1.2.3" } });
    }
    if (pathname === "/releases/tag/v1.2.3") return new Response("a page for people");
    const name = /^\/releases\/download\/v1\.2\.3\/([\w.-]+)$/.exec(pathname)?.[1];
    const bytes = name === undefined
      ? undefined
      : await Deno.readFile(`${folder}/${name}`).catch(() => undefined);
    return bytes === undefined
      ? new Response("no such file", { status: 404 })
      : new Response(bytes);
  });
  const url = `http://127.0.0.1:${server.addr.port}/releases`;
  const releases = { url, folder, archive, asked, home };
  try {
    await change(releases);
    await body(releases);
  } finally {
    await server.shutdown();
    await Deno.remove(root, { recursive: true });
  }
}

async function install(
  { url, home }: Releases,
  env: Record<string, string> = {},
): Promise<{ code: number; stderr: string }> {
  const { code, stdout, stderr } = await new Deno.Command("sh", {
    args: [SCRIPT],
    cwd: home,
    clearEnv: true,
    env: { HOME: home, PATH: "/usr/local/bin:/usr/bin:/bin", GUM_RELEASES: url, ...env },
    stdin: "null",
  }).output();
  assert.equal(stdout.length, 0, "nothing on stdout");
  return { code, stderr: new TextDecoder().decode(stderr) };
}

async function installed(home: string): Promise<string[]> {
  const names: string[] = [];
  try {
    for await (const entry of Deno.readDir(`${home}/.local/bin`)) names.push(entry.name);
  } catch (error) {
    if (!(error instanceof Deno.errors.NotFound)) throw error;
  }
  return names.toSorted();
}

const test = (name: string, fn: () => Promise<void>) =>
  Deno.test({ name: `install.sh: ${name}`, ignore: !runs, fn });
const asReleased = () => Promise.resolve();

test("the latest release is verified and installed, and replaced by itself", async () => {
  await withReleases(asReleased, async (releases) => {
    const first = await install(releases);
    assert.equal(first.code, 0, first.stderr);
    assert.match(first.stderr, /installed .*\.local\/bin\/gum \(v1\.2\.3\)\nadd .* to your PATH/);
    assert.deepEqual(await installed(releases.home), ["gum"]);
    const path = `${releases.home}/.local/bin/gum`;
    assert.equal(((await Deno.stat(path)).mode ?? 0) & 0o777, 0o755);
    const { stdout } = await new Deno.Command(path).output();
    assert.equal(new TextDecoder().decode(stdout), "v1.2.3\n");
    const again = await install(releases, {
      GUM_VERSION: "1.2.3",
      PATH: `${releases.home}/.local/bin:/usr/bin:/bin`,
    });
    assert.deepEqual([again.code, /add .* PATH/.test(again.stderr)], [0, false], again.stderr);
    assert.deepEqual(await installed(releases.home), ["gum"]);
    const sandboxed = await install(releases, { GUM_SANDBOXED: "1" });
    assert.equal(sandboxed.code, 0, sandboxed.stderr);
    assert.deepEqual(await installed(releases.home), ["gum", "gum-sandboxed"]);
  });
});

test("a changed archive is refused with 3 and nothing is installed", async () => {
  await withReleases(async ({ folder, archive }) => {
    const bytes = await Deno.readFile(`${folder}/${archive.name}`);
    bytes[bytes.length - 1] = (bytes.at(-1) ?? 0) ^ 1;
    await Deno.writeFile(`${folder}/${archive.name}`, bytes);
  }, async (releases) => {
    const { code, stderr } = await install(releases);
    assert.deepEqual([code, await installed(releases.home)], [3, []], stderr);
    assert.match(stderr, /not the file that was released/);
    const forced = await install(releases, { GUM_FORCE: "1" });
    assert.equal(forced.code, 3, "force is about the PATH, not about the bytes");
  });
});

test("a missing list, and a list without the archive, are refused with 3", async () => {
  await withReleases(({ folder }) => Deno.remove(`${folder}/checksums.txt`), async (releases) => {
    const { code } = await install(releases);
    assert.deepEqual([code, await installed(releases.home)], [3, []]);
    const skipped = await install(releases, { GUM_SKIP_CHECKSUM: "1" });
    assert.deepEqual([skipped.code, await installed(releases.home)], [0, ["gum"]]);
    assert.match(skipped.stderr, /not verified/);
  });
  await withReleases(async ({ folder, archive }) => {
    const lines = (await Deno.readTextFile(`${folder}/checksums.txt`)).split("\n");
    // A longer name that ends alike must not stand in for it.
    const rest = lines.filter((line) => !line.endsWith(`  ${archive.name}`));
    rest.unshift(`${archive.sha256}  other-${archive.name}`);
    await Deno.writeTextFile(`${folder}/checksums.txt`, rest.join("\n"));
  }, async (releases) => {
    const { code, stderr } = await install(releases);
    assert.deepEqual([code, await installed(releases.home)], [3, []], stderr);
    assert.match(stderr, /does not name/);
  });
});

test("a platform without a build is refused with 2, before anything is fetched", async () => {
  await withReleases(asReleased, async (releases) => {
    const bin = `${releases.home}/bin`;
    await Deno.mkdir(bin);
    for (const [system, machine] of [["Linux", "riscv64"], ["SunOS", "x86_64"]]) {
      await Deno.writeTextFile(
        `${bin}/uname`,
        `#!/bin/sh\n[ "$1" = -m ] && echo ${machine} || echo ${system}\n`,
        { mode: 0o755 },
      );
      const { code, stderr } = await install(releases, { PATH: `${bin}:/usr/bin:/bin` });
      assert.equal(code, 2, stderr);
      assert.match(stderr, /there is no build for (riscv64|SunOS)/);
    }
    assert.deepEqual(releases.asked, []);
  });
});

test("another gum on the PATH stops it with 5, unless forced; a dry run fetches nothing", async () => {
  await withReleases(asReleased, async (releases) => {
    const bin = `${releases.home}/bin`;
    await Deno.mkdir(bin);
    await Deno.writeTextFile(`${bin}/gum`, "#!/bin/sh\n", { mode: 0o755 });
    const PATH = `${bin}:/usr/bin:/bin`;
    assert.equal((await install(releases, { PATH, GUM_VERSION: "v1.2.3" })).code, 5);
    const dry = await install(releases, { GUM_DRY_RUN: "1", GUM_VERSION: "v1.2.3" });
    assert.deepEqual([dry.code, await installed(releases.home)], [0, []]);
    assert.match(dry.stderr, /would install .*\/download\/v1\.2\.3\/gum_1\.2\.3_/);
    assert.deepEqual(releases.asked, []);
    const forced = await install(releases, { PATH, GUM_FORCE: "1" });
    assert.deepEqual([forced.code, await installed(releases.home)], [0, ["gum"]], forced.stderr);
  });
});

test("provenance is verified where the verifier is, and refused with 4", async () => {
  await withReleases(asReleased, async (releases) => {
    const bin = `${releases.home}/bin`;
    await Deno.mkdir(bin);
    const PATH = `${bin}:/usr/bin:/bin`;
    const verifier = (code: number) =>
      Deno.writeTextFile(
        `${bin}/slsa-verifier`,
        `#!/bin/sh\necho "$*" > '${releases.home}/words'\nexit ${code}\n`,
        { mode: 0o755 },
      );
    await verifier(0);
    assert.equal((await install(releases, { PATH })).code, 4, "no provenance was published");
    await Deno.writeTextFile(`${releases.folder}/gum-v1.2.3.intoto.jsonl`, "{}\n");
    await verifier(1);
    assert.equal((await install(releases, { PATH })).code, 4);
    assert.deepEqual(await installed(releases.home), []);
    assert.equal((await install(releases, { PATH, GUM_SKIP_PROVENANCE: "1" })).code, 0);
    await verifier(0);
    assert.equal((await install(releases, { PATH })).code, 0);
    const words = await Deno.readTextFile(`${releases.home}/words`);
    assert.match(words, /^verify-artifact \S+ --provenance-path \S+ .*--source-tag v1\.2\.3\n$/);
  });
});

test("what is no release and no safe address is refused", async () => {
  await withReleases(asReleased, async (releases) => {
    const refused: Record<string, string>[] = [
      { GUM_VERSION: "v1.2.3-rc.1" },
      { GUM_VERSION: "../../x" },
      { GUM_VERSION: "v9.9.9" },
      { GUM_RELEASES: "http://releases.example.org" },
      // The script as it stands in the repository names none.
      { GUM_RELEASES: "" },
    ];
    for (const env of refused) {
      assert.equal((await install(releases, env)).code, 1, JSON.stringify(env));
    }
    assert.deepEqual(await installed(releases.home), []);
  });
});
