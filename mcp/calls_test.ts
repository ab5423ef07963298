import { deepStrictEqual, equal, ok } from "node:assert/strict";
import { GumError } from "../lib/errors/mod.ts";
import type { JsonObject, JsonValue } from "../lib/json/mod.ts";
import { createMcpSurface } from "./mod.ts";
import { META_TOOLS } from "./roster.ts";
import { fakeHelp, fakeSession, shaped, smallCatalog, smallOp } from "./testdata/fake_session.ts";
import { envelopeOf, textOf, withPeer } from "./testdata/raw_peer.ts";
import { createToolRegistry } from "./registry.ts";
import { createSurface } from "./surface.ts";
import { callTool } from "./call.ts";
import { createConnection } from "./connection.ts";
import type { RegisteredTool } from "./types.ts";

const LIST = "gmail.users.messages.list";

async function refused(name: string, args: JsonObject): Promise<JsonObject> {
  const fake = fakeSession();
  const envelope = await withPeer(fake.session, {}, async (peer) => {
    const result = await peer.call(name, args);
    equal(result.isError, true, `${name} ${JSON.stringify(args)}`);
    equal(result.structuredContent, undefined);
    return envelopeOf(result);
  });
  deepStrictEqual(fake.asked, [], "the handler must not run");
  return envelope;
}

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

Deno.test("TestCodeAcceptsRisor: a script reaches the sandbox without its transport controls", async () => {
  const seen: JsonObject[] = [];
  const { session } = fakeSession({
    seams: {
      code: (invocation) => {
        seen.push(invocation.args);
        equal(invocation.confirmationToken, "t");
        equal(invocation.allowWrite, true);
        equal(invocation.allowDestructive, false);
        return Promise.resolve(shaped("gum.code", "printed", { format: "raw" }));
      },
    },
  });
  const result = await withPeer(session, {}, (peer) =>
    peer.call("gum.code", {
      language: "risor",
      source: "print(1)",
      allow_write: true,
      confirmed: true,
      confirmation_token: "t",
    }));
  deepStrictEqual(seen, [{ language: "risor", source: "print(1)", allow_write: true }]);
  equal(textOf(result), "printed");
  equal((result.structuredContent as JsonObject).data, "printed");
});

Deno.test("absent abilities answer honestly, without results", async () => {
  const cases: [string, JsonObject, string][] = [
    ["gum.code", { language: "risor", source: "1" }, "UNSUPPORTED_CAPABILITY"],
    ["gum.poll", { operation_name: "operations/1" }, "UNSUPPORTED_CAPABILITY"],
    ["gum.gain", {}, "GAIN_LEDGER_UNAVAILABLE"],
  ];
  for (const [tool, args, code] of cases) {
    equal((await refused(tool, args)).error_code, code, tool);
  }
});

Deno.test("TestGainLedgerUnavailableReturnsTerminalError: the hint says what is missing", async () => {
  const envelope = await refused("gum.gain", {});
  ok(typeof envelope.hint === "string" && envelope.hint !== "");
});

Deno.test("TestGainDisabledReturnsTerminalError: the ledger's own refusal passes through", async () => {
  const { session } = fakeSession({
    seams: { gain: () => Promise.reject(new GumError("GAIN_DISABLED", { message: "off" })) },
  });
  const result = await withPeer(session, {}, (peer) => peer.call("gum.gain"));
  equal(envelopeOf(result).error_code, "GAIN_DISABLED");
  equal(result.structuredContent, undefined);
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

Deno.test("TestUnstructuredAdapterErrorGetsEnvelope: anything thrown becomes an envelope", async () => {
  const { session } = fakeSession({
    answer: () => {
      throw new Error("socket fell over");
    },
  });
  const result = await withPeer(session, {}, (peer) => peer.call("gum.read", { op_id: LIST }));
  const envelope = envelopeOf(result);
  equal(envelope.error_code, "SERVICE_DOWN");
  equal(envelope.op_id, LIST);
  equal(envelope.retryable, false);
  equal(envelope.message, "socket fell over");
});

Deno.test("TestStructuredAdapterErrorPassesThrough: key order and details are kept", async () => {
  const { session } = fakeSession({
    answer: () => {
      throw new Error("wrapped", {
        cause: new GumError("RATE_LIMITED", { details: { retry_after_ms: 5, op_id: LIST } }),
      });
    },
  });
  const result = await withPeer(session, {}, (peer) => peer.call("gum.read", { op_id: LIST }));
  const envelope = envelopeOf(result);
  equal(envelope.error_code, "RATE_LIMITED");
  const keys = Object.keys(envelope);
  deepStrictEqual(keys.slice(0, 2), ["error_code", "message"]);
  equal(keys.at(-1), "retryable");
  deepStrictEqual(keys.slice(2, -1), keys.slice(2, -1).toSorted());
});

Deno.test("TestGumReadRejectsPinnedHigherRiskVariant: the variant that runs decides", async () => {
  const catalog = smallCatalog();
  const op = smallOp("sample.things.touch", { riskClass: "read" });
  const [base] = op.variants;
  if (base === undefined) throw new Error("an op has a variant");
  op.variants.push(
    { ...base, variant_id: "sample.write", risk_class: "write" },
    { ...base, variant_id: "sample.destroy", risk_class: "destructive" },
  );
  catalog.ops.push(op);
  const cases = [
    ["gum.read", "sample.write", "gum.write"],
    ["gum.read", "sample.destroy", "gum.destructive"],
    ["gum.write", "sample.destroy", "gum.destructive"],
    ["gum.destructive", "sample.write", "gum.write"],
  ];
  for (const [tool = "", variant = "", required] of cases) {
    const fake = fakeSession({ catalog });
    await withPeer(fake.session, {}, async (peer) => {
      const envelope = envelopeOf(
        await peer.call(tool, {
          op_id: op.op_id,
          args: { risk_class: "read", allow_write: true, confirmed: true },
          variant_id: variant,
        }),
      );
      equal(envelope.error_code, "RISK_TOOL_MISMATCH");
      equal(envelope.required_tool, required);
      equal(envelope.variant_id, variant);
      ok(String(envelope.message).includes(String(required)));
    });
    deepStrictEqual(fake.asked, []);
  }
});

Deno.test("TestGumWriteRejectsPinnedDestructiveVariant: gum.write on a destructive default", async () => {
  const envelope = await refused("gum.write", { op_id: "gmail.users.labels.delete", args: {} });
  equal(envelope.error_code, "RISK_TOOL_MISMATCH");
  equal(envelope.variant_risk_class, "destructive");
});

Deno.test("TestRiskTierIgnoresCallerRiskFlags: flags inside args change nothing", async () => {
  const fake = fakeSession();
  await withPeer(fake.session, {}, (peer) =>
    peer.call("gum.read", {
      op_id: LIST,
      args: { allowWrite: true, allow_destructive: true, confirmed: true },
    }));
  const [invocation] = fake.asked;
  deepStrictEqual(
    [invocation?.allowWrite, invocation?.allowDestructive, invocation?.confirmed],
    [false, false, false],
  );
});

Deno.test("gum.code is refused through gum.read, unknown operations get suggestions", async () => {
  const code = await refused("gum.read", { op_id: "gum.code" });
  equal(code.error_code, "RISK_TOOL_MISMATCH");
  equal(code.required_tool, "gum.code");
  const unknown = await refused("gum.read", { op_id: "gmial.users.messages.list" });
  equal(unknown.error_code, "OP_NOT_FOUND");
  equal((unknown.suggestions as string[])[0], LIST);
  deepStrictEqual((await refused("gum.read", { op_id: "zzzzzzzzzzzzzzz" })).suggestions, []);
});

Deno.test("operations of inactive plugins say why they cannot run", async () => {
  const statuses = {
    quarantined: "VARIANT_QUARANTINED",
    installed_pending_restart: "UNSUPPORTED_CAPABILITY",
    needs_configuration: "UNSUPPORTED_CAPABILITY",
  } as const;
  for (const [status, code] of Object.entries(statuses)) {
    const { session } = fakeSession({
      seams: {
        plugins: {
          rows: () => [],
          canaries: () => [],
          lookup: () => ({ status: status as never, reason: "why", pluginName: "sample" }),
          record: () => undefined,
          schema: () => undefined,
          schemaRefs: () => [],
        },
      },
    });
    const envelope = await withPeer(
      session,
      {},
      async (peer) => envelopeOf(await peer.call("gum.read", { op_id: "sample.op" })),
    );
    equal(envelope.error_code, code);
    equal(envelope.unsupported_capabilities, undefined);
    if (code === "UNSUPPORTED_CAPABILITY") equal(envelope.status, status);
  }
});

Deno.test("TestConfirmationTokenBinding: a token travels to the kernel beside the arguments", async () => {
  const fake = fakeSession();
  await withPeer(fake.session, {}, async (peer) => {
    const first = await peer.call("gmail_send", { userId: "me", message: { raw: "x" } });
    equal(first.isError, true);
    const envelope = envelopeOf(first);
    equal(envelope.error_code, "REQUIRES_CONFIRMATION");
    const second = await peer.call("gmail_send", {
      userId: "me",
      message: { raw: "x" },
      confirmed: true,
      confirmation_token: envelope.confirmation_token as JsonValue,
    });
    equal(second.isError, undefined);
  });
  deepStrictEqual(fake.asked.map((invocation) => invocation.args), [
    { userId: "me", body: { raw: "x" } },
    { userId: "me", body: { raw: "x" } },
  ]);
  equal(fake.asked[1]?.confirmationToken, "token-1");
});

Deno.test("every meta-tool is describable with the arguments of its schema", async () => {
  await withPeer(fakeSession().session, {}, async (peer) => {
    for (const name of META_TOOLS) {
      const result = await peer.call("gum.describe_op", { op_id: name });
      const described = result.structuredContent as JsonObject;
      equal(described.op_id, name);
      equal(described.default_variant_id, `${name}.v1`);
      equal(described.execution_support, "full");
      deepStrictEqual(JSON.parse(textOf(result)), described);
    }
    const poll = await peer.call("gum.describe_op", { op_id: "gum_poll" });
    ok(textOf(poll).includes("Long-running operation handle"));
  });
});

Deno.test("TestMetaToolAdminTuningDefaultsWhenAbsent: five rows, summaries of 80 characters", async () => {
  await withPeer(fakeSession().session, {}, async (peer) => {
    const result = await peer.call("gum.search_apis", { query: "gmail calendar drive" });
    const structured = result.structuredContent as JsonObject;
    deepStrictEqual(Object.keys(structured), ["format", "toon", "_expression"]);
    const expression = structured._expression as JsonObject;
    equal(expression.result_count, 5);
    ok(Number(expression.omitted_count) > 0);
    deepStrictEqual({ ...expression, omitted_count: 0 }, {
      profile: "gum.search_apis",
      op_id: "gum.search_apis",
      variant_id: "gum.search_apis.v1",
      lossy: true,
      result_count: 5,
      omitted_count: 0,
    });
    ok(
      textOf(result).startsWith(
        "op: gum.search_apis\nvariant: gum.search_apis.v1\nformat_version: 1\ncount: 5\n" +
          "fields: api,expected_response,op,params_required,summary\n\n",
      ),
    );
  });
});

Deno.test("a search without hits is an answer, not an error", async () => {
  await withPeer(fakeSession().session, {}, async (peer) => {
    const result = await peer.call("gum.search_apis", { query: "zzqqy" });
    equal(result.isError, undefined);
    const structured = result.structuredContent as JsonObject;
    equal(structured.data, "No matching operations found. Try a broader query.");
    equal((structured._expression as JsonObject).on_empty_message, structured.data);
    equal(textOf(result), structured.data);
  });
});

Deno.test("TestMetaToolAdminTuningCollapseMaxItems: a configured cap replaces k", async () => {
  const { session } = fakeSession({ seams: { tuning: { searchMaxItems: 2 } } });
  await withPeer(session, {}, async (peer) => {
    const result = await peer.call("gum.search_apis", { query: "gmail", k: 7 });
    const expression = (result.structuredContent as JsonObject)._expression as JsonObject;
    equal(expression.result_count, 2);
  });
});

Deno.test("TestPollProgressTokenContract: progress only with a token, its JSON type kept", async () => {
  for (const token of [7, "7", undefined]) {
    const { session } = fakeSession();
    session.poll = async ({ onPending }) => {
      await onPending(0);
      await onPending(2);
      await onPending(2);
      await onPending(5);
      return { name: "operations/1", done: true, response: { ok: true } };
    };
    await withPeer(session, {}, async (peer) => {
      const result = await peer.call(
        "gum.poll",
        { operation_name: "operations/1" },
        token === undefined ? {} : { _meta: { progressToken: token } },
      );
      const params = peer.pushed.map((message) => message.params as JsonObject);
      deepStrictEqual(
        params.map((progress) => progress.progress),
        token === undefined ? [] : [0, 2, 5],
      );
      for (const progress of params) {
        equal(progress.progressToken, token);
        equal(progress.total, 600);
        equal(progress.message, "operations/1: RUNNING");
      }
      const structured = result.structuredContent as JsonObject;
      equal(structured.format, "json");
      deepStrictEqual(structured.data, {
        name: "operations/1",
        done: true,
        response: { ok: true },
      });
    });
  }
});

Deno.test("a relative operation handle may not have empty or dot segments", async () => {
  for (const name of ["a//b", "../x", "a/./b", "/a"]) {
    equal((await refused("gum.poll", { operation_name: name })).error_code, "INVALID_ARGS");
  }
});

Deno.test("TestCacheStatsOutputSchema: counters of the kernel, client and audit state", async () => {
  const { session } = fakeSession({
    stats: { semantic: { hits: 3, misses: "x" }, http: { hits: 1 } },
    seams: { auditBroken: () => true },
  });
  await withPeer(session, { clientName: "Claude Code" }, async (peer) => {
    const { structuredContent } = await peer.call("gum.cache_stats");
    deepStrictEqual(structuredContent, {
      semantic: { hits: 3, misses: 0, evictions: 0, entries: 0, bytes: 0 },
      http: { hits: 1, misses: 0, entries: 0, bytes: 0 },
      prompt: { supported: true, hits_estimate: null },
      audit_broken: true,
    });
  });
});

Deno.test("skills are listed without text and served whole or cut", async () => {
  await withPeer(fakeSession().session, {}, async (peer) => {
    const listed = await peer.call("skills_list");
    equal(listed.structuredContent, undefined);
    const { skills } = JSON.parse(textOf(listed));
    deepStrictEqual(skills.map((skill: JsonObject) => skill.name), ["core", "mcp"]);
    for (const skill of skills) {
      deepStrictEqual(Object.keys(skill).sort(), [
        "bytes",
        "min_gum",
        "name",
        "sha256",
        "summary",
        "version",
      ]);
    }
    const whole = JSON.parse(textOf(await peer.call("skills_get", { name: "core" })));
    equal(whole.truncated, false);
    const bytes = new TextEncoder().encode(whole.skill.body);
    equal(bytes.length, whole.skill.bytes);
    const digest = new Uint8Array(await crypto.subtle.digest("SHA-256", bytes)).toHex();
    equal(digest, whole.skill.sha256);
    const cut = JSON.parse(textOf(await peer.call("skills_get", { name: "core", max_bytes: 10 })));
    equal(cut.truncated, true);
    equal(cut.skill.body, whole.skill.body.slice(0, 10));
    equal(cut.skill.sha256, whole.skill.sha256);
    equal(envelopeOf(await peer.call("skills_get", { name: "none" })).error_code, "UNKNOWN_SKILL");
    equal(
      envelopeOf(await peer.call("skills_get", { name: "core", version: "9.9.9" })).error_code,
      "UNKNOWN_SKILL_VERSION",
    );
  });
});

Deno.test("skills name only tools that exist", async () => {
  const surface = createMcpSurface(fakeSession().session, { version: "t", help: fakeHelp });
  const tools = new Set(surface.tools.snapshot().tools.map((tool) => tool.definition.name));
  await withPeer(fakeSession().session, {}, async (peer) => {
    const { skill } = JSON.parse(textOf(await peer.call("skills_get", { name: "mcp" })));
    const mentioned = String(skill.body).matchAll(
      /`(gum\.[a-z_]+|(?:gmail|drive|calendar|docs|sheets|slides|tasks|skills)_[a-z_]+)`/g,
    );
    for (const [, name = ""] of mentioned) ok(tools.has(name), name);
  });
});

Deno.test("TestPollTimeoutAndCancellation: a cancelled poll stops waiting and nothing answers", async () => {
  let stopped = false;
  let waiting = () => {};
  const began = new Promise<void>((resolve) => waiting = resolve);
  const { session } = fakeSession({
    seams: {
      poll: (_request, signal) =>
        new Promise((_resolve, reject) => {
          waiting();
          signal.addEventListener("abort", () => {
            stopped = true;
            reject(signal.reason);
          });
        }),
    },
  });
  await withPeer(session, {}, async (peer) => {
    await peer.line(JSON.stringify({
      jsonrpc: "2.0",
      id: "poll",
      method: "tools/call",
      params: { name: "gum.poll", arguments: { operation_name: "operations/1" } },
    }));
    await began;
    await peer.notify("notifications/cancelled", { requestId: "poll" });
    await peer.request("ping");
    await peer.request("ping");
    ok(stopped);
    deepStrictEqual(peer.stray, []);
  });
});

Deno.test("TestPollTimeoutAndCancellation: a timeout keeps its handle and may be repeated", async () => {
  const { session } = fakeSession({
    seams: {
      poll: () =>
        Promise.reject(
          new GumError("LRO_TIMEOUT", {
            details: { operation_name: "operations/1", resume_handle: "operations/1" },
          }),
        ),
    },
  });
  await withPeer(session, {}, async (peer) => {
    const result = await peer.call("gum.poll", { operation_name: "operations/1" });
    const envelope = envelopeOf(result);
    equal(envelope.error_code, "LRO_TIMEOUT");
    equal(envelope.resume_handle, "operations/1");
    equal(envelope.retryable, true);
  });
});

Deno.test("TestDispatchAndShapeAlwaysEmitsErrorCode: whatever is thrown has a code", async () => {
  for (
    const thrown of [new Error("x"), "text", undefined, { odd: true }, new GumError("CANCELLED")]
  ) {
    const { session } = fakeSession({
      answer: () => {
        throw thrown;
      },
    });
    const result = await withPeer(session, {}, (peer) => peer.call("gum.read", { op_id: LIST }));
    const expected = thrown instanceof GumError ? "CANCELLED" : "SERVICE_DOWN";
    equal(envelopeOf(result).error_code, expected);
    equal(result.structuredContent, undefined);
  }
});

Deno.test("a read-only server refuses changes that were not listed", async () => {
  const fake = fakeSession();
  await withPeer(fake.session, { readOnly: true }, async (peer) => {
    for (
      const [name, args] of [
        ["gum.write", { op_id: "calendar.events.insert", args: {} }],
        ["gmail_send", { userId: "me", message: {} }],
        ["gum.code", { language: "risor", source: "1" }],
      ] as const
    ) {
      const envelope = envelopeOf(await peer.call(name, args));
      equal(envelope.error_code, "POLICY_DENIED", name);
      equal(envelope.set_by, "--read-only");
    }
    equal((await peer.call("gmail_search", { userId: "me" })).isError, undefined);
  });
  equal(fake.asked.length, 1);
});
