/** `gum.code` over the wire, on the emulator (spec 01 §3.8.4, 09). */

import { deepStrictEqual, equal, ok } from "node:assert/strict";
import { Ajv2020 } from "ajv/dist/2020.js";
import type { Emulator } from "../lib/emulator/types.ts";
import type { JsonObject } from "../lib/json/mod.ts";
import { openSession } from "../lib/session/mod.ts";
import { toolDefinitions } from "./definitions.ts";
import { envelopeOf, type RawPeer, textOf, withPeer } from "./testdata/raw_peer.ts";

async function onEmulator(
  use: (peer: RawPeer, emulator: Emulator) => Promise<void>,
  codeTimeoutMs?: number,
): Promise<void> {
  const data = await Deno.makeTempDir({ prefix: "gum-code-" });
  const session = await openSession({
    profileName: "default",
    emulator: true,
    directories: { data },
    codeTimeoutMs,
  });
  try {
    const { emulator } = session;
    ok(emulator !== undefined);
    await withPeer(session, {}, (peer) => use(peer, emulator));
  } finally {
    await session.close();
    await Deno.remove(data, { recursive: true });
  }
}

const script = (source: string, args: JsonObject = {}): JsonObject => ({
  language: "risor",
  source,
  ...args,
});

Deno.test("TestCodeAcceptsRisor: a script joins reads; only its output reaches the client", async () => {
  await onEmulator(async (peer) => {
    const source = `let page = gum_call("gmail.users.messages.list", {userId: "me", maxResults: 3})
let jobs = page.messages.map(m => ({op_id: "gmail.users.messages.get", args: {userId: "me", id: m.id}}))
let batch = gum_parallel(jobs)
gum_print({count: len(batch.results), failed: len(batch.results.filter(r => "error" in r))})`;
    const result = await peer.call("gum.code", script(source));
    equal(textOf(result), '{"count":3,"failed":0}');
    const structured = result.structuredContent as JsonObject;
    deepStrictEqual(structured, {
      format: "json",
      data: '{"count":3,"failed":0}',
      _expression: {
        profile: "_default",
        op_id: "gum.code",
        variant_id: "gum.code.v1.risor",
        lossy: false,
        result_count: 1,
      },
    });
    const schema = toolDefinitions(5).find(({ name }) => name === "gum.code")?.outputSchema ?? {};
    const validate = new Ajv2020({ strict: false }).compile(schema);
    ok(validate(structured), JSON.stringify(validate.errors));
    const javascript = `const { messages } = await gum_call("gmail.users.messages.list",
  { userId: "me", maxResults: 2 });
messages.length`;
    const second = await peer.call("gum.code", { language: "javascript", source: javascript });
    equal(textOf(second), "2");
  });
});

Deno.test("TestTierABranchOutputSchemasCoverEveryShapedBranch: cut output validates, with its flag beside the metadata", async () => {
  await onEmulator(async (peer) => {
    const source = 'for (i in range(3)) { gum_print("é".repeat(20000)) }';
    const result = await peer.call("gum.code", script(source));
    const structured = result.structuredContent as JsonObject;
    equal(structured._code_output_truncated, true);
    equal((structured._expression as JsonObject).lossy, true);
    equal(new TextEncoder().encode(String(structured.data)).length, 65_536);
    const schema = toolDefinitions(5).find(({ name }) => name === "gum.code")?.outputSchema ?? {};
    const validate = new Ajv2020({ strict: false }).compile(schema);
    ok(validate(structured), JSON.stringify(validate.errors));
  });
});

Deno.test("an elevated script needs the token of its first contact, and the change is real", async () => {
  await onEmulator(async (peer) => {
    const title = '"made by a script"';
    const source = `gum_call("tasks.tasklists.insert", {title: ${title}}).title`;
    const args = script(source, { allow_write: true });
    const first = await peer.call("gum.code", args);
    const envelope = envelopeOf(first);
    equal(envelope.error_code, "REQUIRES_CONFIRMATION");
    equal(envelope.confirmation_purpose, "gum_code_write");
    const second = await peer.call("gum.code", {
      ...args,
      confirmed: true,
      confirmation_token: envelope.confirmation_token ?? "",
    });
    equal(textOf(second), "made by a script");
    const seen = await peer.call(
      "gum.code",
      script(`gum_call("tasks.tasklists.list").items.map(l => l.title).filter(t => t == ${title})`),
    );
    equal(textOf(seen), '["made by a script"]');
  });
});

Deno.test("while a script spins the server answers others, and afterwards the next script", async () => {
  await onEmulator(async (peer) => {
    const spinning = peer.call(
      "gum.code",
      script("function spin() { while (true) { } }\nspin()", {}),
    );
    const before = performance.now();
    await peer.call("gum.search_apis", { query: "send mail" });
    ok(performance.now() - before < 700, "the search did not wait for the script");
    const ended = envelopeOf(await spinning);
    ok(["CODE_MODE_TIMEOUT", "CODE_MODE_LIMIT"].includes(String(ended.error_code)));
    equal(textOf(await peer.call("gum.code", script("1 + 1"))), "2");
  }, 1_000);
});

Deno.test("TestPluginInactiveInventoryOnly: a script reaches the session's operations and no others", async () => {
  await onEmulator(async (peer) => {
    const result = await peer.call(
      "gum.code",
      script('try { gum_call("scholar.unknown.search", {}) } catch (e) { e.code() }'),
    );
    equal(textOf(result), "OP_NOT_FOUND");
  });
});

Deno.test("a client that gave a token hears how many calls are over; none without one, none afterwards", async () => {
  await onEmulator(async (peer, emulator) => {
    emulator.addFault({ effect: { kind: "latency", ms: 300 }, times: Infinity });
    const source =
      `let jobs = range(24).map(n => ({op: "drive.files.list", args: {pageSize: n + 1}}))
len(gum_parallel(jobs).results)`;
    const notices = () => peer.pushed.filter(({ method }) => method === "notifications/progress");
    equal(textOf(await peer.call("gum.code", script("1 + 1"))), "2");
    equal(notices().length, 0);
    const meta = { _meta: { progressToken: 7 } };
    equal(textOf(await peer.call("gum.code", script(source), meta)), "24");
    const heard = notices().map(({ params }) => params as JsonObject);
    deepStrictEqual(heard[0], {
      progressToken: 7,
      progress: 0,
      message: "the script is starting",
    });
    ok(heard.length >= 2, "a batch of 900 ms is heard of at least once");
    for (const [index, { progress, total, message }] of heard.entries()) {
      if (index === 0) continue;
      ok(Number(progress) > Number(heard[index - 1]?.progress), "it grows");
      equal(total, 24);
      equal(message, `${progress} of 24 calls of the script are done`);
    }
    const count = notices().length;
    equal(textOf(await peer.call("gum.code", script("2 + 2"))), "4");
    equal(notices().length, count);
  });
});

Deno.test("what a script prints of a failed call advises in tools, not in commands", async () => {
  await onEmulator(async (peer) => {
    const bad = '{op_id: "drive.files.list", args: {pagesize: 5}}';
    const batch = `gum_print(gum_parallel([${bad}, ${bad}]).results[0].error)`;
    const caught = `try { gum_call("drive.files.list", {pagesize: 5}) } catch (e) { gum_print(e) }`;
    const unknown = `gum_print(gum_parallel([{op_id: "no.such"}]).results[0].error)`;
    for (const source of [batch, unknown]) {
      const text = textOf(await peer.call("gum.code", script(source)));
      ok(/gum\.(describe_op|search_apis)/.test(text), text);
      ok(!/`gum (describe|search|read)/.test(text), text);
    }
    ok(!/`gum /.test(textOf(await peer.call("gum.code", script(caught)))));
  });
});

Deno.test("a script that leaves out what is assumed elsewhere is told the value", async () => {
  await onEmulator(async (peer) => {
    const missing = await peer.call("gum.code", script('gum_call("gmail.users.labels.list", {})'));
    ok(textOf(missing).includes('userId: \\"me\\"'), textOf(missing));
    const described = script('gum_describe("gmail.users.labels.list").params[0]');
    const { name, required, description } = JSON.parse(
      textOf(await peer.call("gum.code", described)),
    );
    deepStrictEqual([name, required, description], ["userId", true, "usually me"]);
  });
});
