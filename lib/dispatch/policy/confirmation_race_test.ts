import assert from "node:assert/strict";
import { openFixture, realClock, temporaryDirectory, tokenFor } from "../testdata/fixture.ts";

/** A racing process: ready when its module graph is loaded, then told to go. */
async function startRacer(args: string[]) {
  const child = new Deno.Command(Deno.execPath(), {
    args: [
      "run",
      "-q",
      "--no-prompt",
      "-P=test",
      new URL("../testdata/spend_once.ts", import.meta.url).pathname,
      ...args,
    ],
    stdin: "piped",
    stdout: "piped",
    stderr: "inherit",
  }).spawn();
  const lines = child.stdout.pipeThrough(new TextDecoderStream()).getReader();
  const readLine = async () => ((await lines.read()).value ?? "").trim();
  assert.equal(await readLine(), "ready");
  return {
    async go(): Promise<string> {
      const stdin = child.stdin.getWriter();
      await stdin.write(new TextEncoder().encode("go\n"));
      const outcome = await readLine();
      await stdin.close();
      await lines.cancel();
      await child.status;
      return outcome;
    },
  };
}

Deno.test("TestConfirmationTokenBinding: two processes race for one token, one request goes out", async () => {
  await using directory = await temporaryDirectory();
  await using fixture = openFixture({ dataDir: directory.path, clock: realClock });
  const call = { opId: "drive.files.delete", args: { fileId: "abc" }, allowDestructive: true };
  const token = await tokenFor(fixture.kernel, call);
  const args = [directory.path, token, fixture.peer.origin];
  const racers = await Promise.all([startRacer(args), startRacer(args)]);
  const outcomes = await Promise.all(racers.map((racer) => racer.go()));
  assert.deepEqual(outcomes.sort(), ["done", "replayed"]);
  assert.equal(fixture.peer.requests.length, 1);
});
