/** What an agent is told when it got something wrong: in its own words, with the next step. */

import { deepStrictEqual, equal, match, ok } from "node:assert/strict";
import type { JsonObject } from "../lib/json/mod.ts";
import { commandsAsTools } from "../lib/format/mod.ts";
import { withEmulator } from "./testdata/emulated.ts";
import { envelopeOf, type RawPeer, textOf, withPeer } from "./testdata/raw_peer.ts";

async function onEmulator(use: (peer: RawPeer) => Promise<void>): Promise<void> {
  await withEmulator((session) => withPeer(session, {}, use));
}

async function refusal(peer: RawPeer, name: string, args: JsonObject): Promise<JsonObject> {
  return envelopeOf(await peer.call(name, args));
}

Deno.test("advice names tools where the command line has commands and flags", () => {
  const cases = [
    [
      "Run `gum describe a.b` for the arguments.",
      'Call gum.describe_op with op_id "a.b" for the arguments.',
    ],
    [
      "Check the id: `gum read a.list` lists them.",
      'Check the id: gum.read with op_id "a.list" lists them.',
    ],
    ["Look for it with `gum search <words>`.", "Look for it with gum.search_apis."],
    ["or run `gum describe`", "or call gum.describe_op"],
    ["See `gum describe <op_id>`.", "See gum.describe_op."],
    [
      "Use a smaller --page-size, or only some --fields.",
      "Use a smaller page_size, or only some fields.",
    ],
    ["Repeat the call with --download <file>: files.", "Repeat the call with download_to: files."],
    // Only an operator at a terminal can do these.
    ["Run `gum auth setup a.b`.", "Run `gum auth setup a.b`."],
    ["Use `gum login --switch-account`.", "Use `gum login --switch-account`."],
  ];
  for (const [text, shown] of cases) equal(commandsAsTools(text ?? ""), shown);
});

Deno.test("a refused call says where its arguments belong and what exists", async () => {
  await onEmulator(async (peer) => {
    const beside = await refusal(peer, "gum.read", { op_id: "drive.files.list", q: "x" });
    match(String(beside.suggestion), /go into args\.$/);
    const misnamed = await refusal(peer, "drive_find", { query: "x" });
    match(String(misnamed.suggestion), /drive_find takes q, pageSize, /);
    const mistyped = await refusal(peer, "gum.read", {
      op_id: "drive.files.list",
      args: { pagesize: 5 },
    });
    match(
      String(mistyped.suggestion),
      /`pageSize`.*Call gum\.describe_op with op_id "drive\.files\.list"/,
    );
    const missing = await refusal(peer, "gum.read", {
      op_id: "drive.files.get",
      args: { fileId: "nope" },
    });
    match(String(missing.suggestion), /gum\.read with op_id "drive\.files\.list" lists/);
  });
});

Deno.test("a missing parent is not looked for among the children", async () => {
  await onEmulator(async (peer) => {
    const call = {
      op_id: "drive.permissions.create",
      args: { fileId: "nope", role: "reader", type: "anyone" },
    };
    const asked = await refusal(peer, "gum.write", call);
    const missing = await refusal(peer, "gum.write", {
      ...call,
      confirmed: true,
      confirmation_token: asked.confirmation_token ?? "",
    });
    equal(missing.error_code, "RESOURCE_NOT_FOUND");
    ok(!String(missing.suggestion).includes("permissions.list"), String(missing.suggestion));
  });
});

Deno.test("a shortcut names the fields of its own argument", async () => {
  await onEmulator(async (peer) => {
    const message = { to: "a@example.com", subjct: "x" };
    for (const tool of ["gmail_send", "gmail_create_draft"]) {
      const refused = await refusal(peer, tool, { userId: "me", message });
      equal(refused.field, "message.subjct", tool);
      deepStrictEqual(refused.unknown, ["message.subjct"]);
      ok(!JSON.stringify(refused).includes("body."), tool);
    }
  });
});

Deno.test("a shortcut names its own argument where the whole of it is refused", async () => {
  await withEmulator(async (session) => {
    await withPeer(session, {}, async (peer) => {
      const task: JsonObject = JSON.parse(`${'{"a":'.repeat(200)}1${"}".repeat(200)}`);
      const result = await peer.call("tasks_create", { tasklist: "@default", task });
      const { error_code, field, message } = envelopeOf(result);
      equal(error_code, "INVALID_ARGS");
      equal(field, "task");
      equal(message, '"task" nests deeper than 100 levels');
    });
  });
});

Deno.test("an unknown tool: the near name, or the tool that runs the operation", async () => {
  await onEmulator(async (peer) => {
    const advice = async (name: string) => {
      const { error } = await peer.request("tools/call", { name });
      return String(((error as JsonObject).data as JsonObject).suggestion);
    };
    equal(await advice("gum.red"), "Did you mean gum.read?");
    match(
      await advice("drive.files.delete"),
      /call gum\.destructive with op_id "drive\.files\.delete"/,
    );
    equal(await advice("entirely_different"), "Use a name from tools/list.");
    equal(await advice("x".repeat(100_000)), "Use a name from tools/list.");
  });
});

Deno.test("an error costs less than what caused it", async () => {
  await onEmulator(async (peer) => {
    const long = "x".repeat(500_000);
    const result = await peer.call("gum.read", { op_id: long });
    equal(envelopeOf(result).error_code, "OP_NOT_FOUND");
    ok(textOf(result).length < 5_000, `${textOf(result).length}`);
    const unknown = await peer.request("tools/call", { name: long });
    ok(JSON.stringify(unknown).length < 5_000);
    const read = await peer.request("resources/read", { uri: `gum://op/${long}` });
    ok(JSON.stringify(read).length < 5_000);
  });
});

Deno.test("describe says what a script can call and how a mail may be written", async () => {
  await onEmulator(async (peer) => {
    const param = async (opId: string, name: string) => {
      const { structuredContent } = await peer.call("gum.describe_op", { op_id: opId });
      const { params } = structuredContent as { params: JsonObject[] };
      return String(params.find((entry) => entry.name === name)?.description);
    };
    match(await param("gum.code", "source"), /gum_call\(op_id, args\).*gum_print/);
    match(await param("gmail.users.messages.send", "raw"), /to, cc, bcc, .*subject, text, html/);
    match(await param("gmail.users.drafts.create", "message"), /to, cc, bcc/);
    const guessed = await refusal(peer, "gum.code", {
      language: "javascript",
      source: 'await gum.call("drive.files.list", {})',
    });
    match(String(guessed.suggestion), /A script can call gum_call\(op_id, args\)/);
    const declared = await refusal(peer, "gum.code", { language: "risor", source: "x := 1" });
    match(String(declared.message), /declare a variable with let: let x = /);
  });
});

Deno.test("a search says when the best operation is one that the profile hides", async () => {
  await onEmulator(async (peer) => {
    const { content, structuredContent } = await peer.call("gum.search_apis", {
      query: "run a bigquery query",
    }) as { content: JsonObject[]; structuredContent: JsonObject };
    match(
      String(content[1]?.text),
      /^bigquery\.jobs\.query would match best\. .*catalog\.long_tail=all/,
    );
    equal((structuredContent._expression as JsonObject).hidden_match, "bigquery.jobs.query");
    const ordinary = await peer.call("gum.search_apis", { query: "unread mail" });
    equal((ordinary.content as JsonObject[]).length, 1);
  });
});

Deno.test("a body field that is not listed has a way in, and the listed ones are the usual ones", async () => {
  await onEmulator(async (peer) => {
    const args = { calendarId: "primary", eventId: "nope", guestsCanModify: true };
    const refused = await refusal(peer, "gum.write", { op_id: "calendar.events.patch", args });
    deepStrictEqual(refused.unknown, ["guestsCanModify"]);
    match(String(refused.suggestion), /goes into body: \{"body":\{"guestsCanModify":…\}\}\.$/);
    const slip = { op_id: "drive.files.create", args: { nam: "x" } };
    ok(!String((await refusal(peer, "gum.write", slip)).suggestion).includes("body"));
    const usual: [string, JsonObject][] = [
      ["calendar.events.patch", { eventId: "nope", summary: "x", location: "y" }],
      ["people.people.createContact", { names: [{ givenName: "A" }] }],
    ];
    for (const [opId, given] of usual) {
      const result = await peer.call("gum.write", { op_id: opId, args: given });
      const code = result.isError === true ? envelopeOf(result).error_code : undefined;
      ok(code !== "INVALID_ARGS", `${opId}: ${textOf(result)}`);
    }
    const reading = await refusal(peer, "gum.read", {
      op_id: "drive.files.get",
      args: { file: 1 },
    });
    ok(!String(reading.suggestion).includes("body"), String(reading.suggestion));
  });
});

Deno.test("a bare upstream message comes with the parameter it is about", async () => {
  await onEmulator(async (peer) => {
    const args = { q: "name containz 'x'" };
    const refused = await refusal(peer, "gum.read", { op_id: "drive.files.list", args });
    deepStrictEqual(refused.field_violations, [{ field: "q", description: "Invalid Value" }]);
  });
});
