import { deepStrictEqual, equal, ok } from "node:assert/strict";
import type { JsonObject } from "../lib/json/mod.ts";
import { fakeHelp, fakeSession } from "./testdata/fake_session.ts";
import { envelopeOf, withPeer } from "./testdata/raw_peer.ts";
import { createToolRegistry } from "./registry.ts";
import { createSurface } from "./surface.ts";
import { callTool } from "./call.ts";
import { createConnection } from "./connection.ts";
import type { RegisteredTool } from "./types.ts";
import { LIST, refused } from "./testdata/refusals.ts";

Deno.test("TestMetaToolInputSchemaIsEnforced: each kind of violation is named", async () => {
  const cases: [string, JsonObject, (envelope: JsonObject) => void][] = [
    ["gum.read", { op_id: LIST, format: "yaml" }, ({ invalid }) =>
      deepStrictEqual(invalid, [{
        path: "/format",
        rule: "enum",
        allowed: ["toon", "csv", "json", "markdown", "raw"],
        value: "yaml",
      }])],
    ["gum.read", {}, ({ missing }) => deepStrictEqual(missing, ["op_id"])],
    [
      "gum.read",
      { op_id: LIST, zeta: 1, alpha: 2 },
      ({ unknown }) => deepStrictEqual(unknown, ["alpha", "zeta"]),
    ],
    ["gum.read", { op_id: 7 }, ({ type_errors }) => deepStrictEqual(type_errors, ["op_id"])],
    [
      "gum.read",
      { op_id: LIST, page_size: 0 },
      ({ invalid }) =>
        deepStrictEqual(invalid, [{ path: "/page_size", rule: "minimum", limit: 1, value: 0 }]),
    ],
    [
      "gum.search_apis",
      { query: "x", k: 21 },
      ({ invalid }) =>
        deepStrictEqual(invalid, [{ path: "/k", rule: "maximum", limit: 20, value: 21 }]),
    ],
    [
      "gum.search_apis",
      { query: "" },
      ({ invalid }) =>
        deepStrictEqual(invalid, [{ path: "/query", rule: "minLength", limit: 1, value: "" }]),
    ],
    [
      "gum.code",
      { language: "risor", source: "1", destructive_budget: 21 },
      ({ invalid }) => equal((invalid as JsonObject[])[0]?.path, "/destructive_budget"),
    ],
    [
      "gum.poll",
      { operation_name: "" },
      ({ invalid }) => equal((invalid as JsonObject[])[0]?.rule, "minLength"),
    ],
    [
      "skills_get",
      { name: "A B" },
      ({ invalid }) => equal((invalid as JsonObject[])[0]?.rule, "pattern"),
    ],
    ["gum.cache_stats", { x: 1 }, ({ unknown }) => deepStrictEqual(unknown, ["x"])],
  ];
  for (const [tool, args, check] of cases) {
    const envelope = await refused(tool, args);
    equal(envelope.error_code, "INVALID_ARGS");
    equal(envelope.tool, tool);
    ok(String(envelope.message).startsWith(`${tool}: `));
    for (const key of ["missing", "unknown", "type_errors", "invalid"]) {
      ok(Array.isArray(envelope[key]), key);
    }
    equal(envelope.retryable, false);
    check(envelope);
  }
});

Deno.test("TestMetaToolInputSchemaIsEnforced: the envelope of one wrong enum word, whole", async () => {
  deepStrictEqual(await refused("gum.read", { op_id: LIST, format: "yaml" }), {
    error_code: "INVALID_ARGS",
    message: "gum.read: format must be one of toon, csv, json, markdown, raw",
    invalid: [{
      path: "/format",
      rule: "enum",
      allowed: ["toon", "csv", "json", "markdown", "raw"],
      value: "yaml",
    }],
    missing: [],
    suggestion: "Fix the named arguments and call again.",
    tool: "gum.read",
    type_errors: [],
    unknown: [],
    user_message: "The arguments of gum.read are not valid.",
    retryable: false,
  });
});

Deno.test("TestMetaToolInputSchemaIsEnforced: an unknown key names its nearest neighbour", async () => {
  const envelope = await refused("gum.read", { op_id: LIST, max_item: "3" });
  ok(String(envelope.message).includes("did you mean max_items?"));
});

Deno.test("TestMetaToolInputSchemaIsEnforced: a nested value written as text is named as such", async () => {
  await withPeer(fakeSession().session, {}, async (peer) => {
    const messageOf = async (tool: string, args: JsonObject) =>
      String(envelopeOf(await peer.call(tool, args)).message);
    const listing = { op_id: "gmail.users.messages.list" };
    equal(
      await messageOf("gum.read", { ...listing, args: '{"userId":"me"}' }),
      "gum.read: args must be of type object, given as JSON and not as a text that holds it",
    );
    equal(
      await messageOf("gmail_search", { userId: "me", labelIds: '["INBOX"]' }),
      "gmail_search: labelIds must be of type array, given as JSON and not as a text that holds it",
    );
    equal(
      await messageOf("gum.read", { ...listing, args: "me" }),
      "gum.read: args must be of type object",
    );
  });
});

Deno.test("TestMetaToolInputSchemaIsEnforced: secrets and programs are never echoed", async () => {
  const envelope = await refused("gum.code", { language: "risor", source: 5, extra: "x" });
  ok(!JSON.stringify(envelope).includes('"value":5'));
  const long = "y".repeat(65);
  const echoed = await refused("gum.read", { op_id: LIST, format: long });
  ok(!JSON.stringify(echoed).includes(long));
});

Deno.test("TestCodeReservedLanguageRejection: every other language is an error result", async () => {
  for (const language of ["starlark", "yaegi", "js", "python", "other"]) {
    const envelope = await refused("gum.code", { language, source: "1" });
    equal(envelope.error_code, "INVALID_ARGS");
    ok(String(envelope.message).includes("gum.code"));
    equal((envelope.invalid as JsonObject[])[0]?.value, language);
  }
});

Deno.test("TestValidInputStillReachesHandler: valid arguments reach the kernel", async () => {
  const fake = fakeSession();
  await withPeer(fake.session, {}, (peer) =>
    peer.call("gum.read", {
      op_id: LIST,
      args: { userId: "me", fields: "lost", pageToken: "lost" },
      fields: "messages(id)",
      page_size: 5,
      page_token: "p",
      format: "json",
      max_items: "all",
    }));
  const [invocation] = fake.asked;
  deepStrictEqual(invocation?.args, {
    userId: "me",
    fields: "messages(id)",
    pageToken: "p",
    maxResults: 5,
  });
  equal(invocation?.format, "json");
  equal(invocation?.maxItems, "all");
  equal(invocation?.caller, "mcp");
  deepStrictEqual(
    [invocation?.allowWrite, invocation?.allowDestructive, invocation?.diffOnlyAllowed],
    [false, false, true],
  );
});

Deno.test("TestShapeResponseMaxItemsOverridesBuiltinCap: caps are numbers from 1 or the word all", async () => {
  for (const cap of [0, -1, 1.5, "x", "0", "01", ""]) {
    const envelope = await refused("gum.read", { op_id: LIST, max_items: cap });
    equal(envelope.error_code, "INVALID_ARGS", String(cap));
  }
  for (const [given, expected] of [[1, 1], ["3", 3], [3.0, 3], ["all", "all"]] as const) {
    const fake = fakeSession();
    await withPeer(
      fake.session,
      {},
      (peer) => peer.call("gum.read", { op_id: LIST, max_items: given }),
    );
    equal(fake.asked[0]?.maxItems, expected);
  }
});

Deno.test("an unknown tool is a protocol error in the fixed form", async () => {
  await withPeer(fakeSession().session, {}, async (peer) => {
    const { error } = await peer.request("tools/call", { name: "nope", arguments: {} });
    deepStrictEqual(error, {
      code: -32602,
      message: "Unknown tool",
      data: {
        error_code: "INVALID_ARGS",
        message: "Unknown tool",
        suggestion: "Use a name from tools/list.",
        tool: "nope",
        user_message: "There is no such tool.",
      },
    });
  });
});

Deno.test("TestUnresolvableSchemaFailsClosed: a broken schema takes down one tool only", async () => {
  const surface = createSurface(fakeSession().session, { version: "t", help: fakeHelp });
  const registry = createToolRegistry();
  let ran = 0;
  const tool = (name: string, schema: JsonObject): RegisteredTool => ({
    definition: {
      name,
      description: "",
      inputSchema: { type: "object", ...schema },
      annotations: { readOnlyHint: true, destructiveHint: false },
    },
    handler: () => {
      ran++;
      return Promise.resolve({ kind: "result", result: { content: [] } });
    },
  });
  registry.addTool(tool("broken", { properties: { a: { $ref: "#/$defs/none" } } }));
  registry.addTool(tool("sound", { properties: {} }));
  const connected = { ...surface, tools: registry.snapshot() };
  const call = (name: string) =>
    callTool(connected, { name, arguments: {} }, {
      signal: new AbortController().signal,
      connection: createConnection("legacy"),
      meta: {},
      clientName: "",
      clientCapabilities: {},
      askRoots: () => Promise.resolve(undefined),
    });
  const broken = await call("broken");
  if (broken.kind !== "result") throw new Error("a result was expected");
  const envelope = envelopeOf(broken.result as unknown as JsonObject);
  equal(envelope.error_code, "SERVICE_DOWN");
  equal(envelope.tool, "broken");
  equal(envelope.retryable, false);
  equal(ran, 0);
  await call("sound");
  equal(ran, 1);
});
