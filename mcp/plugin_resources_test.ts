import { deepStrictEqual, equal, ok } from "node:assert/strict";
import { jcs } from "../lib/format/mod.ts";
import type { JsonObject } from "../lib/json/mod.ts";
import { openPluginView, pluginOps } from "../lib/plugin/status/mod.ts";
import {
  inTemporary,
  manifestTree,
  never,
  schemaBundle,
  testProfile,
  writePlugin,
} from "../lib/plugin/testdata/fixture.ts";
import type { StateRow } from "../lib/plugin/types.ts";
import { fakeSession, smallCatalog, smallOp } from "./testdata/fake_session.ts";
import { type RawPeer, withPeer } from "./testdata/raw_peer.ts";
import { readError, readItem, tableOf } from "./testdata/reading.ts";

/** One installed plugin of each status, by name. */
const STATES: Record<string, Partial<StateRow>> = {
  "d-active": { status: "active", activated_at: "2026-01-01T00:00:00Z" },
  "c-pending": {},
  "b-config": {
    status: "needs_configuration",
    needs_configuration: true,
    credential_descriptors: [
      { alias: "second", kind: "other", display_name: "Second", setup_hint: "" },
      { alias: "first", kind: "other", display_name: "First", setup_hint: "" },
    ],
  },
  "a-bad": { quarantined: true, reason: "CANARY_FAILED", last_error_code: "CANARY_FAILED" },
};

interface Installed {
  peer: RawPeer;
  /** What the live inventory says, for comparing. */
  record(name: string): JsonObject | undefined;
  change(name: string, more: Partial<StateRow>): Promise<void>;
}

/** A connection to a session over really installed plugins. */
async function withPlugins(run: (at: Installed) => Promise<void>): Promise<void> {
  await inTemporary(async (directory) => {
    const profile = testProfile(directory);
    profile.parts.http.close();
    for (const name of Object.keys(STATES)) {
      const tree = manifestTree({ plugin: { name, namespace_owner: "io.x", schema_ref: name } });
      const files = { [`schemas/${name}.json`]: schemaBundle() };
      await profile.install(await writePlugin(`${directory}/${name}`, { tree, files }));
    }
    const change = async (name: string, more: Partial<StateRow>) => {
      await profile.registry.writeTransaction((draft) => {
        for (const row of draft.state.plugins) if (row.name === name) Object.assign(row, more);
      }, { signal: never() });
    };
    for (const [name, more] of Object.entries(STATES)) await change(name, more);
    const plugins = openPluginView({ paths: profile.registry.paths });
    const catalog = smallCatalog();
    catalog.ops.push(...pluginOps(plugins.snapshot()));
    const { session } = fakeSession({ catalog, seams: { plugins } });
    await withPeer(session, {}, (peer) => run({ peer, record: plugins.record, change }));
  });
}

async function completed(peer: RawPeer, uri: string, argument: string): Promise<string[]> {
  const { result } = await peer.request("completion/complete", {
    ref: { type: "ref/resource", uri },
    argument: { name: argument, value: "" },
  });
  const { completion } = result as { completion: { values: string[] } };
  return completion.values;
}

const opOf = (name: string) => `plug.${name}.echo`;

Deno.test("TestPluginsResourceFiltersPendingRestart: sorted, every status but the one that waits", async () => {
  await withPlugins(async ({ peer, change }) => {
    const rows = async () => tableOf((await readItem(peer, "gum://plugins")).text);
    deepStrictEqual((await rows()).map(({ name, status }) => [name, status]), [
      ["a-bad", "quarantined"],
      ["b-config", "needs_configuration"],
      ["d-active", "active"],
    ]);
    await change("c-pending", { status: "active" });
    equal((await rows()).length, 4, "the inventory is live");
  });
});

Deno.test("TestHandlePluginsReadFiltersInstalledPendingRestart: one text item with the documented columns", async () => {
  await withPlugins(async ({ peer }) => {
    const { mimeType, text } = await readItem(peer, "gum://plugins");
    equal(mimeType, "text/plain");
    ok(text.startsWith(
      "op: gum.plugins\nvariant: gum.plugins.v1\nformat_version: 1\ncount: 3\n" +
        "fields: name,version,shape,status,tos,risk,variant_count\n\n",
    ));
    ok(!text.includes("c-pending"));
    ok(text.includes("\nd-active,1.2.0,mcp-plugin,active,unofficial,dev-untrusted,1"));
  });
});

Deno.test("TestHandlePluginReadHappyPath: one canonical item, characters literal, pending ones addressable", async () => {
  await withPlugins(async ({ peer, record }) => {
    for (const name of Object.keys(STATES)) {
      const { mimeType, text } = await readItem(peer, `gum://plugin/${name}`);
      equal(mimeType, "application/json");
      equal(text, jcs(record(name)));
      ok(text.includes("Says <what> & how"));
    }
    for (const uri of ["gum://plugin/none", "gum://plugin/", "gum://plugin/a/b"]) {
      const { code, data } = await readError(peer, uri);
      equal(code, -32004);
      equal((data as JsonObject).error_code, "RESOURCE_NOT_FOUND");
    }
  });
});

Deno.test("TestOpResourceInactivePluginPath: a waiting operation says its status and nothing of its schema", async () => {
  await withPlugins(async ({ peer }) => {
    const read = async (name: string) =>
      JSON.parse((await readItem(peer, `gum://op/${opOf(name)}`)).text);
    equal((await read("d-active")).op_id, opOf("d-active"));
    deepStrictEqual(await read("c-pending"), {
      execution_support: "schema_only",
      reason: "Plugin installed but MCP server not yet restarted; restart to invoke.",
      status: "installed_pending_restart",
    });
    deepStrictEqual(await read("b-config"), {
      credential_aliases: ["second", "first"],
      execution_support: "schema_only",
      reason: "Plugin requires credential setup and a successful live canary before activation.",
      status: "needs_configuration",
    });
    const { code, data } = await readError(peer, `gum://op/${opOf("a-bad")}`);
    equal(code, -32000);
    equal((data as JsonObject).error_code, "VARIANT_QUARANTINED");
    equal((data as JsonObject).reason, "CANARY_FAILED");
  });
});

Deno.test("TestVariantResourceInactivePluginPath: the same for a variant", async () => {
  await withPlugins(async ({ peer, change }) => {
    const uri = (name: string) => `gum://variant/${opOf(name)}.v1`;
    const active = JSON.parse((await readItem(peer, uri("d-active"))).text);
    equal(active.variant.binding.plugin_name, "d-active");
    equal(
      JSON.parse((await readItem(peer, uri("c-pending"))).text).status,
      "installed_pending_restart",
    );
    equal((await readError(peer, uri("a-bad"))).code, -32000);
    equal((await readError(peer, uri("none"))).code, -32004);
    await change("c-pending", { status: "active" });
    equal(
      (await readError(peer, uri("c-pending"))).code,
      -32004,
      "active since, but not in the snapshot of this session",
    );
  });
});

Deno.test("TestInactivePluginResourceBodyIsJCSCanonical: the bodies are canonical JSON", async () => {
  await withPlugins(async ({ peer }) => {
    for (const name of ["c-pending", "b-config"]) {
      for (const uri of [`gum://op/${opOf(name)}`, `gum://variant/${opOf(name)}.v1`]) {
        const { mimeType, text } = await readItem(peer, uri);
        equal(mimeType, "application/json");
        equal(text, jcs(JSON.parse(text)));
      }
    }
  });
});

Deno.test("TestSchemaResourceServesInstalledPluginSchema: over MCP, for active plugins alone", async () => {
  await withPlugins(async ({ peer }) => {
    const { mimeType, text } = await readItem(peer, "gum://schema/d-active.request");
    equal(mimeType, "application/schema+json");
    equal(text, jcs(JSON.parse(schemaBundle()).$defs.request));
    for (const name of ["a-bad", "b-config", "c-pending"]) {
      const { code, data } = await readError(peer, `gum://schema/${name}.request`);
      equal(code, -32004);
      equal((data as JsonObject).error_code, "RESOURCE_NOT_FOUND");
    }
  });
});

Deno.test("TestPendingRestartExcludedFromCompletions: names as listed, operations and refs of active plugins", async () => {
  await withPlugins(async ({ peer }) => {
    deepStrictEqual(await completed(peer, "gum://plugin/{name}", "name"), [
      "a-bad",
      "b-config",
      "d-active",
    ]);
    const ops = (await completed(peer, "gum://op/{id}", "id")).filter((id) =>
      id.startsWith("plug.")
    );
    deepStrictEqual(ops, [opOf("d-active")]);
    const variants = await completed(peer, "gum://variant/{id}", "id");
    deepStrictEqual(variants.filter((id) => id.startsWith("plug.")), [`${opOf("d-active")}.v1`]);
    const refs = await completed(peer, "gum://schema/{ref}", "ref");
    deepStrictEqual(refs.filter((ref) => /^[a-d]-/.test(ref)), [
      "d-active.request",
      "d-active.response",
    ]);
  });
});

Deno.test("TestTierAToolCountWithPlugins: plugins never become tools", async () => {
  const names = async (peer: RawPeer) => {
    const { result } = await peer.request("tools/list");
    return (result as { tools: JsonObject[] }).tools.map(({ name }) => name);
  };
  let without: unknown[] = [];
  await withPeer(fakeSession().session, {}, async (peer) => {
    without = await names(peer);
  });
  await withPlugins(async ({ peer }) => {
    deepStrictEqual(await names(peer), without);
    ok((await readItem(peer, "gum://plugins")).text.includes("d-active"));
  });
});

Deno.test("gum.describe_op: an operation whose plugin is not there says how to get one, in its summary", async () => {
  await inTemporary(async (directory) => {
    const profile = testProfile(directory);
    profile.parts.http.close();
    const plugins = openPluginView({ paths: profile.registry.paths });
    const catalog = smallCatalog();
    const op = smallOp("flights.search", { riskClass: "read" });
    const [variant] = op.variants;
    ok(variant);
    variant.backend_kind = "mcp-plugin";
    variant.binding = {
      binding_schema_version: 1,
      adapter_key: "plugin.mcp",
      operation_key: op.op_id,
      plugin_name: "echo-box",
      tool_name: "echo",
    };
    catalog.ops = [...catalog.ops.filter(({ op_id }) => op_id !== op.op_id), op];
    const { session } = fakeSession({ catalog, seams: { plugins } });
    await withPeer(session, {}, async (peer) => {
      const summary = async () => {
        const { structuredContent } = await peer.call("gum.describe_op", { op_id: op.op_id });
        return String((structuredContent as JsonObject).summary);
      };
      ok((await summary()).startsWith(`${op.summary} Plugin echo-box is not installed`));
      await profile.install(await writePlugin(`${directory}/plugin`), { runCanary: false });
      equal(await summary(), op.summary);
    });
  });
});

Deno.test("TestPluginInactiveInventoryOnly: a call of an inactive operation says what would help", async () => {
  await withPlugins(async ({ peer }) => {
    const refusal = async (name: string) => {
      const { content } = await peer.call("gum.read", { op_id: opOf(name), args: {} });
      const [block] = content as { text: string }[];
      return JSON.parse(block?.text ?? "{}") as JsonObject;
    };
    const unconfigured = await refusal("b-config");
    equal(unconfigured.error_code, "UNSUPPORTED_CAPABILITY");
    deepStrictEqual(
      [unconfigured.status, unconfigured.plugin_name, unconfigured.credential_aliases],
      ["needs_configuration", "b-config", ["second", "first"]],
    );
    ok(!("unsupported_capabilities" in unconfigured));
    const waiting = await refusal("c-pending");
    equal(waiting.status, "installed_pending_restart");
    ok(!("credential_aliases" in waiting));
    const quarantined = await refusal("a-bad");
    deepStrictEqual(
      [quarantined.error_code, quarantined.reason, quarantined.plugin_name],
      ["VARIANT_QUARANTINED", "plugin_quarantined", "a-bad"],
    );
    for (
      const command of [
        "gum plugin list",
        "gum plugin reload a-bad",
        "gum plugin unquarantine a-bad",
      ]
    ) {
      ok(String(quarantined.suggestion).includes(command), command);
    }
  });
});
