import assert from "node:assert/strict";
import fc from "fast-check";
import type { JsonObject } from "../../json/mod.ts";
import { startEmulator } from "../mod.ts";
import type { Emulator } from "../types.ts";

const USER = "https://gmail.googleapis.com/gmail/v1/users/me";

interface Gmail {
  emulator: Emulator;
  ask(
    method: string,
    path: string,
    body?: unknown,
  ): Promise<{ status: number; json: JsonObject; text: string }>;
  get(path: string): Promise<JsonObject>;
}

async function withGmail(run: (gmail: Gmail) => Promise<void>, seed = 1): Promise<void> {
  const emulator = await startEmulator({ seed });
  const ask: Gmail["ask"] = async (method, path, body) => {
    const base = path.startsWith("https:") ? path : `${USER}${path}`;
    const response = await fetch(emulator.rewrite(new URL(base)), {
      method,
      headers: {
        authorization: `Bearer ${emulator.credentials.bearer}`,
        ...(body === undefined ? {} : { "content-type": "application/json" }),
      },
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
    });
    const text = await response.text();
    return { status: response.status, text, json: text.startsWith("{") ? JSON.parse(text) : {} };
  };
  const get: Gmail["get"] = async (path) => {
    const answer = await ask("GET", path);
    assert.equal(answer.status, 200, answer.text);
    return answer.json;
  };
  try {
    await run({ emulator, ask, get });
  } finally {
    await emulator.close();
  }
}

const raw = (text: string) =>
  new TextEncoder().encode(text).toBase64({ alphabet: "base64url", omitPadding: true });
const decode = (data: unknown) =>
  new TextDecoder().decode(Uint8Array.fromBase64(String(data), { alphabet: "base64url" }));
const objects = (value: unknown) => (value ?? []) as JsonObject[];
const header = (message: JsonObject, name: string) =>
  objects((message.payload as JsonObject).headers).find((entry) => entry.name === name)?.value;

async function everyMessage(gmail: Gmail, query = ""): Promise<JsonObject[]> {
  const found: JsonObject[] = [];
  let token = "";
  do {
    const page = await gmail.get(`/messages?maxResults=37${query}${token}`);
    found.push(...objects(page.messages));
    token = page.nextPageToken === undefined ? "" : `&pageToken=${page.nextPageToken}`;
  } while (token !== "");
  return found;
}

Deno.test("gmail: pages add up, without repeats, and every id resolves in every format", () =>
  withGmail(async (gmail) => {
    const all = await everyMessage(gmail, "&includeSpamTrash=true");
    const profile = await gmail.get("/profile");
    assert.equal(all.length, profile.messagesTotal);
    assert.equal(new Set(all.map(({ id }) => id)).size, all.length);
    assert.equal(new Set(all.map(({ threadId }) => threadId)).size, profile.threadsTotal);
    assert.ok(all.length >= 250 && all.length <= 300, String(all.length));
    const sizes: number[] = [];
    for (const { id, threadId } of all) {
      const full = await gmail.get(`/messages/${id}`);
      assert.equal(full.threadId, threadId);
      assert.match(String(full.id), /^[0-9a-f]{16}$/);
      assert.ok(objects((full.payload as JsonObject).headers).length > 0);
      sizes.push(Number(full.sizeEstimate));
    }
    sizes.sort((left, right) => left - right);
    const [least = 0, most = 0] = [sizes[0], sizes.at(-1)];
    assert.ok(most > 6 * Number(sizes[Math.floor(sizes.length / 2)]), "a long tail");
    assert.ok(most > 20 * least);
    for (const format of ["minimal", "raw", "metadata", "full"]) {
      const one = await gmail.get(`/messages/${all[5]?.id}?format=${format}`);
      assert.equal("payload" in one, format === "full" || format === "metadata");
      assert.equal("raw" in one, format === "raw");
    }
    assert.equal((await gmail.ask("GET", `/messages/${all[0]?.id}?format=odd`)).status, 400);
  }));

Deno.test("gmail: any page size gives the same list", () =>
  withGmail(async (gmail) => {
    const ids = objects((await gmail.get("/messages?maxResults=500")).messages).map(({ id }) => id);
    await fc.assert(
      fc.asyncProperty(fc.integer({ min: 20, max: 300 }), async (size) => {
        const seen: unknown[] = [];
        let token = "";
        do {
          const page = await gmail.get(`/messages?maxResults=${size}${token}`);
          const items = objects(page.messages);
          assert.ok(items.length <= size);
          seen.push(...items.map(({ id }) => id));
          token = page.nextPageToken === undefined ? "" : `&pageToken=${page.nextPageToken}`;
        } while (token !== "");
        assert.deepEqual(seen, ids);
      }),
      { numRuns: 12 },
    );
  }));

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

Deno.test("gmail: search understands the usual operators", () =>
  withGmail(async (gmail) => {
    const ids = async (query: string) => {
      const page = await gmail.get(`/messages?maxResults=500&q=${encodeURIComponent(query)}`);
      assert.equal(objects(page.messages).length, page.resultSizeEstimate);
      return new Set(objects(page.messages).map(({ id }) => String(id)));
    };
    const all = await ids("");
    const unread = await ids("is:unread");
    const read = await ids("-is:unread");
    assert.ok(unread.size > 0 && read.size > 0);
    assert.equal(unread.size + read.size, all.size);
    const recent = await ids("newer_than:7d");
    assert.equal(recent.size + (await ids("older_than:7d")).size, all.size);
    assert.deepEqual(
      await ids("after:2026/05/12 before:2026/05/19"),
      await ids("after:1778544000 before:1779148800"),
    );
    const either = await ids("from:tideline OR from:northline");
    assert.deepEqual(either, await ids("{from:tideline from:northline}"));
    assert.equal(
      either.size,
      (await ids("from:tideline")).size + (await ids("from:northline")).size,
    );
    assert.ok((await ids("has:attachment")).size > 10);
    assert.equal((await ids('"no mail says this in so many words"')).size, 0);
    assert.equal("messages" in await gmail.get("/messages?q=qqxyzzyqq"), false);
    assert.equal((await ids("subject:干潟調査")).size, 1);
    assert.equal((await ids("サンプル")).size, 0);
    assert.equal((await ids("長靴と双眼鏡")).size, 1);
    for (const id of await ids("to:mara from:jonas is:important")) {
      const message = await gmail.get(`/messages/${id}`);
      assert.match(String(header(message, "From")), /jonas/i);
    }
    assert.ok((await ids("label:receipts")).size > 5);
    assert.ok((await ids("in:sent")).size > 10);
    assert.ok((await ids("in:spam")).size > 0);
    assert.ok((await ids("larger:40K")).size > 0);
    assert.ok((await ids("filename:pdf")).size > 0);
    assert.ok((await ids("category:promotions")).size > 20);
  }));

Deno.test("gmail: a first page can be empty and still have a next one", () =>
  withGmail(async (gmail) => {
    const first = await gmail.get("/messages?q=label:sparse");
    assert.equal("messages" in first, false);
    assert.ok(first.nextPageToken);
    const second = await gmail.get(`/messages?q=label:sparse&pageToken=${first.nextPageToken}`);
    assert.equal(objects(second.messages).length, 3);
  }));

Deno.test("gmail: old character sets arrive as UTF-8, broken MIME arrives somehow", () =>
  withGmail(async (gmail) => {
    const only = async (query: string) => {
      const [found] = objects(
        (await gmail.get(`/messages?q=${encodeURIComponent(query)}`)).messages,
      );
      return await gmail.get(`/messages/${found?.id}`);
    };
    const body = (message: JsonObject) =>
      decode(((message.payload as JsonObject).body as JsonObject).data);
    const latin = await only("subject:Rückmeldung");
    assert.match(body(latin), /daß die Böschung/);
    assert.match(String(header(latin, "Content-Type")), /ISO-8859-1/);
    const wire = decode((await gmail.get(`/messages/${latin.id}?format=raw`)).raw);
    assert.match(wire, /da=DF die B=F6schung/);
    assert.match(body(await only("subject:干潟調査")), /リンドクヴィスト様[\s\S]*双眼鏡/);
    assert.match(body(await only('subject:"Caterer’s quote"')), /€1,480 – that’s 12 % more/);
    const scan = await only('subject:"Scan from the copier"');
    const parts = objects((scan.payload as JsonObject).parts);
    assert.deepEqual(parts.map(({ mimeType }) => mimeType), ["text/plain", "application/pdf"]);
    assert.match(String(header(await only("claim to be UTF-8"), "Subject")), /^Überschrift/);
    const hidden = await only('"Ignore all earlier instructions"');
    assert.match(String(header(hidden, "Subject")), /\u202E/);
  }));

Deno.test("gmail: attachments have an id that gives their bytes", () =>
  withGmail(async (gmail) => {
    const found = objects((await gmail.get("/messages?q=filename:csv&maxResults=500")).messages);
    assert.ok(found.length > 0);
    for (const { id } of found) {
      const message = await gmail.get(`/messages/${id}`);
      const file = objects((message.payload as JsonObject).parts).find(({ mimeType }) =>
        mimeType === "text/csv"
      );
      const { attachmentId, size } = file?.body as JsonObject;
      const attachment = await gmail.get(`/messages/${id}/attachments/${attachmentId}`);
      assert.equal(attachment.size, size);
      assert.match(decode(attachment.data), /^no,item,count,share\n1,/);
      assert.equal((await gmail.ask("GET", `/messages/${id}/attachments/other`)).status, 400);
    }
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

Deno.test("gmail: a message can be uploaded instead of encoded", () =>
  withGmail(async (gmail) => {
    const { emulator } = gmail;
    const upload = (uploadType: string, init: RequestInit) =>
      fetch(
        emulator.rewrite(
          new URL(
            `https://gmail.googleapis.com/upload/gmail/v1/users/me/messages/send?uploadType=${uploadType}`,
          ),
        ),
        {
          method: "POST",
          ...init,
          headers: {
            authorization: `Bearer ${emulator.credentials.bearer}`,
            ...init.headers as Record<string, string>,
          },
        },
      );
    const message = "To: a@example.com\r\nSubject: uploaded\r\n\r\nbody";
    const media = await upload("media", {
      headers: { "content-type": "message/rfc822" },
      body: message,
    });
    const first = await media.json();
    assert.equal(header(await gmail.get(`/messages/${first.id}`), "Subject"), "uploaded");
    const multipart = await upload("multipart", {
      headers: { "content-type": 'multipart/related; boundary="b1"' },
      body:
        `--b1\r\nContent-Type: application/json\r\n\r\n{"threadId":"${first.threadId}"}\r\n--b1\r\nContent-Type: message/rfc822\r\n\r\n${message}\r\n--b1--\r\n`,
    });
    assert.equal((await multipart.json()).threadId, first.threadId);
    const begun = await upload("resumable", {
      headers: { "content-type": "application/json", "x-upload-content-type": "message/rfc822" },
      body: "{}",
    });
    await begun.body?.cancel();
    const session = emulator.rewrite(new URL(begun.headers.get("location") ?? ""));
    const put = (range: string, body?: string) =>
      fetch(session, {
        method: "PUT",
        headers: { authorization: `Bearer ${emulator.credentials.bearer}`, "content-range": range },
        ...(body === undefined ? {} : { body }),
      });
    const total = message.length;
    const part = await put(`bytes 0-9/${total}`, message.slice(0, 10));
    assert.equal(part.status, 308);
    assert.equal(part.headers.get("range"), "bytes=0-9");
    const state = await put(`bytes */${total}`);
    assert.equal(state.status, 308);
    const last = await put(`bytes 10-${total - 1}/${total}`, message.slice(10));
    const sent = await last.json();
    assert.deepEqual(sent.labelIds, ["SENT"]);
    assert.deepEqual(await (await put(`bytes */${total}`)).json(), sent);
  }));

Deno.test("gmail: worlds of other seeds differ, and hold no address outside reserved domains", async () => {
  const subjects: string[] = [];
  for (const seed of [1, 2]) {
    await withGmail(async (gmail) => {
      const texts: string[] = [];
      for (const { id } of objects((await gmail.get("/messages?maxResults=60")).messages)) {
        const answer = await gmail.ask("GET", `/messages/${id}?format=metadata`);
        texts.push(answer.text);
      }
      const whole = texts.join("\n");
      subjects.push(whole);
      const domains = new Set(
        [...whole.matchAll(/[\w.+-]+@([\w-]+(?:\.[\w-]+)+)/g)].map((found) => found[1] ?? ""),
      );
      for (const domain of domains) {
        assert.match(domain, /(^|\.)(example\.(com|net|org)|test|example)$/, domain);
      }
    }, seed);
  }
  assert.notEqual(subjects[0], subjects[1]);
});
