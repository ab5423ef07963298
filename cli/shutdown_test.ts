import assert from "node:assert/strict";
import type { JsonObject } from "../lib/json/mod.ts";
import { isolatedEnvironment, PROGRAM, ROOT, withFolder } from "./testing/spawned.ts";

const READS = 12;

/** A real server on the emulator: answers `READS` reads, then ends as `end` says. */
async function serveUntil(
  home: string,
  end: (child: Deno.ChildProcess, input: WritableStreamDefaultWriter<Uint8Array>) => Promise<void>,
): Promise<{ code: number; stderr: string; answers: JsonObject[] }> {
  const [program, ...words] = PROGRAM;
  const child = new Deno.Command(program, {
    args: [...words, "mcp", "--stdio", "--log-level", "info"],
    cwd: ROOT,
    env: { ...await isolatedEnvironment(home), GUM_EMULATOR: "1" },
    clearEnv: true,
    stdin: "piped",
    stdout: "piped",
    stderr: "piped",
  }).spawn();
  const stderr = new Response(child.stderr).text();
  const input = child.stdin.getWriter();
  const send = (message: JsonObject) =>
    input.write(new TextEncoder().encode(JSON.stringify({ jsonrpc: "2.0", ...message }) + "\n"));
  await send({
    id: 0,
    method: "initialize",
    params: {
      protocolVersion: "2025-11-25",
      capabilities: {},
      clientInfo: { name: "test", version: "1" },
    },
  });
  await send({ method: "notifications/initialized" });
  for (let id = 1; id <= READS; id++) {
    await send({
      id,
      method: "tools/call",
      params: {
        name: "gum.read",
        arguments: { op_id: "gmail.users.messages.list", args: { userId: "me", maxResults: id } },
      },
    });
  }
  const answers: JsonObject[] = [];
  let text = "";
  const reader = child.stdout.pipeThrough(new TextDecoderStream()).getReader();
  while (answers.length <= READS) {
    const { value, done } = await reader.read();
    if (done) break;
    const lines = (text + value).split("\n");
    text = lines.pop() ?? "";
    answers.push(...lines.map((line) => JSON.parse(line)));
  }
  await end(child, input);
  const { code } = await child.status;
  await reader.cancel();
  return { code, stderr: await stderr, answers };
}

function rowsOf(home: string, name: string): JsonObject[] {
  return Deno.readTextFileSync(`${home}/.local/share/gum/default/${name}`).trimEnd().split("\n")
    .map((line) => JSON.parse(line));
}

function assertComplete(home: string, ended: { stderr: string; answers: JsonObject[] }): void {
  assert.equal(ended.answers.length, READS + 1, ended.stderr);
  assert.equal(rowsOf(home, "audit.jsonl").length, READS);
  assert.equal(rowsOf(home, "gain-ledger.jsonl").length, READS + 1);
  const drains = ended.stderr.split("\n").filter((line) => line.includes("audit_drain_complete"))
    .map((line) => JSON.parse(line));
  assert.deepEqual(drains.map(({ drained, dropped, timed_out }) => [drained, dropped, timed_out]), [
    [READS, 0, false],
  ]);
}

Deno.test("TestAuditGracefulShutdown: SIGTERM ends a real server with every row written", async () => {
  await withFolder(async (home) => {
    const ended = await serveUntil(home, async (child, input) => {
      child.kill("SIGTERM");
      await child.status;
      await input.close().catch(() => {/* the reader is gone already */});
    });
    assertComplete(home, ended);
    assert.equal(ended.code, 0);
  });
});

Deno.test("TestAuditGracefulShutdown: closed input ends a real server with every row written", async () => {
  await withFolder(async (home) => {
    const ended = await serveUntil(home, async (_child, input) => await input.close());
    assertComplete(home, ended);
    assert.equal(ended.code, 0);
  });
});
