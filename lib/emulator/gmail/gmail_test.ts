import assert from "node:assert/strict";
import type { JsonObject } from "../../json/mod.ts";
import { header, objects, raw, USER, withGmail } from "./testdata/mailbox_probe.ts";

Deno.test("gmail: a foreign page token is refused, another query's too", () =>
  withGmail(async (gmail) => {
    const page = await gmail.get("/messages?maxResults=5");
    for (const token of ["nonsense", "bm9uc2Vuc2U", String(page.nextPageToken).slice(1)]) {
      assert.equal((await gmail.ask("GET", `/messages?pageToken=${token}`)).status, 400);
    }
    const other = await gmail.ask("GET", `/messages?q=is:unread&pageToken=${page.nextPageToken}`);
    assert.equal(other.status, 400);
    assert.equal((await gmail.ask("GET", `/threads?pageToken=${page.nextPageToken}`)).status, 400);
  }));

Deno.test("gmail: what is sent is in the thread, the search, the history and the sent label", () =>
  withGmail(async (gmail) => {
    const before = await gmail.get("/profile");
    const [first] = objects((await gmail.get("/messages?q=in:inbox&maxResults=1")).messages);
    const text = "To: Hanna <hanna.weiss@example.com>\r\nSubject: =?UTF-8?B?R3LDvMOfZQ==?=\r\n" +
      "Content-Type: text/plain; charset=UTF-8\r\n\r\nthe zyzzyva has landed";
    const sent = await gmail.ask("POST", "/messages/send", {
      raw: raw(text),
      threadId: first?.threadId,
    });
    assert.equal(sent.status, 200);
    assert.deepEqual(sent.json.labelIds, ["SENT"]);
    assert.equal(sent.json.threadId, first?.threadId);
    const read = await gmail.get(`/messages/${sent.json.id}`);
    assert.equal(header(read, "Subject"), "Grüße");
    assert.match(String(header(read, "From")), /mara\.lindqvist@example\.com/);
    assert.match(String(header(read, "Message-ID")), /^<.+@mail\.example\.com>$/);
    assert.equal(read.snippet, "the zyzzyva has landed");
    const found = await gmail.get("/messages?q=zyzzyva");
    assert.deepEqual(objects(found.messages).map(({ id }) => id), [sent.json.id]);
    const thread = await gmail.get(`/threads/${first?.threadId}`);
    assert.equal(objects(thread.messages).at(-1)?.id, sent.json.id);
    const history = await gmail.get(`/history?startHistoryId=${before.historyId}`);
    assert.deepEqual(objects(objects(history.history)[0]?.messagesAdded)[0]?.message, sent.json);
    const after = await gmail.get("/profile");
    assert.equal(Number(after.messagesTotal), Number(before.messagesTotal) + 1);
    assert.ok(Number(after.historyId) > Number(before.historyId));
  }));

Deno.test("gmail: sending refuses what could not be delivered", () =>
  withGmail(async (gmail) => {
    const bodies = [
      {},
      { raw: "" },
      { raw: "***" },
      { raw: raw("Subject: no one\r\n\r\nx") },
      { raw: raw("To: nobody at all\r\n\r\nx") },
      { raw: raw("To: a@example.com\r\n\r\nx"), threadId: "0000000000000000" },
    ];
    for (const body of bodies) {
      const answer = await gmail.ask("POST", "/messages/send", body);
      assert.equal(answer.status, 400, JSON.stringify(body));
      assert.equal((answer.json.error as JsonObject).status, "INVALID_ARGUMENT");
    }
    assert.equal((await gmail.ask("GET", "/messages?q=in:sent from:me")).status, 200);
  }));

Deno.test("gmail: mail to oneself is sent and received", () =>
  withGmail(async (gmail) => {
    const sent = await gmail.ask("POST", "/messages/send", {
      raw: raw(`To: ${gmail.emulator.account.email}\r\nSubject: note\r\n\r\nx`),
    });
    assert.deepEqual(sent.json.labelIds, ["UNREAD", "SENT", "INBOX"]);
  }));

Deno.test("gmail: trash, untrash, modify and delete are visible to the next read", () =>
  withGmail(async (gmail) => {
    const [message, gone] = objects(
      (await gmail.get("/messages?q=in:inbox&maxResults=2")).messages,
    );
    assert.ok(message && gone);
    const trashed = await gmail.ask("POST", `/messages/${message.id}/trash`);
    assert.ok((trashed.json.labelIds as string[]).includes("TRASH"));
    const listed = async (query: string) =>
      objects((await gmail.get(`/messages?maxResults=500&q=${encodeURIComponent(query)}`)).messages)
        .some(({ id }) => id === message.id);
    assert.equal(await listed(""), false);
    assert.equal(await listed("in:trash"), true);
    assert.equal(await listed("in:anywhere"), true);
    await gmail.ask("POST", `/messages/${message.id}/untrash`);
    assert.equal(await listed(""), true);
    const starred = await gmail.ask("POST", `/messages/${message.id}/modify`, {
      addLabelIds: ["STARRED"],
      removeLabelIds: ["INBOX"],
    });
    assert.ok((starred.json.labelIds as string[]).includes("STARRED"));
    assert.equal(await listed("is:starred -in:inbox"), true);
    const unknown = await gmail.ask("POST", `/messages/${message.id}/modify`, {
      addLabelIds: ["Label_999"],
    });
    assert.equal(unknown.status, 400);
    const deleted = await gmail.ask("DELETE", `/messages/${gone.id}`);
    assert.equal(deleted.status, 204);
    assert.equal(deleted.text, "");
    assert.equal((await gmail.ask("GET", `/messages/${gone.id}`)).status, 404);
    assert.equal((await gmail.ask("DELETE", `/messages/${gone.id}`)).status, 404);
    assert.equal((await gmail.ask("GET", "/messages/not-hex!")).status, 400);
  }));

Deno.test("gmail: batches change all of their messages and answer nothing", () =>
  withGmail(async (gmail) => {
    const ids = objects((await gmail.get("/messages?maxResults=6")).messages).map(({ id }) => id);
    const modified = await gmail.ask("POST", "/messages/batchModify", {
      ids,
      addLabelIds: ["STARRED"],
    });
    assert.equal(modified.status, 204);
    assert.equal(modified.text, "");
    const starred = objects((await gmail.get("/messages?labelIds=STARRED&maxResults=500")).messages)
      .map(({ id }) => id);
    assert.ok(ids.every((id) => starred.includes(id)));
    assert.equal((await gmail.ask("POST", "/messages/batchDelete", { ids })).status, 204);
    for (const id of ids) assert.equal((await gmail.ask("GET", `/messages/${id}`)).status, 404);
    assert.equal((await gmail.ask("POST", "/messages/batchDelete", { ids })).status, 404);
    assert.equal((await gmail.ask("POST", "/messages/batchModify", { ids: [] })).status, 400);
  }));

Deno.test("gmail: labels are made, renamed, counted and removed", () =>
  withGmail(async (gmail) => {
    const made = await gmail.ask("POST", "/labels", { name: "Tide tables" });
    assert.equal(made.status, 200);
    assert.equal((await gmail.ask("POST", "/labels", { name: "tide TABLES" })).status, 409);
    assert.equal((await gmail.ask("POST", "/labels", { name: "inbox" })).status, 409);
    const [message] = objects((await gmail.get("/messages?maxResults=1")).messages);
    await gmail.ask("POST", `/messages/${message?.id}/modify`, { addLabelIds: [made.json.id] });
    assert.equal((await gmail.get(`/labels/${made.json.id}`)).messagesTotal, 1);
    const found = await gmail.get("/messages?q=label:tide-tables");
    assert.equal(objects(found.messages)[0]?.id, message?.id);
    const renamed = await gmail.ask("PATCH", `/labels/${made.json.id}`, { name: "Tides" });
    assert.equal(renamed.json.name, "Tides");
    assert.equal((await gmail.ask("PUT", `/labels/${made.json.id}`, {})).status, 400);
    assert.equal((await gmail.ask("DELETE", "/labels/INBOX")).status, 400);
    assert.equal((await gmail.ask("DELETE", `/labels/${made.json.id}`)).status, 204);
    assert.equal((await gmail.ask("GET", `/labels/${made.json.id}`)).status, 404);
    const left = await gmail.get(`/messages/${message?.id}?format=minimal`);
    assert.equal((left.labelIds as string[]).includes(String(made.json.id)), false);
    assert.equal(objects((await gmail.get("/messages?q=label:empty-for-now")).messages).length, 0);
  }));

Deno.test("gmail: drafts are kept, replaced, sent and deleted", () =>
  withGmail(async (gmail) => {
    const drafts = objects((await gmail.get("/drafts")).drafts);
    assert.equal(drafts.length, 5);
    for (const { id } of drafts) assert.equal((await gmail.get(`/drafts/${id}`)).id, id);
    const made = await gmail.ask("POST", "/drafts", {
      message: { raw: raw("Subject: one\r\n\r\nfirst") },
    });
    const draftId = String(made.json.id);
    const replaced = await gmail.ask("PUT", `/drafts/${draftId}`, {
      message: { raw: raw("To: a@example.com\r\nSubject: two\r\n\r\nsecond") },
    });
    assert.equal(replaced.json.id, draftId);
    const kept = (await gmail.get(`/drafts/${draftId}`)).message as JsonObject;
    assert.equal(header(kept, "Subject"), "two");
    assert.deepEqual(kept.labelIds, ["DRAFT"]);
    assert.equal(
      (await gmail.ask("GET", `/messages/${(made.json.message as JsonObject).id}`)).status,
      404,
    );
    const sent = await gmail.ask("POST", "/drafts/send", { id: draftId });
    assert.deepEqual(sent.json.labelIds, ["SENT"]);
    assert.equal((await gmail.ask("GET", `/drafts/${draftId}`)).status, 404);
    assert.equal(header(await gmail.get(`/messages/${sent.json.id}`), "Subject"), "two");
    assert.equal((await gmail.ask("DELETE", `/drafts/${drafts[0]?.id}`)).status, 204);
    assert.equal(objects((await gmail.get("/drafts")).drafts).length, 4);
    assert.equal((await gmail.ask("POST", "/drafts/send", { id: draftId })).status, 404);
  }));

Deno.test("gmail: threads list, get, modify and trash as one", () =>
  withGmail(async (gmail) => {
    const threads = objects((await gmail.get("/threads?maxResults=200")).threads);
    const sizes: number[] = [];
    for (const { id } of threads) {
      sizes.push(objects((await gmail.get(`/threads/${id}?format=minimal`)).messages).length);
    }
    assert.ok(Math.max(...sizes) >= 5 && sizes.includes(1));
    const long = threads[sizes.indexOf(Math.max(...sizes))];
    const messages = objects((await gmail.get(`/threads/${long?.id}`)).messages);
    const dates = messages.map((message) => Number(message.internalDate));
    assert.deepEqual(dates, [...dates].sort((left, right) => left - right));
    assert.match(String(header(messages.at(-1) as JsonObject, "Subject")), /^Re: /);
    assert.equal(
      header(messages[1] as JsonObject, "In-Reply-To"),
      header(messages[0] as JsonObject, "Message-ID"),
    );
    await gmail.ask("POST", `/threads/${long?.id}/trash`);
    for (
      const message of objects((await gmail.get(`/threads/${long?.id}?format=minimal`)).messages)
    ) {
      assert.ok((message.labelIds as string[]).includes("TRASH"));
    }
    await gmail.ask("POST", `/threads/${long?.id}/untrash`);
    const modified = await gmail.ask("POST", `/threads/${long?.id}/modify`, {
      addLabelIds: ["STARRED"],
    });
    assert.equal(objects(modified.json.messages).length, messages.length);
    assert.equal((await gmail.ask("GET", "/threads/0000000000000001")).status, 404);
  }));

Deno.test("gmail: settings, other users, history limits", () =>
  withGmail(async (gmail) => {
    const away = {
      enableAutoReply: true,
      responseSubject: "Away",
      responseBodyPlainText: "Back in June",
    };
    assert.equal((await gmail.ask("PUT", "/settings/vacation", away)).status, 200);
    assert.deepEqual(await gmail.get("/settings/vacation"), away);
    assert.equal(
      (await gmail.ask("PUT", "/settings/vacation", { enableAutoReply: true })).status,
      400,
    );
    assert.equal(objects((await gmail.get("/settings/sendAs")).sendAs).length, 2);
    const own = USER.replace("/me", `/${encodeURIComponent(gmail.emulator.account.email)}`);
    assert.equal((await gmail.ask("GET", `${own}/profile`)).status, 200);
    const other = await gmail.ask("GET", `${USER.replace("/me", "/x%40example.com")}/profile`);
    assert.equal(other.status, 403);
    assert.match(other.text, /Delegation denied/);
    assert.equal((await gmail.ask("GET", "/history?startHistoryId=17")).status, 404);
    assert.equal((await gmail.ask("GET", "/history")).status, 400);
  }));
