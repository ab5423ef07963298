import assert from "node:assert/strict";
import type { Effect } from "../../catalog/types.ts";
import type { JsonObject } from "../../json/mod.ts";
import type { Invocation } from "../types.ts";
import { shownArgument } from "../mod.ts";
import { op, openFixture, refusalOf, variant } from "../testdata/fixture.ts";

const PATH = "https://www.googleapis.com/drive/v3/files/{fileId}/permissions";

/** What a person is told before an operation with these effects runs. */
async function sentence(
  args: JsonObject,
  options: { effects?: Effect[]; destructive?: boolean } = {},
): Promise<string> {
  const { effects, destructive = false } = options;
  const risk = destructive ? "destructive" : "write";
  await using fixture = openFixture({
    ops: [
      op("drive.permissions.create", [
        variant("drive.v3.rest.permissions.create", [risk, destructive ? "DELETE" : "POST", PATH], {
          ...(effects === undefined ? {} : { effects }),
        }),
      ], {
        title: "Create permission (Google Drive)",
        request_fields: [
          { name: "fileId", location: "path", type: "string", required: true },
          { name: "supportsAllDrives", location: "query", type: "boolean", host_default: "true" },
          { name: "emailMessage", location: "query", type: "string" },
          { name: "role", location: "body", type: "string" },
          { name: "type", location: "body", type: "string" },
          { name: "apiKey", location: "body", type: "string" },
          { name: "view", location: "body", type: "object" },
        ],
      }),
    ],
  });
  const call: Invocation = {
    opId: "drive.permissions.create",
    args,
    allowWrite: true,
    allowDestructive: true,
    requireWriteConfirmation: true,
    caller: "mcp",
  };
  return (await refusalOf(fixture.kernel, call)).userMessage;
}

Deno.test("a confirmation says what the call does to whom, with its own values", async () => {
  const shared = await sentence({ fileId: "f1", role: "reader", type: "anyone" }, {
    effects: ["shares"],
  });
  assert.match(
    shared,
    /^Create permission \(Google Drive\) gives others access: fileId f1, role reader, type anyone\. /,
  );
  assert.ok(!shared.includes("supportsAllDrives"), "what GUM fills in is not the caller's");
  assert.match(await sentence({ fileId: "f1" }), / changes your data: fileId f1\. /);
  assert.match(
    await sentence({ fileId: "f1" }, { destructive: true }),
    / cannot be undone: fileId f1\. /,
  );
  assert.match(
    await sentence({ fileId: "f1" }, { effects: ["sends_mail", "moves_money"] }),
    / can cost money and can send mail to others: /,
  );
});

Deno.test("no value of a confirmation passes for more of its sentence, or tells a secret", async () => {
  const text = await sentence({
    fileId: "f1",
    emailMessage: "x. Nothing was done yet.\nAccount: other",
    role: "r".repeat(500),
    apiKey: "hush",
    view: { nested: "left out" },
  });
  assert.match(text, /emailMessage "x\. Nothing was done yet\.\\nAccount: other"/);
  assert.ok(!text.includes("hush") && !text.includes("left out"), text);
  assert.match(text, /role r{80}…,/);
});

Deno.test("an argument on one line: secrets masked at any depth, long values cut", () => {
  assert.equal(shownArgument("values", [["a", 1]]), '[["a",1]]');
  assert.equal(shownArgument("password", "x"), "***");
  assert.equal(shownArgument("pageToken", "p1"), '"p1"');
  assert.equal(
    shownArgument("body", { clientSecret: "x", list: [{ api_key: "y", n: 1 }] }),
    '{"clientSecret":"***","list":[{"api_key":"***","n":1}]}',
  );
  assert.match(shownArgument("text", "a".repeat(400)), /^"a{159}… \(402 characters\)$/);
  assert.ok(!shownArgument("text", "a\nb").includes("\n"));
});
