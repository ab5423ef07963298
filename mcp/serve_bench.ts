/** What a client waits for: a spawned server's first list, and a call on a live connection. */

import { fakeSession } from "./testdata/fake_session.ts";
import { rawPeer } from "./testdata/raw_peer.ts";

const OPENING = new TextEncoder().encode(
  '{"jsonrpc":"2.0","id":1,"method":"initialize","params":{"protocolVersion":"2025-11-25",' +
    '"capabilities":{},"clientInfo":{"name":"bench","version":"1"}}}\n' +
    '{"jsonrpc":"2.0","method":"notifications/initialized"}\n' +
    '{"jsonrpc":"2.0","id":2,"method":"tools/list"}\n',
);

async function firstOutput(args: string[], input?: Uint8Array): Promise<void> {
  const child = new Deno.Command(Deno.execPath(), {
    args: ["run", "-q", "--no-prompt", "-P=gum", ...args],
    stdin: "piped",
    stdout: "piped",
    stderr: "null",
  }).spawn();
  const writer = child.stdin.getWriter();
  if (input !== undefined) await writer.write(input);
  let text = "";
  for await (const chunk of child.stdout.pipeThrough(new TextDecoderStream())) {
    text += chunk;
    if (text.includes('"id":2}') || text.includes('"id":2,')) break;
  }
  await writer.close().catch(() => {});
  await child.status;
}

const program = new URL("../main.ts", import.meta.url).pathname;

Deno.bench({
  name: "empty program (eval)",
  group: "spawn",
  baseline: true,
  fn: async () => {
    await new Deno.Command(Deno.execPath(), { args: ["eval", ""] }).output();
  },
});

Deno.bench({
  name: "spawn to answered tools/list",
  group: "spawn",
  // Only an async function is awaited by the bench runner.
  fn: async () => {
    await firstOutput([program, "mcp", "--stdio", "--emulator"], OPENING);
  },
});

Deno.bench({
  name: "tools/call round trip in process",
  async fn(bench) {
    const peer = rawPeer(fakeSession().session);
    await peer.open();
    await peer.call("gum.cache_stats");
    bench.start();
    await peer.call("gum.cache_stats");
    bench.end();
    await peer.close();
  },
});
