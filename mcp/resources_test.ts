import { deepStrictEqual, equal, ok, throws } from "node:assert/strict";
import { readAssetText } from "../lib/assets/mod.ts";
import { embeddedCatalogBytes, loadCatalog } from "../lib/catalog/mod.ts";
import { createArtifactStore, readArtifact } from "../lib/artifact/mod.ts";
import { isGumError } from "../lib/errors/mod.ts";
import { decodeToonDocument, jcs } from "../lib/format/mod.ts";
import type { JsonObject, JsonValue } from "../lib/json/mod.ts";
import { checkTopicSize, embeddedHelp, loadHelpTopics } from "./help_topics.ts";
import { createMcpSurface } from "./mod.ts";
import { page } from "./pager.ts";
import { fakeSession, shaped, smallCatalog } from "./testdata/fake_session.ts";
import { type RawPeer, withPeer } from "./testdata/raw_peer.ts";
import { catalogSession } from "./testdata/real_session.ts";
import type { PluginView } from "./types.ts";

async function readItem(peer: RawPeer, uri: string): Promise<{ mimeType: string; text: string }> {
  const { result, error } = await peer.request("resources/read", { uri });
  if (error !== undefined) throw new Error(`${uri}: ${JSON.stringify(error)}`);
  const { contents } = result as { contents: JsonObject[] };
  equal(contents.length, 1);
  const [item] = contents;
  equal(item?.uri, uri);
  deepStrictEqual(Object.keys(item ?? {}).toSorted(), ["mimeType", "text", "uri"]);
  return item as { mimeType: string; text: string };
}

/** The rows of a status document as objects. */
function tableOf(text: string): Record<string, JsonValue>[] {
  const { fields, rows } = decodeToonDocument(text);
  return rows.map((row) => Object.fromEntries(fields.map((name, at) => [name, row[at] ?? null])));
}

async function readError(peer: RawPeer, uri: JsonValue): Promise<JsonObject> {
  const { error } = await peer.request("resources/read", { uri });
  return error as JsonObject;
}

const pluginRow = (name: string, status: string) => ({
  name,
  version: "1.0.0",
  shape: "mcp",
  status,
  tos: "ok",
  risk: "read",
  variant_count: 1,
});

/** A plugin inventory with one plugin of each status. */
function pluginView(changes: Partial<PluginView> = {}): PluginView {
  const statuses: Record<
    string,
    "quarantined" | "installed_pending_restart" | "needs_configuration"
  > = {
    bad: "quarantined",
    pending: "installed_pending_restart",
    unset: "needs_configuration",
  };
  const named = (query: { opId?: string; variantId?: string }) =>
    (query.opId ?? query.variantId ?? "").split(".")[0] ?? "";
  return {
    rows: () => [
      pluginRow("zed", "active"),
      pluginRow("pending", "installed_pending_restart"),
      pluginRow("bad", "quarantined"),
      pluginRow("", "active"),
      pluginRow("unset", "needs_configuration"),
    ],
    canaries: () => [
      { canary_id: "zed.b", op_id: "zed.op", variant_id: "zed.v", status: "stale" },
      { canary_id: "zed.a", op_id: "zed.op", variant_id: "zed.v", status: "stale" },
    ],
    lookup: (query) => {
      const pluginName = named(query);
      const status = statuses[pluginName];
      return status && {
        status,
        pluginName,
        reason: status === "quarantined" ? "digest" : "",
        credentialAliases: ["token"],
      };
    },
    record: (name) => name === "zed" ? { name, b: 1, a: "<&>" } : undefined,
    schema: (ref) => ref === "zed.schema.v1" ? { type: "object", $id: "x" } : undefined,
    schemaRefs: () => ["zed.schema.v1"],
    ...changes,
  };
}

Deno.test("TestStaticResourceRegistration: five entries, the catalog with size and a warning not to inject", async () => {
  const { session } = await catalogSession();
  await withPeer(session, {}, async (peer) => {
    const { result } = await peer.request("resources/list");
    const { resources, ...rest } = result as { resources: JsonObject[] };
    deepStrictEqual(rest, {});
    deepStrictEqual(resources.map(({ uri, name, mimeType }) => [uri, name, mimeType]), [
      ["gum://catalog", "gum_catalog", "application/json"],
      ["gum://help/topics", "gum_help_topics", "text/plain"],
      ["gum://plugins", "gum_plugins", "text/plain"],
      ["gum://status/canaries", "gum_status_canaries", "text/plain"],
      ["gum://status/health", "gum_status_health", "text/plain"],
    ]);
    const bytes = embeddedCatalogBytes();
    equal(resources[0]?.size, bytes.length);
    deepStrictEqual(resources[0]?._meta, { "x-gum-do-not-auto-inject": true });
    const { text } = await readItem(peer, "gum://catalog");
    deepStrictEqual(new TextEncoder().encode(text), new Uint8Array(bytes));
  });
});

Deno.test("TestResourceTemplateRegistration: six templates, listed nowhere else", async () => {
  await withPeer(fakeSession().session, {}, async (peer) => {
    const { result } = await peer.request("resources/templates/list");
    const { resourceTemplates } = result as { resourceTemplates: JsonObject[] };
    deepStrictEqual(
      resourceTemplates.map(({ uriTemplate, name, mimeType }) => [uriTemplate, name, mimeType]),
      [
        ["gum://help/{topic}", "gum_help_topic", "text/markdown"],
        ["gum://op/{id}", "gum_op", "application/json"],
        ["gum://plugin/{name}", "gum_plugin", "application/json"],
        ["gum://results/{hash}", "gum_result_artifact", "application/json"],
        ["gum://schema/{ref}", "gum_schema", "application/schema+json"],
        ["gum://variant/{id}", "gum_variant", "application/json"],
      ],
    );
    const listed = await peer.request("resources/list");
    const { resources } = listed.result as { resources: JsonObject[] };
    ok(resources.every(({ uri }) => !String(uri).includes("{")));
  });
});

Deno.test("TestMCPResourceCursorPagination: pages of one hundred, opaque and bound to their list", () => {
  const entries = Array.from({ length: 250 }, (_, index) => index);
  const seen: number[] = [];
  let cursor: string | undefined;
  const sizes: number[] = [];
  do {
    const shown = page(entries, { list: "tools", cursor });
    sizes.push(shown.entries.length);
    seen.push(...shown.entries);
    cursor = shown.next;
  } while (cursor !== undefined);
  deepStrictEqual(sizes, [100, 100, 50]);
  deepStrictEqual(seen, entries);
  const { next } = page(entries, { list: "tools", cursor: undefined });
  const forged = btoa('{"l":"tools","o":1000}').replaceAll("=", "");
  for (const bad of [7, "", "%%", "abc", next?.slice(1), forged, null, {}]) {
    throws(() => page(entries, { list: "tools", cursor: bad as JsonValue }), { code: -32602 });
  }
  throws(() => page(entries, { list: "prompts", cursor: next }), { code: -32602 });
});

Deno.test("TestMCPResourceCursorPagination: bad cursors are refused on every list, page sizes ignored", async () => {
  await withPeer(fakeSession().session, {}, async (peer) => {
    for (
      const method of ["tools/list", "prompts/list", "resources/list", "resources/templates/list"]
    ) {
      const { error } = await peer.request(method, { cursor: "nonsense" });
      equal((error as JsonObject).code, -32602, method);
      equal(((error as JsonObject).data as JsonObject).error_code, "INVALID_ARGS");
      const { result } = await peer.request(method, { limit: 1, pageSize: 1 });
      equal((result as JsonObject).nextCursor, undefined, method);
    }
  });
});

Deno.test("TestOpVariantResourceWireShape: whole records in canonical form, characters literal", async () => {
  const catalog = smallCatalog();
  const [op] = catalog.ops;
  if (op === undefined) throw new Error("the catalog has an operation");
  op.summary = "Tom & Jerry <cat> > mouse";
  await withPeer(fakeSession({ catalog }).session, {}, async (peer) => {
    const read = await readItem(peer, `gum://op/${op.op_id}`);
    equal(read.mimeType, "application/json");
    equal(read.text, jcs(op as unknown as JsonValue));
    ok(read.text.includes("Tom & Jerry <cat> > mouse"));
    const variant = await readItem(peer, `gum://variant/${op.default_variant_id}`);
    equal(
      variant.text,
      jcs({ op_id: op.op_id, variant: op.variants[0] } as unknown as JsonValue),
    );
    equal((await readError(peer, "gum://op/none")).code, -32004);
    equal((await readError(peer, "gum://variant/none")).code, -32004);
  });
});

Deno.test("TestSchemaResourceServesAGeneratedRequestSchema: a described ref can be read", async () => {
  const { session } = await catalogSession();
  const op = loadCatalog().ops.find(({ variants }) => variants[0]?.binding?.request_ref);
  const ref = op?.variants[0]?.binding?.request_ref;
  await withPeer(session, {}, async (peer) => {
    const read = await readItem(peer, `gum://schema/${ref}`);
    equal(read.mimeType, "application/schema+json");
    equal(read.text, jcs(JSON.parse(read.text)));
    equal(
      (await readItem(peer, `gum://schema/${encodeURIComponent(String(ref))}`)).text,
      read.text,
    );
  });
});

Deno.test("TestSchemaResourceGrammarRejection: refused before any path is built", async () => {
  const { session } = await catalogSession();
  await withPeer(session, {}, async (peer) => {
    for (
      const ref of ["Test.v1", "good..bad", "good%2fbad", "good%5cbad", ".hidden.v1", "%00", "%zz"]
    ) {
      const error = await readError(peer, `gum://schema/${ref}`);
      equal(error.code, -32004, ref);
      ok(String((error.data as JsonObject).detail).includes("grammar"), ref);
      equal((error.data as JsonObject).retryable, undefined);
    }
  });
});

Deno.test("TestSchemaResourceLookup: unknown refs are not in the active snapshot", async () => {
  const { session } = await catalogSession();
  await withPeer(session, {}, async (peer) => {
    const error = await readError(peer, "gum://schema/unknown.schema.v1");
    ok(String((error.data as JsonObject).detail).includes("not in active snapshot"));
  });
});

Deno.test("TestSchemaResourceServesInstalledPluginSchema: an active plugin's schema is served", async () => {
  await withPeer(fakeSession({ seams: { plugins: pluginView() } }).session, {}, async (peer) => {
    const read = await readItem(peer, "gum://schema/zed.schema.v1");
    equal(read.text, '{"$id":"x","type":"object"}');
  });
});

Deno.test("TestPluginInactiveInventoryOnly: inactive operations show a status and nothing else", async () => {
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

Deno.test("TestHandlePluginsReadFiltersInstalledPendingRestart: sorted, pending and nameless hidden", async () => {
  await withPeer(fakeSession({ seams: { plugins: pluginView() } }).session, {}, async (peer) => {
    const document = { records: tableOf((await readItem(peer, "gum://plugins")).text) };
    deepStrictEqual(document.records.map((row) => row.name), ["bad", "unset", "zed"]);
  });
});

Deno.test("TestHandlePluginReadHappyPath: one canonical record, unescaped", async () => {
  await withPeer(fakeSession({ seams: { plugins: pluginView() } }).session, {}, async (peer) => {
    equal((await readItem(peer, "gum://plugin/zed")).text, '{"a":"<&>","b":1,"name":"zed"}');
    equal((await readError(peer, "gum://plugin/none")).code, -32004);
  });
});

Deno.test("TestCanaryStaleOnStartup: plugin canaries, stale, sorted; none without plugins", async () => {
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

Deno.test("TestHealthDetailIsBoundedForEverySubsystem: samples live for their time", async () => {
  let probes = 0;
  let now = 1_000_000;
  const { session } = fakeSession({
    seams: {
      health: {
        audit_log: () => ({ status: "healthy", detail: `run ${++probes}` }),
        keychain: () => ({ status: "healthy", detail: "x".repeat(81) }),
      },
    },
  });
  const clocked = { ...session, clock: { ...session.clock, now: () => now } };
  await withPeer(clocked, {}, async (peer) => {
    const first = await readItem(peer, "gum://status/health");
    now += 4_999;
    equal((await readItem(peer, "gum://status/health")).text, first.text);
    now += 1;
    ok((await readItem(peer, "gum://status/health")).text.includes("run 2"));
    for (const row of tableOf(first.text)) {
      ok([...String(row.detail)].length <= 80);
    }
  });
});

Deno.test("TestHelpTopicsSeedSet: thirteen topics resolve to their files", async () => {
  const { session } = await catalogSession();
  await withPeer(session, { help: embeddedHelp }, async (peer) => {
    const records = tableOf((await readItem(peer, "gum://help/topics")).text);
    deepStrictEqual(records.map((row) => row.topic), [
      "auth",
      "calendar",
      "code-mode",
      "docs",
      "drive",
      "field-masks",
      "gain",
      "gmail",
      "plugins",
      "profiles",
      "recovery",
      "sheets",
      "toon-format",
    ]);
    for (const { topic, status } of records) {
      equal(status, "active");
      const read = await readItem(peer, `gum://help/${topic}`);
      equal(read.mimeType, "text/markdown");
      equal(read.text, readAssetText(`catalog/help/${topic}.md`));
    }
  });
});

Deno.test("TestHelpResourceNotFound: anything but a listed topic is not found, with the topic", async () => {
  await withPeer(fakeSession().session, {}, async (peer) => {
    for (const topic of ["none", "Drive", "dri_ve", "", "a/b", "drive?x", "drive#x"]) {
      const error = await readError(peer, `gum://help/${topic}`);
      equal(error.code, -32004, topic);
      equal(error.message, "Resource not found");
      const data = error.data as JsonObject;
      equal(data.error_code, "RESOURCE_NOT_FOUND");
      equal(data.uri, `gum://help/${topic}`);
      equal(data.topic, topic);
      ok(String(data.suggestion).includes("gum://help/topics"));
    }
  });
});

Deno.test("TestHandleHelpTopicReadUnknownTopicReturnsResourceNotFound: data names the topic", async () => {
  await withPeer(fakeSession().session, {}, async (peer) => {
    equal(((await readError(peer, "gum://help/none")).data as JsonObject).topic, "none");
  });
});

Deno.test("TestDeprecatedHelpRedirectBodyIsJCSCanonical: a renamed topic points to the new one", async () => {
  await withPeer(fakeSession().session, {}, async (peer) => {
    const read = await readItem(peer, "gum://help/disk");
    equal(read.mimeType, "application/json");
    equal(read.text, '{"redirect":"drive","status":"deprecated"}');
  });
});

Deno.test("TestErrTopicTooLargeError: topic, size and limit are named", () => {
  checkTopicSize("a", "x".repeat(8192));
  throws(() => checkTopicSize("big", "ä".repeat(4097)), (error: Error) => {
    ok(isGumError(error, "HELP_TOPIC_TOO_LARGE"));
    equal(error.message, 'HELP_TOPIC_TOO_LARGE: topic "big" is 8194 bytes (max 8192)');
    return true;
  });
});

Deno.test("TestRegisterHelpResourcesPanicsOnOversizedTopic: start-up stops before any transport", () => {
  const help = {
    manifest: () =>
      '{"schema_version":1,"topics":[{"topic":"big","status":"active","one_line_description":"",' +
      '"redirect_topic":""}]}',
    body: () => "x".repeat(8193),
  };
  throws(
    () => createMcpSurface(fakeSession().session, { version: "t", help }),
    (error) => isGumError(error, "HELP_TOPIC_TOO_LARGE"),
  );
  throws(() => loadHelpTopics(help));
});

Deno.test("TestResourceReadResultsHit: a kept result is read back in canonical form", async () => {
  await using folder = await tempFolder();
  const store = createArtifactStore({ directory: folder.path });
  const handle = await store.write({
    opId: "gmail.users.messages.list",
    variantId: "v",
    argsCanonical: "{}",
    fingerprint: "",
    body: new TextEncoder().encode('{"b": 12345678901234567890, "a": "<&>"}'),
  });
  const { session } = fakeSession();
  const kept = {
    ...session,
    readResult: (uri: string) => readArtifact(uri, { directory: folder.path }),
  };
  await withPeer(kept, {}, async (peer) => {
    const read = await readItem(peer, `gum://results/${handle.hash}`);
    equal(read.mimeType, "application/json");
    equal(read.text, '{"a":"<&>","b":12345678901234567890}');
    deepStrictEqual(peer.pushed, []);
  });
});

Deno.test("TestResultArtifactExpiredError: every miss has the same keys", async () => {
  await using folder = await tempFolder();
  const { session } = fakeSession();
  const sessions = [session, {
    ...session,
    readResult: (uri: string) => readArtifact(uri, { directory: folder.path }),
  }];
  for (const served of sessions) {
    await withPeer(served, {}, async (peer) => {
      for (
        const [tail, hash] of [["abc123", "abc123"], ["ABC", ""], ["a/b", ""], ["", ""], ["zz", ""]]
      ) {
        const uri = `gum://results/${tail}`;
        const error = await readError(peer, uri);
        equal(error.code, -32010);
        equal(error.message, "Result artifact expired");
        const data = error.data as JsonObject;
        deepStrictEqual(Object.keys(data).toSorted(), [
          "error_code",
          "expires_at",
          "hash",
          "suggestion",
          "uri",
          "user_message",
        ]);
        deepStrictEqual([data.hash, data.uri, data.expires_at], [hash, uri, null]);
      }
    });
  }
});

Deno.test("TestResultsReadsEmitNoResourceUpdatedNotifications: reading is silent", async () => {
  await withPeer(fakeSession().session, {}, async (peer) => {
    await readError(peer, "gum://results/ab");
    await peer.request("ping");
    deepStrictEqual(peer.pushed, []);
  });
});

Deno.test("a URI is echoed byte for byte, and a missing one is an argument error", async () => {
  await withPeer(fakeSession().session, {}, async (peer) => {
    for (const uri of ["gum://op/a b", "gum://op/%2f", "gum://op/é", "http://x", "gum://nope"]) {
      equal(((await readError(peer, uri)).data as JsonObject).uri, uri);
    }
    for (const uri of [undefined, 7, null]) {
      const error = await readError(peer, uri as unknown as JsonValue);
      equal(error.code, -32602);
      equal((error.data as JsonObject).error_code, "INVALID_ARGS");
    }
    equal((await readError(peer, `gum://op/${"x".repeat(257)}`)).code, -32004);
  });
});

Deno.test("results of a call are completed newest first", async () => {
  let count = 0;
  const { session } = fakeSession({
    answer: ({ opId }) => {
      const response = shaped(opId, {});
      if (response.expression) {
        response.expression.full_result_resource = `gum://results/a${++count}`;
      }
      return response;
    },
  });
  await withPeer(session, {}, async (peer) => {
    await peer.call("drive_find");
    await peer.call("drive_find");
    const { result } = await peer.request("completion/complete", {
      ref: { type: "ref/resource", uri: "gum://results/{hash}" },
      argument: { name: "hash", value: "" },
    });
    deepStrictEqual(((result as JsonObject).completion as JsonObject).values, ["a2", "a1"]);
  });
});

async function tempFolder(): Promise<{ path: string; [Symbol.asyncDispose](): Promise<void> }> {
  const path = await Deno.makeTempDir({ prefix: "gum-mcp-" });
  return { path, [Symbol.asyncDispose]: () => Deno.remove(path, { recursive: true }) };
}
