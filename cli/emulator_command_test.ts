import assert from "node:assert/strict";
import { isolatedEnvironment, PROGRAM, runGum, withFolder } from "./testing/spawned.ts";

Deno.test("gum emulator: serve, log and fault work on one running emulator", async () => {
  await withFolder(async (home) => {
    const [program, ...words] = PROGRAM;
    const child = new Deno.Command(program, {
      args: [...words, "emulator", "serve"],
      clearEnv: true,
      env: await isolatedEnvironment(home),
      stdin: "null",
      stdout: "piped",
      stderr: "null",
    }).spawn();
    const reader = child.stdout.pipeThrough(new TextDecoderStream()).getReader();
    let printed = "";
    while (!printed.endsWith("}\n")) {
      const { value, done } = await reader.read();
      assert.ok(!done, printed);
      printed += value;
    }
    const { origin, credentials, account } = JSON.parse(printed);
    assert.match(account, /@example\.com$/);
    const profile = async () => {
      const response = await fetch(
        `${origin}/_host/gmail.googleapis.com/gmail/v1/users/me/profile`,
        { headers: { authorization: `Bearer ${credentials.bearer}` } },
      );
      return { status: response.status, body: await response.text() };
    };
    assert.equal((await profile()).status, 200);
    const at = ["--origin", origin];
    const added = await runGum(
      ["emulator", "fault", '{"effect":{"kind":"status","status":503},"times":1}', ...at],
      { home },
    );
    assert.equal(added.code, 0, added.stderr);
    assert.deepEqual([(await profile()).status, (await profile()).status], [503, 200]);
    const refused = await runGum(["emulator", "fault", '{"effect":{"kind":"x"}}', ...at], { home });
    assert.equal(refused.code, 2);
    assert.match(refused.stderr, /the emulator refused: a fault effect needs a kind: /);
    const taken = await runGum(["emulator", "serve", "--port", new URL(origin).port], { home });
    assert.equal(taken.code, 1);
    assert.match(taken.stderr, /port \d+ is taken; --port 0/);
    const log = await runGum(["emulator", "log", "--clear", ...at], { home });
    const rows = log.stdout.trimEnd().split("\n").map((line) => JSON.parse(line));
    assert.deepEqual(rows.map(({ status }) => status), [200, 503, 200]);
    assert.ok(!log.stdout.includes(credentials.bearer));
    assert.equal((await runGum(["emulator", "log", ...at], { home })).stdout, "");
    child.kill("SIGTERM");
    assert.ok((await child.status).code <= 143);
    await reader.cancel();
    const gone = await runGum(["emulator", "log", ...at], { home });
    assert.match(gone.stderr, /no emulator answers at/);
    const foreign = await runGum(["emulator", "log", "--origin", "http://example.com"], { home });
    assert.equal(foreign.code, 2);
  });
});

const SHOWN = ["labelListVisibility=labelShow", "messageListVisibility=show"];

/** Calls `body` with the origin of an emulator that a process of its own serves. */
async function withServed(body: (origin: string, home: string) => Promise<void>): Promise<void> {
  await withFolder(async (home) => {
    const [program, ...words] = PROGRAM;
    const child = new Deno.Command(program, {
      args: [...words, "emulator", "serve"],
      clearEnv: true,
      env: await isolatedEnvironment(home),
      stdin: "null",
      stdout: "piped",
      stderr: "null",
    }).spawn();
    const reader = child.stdout.pipeThrough(new TextDecoderStream()).getReader();
    try {
      let printed = "";
      while (!printed.endsWith("}\n")) {
        const { value, done } = await reader.read();
        assert.ok(!done, printed);
        printed += value;
      }
      await body(JSON.parse(printed).origin, home);
    } finally {
      child.kill("SIGTERM");
      await child.status;
      await reader.cancel();
    }
  });
}

Deno.test("gum emulator: processes that name a served one share its world", async () => {
  await withServed(async (origin, home) => {
    const env = { GUM_EMULATOR: origin };
    const made = await runGum(
      ["call", "gmail.users.labels.create", "--risk=write", "name=Shared", "--json", ...SHOWN],
      { home, env },
    );
    assert.equal(made.code, 0, made.stderr);
    assert.match(JSON.parse(made.stderr).msg, /^emulator at http:.* nothing reaches Google$/);
    const names = ["call", "gmail.users.labels.list", "--risk=read", "-o", "value(labels[].name)"];
    const seen = await runGum([`--emulator=${origin}/`, ...names], { home });
    assert.match(seen.stdout, /^Shared$/m);
    const alone = await runGum(["--emulator", ...names], { home });
    assert.equal(alone.code, 0, alone.stderr);
    assert.ok(!alone.stdout.includes("Shared"));
    // The destructive half: the token of one process is spent in another, on the same world.
    const { id } = JSON.parse(made.stdout);
    const asked = await runGum(
      ["destructive", "gmail.users.labels.delete", "--args", JSON.stringify({ id })],
      { home, env },
    );
    assert.equal(asked.code, 5);
    const { confirmation_token: token } = JSON.parse(
      asked.stderr.slice(asked.stderr.indexOf("{\n")),
    );
    const deleted = await runGum(
      [
        ...["destructive", "gmail.users.labels.delete", "--args", JSON.stringify({ id })],
        ...["--confirmed", "--token", token],
      ],
      { home, env },
    );
    assert.equal(deleted.code, 0, deleted.stderr);
    assert.ok(!(await runGum(names, { home, env })).stdout.includes("Shared"));
    const log = await runGum(["emulator", "log"], { home, env });
    assert.match(log.stdout, /"method":"POST".*labels/);
    const code = await runGum(
      ["code", 'gum_print(gum_call("gmail.users.labels.list", {userId: "me"}))', "-o", "raw"],
      { home, env },
    );
    assert.equal(code.code, 0, code.stderr);
    const updated = await runGum(["catalog", "update"], { home, env });
    assert.equal(updated.code, 0, updated.stderr);
  });
});

Deno.test("gum emulator: an origin that is gone, or is none, never falls back to Google", async () => {
  await withFolder(async (home) => {
    const read = ["read", "gmail.users.labels.list"];
    // Port 1 of this machine: nothing listens there.
    const gone = await runGum(read, { home, env: { GUM_EMULATOR: "http://127.0.0.1:1" } });
    assert.equal(gone.code, 7);
    const failure = JSON.parse(gone.stderr);
    assert.equal(failure.error_code, "SERVICE_DOWN");
    assert.match(failure.how_to_fix, /gum emulator serve/);
    for (const value of ["http://example.com:80", "https://127.0.0.1:1", "127.0.0.1:1", "yes"]) {
      const refused = await runGum(read, { home, env: { GUM_EMULATOR: value } });
      assert.deepEqual([refused.code, refused.stdout], [2, ""], value);
      assert.match(refused.stderr, /CLI_ARG_INVALID: "GUM_EMULATOR": .*gum emulator serve/);
    }
    const flag = await runGum(["--emulator=http://example.com:80", ...read], { home });
    assert.equal(flag.code, 2);
    const nowhere = await runGum(["emulator", "log"], { home });
    assert.match(nowhere.stderr, /required flag --origin/);
  });
});
