import assert from "node:assert/strict";
import {
  appendLine,
  ensurePrivateDir,
  FileLockTimeout,
  parentDir,
  syncDirectory,
  withFileLock,
  writeFileAtomic,
} from "./mod.ts";

const POSIX = Deno.build.os !== "windows";

async function inTemporary(run: (directory: string) => Promise<void>) {
  const directory = await Deno.makeTempDir({ prefix: "gum-files-" });
  try {
    await run(directory);
  } finally {
    await Deno.remove(directory, { recursive: true });
  }
}

const bytes = (text: string) => new TextEncoder().encode(text);

Deno.test("an atomic write replaces the file, is private, and leaves nothing else", async () => {
  await inTemporary(async (directory) => {
    const path = `${directory}/a`;
    await writeFileAtomic(path, bytes("one"));
    await writeFileAtomic(path, bytes("two"), { mode: 0o640 });
    assert.equal(await Deno.readTextFile(path), "two");
    if (POSIX) {
      assert.equal(((await Deno.stat(path)).mode ?? 0) & 0o777, 0o640);
      await writeFileAtomic(path, bytes("three"));
      assert.equal(((await Deno.stat(path)).mode ?? 0) & 0o777, 0o600);
    }
    assert.deepEqual([...Deno.readDirSync(directory)].map((entry) => entry.name), ["a"]);
  });
});

Deno.test("a failed write leaves the old file and no temporary one", async () => {
  await inTemporary(async (directory) => {
    const taken = `${directory}/taken`;
    await Deno.mkdir(`${taken}/child`, { recursive: true });
    await assert.rejects(writeFileAtomic(taken, bytes("x")));
    assert.deepEqual([...Deno.readDirSync(directory)].map((entry) => entry.name), ["taken"]);
    await assert.rejects(writeFileAtomic(`${directory}/no/such/folder`, bytes("x")));
  });
});

Deno.test("readers never see a part: many writers, every read is one whole version", async () => {
  await inTemporary(async (directory) => {
    const path = `${directory}/a`;
    const version = (digit: number) => `${digit}`.repeat(20_000);
    await writeFileAtomic(path, bytes(version(0)));
    let writing = true;
    const writers = Promise.all(
      Array.from({ length: 4 }, async (_, writer) => {
        for (let round = 0; round < 10; round++) {
          await writeFileAtomic(path, bytes(version(writer)));
        }
      }),
    ).finally(() => writing = false);
    while (writing) {
      const text = await Deno.readTextFile(path);
      assert.equal(text.length, 20_000);
      assert.equal(new Set(text).size, 1);
    }
    await writers;
  });
});

Deno.test("private directories are made with their parents and may exist", async () => {
  await inTemporary(async (directory) => {
    const path = `${directory}/a/b/c`;
    await ensurePrivateDir(path);
    await ensurePrivateDir(path);
    if (POSIX) {
      for (const made of [`${directory}/a`, path]) {
        assert.equal(((await Deno.stat(made)).mode ?? 0) & 0o777, 0o700);
      }
    }
  });
});

Deno.test("the directory part of a path", () => {
  assert.equal(parentDir("/a/b"), "/a");
  assert.equal(parentDir("/a"), "/");
  assert.equal(parentDir("a"), ".");
  assert.equal(parentDir("a/b/c"), "a/b");
});

Deno.test("a lock lets one in at a time, within a process too", async () => {
  await inTemporary(async (directory) => {
    const path = `${directory}/lock`;
    let inside = 0;
    let most = 0;
    await Promise.all(
      Array.from({ length: 8 }, () =>
        withFileLock(path, { timeoutMs: 10_000 }, async () => {
          most = Math.max(most, ++inside);
          await Promise.resolve();
          inside--;
        })),
    );
    assert.equal(most, 1);
  });
});

Deno.test("a lock held elsewhere is waited for, then given up on; a failing holder lets go", async () => {
  await inTemporary(async (directory) => {
    const path = `${directory}/lock`;
    await withFileLock(path, { timeoutMs: 100 }, async () => {
      await assert.rejects(
        withFileLock(path, { timeoutMs: 30 }, () => Promise.resolve()),
        (error) => error instanceof FileLockTimeout && error.path === path,
      );
      await assert.rejects(
        withFileLock(
          path,
          { timeoutMs: 10_000, signal: AbortSignal.abort("stop") },
          () => Promise.resolve(),
        ),
        (reason) => reason === "stop",
      );
    });
    await assert.rejects(
      withFileLock(path, { timeoutMs: 100 }, () => Promise.reject(new Error("work failed"))),
      /work failed/,
    );
    assert.equal(await withFileLock(path, { timeoutMs: 100 }, () => Promise.resolve(7)), 7);
  });
});

Deno.test("a lock excludes another process and ends with it", async () => {
  await inTemporary(async (directory) => {
    const path = `${directory}/lock`;
    const script = `import { withFileLock } from ${
      JSON.stringify(new URL("./mod.ts", import.meta.url).href)
    };
      await withFileLock(${JSON.stringify(path)}, { timeoutMs: 5000 }, async () => {
        await Deno.stdout.write(new Uint8Array([79]));
        await Deno.stdin.read(new Uint8Array(1));
      });`;
    const file = `${directory}/holder.ts`;
    await Deno.writeTextFile(file, script);
    const child = new Deno.Command(Deno.execPath(), {
      args: ["run", "-q", "--no-prompt", "--allow-read", "--allow-write", file],
      stdin: "piped",
      stdout: "piped",
      stderr: "inherit",
    }).spawn();
    const output = child.stdout.getReader();
    await output.read();
    await assert.rejects(
      withFileLock(path, { timeoutMs: 30 }, () => Promise.resolve()),
      (error) => error instanceof FileLockTimeout,
    );
    child.kill("SIGKILL");
    await child.status;
    await output.cancel();
    await child.stdin.close().catch(() => {/* the reader is gone already */});
    assert.equal(
      await withFileLock(path, { timeoutMs: 5000 }, () => Promise.resolve("mine")),
      "mine",
    );
  });
});

Deno.test("a line is appended whole, after an unfinished one is closed off", async () => {
  await inTemporary(async (directory) => {
    const path = `${directory}/lines`;
    using file = await Deno.open(path, { read: true, append: true, create: true });
    appendLine(file, bytes("one\n"));
    await Deno.writeTextFile(path, "hal", { append: true });
    appendLine(file, bytes("two\n"));
    appendLine(file, bytes("three\n"));
    assert.equal(await Deno.readTextFile(path), "one\nhal\ntwo\nthree\n");
  });
});

Deno.test("syncDirectory: a file system without fsync is warned about once, and nothing fails", async () => {
  const folder = await Deno.makeTempDir();
  const records: string[] = [];
  const log = { log: (_level: string, message: string) => void records.push(message) };
  const sync = () => Promise.reject(Object.assign(new Error("refused"), { code: "ETESTONLY" }));
  try {
    await syncDirectory(folder, { sync, log });
    await syncDirectory(folder, { sync, log });
    assert.equal(records.length, 1);
    assert.match(records[0] ?? "", /does not sync directories/);
    await syncDirectory(folder, { log });
    assert.equal(records.length, 1);
  } finally {
    await Deno.remove(folder, { recursive: true });
  }
});
