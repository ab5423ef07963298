import { deepStrictEqual, equal, match, ok } from "node:assert/strict";
import { InMemoryTransport } from "@modelcontextprotocol/client";
import { serveStdio as serveConnection } from "@modelcontextprotocol/server/stdio";
import type { JsonObject } from "../lib/json/mod.ts";
import { createMcpSurface } from "./mod.ts";
import { fakeHelp, fakeSession } from "./testdata/fake_session.ts";
import { rawPeer, withPeer } from "./testdata/raw_peer.ts";
import type { RegisteredTool } from "./types.ts";

const CAPABILITIES = { completions: {}, prompts: {}, resources: {}, tools: {} };
const REVISIONS = ["2025-06-18", "2025-11-25", "2026-07-28"];

function extraTool(name: string): RegisteredTool {
  return {
    definition: {
      name,
      description: "An extra tool.",
      inputSchema: { type: "object", properties: {}, additionalProperties: false },
      annotations: { readOnlyHint: true, destructiveHint: false },
    },
    handler: () =>
      Promise.resolve({ kind: "result", result: { content: [{ type: "text", text: "extra" }] } }),
  };
}

Deno.test("TestMCPInitializeCapabilities: exactly four capabilities on every revision", async () => {
  for (const revision of REVISIONS) {
    const peer = rawPeer(fakeSession().session, { revision });
    const { result } = await peer.open();
    const opened = result as JsonObject;
    deepStrictEqual(opened.capabilities, CAPABILITIES, revision);
    equal(Object.hasOwn(opened, "instructions"), false);
    if (revision !== "2026-07-28") {
      equal(opened.protocolVersion, revision);
      deepStrictEqual(opened.serverInfo, { name: "gum", version: "0.0.0-test" });
    }
    await peer.close();
  }
});

Deno.test("TestMCPInitializeCapabilities: an unknown newer revision gets the newest handshake", async () => {
  for (const requested of ["2025-12-31", "2026-07-28", "2099-01-01"]) {
    const peer = rawPeer(fakeSession().session);
    const { result } = await peer.request("initialize", {
      protocolVersion: requested,
      capabilities: {},
      clientInfo: { name: "t", version: "1" },
    });
    equal((result as JsonObject).protocolVersion, "2025-11-25", requested);
    await peer.close();
  }
});

Deno.test("TestNoTaskCapabilityV01: task methods and subscriptions do not exist", async () => {
  for (const revision of REVISIONS) {
    await withPeer(fakeSession().session, { revision }, async (peer) => {
      for (
        const method of [
          "tasks/list",
          "tasks/get",
          "tasks/cancel",
          "resources/subscribe",
          "resources/unsubscribe",
          "sampling/createMessage",
          "no/such",
        ]
      ) {
        const { error } = await peer.request(method, { uri: "gum://results/ab" });
        equal((error as JsonObject | undefined)?.code, -32601, `${revision} ${method}`);
      }
    });
  }
});

Deno.test("TestResultsSubscribeIsRefused: results cannot be subscribed to", async () => {
  await withPeer(fakeSession().session, {}, async (peer) => {
    const { error } = await peer.request("resources/subscribe", { uri: "gum://results/ab" });
    equal((error as JsonObject).code, -32601);
  });
});

Deno.test("TestLoggingSetLevelTolerant: empty result on all revisions, nothing follows", async () => {
  for (const revision of REVISIONS) {
    await withPeer(fakeSession().session, { revision }, async (peer) => {
      await peer.request("tools/list");
      const { result } = await peer.request("logging/setLevel", { level: "debug" });
      deepStrictEqual(result, revision === "2026-07-28" ? { resultType: "complete" } : {});
      await peer.call("skills_list");
      deepStrictEqual(peer.pushed, []);
    });
  }
});

Deno.test("TestMCPStartupOrdering: 29 tools at once and no list change afterwards", async () => {
  await withPeer(fakeSession().session, {}, async (peer) => {
    const { result } = await peer.request("tools/list");
    equal(((result as JsonObject).tools as unknown[]).length, 29);
    await peer.request("ping");
    deepStrictEqual(peer.pushed, []);
  });
});

Deno.test("TestMCPRegistryStructurallyMutable: a later tool is invisible until the next session", async () => {
  const surface = createMcpSurface(fakeSession().session, { version: "t", help: fakeHelp });
  const connect = async () => {
    const [client, server] = InMemoryTransport.createLinkedPair();
    const handle = serveConnection(surface.connection(), { transport: server });
    const answers: JsonObject[] = [];
    let wake = () => {};
    client.onmessage = (message) => {
      answers.push(message as unknown as JsonObject);
      wake();
    };
    await client.start();
    const ask = async (id: number, method: string, params: JsonObject = {}) => {
      await client.send({ jsonrpc: "2.0", id, method, params } as never);
      while (!answers.some((answer) => answer.id === id)) {
        await new Promise<void>((resolve) => wake = resolve);
      }
      return answers.find((answer) => answer.id === id) ?? {};
    };
    await ask(1, "initialize", {
      protocolVersion: "2025-11-25",
      capabilities: {},
      clientInfo: { name: "t", version: "1" },
    });
    return { ask, close: () => handle.close() };
  };
  const count = (answer: JsonObject) => ((answer.result as JsonObject).tools as unknown[]).length;

  const first = await connect();
  surface.tools.addTool(extraTool("extra_one"));
  equal(count(await first.ask(2, "tools/list")), 29);
  const refused = await first.ask(3, "tools/call", { name: "extra_one", arguments: {} });
  equal((refused.error as JsonObject).code, -32602);
  await first.close();
  surface.tools.addTool(extraTool("extra_two"));

  const second = await connect();
  equal(count(await second.ask(2, "tools/list")), 31);
  const served = await second.ask(3, "tools/call", { name: "extra_two", arguments: {} });
  ok(JSON.stringify(served.result).includes("extra"));
  await second.close();
});

Deno.test("active plugins add rows, never tools", async () => {
  const { session } = fakeSession({
    seams: {
      plugins: {
        rows: () => [{
          name: "sample",
          version: "1.0.0",
          shape: "mcp",
          status: "active",
          tos: "ok",
          risk: "read",
          variant_count: 2,
        }],
        canaries: () => [],
        lookup: () => undefined,
        record: () => undefined,
        schema: () => undefined,
        schemaRefs: () => [],
      },
    },
  });
  await withPeer(session, {}, async (peer) => {
    const { result } = await peer.request("tools/list");
    const tools = (result as JsonObject).tools as JsonObject[];
    equal(tools.length, 29);
    ok(!JSON.stringify(tools).includes("sample"));
    const read = await peer.request("resources/read", { uri: "gum://plugins" });
    ok(JSON.stringify(read.result).includes("sample"));
  });
});

Deno.test("tool names follow the client, and both forms are always callable", async () => {
  const names = (client: string, options = {}) =>
    withPeer(fakeSession().session, { clientName: client, ...options }, async (peer) => {
      const { result } = await peer.request("tools/list");
      await peer.call("gum.cache_stats");
      await peer.call("gum_cache_stats");
      return ((result as JsonObject).tools as JsonObject[]).map((tool) => tool.name as string);
    });
  const refusing = [
    "claude-ai",
    "Codex",
    "codex-mcp-client",
    "github-copilot-developer",
    "cursor-vscode",
  ];
  for (const client of refusing) {
    const shown = await names(client);
    equal(shown[0], "gum_search_apis", client);
    ok(shown.every((name) => /^[a-zA-Z0-9_-]{1,64}$/.test(name)), client);
  }
  equal((await names("claude-code"))[0], "gum.search_apis");
  equal((await names("claude-ai", { toolNames: "dotted" }))[0], "gum.search_apis");
  equal((await names("other", { toolNames: "underscore" }))[2], "gum_read");
});

Deno.test("messages name tools in the form the client sees", async () => {
  await withPeer(fakeSession().session, { clientName: "claude-ai" }, async (peer) => {
    const result = await peer.call("gum_write", {
      op_id: "gmail.users.messages.list",
      args: {},
    });
    const envelope = JSON.parse((result.content as { text: string }[])[0]?.text ?? "");
    equal(envelope.error_code, "RISK_TOOL_MISMATCH");
    equal(envelope.required_tool, "gum_read");
    ok(envelope.message.includes("call gum_read"));
    const unknown = await peer.request("tools/call", { name: "gum_raed" });
    const suggestion = ((unknown.error as JsonObject).data as JsonObject).suggestion;
    equal(suggestion, "Did you mean gum_read?");
    const missing = await peer.request("resources/read", { uri: "gum://op/nothing" });
    match(JSON.stringify(missing.error), /with gum_search_apis\./);
    const skill = await peer.call("skills_get", { name: "mcp" });
    const text = (skill.content as { text: string }[])[0]?.text ?? "";
    ok(text.includes("gum_search_apis") && !text.includes("gum.search_apis"));
  });
});

Deno.test("a read-only server leaves out what could never succeed", async () => {
  await withPeer(fakeSession().session, { readOnly: true }, async (peer) => {
    const { result } = await peer.request("tools/list");
    const tools = (result as JsonObject).tools as JsonObject[];
    equal(tools.length, 18);
    for (const tool of tools) {
      equal((tool.annotations as JsonObject).readOnlyHint, true, String(tool.name));
    }
  });
});
