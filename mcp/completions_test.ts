import { deepStrictEqual, equal, ok } from "node:assert/strict";
import { loadCatalog } from "../lib/catalog/mod.ts";
import { isJsonObject, type JsonObject } from "../lib/json/mod.ts";
import { createCompleter } from "./completions.ts";
import { createConnection } from "./connection.ts";
import { toolDefinitions } from "./definitions.ts";
import { createResources } from "./resources.ts";
import { createSurface } from "./surface.ts";
import { fakeHelp, fakeSession, shaped, smallCatalog, smallOp } from "./testdata/fake_session.ts";
import { type RawPeer, withPeer } from "./testdata/raw_peer.ts";
import { catalogSession } from "./testdata/real_session.ts";
import { registerTools } from "./tools.ts";
import type { PluginView } from "./types.ts";

interface Completion {
  values: string[];
  total: number;
  hasMore: boolean;
}

async function complete(
  peer: RawPeer,
  ref: JsonObject,
  argument: [string, string],
  context?: JsonObject,
): Promise<Completion> {
  const [name, value] = argument;
  const { result, error } = await peer.request("completion/complete", {
    ref,
    argument: { name, value },
    ...(context === undefined ? {} : { context: { arguments: context } }),
  });
  if (error !== undefined) throw new Error(JSON.stringify(error));
  return (result as JsonObject).completion as unknown as Completion;
}

const resource = (uri: string): JsonObject => ({ type: "ref/resource", uri });
const tool = (name: string): JsonObject => ({ type: "ref/prompt", name });

Deno.test("TestMCPCompletions: operations by prefix, ranked, capped at fifty", async () => {
  const { session } = await catalogSession();
  const { ops } = loadCatalog();
  await withPeer(session, {}, async (peer) => {
    const all = await complete(peer, resource("gum://op/{id}"), ["id", ""]);
    equal(all.values.length, 50);
    equal(all.total, ops.length);
    equal(all.hasMore, true);
    deepStrictEqual(all.values, all.values.toSorted());
    const some = await complete(peer, resource("gum://op/{id}"), ["id", "GMAIL.USERS.LABELS.L"]);
    deepStrictEqual(some, { values: ["gmail.users.labels.list"], total: 1, hasMore: false });
    const none = await complete(peer, resource("gum://op/{id}"), ["id", "zzz"]);
    deepStrictEqual(none, { values: [], total: 0, hasMore: false });
  });
});

Deno.test("TestMCPCompletions: risk tools complete operations and variants of their class", async () => {
  const { session } = await catalogSession();
  const { ops } = loadCatalog();
  const classOf = new Map(ops.map((op) => [op.op_id, op.variants[0]?.risk_class]));
  await withPeer(session, {}, async (peer) => {
    for (const risk of ["read", "write", "destructive"]) {
      const { values } = await complete(peer, tool(`gum.${risk}`), ["op_id", ""]);
      ok(values.length > 0);
      for (const opId of values) equal(classOf.get(opId), risk, opId);
      const variants = await complete(peer, tool(`gum_${risk}`), ["variant_id", ""]);
      ok(variants.total > 0);
      deepStrictEqual(variants.values, variants.values.toSorted());
    }
    const [op] = ops;
    const named = await complete(peer, tool("gum.read"), ["variant_id", ""], {
      op_id: op?.op_id ?? "",
    });
    deepStrictEqual(named.values, op?.variants.map(({ variant_id }) => variant_id).toSorted());
    ok((await complete(peer, tool("gum.describe_op"), ["op_id", "gmail."])).total > 0);
  });
});

Deno.test("TestMCPCompletions: every enum of a tool equals its schema, raw is not offered", async () => {
  await withPeer(fakeSession().session, {}, async (peer) => {
    for (const { name, inputSchema } of toolDefinitions()) {
      const properties = inputSchema.properties as Record<string, JsonObject>;
      const format = properties.format;
      const { values } = await complete(peer, tool(name), ["format", ""]);
      const accepted = isJsonObject(format) && Array.isArray(format.enum) ? format.enum : [];
      const shown = ["toon", "csv", "json", "markdown"].filter((word) => accepted.includes(word));
      deepStrictEqual(values, shown, name);
    }
    deepStrictEqual((await complete(peer, tool("gum.read"), ["format", ""])).values, [
      "toon",
      "csv",
      "json",
      "markdown",
    ]);
    deepStrictEqual(
      (await complete(peer, tool("gum.code"), ["language", ""])).values,
      ["risor", "javascript"],
    );
  });
});

Deno.test("TestMCPCompletions: help topics, handles of this session, and nothing for the rest", async () => {
  const { session } = fakeSession({
    answer: ({ opId }) => shaped(opId, { name: "operations/7", done: false }),
  });
  await withPeer(session, {}, async (peer) => {
    deepStrictEqual((await complete(peer, resource("gum://help/{topic}"), ["topic", ""])).values, [
      "drive",
    ]);
    await peer.call("gum.read", { op_id: "gmail.users.startLong" });
    deepStrictEqual((await complete(peer, tool("gum.poll"), ["operation_name", "OP"])).values, [
      "operations/7",
    ]);
    const empty: [JsonObject, [string, string]][] = [
      [tool("gum.audit_recent_writes"), ["x", ""]],
      [tool("nope"), ["op_id", ""]],
      [tool("gum.read"), ["nope", ""]],
      [resource("gum://op/{id}"), ["nope", ""]],
      [resource("gum://nope"), ["id", ""]],
      [resource("gum://results/{hash}"), ["hash", ""]],
      [resource("gum://schema/{ref}"), ["ref", "zz"]],
    ];
    for (const [ref, argument] of empty) {
      deepStrictEqual(await complete(peer, ref, argument), {
        values: [],
        total: 0,
        hasMore: false,
      });
    }
  });
});

Deno.test("plugins complete as gum://plugins shows them", async () => {
  const row = (name: string, status: string) => ({
    name,
    version: "1",
    shape: "mcp",
    status,
    tos: "",
    risk: "read",
    variant_count: 1,
  });
  const plugins: PluginView = {
    rows:
      () => [row("b", "quarantined"), row("p", "installed_pending_restart"), row("a", "active")],
    canaries: () => [],
    lookup: () => undefined,
    record: () => undefined,
    schema: () => undefined,
    schemaRefs: () => ["sample.schema.v1"],
  };
  await withPeer(fakeSession({ seams: { plugins } }).session, {}, async (peer) => {
    deepStrictEqual((await complete(peer, resource("gum://plugin/{name}"), ["name", ""])).values, [
      "a",
      "b",
    ]);
    deepStrictEqual((await complete(peer, resource("gum://schema/{ref}"), ["ref", "s"])).values, [
      "sample.schema.v1",
    ]);
  });
});

Deno.test("quarantined variants are not completed", async () => {
  const catalog = smallCatalog();
  const op = smallOp("zz.bad", { riskClass: "read" });
  const [variant] = op.variants;
  if (variant) variant.quarantined = true;
  catalog.ops.push(op);
  await withPeer(fakeSession({ catalog }).session, {}, async (peer) => {
    equal((await complete(peer, resource("gum://variant/{id}"), ["id", "zz"])).total, 0);
  });
});

Deno.test("TestCompleteHasNoToolReferenceType: any other reference is refused", async () => {
  await withPeer(fakeSession().session, {}, async (peer) => {
    const cases: JsonObject[] = [
      { ref: { type: "ref/tool", name: "gum.read" }, argument: { name: "op_id", value: "" } },
      { ref: { type: "ref/prompt" }, argument: { name: "a", value: "" } },
      { ref: resource("gum://op/{id}") },
      { ref: resource("gum://op/{id}"), argument: { name: "id", value: 7 } },
      { argument: { name: "id", value: "" } },
      {},
    ];
    for (const params of cases) {
      const { error } = await peer.request("completion/complete", params);
      equal((error as JsonObject).code, -32602);
      equal(((error as JsonObject).data as JsonObject).error_code, "INVALID_ARGS");
    }
  });
});

Deno.test("TestMCPCompletionLatency: no row of the table is slow with many plugins and variants", async () => {
  const { session } = await catalogSession();
  const [op] = session.catalog.ops;
  const row = (index: number) => ({
    name: `plugin-${index}`,
    version: "1",
    shape: "mcp",
    status: "active",
    tos: "",
    risk: "read",
    variant_count: 1,
  });
  const rows = Array.from({ length: 100 }, (_, index) => row(index));
  const plugins: PluginView = {
    rows: () => rows,
    canaries: () => [],
    lookup: () => undefined,
    record: () => undefined,
    schema: () => undefined,
    schemaRefs: () => rows.map(({ name }) => `${name}.schema`),
  };
  const surface = createSurface({ ...session, plugins }, { version: "t", help: fakeHelp });
  const complete = createCompleter(
    { ...surface, tools: registerTools(surface).snapshot() },
    createConnection("legacy"),
    createResources(surface),
  );
  const questions: [JsonObject, string][] = [
    [resource("gum://op/{id}"), "id"],
    [resource("gum://variant/{id}"), "id"],
    [resource("gum://schema/{ref}"), "ref"],
    [resource("gum://plugin/{name}"), "name"],
    [resource("gum://help/{topic}"), "topic"],
    [tool("gum.read"), "op_id"],
    [tool("gum.read"), "variant_id"],
    [tool("gum.read"), "format"],
  ];
  for (const [ref, name] of questions) {
    const samples: number[] = [];
    for (let round = 0; round < 100; round++) {
      const began = performance.now();
      complete({
        ref,
        argument: { name, value: round % 2 === 0 ? "" : "g" },
        context: { arguments: { op_id: round % 3 === 0 ? op?.op_id ?? "" : "" } },
      });
      samples.push(performance.now() - began);
    }
    samples.sort((left, right) => left - right);
    ok((samples[94] ?? 0) <= 100 && (samples[98] ?? 0) <= 250, `${JSON.stringify(ref)} ${name}`);
  }
});
