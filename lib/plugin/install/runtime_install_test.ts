import assert from "node:assert/strict";
import { environmentOf } from "../../config/environment.ts";
import { sha256Hex } from "../../digest/mod.ts";
import { filesBelow, inTemporary, never } from "../testdata/fixture.ts";
import { type Answer, refusal, served, zip } from "../testdata/packages.ts";
import { findDenoRuntime, installRuntime, PINNED_DENO, pinnedRuntime, startable } from "./mod.ts";
import { runtimePath } from "./pinned_runtime.ts";

const PROGRAM = "#!/bin/sh\necho deno 2.9.6\n";

async function scene(
  answer: Answer,
  work: (at: {
    directory: string;
    install: () => ReturnType<typeof installRuntime>;
    asked: string[];
  }) => Promise<void>,
): Promise<void> {
  const sha256 = await sha256Hex(new TextEncoder().encode(PROGRAM));
  await inTemporary(async (root) => {
    const directory = `${root}/@runtime`;
    await served(root, { answer }, async ({ parts: { http } }, asked) => {
      const runtime = { target: "x86_64-unknown-linux-gnu", program: "deno", sha256 };
      await work({
        directory,
        asked,
        install: () => installRuntime({ signal: never() }, { directory, http, runtime }),
      });
    });
  });
}

Deno.test("runtime install: fetched once, verified by the program's own digest, executable", async () => {
  const archive = await zip({ deno: PROGRAM });
  await scene(() => new Response(archive), async ({ directory, install, asked }) => {
    const first = await install();
    assert.equal(first.fetched, true);
    assert.equal(first.path, runtimePath(directory, "deno"));
    assert.equal(await Deno.readTextFile(first.path), PROGRAM);
    if (Deno.build.os !== "windows") assert.equal((await Deno.stat(first.path)).mode, 0o100755);
    assert.deepEqual(asked, [
      `github.com /denoland/deno/releases/download/v${PINNED_DENO}/deno-x86_64-unknown-linux-gnu.zip`,
    ]);
    assert.equal((await install()).fetched, false);
    assert.equal(asked.length, 1);
    // One changed byte and it is fetched again.
    await Deno.writeTextFile(first.path, PROGRAM + "x");
    assert.equal((await install()).fetched, true);
    assert.equal(await Deno.readTextFile(first.path), PROGRAM);
    assert.deepEqual(await filesBelow(directory), [`deno-${PINNED_DENO}/deno`, "install.lock"]);
  });
});

Deno.test("runtime install: another program, no program and no answer leave nothing behind", async () => {
  const archives: [Answer, string][] = [];
  for (const files of [{ deno: `${PROGRAM}x` }, { other: PROGRAM }] as Record<string, string>[]) {
    const bytes = await zip(files);
    archives.push([() => new Response(bytes), "PLUGIN_EXECUTABLE_UNTRUSTED checksum_mismatch"]);
  }
  archives.push(
    [() => new Response("no zip"), "PLUGIN_EXECUTABLE_UNTRUSTED archive_unreadable"],
    [() => undefined, "SERVICE_DOWN package_fetch_failed"],
  );
  for (const [answer, wanted] of archives) {
    await scene(answer, async ({ directory, install }) => {
      assert.equal(await refusal(install()), wanted);
      assert.deepEqual(await filesBelow(directory), ["install.lock"]);
    });
  }
});

Deno.test("runtime install: every system that GUM ships for has a build with a digest", () => {
  for (const os of ["linux", "darwin", "windows"]) {
    for (const arch of ["x86_64", "aarch64"]) {
      assert.match(pinnedRuntime({ os, arch })?.sha256 ?? "", /^[0-9a-f]{64}$/, `${os} ${arch}`);
    }
  }
  assert.equal(pinnedRuntime({ os: "solaris", arch: "x86_64" }), undefined);
});

Deno.test({
  name: "runtime install: the fetched runtime is found where the search path has none",
  ignore: pinnedRuntime() === undefined || Deno.build.os === "windows",
  async fn() {
    await inTemporary(async (directory) => {
      const program = runtimePath(directory, pinnedRuntime()?.program ?? "");
      await Deno.mkdir(`${directory}/deno-${PINNED_DENO}`);
      await Deno.symlink(await Deno.realPath(Deno.execPath()), program);
      const environment = environmentOf({ PATH: "/usr/bin-without-deno:/nowhere" });
      const found = await findDenoRuntime({
        environment,
        settings: { isDev: false, runtimeDir: directory },
        signal: never(),
      });
      assert.equal(found.path, await Deno.realPath(Deno.execPath()));
    });
  },
});

Deno.test({
  name: "a runtime that this process may not start by its path is started through env",
  ignore: Deno.build.os === "windows",
  async fn() {
    const environment = environmentOf({ PATH: Deno.env.get("PATH") ?? "" });
    const command = { program: "/opt/somewhere/deno", args: ["run", "x"] };
    const { program, args } = await startable(command, { environment });
    if (
      (await Deno.permissions.query({ name: "run", command: command.program })).state === "granted"
    ) {
      assert.deepEqual({ program, args }, command);
    } else {
      assert.match(program, /\/env$/);
      assert.deepEqual(args, [command.program, ...command.args]);
    }
    const real = await Deno.realPath(Deno.execPath());
    const started = await startable({ program: real, args: [] }, { environment });
    assert.equal(await Deno.realPath(started.program), real);
  },
});
