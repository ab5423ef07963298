import assert from "node:assert/strict";
import { GUM, isolatedEnvironment, runGum, withFolder } from "./testing/spawned.ts";

Deno.test("gum emulator: serve, log and fault work on one running emulator", async () => {
  await withFolder(async (home) => {
    const child = new Deno.Command(Deno.execPath(), {
      args: [...GUM, "emulator", "serve"],
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
