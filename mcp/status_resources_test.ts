import { deepStrictEqual, equal, ok } from "node:assert/strict";
import type { JsonObject } from "../lib/json/mod.ts";
import { fakeSession } from "./testdata/fake_session.ts";
import { withPeer } from "./testdata/raw_peer.ts";
import { HEALTH_SUBSYSTEMS } from "./types.ts";
import { pluginView, readError, readItem, tableOf } from "./testdata/reading.ts";

Deno.test("an active plugin's schema is served", async () => {
  await withPeer(fakeSession({ seams: { plugins: pluginView() } }).session, {}, async (peer) => {
    const read = await readItem(peer, "gum://schema/zed.schema.v1");
    equal(read.text, '{"$id":"x","type":"object"}');
  });
});

Deno.test("inactive operations show a status and nothing else", async () => {
  await withPeer(fakeSession({ seams: { plugins: pluginView() } }).session, {}, async (peer) => {
    for (const kind of ["op", "variant"]) {
      const pending = await readItem(peer, `gum://${kind}/pending.op`);
      equal(
        pending.text,
        '{"execution_support":"schema_only","reason":"Plugin installed but MCP server not yet ' +
          'restarted; restart to invoke.","status":"installed_pending_restart"}',
      );
      const unset = JSON.parse((await readItem(peer, `gum://${kind}/unset.op`)).text);
      deepStrictEqual(unset.credential_aliases, ["token"]);
      const error = await readError(peer, `gum://${kind}/bad.op`);
      equal(error.code, -32000);
      equal(error.message, "Variant quarantined");
      const data = error.data as JsonObject;
      equal(data.error_code, "VARIANT_QUARANTINED");
      equal(data.reason, "digest");
      equal(data[kind === "op" ? "op_id" : "variant_id"], "bad.op");
    }
  });
});

Deno.test("plugin rows are sorted, pending and nameless hidden", async () => {
  await withPeer(fakeSession({ seams: { plugins: pluginView() } }).session, {}, async (peer) => {
    const document = { records: tableOf((await readItem(peer, "gum://plugins")).text) };
    deepStrictEqual(document.records.map((row) => row.name), ["bad", "unset", "zed"]);
  });
});

Deno.test("a plugin is one canonical record, unescaped", async () => {
  await withPeer(fakeSession({ seams: { plugins: pluginView() } }).session, {}, async (peer) => {
    equal((await readItem(peer, "gum://plugin/zed")).text, '{"a":"<&>","b":1,"name":"zed"}');
    equal((await readError(peer, "gum://plugin/none")).code, -32004);
  });
});

Deno.test("plugin canaries are stale and sorted; none without plugins", async () => {
  await withPeer(fakeSession({ seams: { plugins: pluginView() } }).session, {}, async (peer) => {
    const { text } = await readItem(peer, "gum://status/canaries");
    equal(
      text,
      "op: gum.status.canaries\nvariant: gum.status.canaries.v1\nformat_version: 1\ncount: 2\n" +
        "fields: canary_id,op_id,variant_id,status,last_run_at,latency_ms,error_code\n\n" +
        "zed.a,zed.op,zed.v,stale,,,\nzed.b,zed.op,zed.v,stale,,,\n",
    );
  });
  await withPeer(fakeSession().session, {}, async (peer) => {
    for (const uri of ["gum://status/canaries", "gum://plugins"]) {
      const { text } = await readItem(peer, uri);
      ok(text.includes("\ncount: 0\n") && text.endsWith("\n\n{}\n"), uri);
    }
  });
});

Deno.test("TestStatusHealthSubsystemEnum: six rows, sorted, each with a known status", async () => {
  const { session } = fakeSession({
    seams: { health: { keychain: () => ({ status: "healthy", detail: "backend found" }) } },
  });
  await withPeer(session, {}, async (peer) => {
    const { text } = await readItem(peer, "gum://status/health");
    const records = tableOf(text);
    deepStrictEqual(records.map((row) => row.subsystem), [
      "audit_log",
      "cache_sqlite",
      "canary_runner",
      "gain_ledger",
      "keychain",
      "tee_filesystem",
    ]);
    for (const row of records) {
      ok(["healthy", "degraded", "unavailable"].includes(String(row.status)));
      ok(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ$/.test(String(row.last_check_at)));
    }
    equal(records[0]?.detail, "probe not registered");
  });
});

Deno.test("TestHealthyRowsMayExplainThemselves: a healthy row keeps its detail", async () => {
  const { session } = fakeSession({
    seams: { health: { gain_ledger: () => ({ status: "healthy", detail: "no entries yet" }) } },
  });
  await withPeer(session, {}, async (peer) => {
    const records = tableOf((await readItem(peer, "gum://status/health")).text);
    deepStrictEqual([records[3]?.status, records[3]?.detail], ["healthy", "no entries yet"]);
  });
});

Deno.test("TestHealthDetailIsBoundedOnAnOSError: a long failure is cut at a character", async () => {
  const { session } = fakeSession({
    seams: {
      health: {
        audit_log: () => {
          throw new Error("ä".repeat(200));
        },
      },
    },
  });
  await withPeer(session, {}, async (peer) => {
    const records = tableOf((await readItem(peer, "gum://status/health")).text);
    equal(records[0]?.status, "unavailable");
    equal(records[0]?.detail, "ä".repeat(79) + "…");
  });
});

Deno.test("TestHealthDetailIsBoundedForEverySubsystem: 80 characters on every row", async () => {
  const long = () => ({ status: "healthy" as const, detail: "é".repeat(81) });
  const health = Object.fromEntries(HEALTH_SUBSYSTEMS.map((name) => [name, long]));
  await withPeer(fakeSession({ seams: { health } }).session, {}, async (peer) => {
    const rows = tableOf((await readItem(peer, "gum://status/health")).text);
    deepStrictEqual(rows.map(({ detail }) => detail), Array(6).fill("é".repeat(79) + "…"));
  });
});

Deno.test("health samples live five seconds, the keychain's a minute", async () => {
  let now = 1_000_000;
  const runs = { audit_log: 0, keychain: 0 };
  const counted = (name: keyof typeof runs) => () => {
    runs[name]++;
    return { status: "healthy" as const, detail: "ok" };
  };
  const { session } = fakeSession({
    seams: { health: { audit_log: counted("audit_log"), keychain: counted("keychain") } },
  });
  const clocked = { ...session, clock: { ...session.clock, now: () => now } };
  await withPeer(clocked, {}, async (peer) => {
    const read = async (after: number) => {
      now += after;
      await readItem(peer, "gum://status/health");
      return { ...runs };
    };
    deepStrictEqual(await read(0), { audit_log: 1, keychain: 1 });
    deepStrictEqual(await read(4_999), { audit_log: 1, keychain: 1 });
    deepStrictEqual(await read(1), { audit_log: 2, keychain: 1 });
    deepStrictEqual(await read(55_000), { audit_log: 3, keychain: 2 });
  });
});
