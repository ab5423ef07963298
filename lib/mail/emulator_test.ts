/** Mail in plain fields through a whole session: kernel, confirmation, wire, emulated Gmail. */

import { deepStrictEqual, equal, match, ok } from "node:assert/strict";
import PostalMime from "postal-mime";
import type { Invocation, ShapedResponse } from "../dispatch/types.ts";
import { findGumError, type GumError } from "../errors/mod.ts";
import { isJsonObject, type JsonObject, parseJson } from "../json/mod.ts";
import { openSession } from "../session/mod.ts";
import type { Session, SessionOptions } from "../session/types.ts";

async function withSession(
  use: (session: Session, directory: string) => Promise<void>,
  options: Partial<SessionOptions> = {},
): Promise<void> {
  const directory = await Deno.makeTempDir({ prefix: "gum-mail-" });
  const session = await openSession({
    profileName: "default",
    emulator: true,
    directories: { data: directory },
    ...options,
  });
  try {
    await use(session, directory);
  } finally {
    await session.close();
    await Deno.remove(directory, { recursive: true });
  }
}

/** A call of this test; writes are granted. */
type Asked = Partial<Invocation> & { opId: string };

function invocation(call: Asked): Invocation {
  return { args: {}, caller: "mcp", allowWrite: true, format: "json", ...call };
}

async function refused(session: Session, call: Asked): Promise<GumError> {
  try {
    await session.kernel.dispatch(invocation(call));
  } catch (error) {
    const known = findGumError(error);
    if (known !== undefined) return known;
    throw error;
  }
  throw new Error(`${call.opId} went through`);
}

/** Runs a call and spends the token that it is asked for. */
async function confirmed(session: Session, call: Asked): Promise<JsonObject> {
  const refusal = await refused(session, call);
  equal(refusal.code, "REQUIRES_CONFIRMATION", refusal.message);
  const token = String(refusal.details.confirmation_token);
  return valueOf(
    await session.kernel.dispatch(
      invocation({ ...call, confirmed: true, confirmationToken: token }),
    ),
  );
}

async function read(session: Session, call: Asked): Promise<JsonObject> {
  return valueOf(
    await session.kernel.dispatch(
      invocation({ allowWrite: false, format: "raw", suppressFieldMask: true, ...call }),
    ),
  );
}

function valueOf(response: ShapedResponse): JsonObject {
  const value = response.structuredContent ??
    parseJson(new TextDecoder().decode(response.upstreamBytes ?? response.body));
  if (!isJsonObject(value)) throw new Error("the answer is no object");
  return value;
}

async function storedMail(session: Session, id: unknown) {
  const { raw } = await read(session, {
    opId: "gmail.users.messages.get",
    args: { userId: "me", id: String(id), format: "raw" },
  });
  return await PostalMime.parse(
    Uint8Array.fromBase64(String(raw).replace(/=+$/, ""), { alphabet: "base64url" }),
  );
}

function sent(session: Session): number {
  const requests = session.emulator?.journal ?? [];
  return requests.filter(({ path }) => path.endsWith("/messages/send")).length;
}

const SEND = "gmail.users.messages.send";

Deno.test("a mail in plain fields is shown, confirmed, sent and found", async () => {
  await withSession(async (session) => {
    const args = {
      userId: "me",
      to: ["Ann <ann@example.com>"],
      bcc: "boss@example.com",
      subject: "Größe zählt",
      text: "Hello Ann",
      attachments: [{ filename: "a.txt", data_base64: btoa("file") }],
    };
    const refusal = await refused(session, { opId: SEND, args });
    match(refusal.userMessage, /^Mail to ann@example\.com, bcc boss@example\.com: "Größe zählt"/);
    const pending = refusal.details.pending_request as JsonObject;
    equal(pending.method, "POST");
    deepStrictEqual((pending.message as JsonObject).attachments, [
      { filename: "a.txt", content_type: "text/plain", size_bytes: 4 },
    ]);
    equal(sent(session), 0);
    const answer = await confirmed(session, { opId: SEND, args });
    equal(sent(session), 1);
    const { messages } = await read(session, {
      opId: "gmail.users.messages.list",
      args: { userId: "me", q: "in:sent", maxResults: 5 },
    });
    ok((messages as JsonObject[]).some(({ id }) => id === answer.id));
    const mail = await storedMail(session, answer.id);
    equal(mail.subject, "Größe zählt");
    deepStrictEqual(mail.bcc?.map(({ address }) => address), ["boss@example.com"]);
    ok(mail.messageId && mail.date, "Gmail completed it");
  });
});

Deno.test("the token binds the bytes: another word, address or file needs another", async () => {
  await withSession(async (session, directory) => {
    const path = `${directory}/note.txt`;
    await Deno.writeTextFile(path, "one");
    const args: JsonObject = { to: "ann@example.com", text: "Hello", attachments: [path] };
    const call: Asked = { opId: SEND, args, caller: "cli" };
    const refusal = await refused(session, call);
    const confirmation = {
      confirmed: true,
      confirmationToken: String(refusal.details.confirmation_token),
    };
    const changes: JsonObject[] = [{ text: "Hello!" }, { cc: "eve@example.com" }];
    for (const changed of changes) {
      const other = await refused(session, {
        ...call,
        ...confirmation,
        args: { ...args, ...changed },
      });
      equal(other.code, "CONFIRMATION_TOKEN_INVALID");
    }
    await Deno.writeTextFile(path, "two");
    equal(
      (await refused(session, { ...call, ...confirmation })).code,
      "CONFIRMATION_TOKEN_INVALID",
    );
    await Deno.writeTextFile(path, "one");
    equal(sent(session), 0);
    const answer = valueOf(
      await session.kernel.dispatch(invocation({ ...call, ...confirmation })),
    );
    equal(sent(session), 1);
    const mail = await storedMail(session, answer.id);
    equal(mail.attachments[0]?.filename, "note.txt");
  });
});

Deno.test("an answer lands in the thread of its message", async () => {
  await withSession(async (session) => {
    const { messages } = await read(session, {
      opId: "gmail.users.messages.list",
      args: { userId: "me", q: "in:inbox", maxResults: 1 },
    });
    const [original] = messages as { id: string; threadId: string }[];
    if (original === undefined) throw new Error("the inbox is empty");
    const before = await storedMail(session, original.id);
    const answer = await confirmed(session, {
      opId: SEND,
      args: { body: { in_reply_to_message_id: original.id, text: "Thanks" } },
    });
    equal(answer.threadId, original.threadId);
    const mail = await storedMail(session, answer.id);
    equal(mail.inReplyTo, before.messageId);
    ok(mail.references?.endsWith(before.messageId ?? "?"));
    match(mail.subject ?? "", /^re: /i);
    const missing = await refused(session, {
      opId: SEND,
      args: { in_reply_to_message_id: "0000000000000000", text: "Thanks" },
    });
    equal(missing.details.field, "in_reply_to_message_id");
  });
});

Deno.test("a forward carries the original's words and files", async () => {
  await withSession(async (session) => {
    const { messages } = await read(session, {
      opId: "gmail.users.messages.list",
      args: { userId: "me", q: "has:attachment", maxResults: 1 },
    });
    const [original] = messages as { id: string }[];
    if (original === undefined) throw new Error("no message has a file");
    const before = await storedMail(session, original.id);
    const answer = await confirmed(session, {
      opId: SEND,
      args: { forward_message_id: original.id, to: "boss@example.com", text: "FYI" },
    });
    const mail = await storedMail(session, answer.id);
    ok(mail.text?.startsWith("FYI\n"));
    ok(mail.text?.includes(`From: ${before.from?.name ?? ""}`));
    deepStrictEqual(
      mail.attachments.map(({ filename }) => filename),
      before.attachments.map(({ filename }) => filename),
    );
    deepStrictEqual(mail.attachments[0]?.content, before.attachments[0]?.content);
  });
});

Deno.test("drafts are written, rewritten and sent in plain fields", async () => {
  await withSession(async (session) => {
    const draft = valueOf(
      await session.kernel.dispatch(invocation({
        opId: "gmail.users.drafts.create",
        args: { message: { subject: "No recipient yet", text: "…" } },
      })),
    );
    const id = String(draft.id);
    await session.kernel.dispatch(invocation({
      opId: "gmail.users.drafts.update",
      args: { id, to: "ann@example.com", subject: "Second", text: "Better" },
    }));
    const nobody = await refused(session, {
      opId: "gmail.users.drafts.send",
      args: { id, message: { text: "x" } },
    });
    deepStrictEqual(nobody.details.missing, ["to"]);
    const answer = await confirmed(session, {
      opId: "gmail.users.drafts.send",
      args: { id, message: { to: "ann@example.com", subject: "Third", text: "Final" } },
    });
    equal((await storedMail(session, answer.id)).subject, "Third");
  });
});

Deno.test("a call that policy refuses reads no mail and no file", async () => {
  await withSession(async (session) => {
    const args = { in_reply_to_message_id: "x", text: "t", attachments: ["/etc/hostname"] };
    const denied = await refused(session, { opId: SEND, args });
    equal(denied.code, "POLICY_DENIED");
    const readOnly = await refused(session, {
      opId: SEND,
      args: { ...args, to: "a@example.com" },
      allowWrite: false,
    });
    ok(
      ["POLICY_DENIED", "RISK_TOOL_MISMATCH", "WRITE_NOT_ALLOWED"].includes(readOnly.code),
      readOnly.code,
    );
    equal(session.emulator?.journal.length, 0);
  }, { policyMode: "draft_only" });
});

Deno.test("files outside media.dirs stay unread unless a person named them", async () => {
  const open = await Deno.makeTempDir({ prefix: "gum-mail-open-" });
  try {
    await Deno.writeTextFile(`${open}/a.txt`, "a");
    await withSession(async (session, directory) => {
      await Deno.writeTextFile(`${directory}/b.txt`, "b");
      const call = (path: string, caller: Invocation["caller"]): Asked => ({
        opId: SEND,
        args: { to: "ann@example.com", text: "x", attachments: path },
        caller,
      });
      equal((await refused(session, call(`${open}/a.txt`, "mcp"))).code, "REQUIRES_CONFIRMATION");
      equal((await refused(session, call(`${directory}/b.txt`, "mcp"))).code, "POLICY_DENIED");
      equal(
        (await refused(session, call(`${directory}/b.txt`, "cli"))).code,
        "REQUIRES_CONFIRMATION",
      );
      const inRoot = { ...call(`${directory}/b.txt`, "mcp"), projectRootPath: directory };
      equal((await refused(session, inRoot)).code, "REQUIRES_CONFIRMATION");
    }, { mediaDirs: [open] });
  } finally {
    await Deno.remove(open, { recursive: true });
  }
});

Deno.test("a dry run shows the message and sends nothing", async () => {
  await withSession(async (session) => {
    const report = valueOf(
      await session.kernel.dispatch(invocation({
        opId: SEND,
        args: { to: "ann@example.com", subject: "Try", text: "x" },
        dryRun: true,
      })),
    );
    equal((report.message as JsonObject).subject, "Try");
    equal(report.confirmation_required, true);
    equal(sent(session), 0);
  });
});

Deno.test("a message over 25 MB goes through an upload, confirmed like any other", async () => {
  await withSession(async (session) => {
    const message = {
      to: "ann@example.com",
      subject: "Big",
      attachments: [{
        filename: "b.bin",
        data_base64: new Uint8Array(20 * 1024 * 1024).fill(7).toBase64(),
      }],
    };
    const answer = await confirmed(session, { opId: SEND, args: message });
    const { sizeEstimate, payload } = await read(session, {
      opId: "gmail.users.messages.get",
      args: { userId: "me", id: String(answer.id), format: "metadata" },
    });
    ok(Number(sizeEstimate) > 25 * 1024 * 1024);
    const headers = (payload as { headers: { name: string; value: string }[] }).headers;
    equal(headers.find(({ name }) => name === "Subject")?.value, "Big");
  });
});
