import { deepStrictEqual, equal, match, ok } from "node:assert/strict";
import { silentLogger } from "../lib/log/mod.ts";
import { openSession } from "../lib/session/mod.ts";
import { envelopeOf, withPeer } from "./testdata/raw_peer.ts";
import { readItem, tableOf } from "./testdata/reading.ts";
import type { JsonObject } from "../lib/json/mod.ts";

/** A client of a session on the emulator with folders of its own. */
async function withServed(
  options: { gainDisabled?: boolean; clientName?: string },
  run: (peer: Parameters<Parameters<typeof withPeer>[2]>[0], data: string) => Promise<void>,
): Promise<void> {
  const root = await Deno.makeTempDir({ prefix: "gum-mcp-" });
  const session = await openSession({
    profileName: "default",
    emulator: true,
    serving: true,
    gainDisabled: options.gainDisabled,
    directories: { data: `${root}/data`, cache: `${root}/cache` },
    log: silentLogger,
  });
  try {
    await withPeer(
      session,
      { clientName: options.clientName },
      (peer) => run(peer, `${root}/data/gum/default`),
    );
  } finally {
    await session.close();
    await Deno.remove(root, { recursive: true });
  }
}

const READ = { op_id: "gmail.users.labels.list", args: { userId: "me" } };

Deno.test("TestGumGainReportsRealDispatch: gum.gain adds up what the session's reads cost", async () => {
  await withServed({}, async (peer) => {
    equal((await peer.call("gum.read", READ)).isError, undefined);
    equal((await peer.call("gum.read", READ)).isError, undefined);
    const { structuredContent, content } = await peer.call("gum.gain");
    const gain = structuredContent as JsonObject;
    deepStrictEqual([gain.mode, gain.window, gain.tokenizer], [
      "summary",
      "last-30-sessions",
      "cl100k_base",
    ]);
    const [row] = gain.sessions as JsonObject[];
    equal(row?.calls, 2);
    deepStrictEqual(JSON.parse(String((content as JsonObject[])[0]?.text)), gain);
  });
});

Deno.test("TestCacheStatsOutputSchema: a repeated read shows as a hit, a broken audit log is told", async () => {
  await withServed({ clientName: "Claude Test" }, async (peer, data) => {
    await peer.call("gum.read", READ);
    await peer.call("gum.read", READ);
    const stats = async () => (await peer.call("gum.cache_stats")).structuredContent as JsonObject;
    const first = await stats();
    deepStrictEqual(Object.keys(first), ["semantic", "http", "prompt", "audit_broken"]);
    const semantic = first.semantic as JsonObject;
    deepStrictEqual([semantic.hits, semantic.misses, semantic.entries], [1, 1, 1]);
    deepStrictEqual(first.prompt, { supported: true, hits_estimate: null });
    equal(first.audit_broken, false);
    await Deno.writeTextFile(`${data}/audit.broken`, "x");
    equal((await stats()).audit_broken, true);
  });
});

Deno.test("TestGainConfigOptOutReturnsGainDisabled: the tool's answer is an error without structure", async () => {
  await withServed({ gainDisabled: true }, async (peer) => {
    const result = await peer.call("gum.gain");
    equal(result.isError, true);
    equal(result.structuredContent, undefined);
    const envelope = envelopeOf(result);
    deepStrictEqual([envelope.error_code, envelope.source, envelope.retryable], [
      "GAIN_DISABLED",
      "env",
      false,
    ]);
  });
});

Deno.test("TestStatusHealthSubsystemEnum: the session's own probes answer", async () => {
  await withServed({}, async (peer, data) => {
    await peer.call("gum.read", READ);
    const rows = async () => tableOf((await readItem(peer, "gum://status/health")).text);
    const byName = Object.fromEntries((await rows()).map((row) => [row.subsystem, row]));
    for (
      const name of [
        "audit_log",
        "cache_sqlite",
        "canary_runner",
        "gain_ledger",
        "keychain",
        "tee_filesystem",
      ]
    ) {
      equal(byName[name]?.status, "healthy", `${name}: ${byName[name]?.detail}`);
      match(String(byName[name]?.detail), /\S/);
    }
    ok(data.length > 0);
  });
});
