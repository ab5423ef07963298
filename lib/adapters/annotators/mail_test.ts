import assert from "node:assert/strict";
import fc from "fast-check";
import type { JsonObject, JsonValue } from "../../json/mod.ts";
import { decodeBase64, decodeText, decodeWords } from "./charset_text.ts";
import { htmlText } from "./html_text.ts";
import { instantOf } from "./mail.ts";
import { mailContent } from "./mail_text.ts";
import { annotateAnswer } from "./mod.ts";

const base64url = (bytes: Uint8Array) => bytes.toBase64({ alphabet: "base64url" });
const utf8 = (text: string) => base64url(new TextEncoder().encode(text));

function part(mimeType: string, text: string, more: JsonObject = {}): JsonObject {
  return { mimeType, filename: "", body: { size: text.length, data: utf8(text) }, ...more };
}

function message(payload: JsonObject, more: JsonObject = {}): JsonObject {
  return {
    id: "m1",
    threadId: "t1",
    labelIds: ["INBOX", "UNREAD"],
    snippet: "s",
    payload,
    ...more,
  };
}

function annotated(body: JsonObject, args: JsonObject = {}): JsonObject {
  return annotateAnswer({ opId: "gmail.users.messages.get", args }, body).body as JsonObject;
}

Deno.test("mail fields: headers, text and files of a mixed message", () => {
  const body = message({
    mimeType: "multipart/mixed",
    filename: "",
    headers: [
      { name: "From", value: "Anna <anna@example.com>" },
      { name: "TO", value: "Bo <bo@example.com>" },
      { name: "Subject", value: "=?UTF-8?B?S8OkcnQ=?= =?utf-8?q?=20brev?=" },
      { name: "Date", value: "Mon, 18 May 2026 23:02:58 -0700 (PDT)" },
      { name: "Message-ID", value: "<1@example.com>" },
      { name: "Received", value: "from somewhere" },
      { name: "List-Unsubscribe", value: "<https://example.com/u>" },
    ],
    parts: [
      {
        mimeType: "multipart/alternative",
        filename: "",
        parts: [part("text/plain", "Hej!\r\n\r\nSes."), part("text/html", "<p>Hej!</p>")],
      },
      {
        mimeType: "application/pdf",
        filename: "plan.pdf",
        body: { size: 9, attachmentId: "A1" },
      },
    ],
  });
  const { body: result, addedPaths } = annotateAnswer(
    { opId: "gmail.users.messages.get", args: {} },
    body,
  );
  const { payload, threadId, labelIds, snippet, id, ...fields } = result as JsonObject;
  assert.deepEqual(fields, {
    from: "Anna <anna@example.com>",
    to: "Bo <bo@example.com>",
    subject: "Kärt brev",
    date: "2026-05-18T23:02:58-07:00",
    message_id: "<1@example.com>",
    list_unsubscribe: "<https://example.com/u>",
    labels: "INBOX UNREAD",
    text: "Hej!\n\nSes.",
    attachments: [
      { filename: "plan.pdf", mimeType: "application/pdf", size: 9, attachmentId: "A1" },
    ],
  });
  assert.deepEqual({ id, threadId, labelIds, snippet, payload }, body);
  assert.deepEqual(addedPaths.toSorted(), Object.keys(fields).sort());
});

Deno.test("mail fields: nothing of the service is overwritten", () => {
  const body = message(part("text/plain", "hello"), { text: "its own", subject: null });
  const result = annotated(body);
  assert.equal(result.text, "its own");
  assert.equal(result.subject, null);
});

Deno.test("mail fields: headers asked for by name come back, and no text means a preview", () => {
  const body = message({
    headers: [
      { name: "Subject", value: "S" },
      { name: "X-Mailer", value: "Quill" },
    ],
  }, { snippet: "It&#39;s &quot;fine&quot;" });
  const result = annotated(body, { format: "metadata", metadataHeaders: ["Subject", "x-mailer"] });
  assert.deepEqual(result.requested_headers, { "x-mailer": "Quill" });
  assert.equal(result.preview, `It's "fine"`);
  assert.equal("text" in result, false);
  const minimal = annotated({ id: "m", labelIds: [], snippet: "&lt;b&gt;" });
  assert.equal(minimal.preview, "<b>");
});

Deno.test("mail fields: a draft's stand in its message", () => {
  const { body, addedPaths } = annotateAnswer(
    { opId: "gmail.users.drafts.get", args: {} },
    { id: "d", message: message(part("text/plain", "draft")) },
  );
  assert.equal(((body as JsonObject).message as JsonObject).text, "draft");
  assert.ok(addedPaths.includes("message.text"));
});

Deno.test("mail fields: history quoted from the same thread is named, anything else is kept", () => {
  const first =
    "The survey is on Tuesday at nine, at the north pier.\nBring boots and the long rope.";
  const quoted = first.split("\n").map((line) => `> ${line}`).join("\n");
  const { body } = annotateAnswer({ opId: "gmail.users.threads.get", args: {} }, {
    id: "t",
    messages: [
      message(part("text/plain", first), { id: "a" }),
      message(part("text/plain", `Fine.\n\nOn Monday Anna wrote:\n${quoted}\n`), { id: "b" }),
      message(part("text/plain", `No.\n> ${"words of somebody else entirely ".repeat(5)}`), {
        id: "c",
      }),
      message(part("text/plain", `> Tuesday?\n\nYes.`), { id: "d" }),
    ],
  });
  const texts = ((body as JsonObject).messages as JsonObject[]).map(({ text }) => text);
  assert.equal(texts[0], first);
  assert.equal(texts[1], "Fine.\n\nOn Monday Anna wrote:\n[quoted: a]");
  assert.match(String(texts[2]), /somebody else entirely/);
  assert.equal(texts[3], "> Tuesday?\n\nYes.");
});

Deno.test("mail text: plain before HTML, HTML where the plain part only points at it", () => {
  const html = `<p>${"A long story about ferries. ".repeat(40)}</p>`;
  const alternative = (plain: string): JsonObject => ({
    mimeType: "multipart/alternative",
    parts: [part("text/plain", plain), part("text/html", html)],
  });
  assert.match(mailContent(alternative("Please use an HTML reader.")).text ?? "", /ferries/);
  assert.equal(mailContent(alternative("x ".repeat(200))).text, "x ".repeat(200).trim());
  assert.match(mailContent(alternative("")).text ?? "", /ferries/);
  assert.equal(
    mailContent({
      mimeType: "multipart/mixed",
      parts: [part("text/plain", "one"), part("text/plain", "two")],
    }).text,
    "one\n\ntwo",
  );
});

Deno.test("mail text: charsets by bytes first, by declaration next, and always something", () => {
  const bytes = (...values: number[]) => Uint8Array.from(values);
  assert.equal(decodeText(bytes(0x53, 0xfc, 0x64), "ISO-8859-1"), "Süd");
  assert.equal(decodeText(bytes(0x93, 0x80, 0x94), "windows-1252"), "“€”");
  assert.equal(decodeText(bytes(0x8a, 0xb1, 0x8a, 0x83), "Shift_JIS"), "干潟");
  assert.equal(decodeText(new TextEncoder().encode("干潟"), "Shift_JIS"), "干潟");
  assert.equal(
    decodeText(bytes(0x1b, 0x24, 0x42, 0x34, 0x33, 0x1b, 0x28, 0x42), "iso-2022-jp"),
    "干",
  );
  assert.equal(decodeText(bytes(0xe9), "no-such-charset"), "é");
  assert.equal(decodeText(bytes(0xe9), undefined), "é");
  assert.equal(decodeText(bytes(0xff, 0x81), "utf-8"), "ÿ\u0081");
  assert.equal(new TextDecoder().decode(decodeBase64("aGVq!\n-_")).slice(0, 3), "hej");
  assert.equal(decodeBase64("a").length, 0);
  assert.equal(decodeWords("plain =? text"), "plain =? text");
  assert.equal(decodeWords("=?iso-8859-1?Q?Gr=FC=DFe_an?= Bo"), "Grüße an Bo");
  const declared = part("text/plain", "", {
    headers: [{ name: "Content-Type", value: 'text/plain; charset="Shift_JIS"' }],
    body: { data: base64url(bytes(0x8a, 0xb1)) },
  });
  assert.equal(mailContent(declared).text, "干");
});

Deno.test("mail dates: RFC 2822 becomes RFC 3339, the rest stays as written", () => {
  assert.equal(instantOf("Tue, 1 Jul 2003 10:52:37 +0200"), "2003-07-01T10:52:37+02:00");
  assert.equal(instantOf("5 Nov 2026 7:05 GMT"), "2026-11-05T07:05:00Z");
  assert.equal(instantOf("yesterday"), undefined);
  const odd = annotated(message({ headers: [{ name: "Date", value: "yesterday" }] }));
  assert.equal(odd.date, "yesterday");
});

Deno.test("HTML text: blocks, lists, tables, links, entities; what is hidden goes", () => {
  const html = `<!DOCTYPE html><html><head><title>T</title><style>p{color:red}</style></head><body>
<div style="display: none">filler&zwnj;<div>deeper</div></div><h1>Hej &amp; h&aring;</h1>
<p>One<br>two &euro;5&nbsp;&#x1F419; &unknown;</p><ul><li>a</li><li>b</li></ul>
<table><tr><td>x</td><td>y</td></tr></table>
<a href="https://example.com/?a=1&amp;b=2">Read more</a> <a href="mailto:bo@example.com">bo@example.com</a>
<img src="x.png" alt="A boat"><script>alert("<p>")</script><pre>  keep
   this</pre><!-- gone --></body>`;
  assert.equal(
    htmlText(html),
    [
      "Hej & hå",
      "",
      "One",
      "two €5 🐙 &unknown;",
      "",
      "- a",
      "- b",
      "x | y",
      "Read more <https://example.com/?a=1&b=2> bo@example.com A boat",
      "",
      "keep",
      "   this",
    ].join("\n").replace("\nkeep", "\n  keep"),
  );
  assert.equal(htmlText("1 < 2 and <b>3</b> > 2"), "1 < 2 and 3 > 2");
  assert.equal(htmlText("<p>never closed <a href='https://e.com/x"), "never closed");
  assert.equal(htmlText("<div hidden>not shown</div>shown"), "shown");
});

Deno.test("HTML text: hostile input ends, quickly", () => {
  const inputs = [
    "<".repeat(200_000),
    "<a href='x'>".repeat(50_000),
    "<div hidden>".repeat(50_000),
    '<p "'.repeat(50_000),
    "<!--".repeat(50_000),
    "&".repeat(200_000),
    "<div>".repeat(100_000) + "x",
    "&#xFFFFFF;&#0;&#55296;",
  ];
  for (const input of inputs) {
    const started = performance.now();
    assert.equal(typeof htmlText(input), "string");
    assert.ok(performance.now() - started < 5_000, input.slice(0, 12));
  }
});

Deno.test("mail fields: any JSON in place of a message throws nothing and loses nothing", () => {
  const text = fc.oneof(
    fc.string(),
    fc.constantFrom("text/html", "multipart/mixed", "=?utf-8?b?*?=", "<p>&#x;", "charset=x"),
  );
  const { tree } = fc.letrec((tie) => ({
    tree: fc.oneof(
      { depthSize: "small" },
      text,
      fc.constant(null),
      fc.integer(),
      fc.array(tie("tree"), { maxLength: 3 }),
      fc.dictionary(
        fc.oneof(
          fc.constantFrom("payload", "parts", "body", "data", "headers", "name", "value"),
          fc.constantFrom(
            "mimeType",
            "filename",
            "attachmentId",
            "messages",
            "labelIds",
            "snippet",
          ),
        ),
        tie("tree"),
        { maxKeys: 5 },
      ),
    ),
  }));
  const ops = ["gmail.users.messages.get", "gmail.users.threads.get", "gmail.users.drafts.get"];
  fc.assert(
    fc.property(tree, fc.constantFrom(...ops), (body, opId) => {
      const result = annotateAnswer({ opId, args: {} }, body as JsonValue);
      if (result.addedPaths.length === 0) assert.deepEqual(result.body, body);
    }),
    { numRuns: 400 },
  );
});
