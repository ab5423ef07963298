import assert from "node:assert/strict";
import { renderFailure } from "./error_rendering.ts";
import { isolatedEnvironment, PROGRAM, runGum, runProgram, withFolder } from "./testing/spawned.ts";
import { systemFailure, unreadableReason } from "./unreadable_file.ts";

async function failureOf(attempt: () => Promise<unknown>): Promise<Error> {
  try {
    await attempt();
  } catch (error) {
    if (error instanceof Error) return error;
  }
  throw new Error("nothing failed");
}

Deno.test("a system error says what was tried on which path, and shows no error number", async () => {
  await withFolder(async (folder) => {
    const file = `${folder}/a "ü" file`;
    await Deno.writeTextFile(file, "x");
    const absent = `${folder}/absent/x`;
    const said = async (attempt: () => Promise<unknown>) =>
      renderFailure(await failureOf(attempt)).trimEnd();
    assert.match(
      await said(() => Deno.mkdir(`${folder}/absent/below`)),
      /^Error: cannot make the directory .*\/absent\/below: no such file or directory$/,
    );
    assert.match(
      await said(() => Deno.lstat(`${file}/below`)),
      /^Error: cannot look at .*a "ü" file\/below: not a directory$/,
    );
    assert.match(
      await said(() => Deno.rename(absent, file)),
      /^Error: cannot rename .* as .*: no /,
    );
    assert.match(
      await said(() => Deno.readFile(folder)),
      /^Error: cannot read .*: is a directory$/,
    );
    for (const attempt of [() => Deno.open(absent), () => Deno.readTextFile(absent)]) {
      assert.doesNotMatch(await said(attempt), /os error|readfile/);
    }
  });
});

Deno.test("what helps against a system error is said where it is known", () => {
  const full = new Error("No space left on device (os error 28)");
  assert.equal(
    systemFailure(full),
    "no space left on device; make room and run the command again",
  );
  const denied = new Deno.errors.PermissionDenied(
    "Permission denied (os error 13): mkdir '/x/gum'",
  );
  assert.match(
    systemFailure(denied) ?? "",
    /^cannot make the directory \/x\/gum: permission denied; make it accessible/,
  );
  const readOnly = new Error("Read-only file system (os error 30): open '/x'");
  assert.match(systemFailure(readOnly) ?? "", /^cannot open \/x: .*can be written$/);
  // Anything else is nobody's system error.
  for (const text of ["", "os error", "a (os error x)", "a (os error 1): strange"]) {
    assert.equal(systemFailure(new Error(text)), undefined);
  }
});

Deno.test("why a named file cannot be read", async () => {
  await withFolder(async (folder) => {
    const file = `${folder}/file`;
    await Deno.writeTextFile(file, "x");
    const reason = async (path: string) =>
      unreadableReason(await failureOf(() => Deno.readFile(path)), 1);
    assert.equal(await reason(`${folder}/absent`), "no such file");
    assert.equal(await reason(folder), "is a directory");
    assert.equal(await reason(`${file}/below`), "a part of the path is not a directory");
    assert.equal(unreadableReason(new RangeError(), 64 * 1_048_576), "larger than 64 MiB");
    assert.equal(unreadableReason(new RangeError(), 2048), "larger than 2 KiB");
    assert.equal(unreadableReason(new RangeError(), 1000), "larger than 1000 bytes");
    assert.equal(unreadableReason("x", 1), "cannot be read");
  });
});

Deno.test({
  name: "a device named as arguments, script or secret is read as far as its limit",
  ignore: Deno.build.os === "windows",
  async fn() {
    await withFolder(async (home) => {
      const cases: [string[], RegExp][] = [
        [["--emulator", "read", "tasks.tasklists.list", "--args", "@/dev/zero"], /64 MiB/],
        [["--emulator", "code", "@/dev/zero"], /larger than/],
        [["auth", "use-api-key", "--from-file", "/dev/zero"], /larger than 1 MiB/],
        [["auth", "use-service-account", "/dev/zero"], /larger than 64 KiB/],
        [["profile", "validate", "/dev/zero"], /64 MiB/],
      ];
      for (const [words, expected] of cases) {
        const { code, stdout, stderr } = await runGum(words, { home });
        assert.deepEqual([code, stdout], [2, ""], words.join(" "));
        assert.match(stderr, expected);
      }
    });
  },
});

Deno.test({
  name: "a variable that is no text is named, and its value is not shown",
  ignore: Deno.build.os === "windows",
  async fn() {
    await withFolder(async (home) => {
      const secret = "geheim";
      for (const name of ["GUM_PROFILE", "XDG_DATA_HOME"]) {
        const set = `${name}="${secret}$(printf '\\377')"; export ${name}; exec "$@"`;
        const { code, stderr } = await runProgram(["sh", "-c", set, "sh", ...PROGRAM, "status"], {
          env: await isolatedEnvironment(home),
        });
        assert.equal(code, 2, stderr);
        assert.match(stderr, new RegExp(`${name} is not UTF-8 text`));
        assert.ok(!stderr.includes(secret), stderr);
      }
    });
  },
});

Deno.test("a relative HOME is none: nothing is written where the command runs", async () => {
  await withFolder(async (home) => {
    const { code, stderr } = await runGum(["config", "set", "log.level=info"], {
      home,
      cwd: home,
      env: { HOME: "here", XDG_CONFIG_HOME: "", XDG_DATA_HOME: "", XDG_CACHE_HOME: "" },
    });
    assert.equal(code, 1, stderr);
    assert.match(stderr, /HOME is not an absolute path/);
    assert.ok([...Deno.readDirSync(home)].every(({ name }) => name !== "here"));
  });
});

Deno.test("a directory where the configuration should be: said by who needs it, and only there", async () => {
  await withFolder(async (home) => {
    const path = `${home}/config/gum/default/config.toml`;
    await Deno.mkdir(path, { recursive: true });
    const env = { XDG_CONFIG_HOME: `${home}/config` };
    assert.equal((await runGum(["search", "mail"], { home, env })).code, 0);
    const listed = await runGum(["config", "list"], { home, env });
    assert.equal(listed.code, 1);
    const { how_to_fix, message } = JSON.parse(listed.stderr);
    assert.match(message, /config\.toml: it (is not a regular file|cannot be read)/);
    assert.match(how_to_fix, /config\.toml/);
    assert.doesNotMatch(how_to_fix, /named line/);
  });
});
