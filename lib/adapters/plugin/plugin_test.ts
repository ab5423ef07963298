import assert from "node:assert/strict";
import fc from "fast-check";
import type { Op, RequestField } from "../../catalog/types.ts";
import type { AdapterRequest } from "../../dispatch/types.ts";
import { findGumError, GumError } from "../../errors/mod.ts";
import { isJsonObject, type JsonObject } from "../../json/mod.ts";
import { silentLogger } from "../../log/mod.ts";
import { openPluginView, pluginOps } from "../../plugin/status/mod.ts";
import { manifestTree, never } from "../../plugin/testdata/fixture.ts";
import { type RunnableWorld, withScriptPlugin } from "../../plugin/testdata/runnable.ts";
import { safeCode, safeMessage } from "./failures.ts";
import { createPluginAdapter, type PluginAdapterOptions } from "./plugin.ts";
import { createSchemaChecks } from "./schema_checks.ts";
import { typedArguments } from "./typed_arguments.ts";

/** The plugin's operation as a session would see it. */
async function operation({ profile }: RunnableWorld): Promise<Op> {
  await profile.registry.writeTransaction((draft) => {
    for (const row of draft.state.plugins) row.status = "active";
  }, { signal: never() });
  const [op] = pluginOps(await profile.registry.loadSnapshot());
  assert.ok(op);
  return op;
}

function requestOf(op: Op, args: JsonObject = {}): AdapterRequest {
  const [variant] = op.variants;
  assert.ok(variant);
  return {
    opId: op.op_id,
    args,
    resolved: { op, variant, adapterKey: "plugin.mcp", deprecated: false },
    requestId: "r1",
    grants: { allowWrite: false, allowDestructive: false, confirmed: false },
  };
}

function adapterOf(world: RunnableWorld, more: Partial<PluginAdapterOptions> = {}) {
  return createPluginAdapter({
    runtime: () => Promise.resolve(world.runtime),
    lookup: () => undefined,
    timeoutMs: 5_000,
    ...more,
  });
}

async function refusal(calling: Promise<unknown>): Promise<GumError> {
  try {
    await calling;
  } catch (error) {
    assert.ok(error instanceof GumError, String(error));
    return error;
  }
  assert.fail("the call was answered");
}

/** A plugin that answers with the result it is given. */
const MIRROR = `call = async (name, { result, exit, hang }) => {
  if (exit) Deno.exit(4);
  if (hang) return await new Promise(() => {});
  if (result === "throw") throw new Error("rpc failure");
  return result;
};`;

const failing = (body: JsonObject, isError = true): JsonObject => ({
  content: [{ type: "text", text: JSON.stringify(body) }],
  isError,
});

Deno.test("TestBackendKindMCPPlugin: an answer becomes the body, and the process stays for the next call", async () => {
  await withScriptPlugin({ behaviour: MIRROR }, async (world) => {
    const op = await operation(world);
    const adapter = adapterOf(world);
    const answer = await adapter.execute(
      requestOf(op, { result: { content: [{ type: "text", text: '{"a":1}' }] } }),
      never(),
    );
    assert.equal(new TextDecoder().decode(answer.body), '{"a":1}');
    assert.equal(answer.format, "json");
    assert.equal(answer.status, 200);
    assert.deepEqual(adapter.preview?.(requestOf(op, { x: 1 })), {
      plugin_name: "echo-box",
      tool_name: "echo",
      arguments: { x: 1 },
    });
  });
});

Deno.test("TestPluginErrorCodeMapping: each of the plugin's codes and everything else", async () => {
  const rows: [JsonObject, Record<string, unknown>][] = [
    [
      { error_code: "RATE_LIMIT", error: "slow down", retryable: true, retry_after_ms: 5000 },
      { error_code: "RATE_LIMITED", retryable: true, retry_after_ms: 5000 },
    ],
    [
      { error_code: "RATE_LIMIT", message: "m", retryable: false, retry_after_ms: -5 },
      { error_code: "RATE_LIMITED", retryable: false, retry_after_ms: undefined },
    ],
    [
      { error_code: "AUTH_EXPIRED", error: "login again", retryable: true, retry_after_ms: 9 },
      {
        error_code: "AUTH_REQUIRED",
        retryable: false,
        retry_after_ms: undefined,
        auth_strategy: "plugin_managed",
        setup_command: "gum auth setup plug.echo-box.echo",
        next_command: "gum plugin setup echo-box",
      },
    ],
    [
      { error_code: "PARSE_FAILURE", error: "odd page", retryable: true, retry_after_ms: 9 },
      { error_code: "SERVICE_DOWN", retryable: true, retry_after_ms: undefined },
    ],
    [
      { error_code: "SERVICE_DOWN", error: "down", retryable: true, retry_after_ms: 9 },
      { error_code: "SERVICE_DOWN", retryable: true, retry_after_ms: 9 },
    ],
    [
      { error_code: "INVALID_INPUT", error: "bad date", retryable: true, retry_after_ms: 9 },
      { error_code: "INVALID_ARGS", retryable: false, retry_after_ms: undefined },
    ],
    [
      { error_code: "RATE_LIMITED", error: "a code of GUM's own", retryable: true },
      { error_code: "SERVICE_DOWN", retryable: false },
    ],
    [
      { error_code: "", error: "nameless", retryable: true, retry_after_ms: 9 },
      { error_code: "SERVICE_DOWN", retryable: false, retry_after_ms: undefined },
    ],
    [
      { error_code: "__proto__", error: "odd", retryable: true },
      { error_code: "SERVICE_DOWN", retryable: false },
    ],
  ];
  await withScriptPlugin({ behaviour: MIRROR }, async (world) => {
    const op = await operation(world);
    const adapter = adapterOf(world);
    for (const [body, expected] of rows) {
      for (const result of [failing(body), failing({ success: false, ...body }, false)]) {
        const error = await refusal(adapter.execute(requestOf(op, { result }), never()));
        const envelope = error.toEnvelope();
        for (const [key, value] of Object.entries(expected)) {
          assert.deepEqual(envelope[key], value, `${key} of ${JSON.stringify(body)}`);
        }
        assert.equal(envelope.message, body.error ?? body.message);
        assert.equal(envelope.plugin_name, "echo-box");
        assert.equal(envelope.op_id, "plug.echo-box.echo");
        assert.equal(envelope.variant_id, "plug.echo-box.echo.v1");
        assert.equal(envelope.source_error_code, safeCode(String(body.error_code)));
      }
    }
    const unparseable = await refusal(adapter.execute(
      requestOf(op, { result: { content: [{ type: "text", text: "Traceback" }], isError: true } }),
      never(),
    ));
    assert.deepEqual(
      [unparseable.code, unparseable.message, unparseable.details.source_error_code],
      [
        "SERVICE_DOWN",
        "Traceback",
        "",
      ],
    );
  });
});

Deno.test("TestPluginErrorCodeMapping: secrets and control characters never leave", async () => {
  const { secret } = await import("../../auth/mod.ts");
  await withScriptPlugin({
    behaviour: MIRROR,
    tree: {
      requirements: {
        needs_user_creds: ["BOX_KEY"],
        credential_descriptors: [
          { alias: "box_key", env: "BOX_KEY", kind: "api_key", display_name: "Key" },
        ],
      },
    },
    sources: { storedSecret: () => Promise.resolve(secret("s3cr3t-value")) },
  }, async (world) => {
    await world.profile.registry.writeTransaction((draft) => {
      for (const row of draft.state.plugins) row.needs_configuration = false;
    }, { signal: never() });
    const op = await operation(world);
    const body = {
      error_code: "X s3cr3t-value",
      error: "refused s3cr3t-value\u001b[31m\n" + "y".repeat(600),
    };
    const error = await refusal(
      adapterOf(world).execute(requestOf(op, { result: failing(body) }), never()),
    );
    assert.doesNotMatch(JSON.stringify(error.toEnvelope()), /s3cr3t/);
    assert.match(error.message, /^refused \[redacted\]\[31my+$/);
    assert.equal([...error.message].length, 512);
  });
});

Deno.test("plugin adapter: codes and messages are harmless whatever is in them", () => {
  fc.assert(fc.property(fc.string({ unit: "binary", maxLength: 700 }), (text) => {
    assert.match(safeCode(text), /^[A-Za-z0-9_.-]{0,64}$/);
    const shown = safeMessage(text, (same) => same);
    assert.ok([...shown].length <= 512);
    // deno-lint-ignore no-control-regex -- that there are none is the claim
    assert.doesNotMatch(shown, /[\u0000-\u001f\u007f-\u009f]/);
  }));
});

Deno.test("TestToonVersionUnsupported: an unknown version is named, never guessed at", async () => {
  await withScriptPlugin({ behaviour: MIRROR }, async (world) => {
    const op = await operation(world);
    const text = "op: a\nvariant: a\nformat_version: 2\ncount: 0\nfields: a\n\n";
    const error = await refusal(
      adapterOf(world).execute(
        requestOf(op, { result: { content: [{ type: "text", text }] } }),
        never(),
      ),
    );
    assert.equal(error.code, "TOON_VERSION_UNSUPPORTED");
    assert.equal(error.retryable, false);
    assert.deepEqual(
      [error.details.format_version, error.details.supported, error.details.plugin_name],
      [2, [1], "echo-box"],
    );
  });
});

Deno.test("TestBackendKindMCPPlugin: a dead pipe, an RPC error and a hanging call are services that are down", async () => {
  await withScriptPlugin({ behaviour: MIRROR }, async (world) => {
    const op = await operation(world);
    const cases: [JsonObject, string, boolean][] = [
      [{ exit: true }, "connection_closed", false],
      [{ result: "throw" }, "call_failed", false],
      [{ hang: true }, "call_timeout", true],
    ];
    for (const [args, reason, retryable] of cases) {
      const adapter = adapterOf(world, { timeoutMs: 300 });
      const error = await refusal(adapter.execute(requestOf(op, args), never()));
      assert.deepEqual([error.code, error.details.reason, error.retryable], [
        "SERVICE_DOWN",
        reason,
        retryable,
      ]);
    }
  });
});

Deno.test("plugin adapter: a write that hangs may have happened", async () => {
  await withScriptPlugin({
    behaviour: MIRROR,
    tree: { tools: [{ tool_name: "echo", risk_class: "write" }] },
  }, async (world) => {
    const op = await operation(world);
    const adapter = adapterOf(world, { timeoutMs: 300 });
    const error = await refusal(adapter.execute(requestOf(op, { hang: true }), never()));
    assert.equal(error.details.write_outcome, "unknown");
    assert.equal(error.retryable, false);
  });
});

Deno.test("plugin adapter: a write that fails behind the plugin may have happened too", async () => {
  await withScriptPlugin({
    behaviour: MIRROR,
    tree: { tools: [{ tool_name: "echo", risk_class: "write" }] },
  }, async (world) => {
    const op = await operation(world);
    const outcome = async (result: JsonObject) =>
      (await refusal(adapterOf(world).execute(requestOf(op, { result }), never())))
        .details.write_outcome;
    for (const code of ["SERVICE_DOWN", "PARSE_FAILURE", "WHATEVER"]) {
      assert.equal(await outcome(failing({ error_code: code, error: "m" })), "unknown", code);
    }
    for (const code of ["RATE_LIMIT", "AUTH_EXPIRED", "INVALID_INPUT"]) {
      assert.equal(await outcome(failing({ error_code: code, error: "m" })), undefined, code);
    }
  });
});

Deno.test("plugin adapter: a plugin that is not installed, cannot start or is quarantined", async () => {
  await withScriptPlugin({ behaviour: `Deno.exit(2);` }, async (world) => {
    const op = await operation(world);
    const adapter = adapterOf(world);
    const broken = await refusal(adapter.execute(requestOf(op), never()));
    assert.deepEqual([broken.code, broken.details.reason, broken.retryable], [
      "SERVICE_DOWN",
      "plugin_start_failed",
      false,
    ]);
    const gated = await refusal(adapter.execute(requestOf(op), never()));
    assert.equal(gated.code, "VARIANT_QUARANTINED");
    assert.equal(gated.details.reason, "plugin_quarantined");
    assert.ok(typeof gated.details.next_retry_at === "string");
    for (
      const command of [
        "gum plugin list",
        "gum plugin reload echo-box",
        "gum plugin unquarantine echo-box",
      ]
    ) {
      assert.ok(gated.suggestion.includes(command), command);
    }
    const foreign = structuredClone(op);
    for (const { binding } of foreign.variants) {
      if (binding !== undefined) binding.plugin_name = "nobody";
    }
    const absent = await refusal(adapter.execute(requestOf(foreign), never()));
    assert.deepEqual([absent.code, absent.details.reason], [
      "SERVICE_DOWN",
      "plugin_not_installed",
    ]);
    for (const { binding } of foreign.variants) {
      if (binding !== undefined) binding.tool_name = "a b";
    }
    const malformed = await refusal(adapter.execute(requestOf(foreign), never()));
    assert.equal(malformed.code, "PLUGIN_BINDING_INVALID");
  });
});

Deno.test("plugin adapter: pending and unconfigured plugins are refused before anything starts", async () => {
  await withScriptPlugin({ behaviour: MIRROR }, async (world) => {
    const op = await operation(world);
    for (const status of ["installed_pending_restart", "needs_configuration"] as const) {
      const adapter = adapterOf(world, {
        runtime: () => Promise.reject(new Error("it was started")),
        lookup: () => ({
          status,
          reason: "why",
          pluginName: "echo-box",
          ...(status === "needs_configuration" ? { credentialAliases: ["a"] } : {}),
        }),
      });
      const error = await refusal(adapter.execute(requestOf(op), never()));
      assert.equal(error.code, "UNSUPPORTED_CAPABILITY");
      assert.equal(error.details.status, status);
      assert.equal("unsupported_capabilities" in error.details, false);
      assert.deepEqual(
        error.details.credential_aliases,
        status === "needs_configuration" ? ["a"] : undefined,
      );
    }
  });
});

Deno.test("plugin adapter: a missing credential says how to set the plugin up, and is no crash", async () => {
  await withScriptPlugin({
    tree: {
      requirements: {
        needs_user_creds: ["BOX_KEY"],
        credential_descriptors: [
          { alias: "box_key", env: "BOX_KEY", kind: "api_key", display_name: "Key" },
        ],
      },
    },
  }, async (world) => {
    await world.profile.registry.writeTransaction((draft) => {
      for (const row of draft.state.plugins) row.needs_configuration = false;
    }, { signal: never() });
    const op = await operation(world);
    const error = await refusal(adapterOf(world).execute(requestOf(op), never()));
    assert.equal(error.code, "AUTH_REQUIRED");
    assert.deepEqual(error.details.missing_components, ["box_key"]);
    assert.equal(error.details.setup_command, "gum auth setup plug.echo-box.echo");
    assert.equal(error.details.next_command, "gum plugin setup echo-box");
    assert.doesNotMatch(JSON.stringify(error.toEnvelope()), /BOX_KEY/);
    const [row] = (await world.profile.registry.loadSnapshot()).state.plugins;
    assert.equal(row?.retry_count, 0);
  });
});

Deno.test("plugin adapter: an aborted call gives the caller's reason back", async () => {
  await withScriptPlugin({ behaviour: MIRROR }, async (world) => {
    const op = await operation(world);
    const controller = new AbortController();
    const calling = adapterOf(world).execute(requestOf(op, { hang: true }), controller.signal);
    const reason = new Error("stop");
    setTimeout(() => controller.abort(reason), 300);
    await assert.rejects(calling, reason);
    assert.equal(findGumError(reason), undefined);
  });
});

Deno.test("TestLongTailUnknownArgHandling: a plugin's schema lets no unknown argument through", async () => {
  const schema: JsonObject = {
    type: "object",
    required: ["text"],
    properties: { text: { type: "string" }, at: { type: "object", required: ["x"] } },
  };
  let served: JsonObject = schema;
  const checks = createSchemaChecks({ schema: () => served, log: silentLogger });
  const variant = {
    variant_id: "v",
    binding: { request_ref: "a.request", response_ref: "a.response" },
  } as unknown as Op["variants"][number];
  assert.equal(checks.checkArguments(variant, {}), undefined, "nothing was made ready");
  await checks.prepare(variant);
  assert.equal(checks.checkArguments(variant, { text: "x" }), undefined);
  const error = checks.checkArguments(variant, { at: {}, extra: 1 });
  assert.deepEqual(
    [error?.code, error?.details.missing, error?.details.unknown],
    ["INVALID_ARGS", ["at.x", "text"], ["extra"]],
  );
  const typed = checks.checkArguments(variant, { text: 1 });
  assert.deepEqual(typed?.details.type_errors, ["text must be string"]);
  served = { ...schema, additionalProperties: true };
  await checks.prepare(variant);
  assert.equal(checks.checkArguments(variant, { text: "x", extra: 1 }), undefined);
  assert.deepEqual(checks.checkAnswer(variant, '{"text":"x"}'), []);
  assert.equal(checks.checkAnswer(variant, "[]").length, 1);
  assert.ok(isJsonObject(manifestTree()));
});

Deno.test("plugin adapter: text that says a number or a truth value is one where the tool wants one", async () => {
  const fields: RequestField[] = [
    { name: "n", location: "arg", type: "integer" },
    { name: "x", location: "arg", type: "number" },
    { name: "on", location: "arg", type: "boolean" },
    { name: "text", location: "arg", type: "string" },
    { name: "list", location: "arg", type: "array", item_type: "integer" },
  ];
  const given = { n: "7", x: "1.5e3", on: "false", text: "7", list: ["1", "x", 2], other: "1" };
  const typed = { n: 7, x: 1500, on: false, text: "7", list: [1, "x", 2], other: "1" };
  assert.deepEqual(typedArguments(fields, given), typed);
  assert.deepEqual(given.n, "7", "the caller's own arguments stay");
  for (const odd of ["", " 7", "0x7", "7.", "Infinity", "9".repeat(40), "TRUE"]) {
    assert.deepEqual(typedArguments(fields, { n: odd, x: odd, on: odd }), {
      n: odd,
      x: odd,
      on: odd,
    });
  }
  await withScriptPlugin({}, async (world) => {
    const op = { ...await operation(world), request_fields: fields };
    const { body } = await adapterOf(world).execute(requestOf(op, given), never());
    assert.deepEqual(JSON.parse(new TextDecoder().decode(body)), typed);
  });
});

Deno.test("plugin adapter: an operation of gum's own waits for its plugin like the plugin's own", async () => {
  await withScriptPlugin({}, async (world) => {
    const op = await operation(world);
    const [variant] = op.variants;
    assert.ok(variant);
    const own: Op = {
      ...op,
      op_id: "flights.search",
      variants: [{ ...variant, variant_id: "flights.v1.plugin.search" }],
    };
    const view = openPluginView({ paths: world.profile.registry.paths });
    const adapter = adapterOf(world, { lookup: view.lookup });
    assert.equal((await adapter.execute(requestOf(own), never())).status, 200);
    for (
      const [fields, status] of [
        [{ status: "installed_pending_restart" }, "installed_pending_restart"],
        [{ needs_configuration: true }, "needs_configuration"],
      ] as const
    ) {
      await world.profile.registry.writeTransaction((draft) => {
        for (const row of draft.state.plugins) Object.assign(row, fields);
      }, { signal: never() });
      const error = await refusal(adapter.execute(requestOf(own), never()));
      assert.deepEqual([error.code, error.details.status], ["UNSUPPORTED_CAPABILITY", status]);
    }
  });
});
