import { deepStrictEqual, equal, ok } from "node:assert/strict";
import { Ajv2020 } from "ajv/dist/2020.js";
import { GumError } from "../lib/errors/mod.ts";
import type { JsonObject } from "../lib/json/mod.ts";
import { createMcpSurface } from "./mod.ts";
import { OUTPUT_DEFS } from "./output_defs.ts";
import { META_TOOLS } from "./roster.ts";
import { fakeHelp, fakeSession, shaped } from "./testdata/fake_session.ts";
import { envelopeOf, textOf, withPeer } from "./testdata/raw_peer.ts";
import { refused } from "./testdata/refusals.ts";

Deno.test("a script reaches the sandbox without its transport controls", async () => {
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

Deno.test("without a ledger the hint says what is missing", async () => {
  const envelope = await refused("gum.gain", {});
  ok(typeof envelope.hint === "string" && envelope.hint !== "");
});

Deno.test("the ledger's own refusal passes through", async () => {
  const { session } = fakeSession({
    seams: { gain: () => Promise.reject(new GumError("GAIN_DISABLED", { message: "off" })) },
  });
  const result = await withPeer(session, {}, (peer) => peer.call("gum.gain"));
  equal(envelopeOf(result).error_code, "GAIN_DISABLED");
  equal(result.structuredContent, undefined);
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
    const validate = new Ajv2020({ strict: false }).compile({
      $defs: OUTPUT_DEFS.$defs,
      $ref: "#/$defs/CacheStatsResult",
    });
    ok(validate(structuredContent), JSON.stringify(validate.errors));
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

Deno.test("a cancelled poll stops waiting and nothing answers", async () => {
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

Deno.test("a poll that timed out keeps its handle and may be repeated", async () => {
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
