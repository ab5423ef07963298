import { deepStrictEqual, equal, ok } from "node:assert/strict";
import { fakeSession, smallCatalog, smallOp } from "./testdata/fake_session.ts";
import { textOf, withPeer } from "./testdata/raw_peer.ts";
import { resolveTuning } from "./tuning.ts";
import type { MetaToolTuning } from "./types.ts";
import type { JsonObject } from "../lib/json/mod.ts";

function tuned(configured: MetaToolTuning) {
  const warnings: Record<string, unknown>[] = [];
  const tuning = resolveTuning(configured, (_message, fields) => warnings.push(fields));
  return { tuning, warnings };
}

Deno.test("TestMetaToolAdminTuningDefaultsWhenAbsent: nothing configured, nothing warned", () => {
  deepStrictEqual(tuned({}), {
    tuning: { searchK: 5, searchTruncateChars: 120, describeMaxVariants: 5 },
    warnings: [],
  });
});

Deno.test("TestMetaToolAdminTuningClampsTruncateChars: 60 to 400, one warning each", () => {
  for (const [given, used] of [[1, 60], [60, 60], [400, 400], [9999, 400]] as const) {
    const { tuning, warnings } = tuned({ searchTruncateChars: given });
    equal(tuning.searchTruncateChars, used);
    equal(warnings.length, given === used ? 0 : 1);
  }
});

Deno.test("TestMetaToolAdminTuningClampsCollapseMaxItems: 1 to 50, one warning each", () => {
  for (const [given, used] of [[0, 1], [1, 1], [50, 50], [51, 50]] as const) {
    const { tuning, warnings } = tuned({ searchMaxItems: given });
    equal(tuning.searchMaxItems, used);
    equal(warnings.length, given === used ? 0 : 1);
  }
});

Deno.test("TestMetaToolAdminTuningUnparseableTruncateChars: the default, with one warning", () => {
  for (const given of ["120", 1.5, null, {}, NaN]) {
    const { tuning, warnings } = tuned({ searchTruncateChars: given });
    equal(tuning.searchTruncateChars, 120);
    equal(warnings.length, 1);
  }
});

Deno.test("TestMetaToolAdminTuningUnparseableCollapseMaxItems: k decides, with one warning", () => {
  const { tuning, warnings } = tuned({ searchMaxItems: "many" });
  equal(tuning.searchMaxItems, undefined);
  equal(warnings.length, 1);
});

Deno.test("TestMetaToolAdminTuningTruncateChars: cells are cut at the configured length, summaries at 80", async () => {
  const catalog = smallCatalog();
  const long = smallOp(`sample.${"verylongname".repeat(8)}.list`, { riskClass: "read" });
  long.summary = "Searches " + "widgets ".repeat(30);
  catalog.ops.push(long);
  const { session } = fakeSession({ catalog, seams: { tuning: { searchTruncateChars: 60 } } });
  await withPeer(session, {}, async (peer) => {
    const text = textOf(await peer.call("gum.search_apis", { query: "widgets", k: 1 }));
    const [, , op = "", , summary = ""] = (text.trimEnd().split("\n").at(-1) ?? "").split(",");
    equal([...op].length, 60);
    ok(op.endsWith("…"));
    equal([...summary].length, 80);
    ok(summary.endsWith("…"));
  });
});

Deno.test("a search index that cannot be built takes down the search only", async () => {
  const { session } = fakeSession();
  const broken = {
    ...session,
    search: () => {
      throw new Error("no index");
    },
  };
  await withPeer(broken, {}, async (peer) => {
    const result = await peer.call("gum.search_apis", { query: "mail" });
    const envelope = JSON.parse(textOf(result)) as JsonObject;
    equal(envelope.error_code, "SERVICE_DOWN");
    equal(envelope.source_error_code, "BM25_BUILD_FAILED");
    equal((await peer.call("gum.cache_stats")).isError, undefined);
  });
});

Deno.test("TestServerLoggerInjection: what the surface has to say reaches the session's logger", async () => {
  const lines: string[] = [];
  const { session } = fakeSession({ seams: { tuning: { searchK: 99 } } });
  const logged = {
    ...session,
    log: { log: (_level: string, message: string) => void lines.push(message) },
  };
  await withPeer(logged, {}, async (peer) => {
    await peer.line('{"jsonrpc":"2.0","method":"notifications/x","params":[]}');
    await peer.call("gum.read", {});
  });
  ok(lines.some((line) => line.includes("clamped")));
  ok(lines.some((line) => line.includes("malformed notification")));
  ok(lines.some((line) => line.includes("tool call failed")));
});
