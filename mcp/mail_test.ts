/** Mail in plain fields over the wire (spec 11 §3). */

import { deepStrictEqual, equal, match } from "node:assert/strict";
import type { JsonObject } from "../lib/json/mod.ts";
import { withEmulator } from "./testdata/emulated.ts";
import { envelopeOf, type RawPeer, textOf, withPeer } from "./testdata/raw_peer.ts";

const MESSAGE = { to: "ann@example.com", subject: "Größe", text: "Hello" };

/** The answer of a confirmed call; gives the data and what was to be confirmed. */
async function confirm(peer: RawPeer, name: string, args: JsonObject) {
  const asked = envelopeOf(await peer.call(name, args));
  equal(asked.error_code, "REQUIRES_CONFIRMATION", JSON.stringify(asked));
  const result = await peer.call(name, {
    ...args,
    confirmed: true,
    confirmation_token: asked.confirmation_token ?? "",
  });
  equal(result.isError, undefined, textOf(result));
  const pending = asked.pending_request as { message: JsonObject };
  return { data: (result.structuredContent as { data: JsonObject }).data, pending, asked };
}

Deno.test("gmail_send and gmail_create_draft take plain fields and show them", async () => {
  await withEmulator(async (session) => {
    await withPeer(session, {}, async (peer) => {
      const sent = await confirm(peer, "gmail_send", { userId: "me", message: MESSAGE });
      match(String(sent.asked.user_message), /^Mail to ann@example\.com: "Größe"\./);
      deepStrictEqual(sent.pending.message.to, ["ann@example.com"]);
      const reply = { in_reply_to_message_id: String(sent.data.id), text: "And one more thing" };
      const answered = await confirm(peer, "gmail_send", { userId: "me", message: reply });
      equal(answered.data.threadId, sent.data.threadId);
      equal(answered.pending.message.subject, "Re: Größe");
      deepStrictEqual(answered.pending.message.to, ["ann@example.com"]);
      const draft = await confirm(peer, "gmail_create_draft", {
        userId: "me",
        message: { ...MESSAGE, attachments: [{ filename: "a.txt", data_base64: btoa("a") }] },
      });
      equal((draft.pending.message.attachments as JsonObject[])[0]?.filename, "a.txt");
    });
  });
});

Deno.test("gum.write takes plain fields at the top and as a message", async () => {
  await withEmulator(async (session) => {
    await withPeer(session, {}, async (peer) => {
      const send = { op_id: "gmail.users.messages.send" };
      await confirm(peer, "gum.write", { ...send, args: MESSAGE });
      await confirm(peer, "gum.write", { ...send, args: { message: MESSAGE } });
      await confirm(peer, "gum.write", { ...send, args: { body: MESSAGE } });
      const drafts = await peer.call("gum.write", {
        op_id: "gmail.users.drafts.create",
        args: MESSAGE,
      });
      equal(drafts.isError, undefined, textOf(drafts));
    });
  });
});

Deno.test("a mistyped field names the nearest, raw and fields exclude each other", async () => {
  await withEmulator(async (session) => {
    await withPeer(session, {}, async (peer) => {
      const refused = async (message: JsonObject) =>
        envelopeOf(await peer.call("gmail_send", { userId: "me", message }));
      const mistyped = await refused({ ...MESSAGE, atachments: [] });
      deepStrictEqual([mistyped.error_code, mistyped.nearest], ["INVALID_ARGS", "attachments"]);
      const both = await refused({ ...MESSAGE, raw: "eA" });
      deepStrictEqual([both.error_code, both.reason], ["INVALID_ARGS", "raw_and_plain_fields"]);
      const path = await refused({ ...MESSAGE, attachments: ["/etc/hostname"] });
      deepStrictEqual([path.error_code, path.reason], [
        "POLICY_DENIED",
        "attachment_path_not_allowed",
      ]);
    });
    deepStrictEqual(session.emulator?.journal.length, 0);
  });
});
