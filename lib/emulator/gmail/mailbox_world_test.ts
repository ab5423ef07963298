import assert from "node:assert/strict";
import fc from "fast-check";
import type { JsonObject } from "../../json/mod.ts";
import { decode, type Gmail, header, objects, withGmail } from "./testdata/mailbox_probe.ts";

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
