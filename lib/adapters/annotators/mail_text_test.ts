import assert from "node:assert/strict";
import type { JsonObject } from "../../json/mod.ts";
import { decodeText, decodeWords } from "./charset_text.ts";
import { unflowed } from "./flowed_text.ts";
import { htmlText } from "./html_text.ts";
import { instantOf } from "./mail.ts";
import { mailContent } from "./mail_text.ts";
import { annotateAnswer } from "./mod.ts";

function part(mimeType: string, text: string | Uint8Array, more: JsonObject = {}): JsonObject {
  const bytes = typeof text === "string" ? new TextEncoder().encode(text) : text;
  const data = bytes.toBase64({ alphabet: "base64url", omitPadding: true });
  return { mimeType, filename: "", body: { size: bytes.length, data }, ...more };
}

function typed(value: string): JsonObject {
  return { headers: [{ name: "content-type", value }] };
}

function fieldsOf(headers: [string, string][], args: JsonObject = {}): JsonObject {
  const payload = { headers: headers.map(([name, value]) => ({ name, value })) };
  return annotateAnswer({ opId: "gmail.users.messages.get", args }, { payload }).body as JsonObject;
}

Deno.test("mail headers: a name that spells an address stays a name", () => {
  const { from, to, subject } = fieldsOf([
    ["From", "=?utf-8?q?=22Boss=22_=3Cboss=40corp.example=3E=2C?= <evil@example.com>"],
    ["To", "=?utf-8?q?Doe=2C_Zo=C3=AB?= <zoe@example.com>, =?utf-8?q?Bj=C3=B6rn?= <b@example.com>"],
    ["Subject", "=?utf-8?q?Doe=2C_Zo=C3=AB_=3Cno_address=3E?="],
  ]);
  assert.equal(from, String.raw`"\"Boss\" <boss@corp.example>," <evil@example.com>`);
  assert.equal(to, `"Doe, Zoë" <zoe@example.com>, Björn <b@example.com>`);
  assert.equal(subject, "Doe, Zoë <no address>");
  assert.equal(
    decodeWords('"=?utf-8?q?Doe=2C_=22Z=22?=" <z@example.com>', { addresses: true }),
    String.raw`"Doe, \"Z\"" <z@example.com>`,
  );
});

Deno.test("mail headers: thousands of names to quote are read once", () => {
  const one = "=?utf-8?q?Doe=2C_Zo=C3=AB?= <z@example.com>";
  const many = decodeWords(Array(20_000).fill(one).join(", "), { addresses: true });
  assert.equal(many, Array(20_000).fill(`"Doe, Zoë" <z@example.com>`).join(", "));
});

Deno.test("mail headers: words that cut a character in two, line breaks, odd names", () => {
  assert.equal(decodeWords("=?utf-8?q?Gr=C3?= =?UTF-8?q?=BC=C3=9Fe?="), "Grüße");
  assert.equal(decodeWords("=?utf-8?b?8J+Q?=\r\n =?utf-8?b?mQ==?= end"), "🐙 end");
  assert.equal(decodeWords("=?utf-8?q?a?= =?iso-8859-1?q?=FC?= b"), "aü b");
  assert.equal(decodeWords("=?utf-8?q?ok?= =?utf-8?q?=FF?="), "okÿ");
  assert.equal(decodeWords("one\r\n two\n\tthree"), "one two three");
  assert.equal(decodeWords("=?utf-8?q?a=0D=0AFrom:_b?="), "a From: b");
  const { requested_headers: requested } = fieldsOf([["constructor", "c"], ["X-A", "1\r\n 2"]], {
    metadataHeaders: ["constructor", "X-A"],
  });
  assert.deepEqual(requested, { constructor: "c", "X-A": "1 2" });
});

Deno.test("mail dates: a zone that is not understood and days that are none stay as written", () => {
  for (
    const date of [
      "Fri, 22 May 2026 09:00:00 GMT+0200",
      "Fri, 22 May 2026 09:00:00 +02005",
      "Fri, 22 May 2026 09:00:00 EST",
      "Fri, 22 May 2026 09:00:00",
      "30 Feb 2026 09:00:00 +0000",
      "22 May 2026 25:00:00 +0000",
      "22 May 2026 09:00:00 +9900",
    ]
  ) assert.equal(instantOf(date), undefined, date);
  assert.equal(instantOf("29 Feb 2028 23:59:60 UTC"), "2028-02-29T23:59:60Z");
  assert.equal(instantOf("1 Jan 2026 00:00:00 -0000(x)"), "2026-01-01T00:00:00-00:00");
});

Deno.test("mail text: UTF-16, charsets of pages, quotes around a charset's name", () => {
  const utf16 = Uint8Array.from([0x48, 0, 0x69, 0]);
  assert.equal(decodeText(utf16, "utf-16le"), "Hi");
  assert.equal(decodeText(Uint8Array.from([0xfe, 0xff, 0, 0x48, 0, 0x69]), "UTF-16"), "Hi");
  assert.equal(decodeText(new TextEncoder().encode("Hi"), "utf-16"), "Hi");
  const ink = Uint8Array.from([0xc4, 0xab]); // 墨 in GB 2312
  const page = new Uint8Array([
    ...new TextEncoder().encode('<meta http-equiv="x" content="text/html; charset=gb2312"><p>'),
    ...ink,
  ]);
  // Valid UTF-8 by chance would not be told apart; this is not.
  const more = Uint8Array.from([...page, 0xc4, 0xe3]);
  assert.equal(mailContent(part("text/html", more)).text, "墨你");
  const single = part(
    "text/plain",
    Uint8Array.from([0x8a, 0xb1]),
    typed("text/plain; charset='shift_jis'"),
  );
  assert.equal(mailContent(single).text, "干");
});

Deno.test("mail text: flowed paragraphs are one line each; quotes, signatures and stuffing stay right", () => {
  const text =
    "One \r\ntwo\r\n\r\n> said \r\n> before\r\n>> deeper \r\n> not on\r\n From here\r\n-- \r\nBo";
  const flowed = typed("text/plain; charset=utf-8; format=flowed");
  assert.equal(
    mailContent(part("text/plain", text, flowed)).text,
    "One two\n\n> said before\n>> deeper\n> not on\nFrom here\n--\nBo",
  );
  assert.equal(mailContent(part("text/plain", "One \r\ntwo")).text, "One\ntwo");
  assert.equal(unflowed("漢 \n字", { dropSpace: true }), "漢字");
});

Deno.test("mail text: an attached message is a file, and its words are not the sender's", () => {
  const forwarded: JsonObject = {
    mimeType: "message/rfc822",
    filename: "note.eml",
    body: { size: 90, attachmentId: "A2" },
    parts: [{
      mimeType: "multipart/mixed",
      headers: [{ name: "From", value: "Cy <cy@example.com>" }, { name: "Subject", value: "Plan" }],
      parts: [
        part("text/plain", "I resign."),
        { mimeType: "image/png", filename: "x.png", body: { size: 3, attachmentId: "A3" } },
      ],
    }],
  };
  assert.deepEqual(
    mailContent({
      mimeType: "multipart/mixed",
      parts: [part("text/plain", "See below."), forwarded],
    }),
    {
      text: "See below.\n\n[attached message from Cy <cy@example.com>: Plan]\nI resign.\n" +
        "[end of the attached message]",
      attachments: [
        { filename: "note.eml", mimeType: "message/rfc822", size: 90, attachmentId: "A2" },
        { filename: "x.png", mimeType: "image/png", size: 3, attachmentId: "A3" },
      ],
    },
  );
});

Deno.test("mail text: pages are shown before what only a machine reads; an invitation is listed", () => {
  const alternative = (...parts: JsonObject[]) =>
    mailContent({ mimeType: "multipart/alternative", parts });
  const calendar = part("text/calendar", "BEGIN:VCALENDAR");
  const amp = part("text/x-amp-html", "<html amp>");
  const page = part("text/html", "<p>Come at nine</p>");
  assert.deepEqual(alternative(amp, page), { text: "Come at nine", attachments: [] });
  assert.deepEqual(alternative(part("text/plain", "Nine"), page, calendar), {
    text: "Nine",
    attachments: [{ mimeType: "text/calendar", size: 15 }],
  });
  const file = { mimeType: "application/ics", filename: "invite.ics", body: { attachmentId: "A" } };
  const invited = mailContent({
    mimeType: "multipart/mixed",
    parts: [
      { mimeType: "multipart/alternative", parts: [part("text/plain", "Nine"), calendar] },
      file,
    ],
  });
  assert.deepEqual(invited.attachments.map(({ filename }) => filename), ["invite.ics"]);
  assert.deepEqual(alternative(calendar), { text: "BEGIN:VCALENDAR", attachments: [] });
  assert.deepEqual(
    mailContent({ filename: "=?utf-8?q?pl=C3=A5n.pdf?=", body: { size: "9", attachmentId: "A" } }),
    {
      text: undefined,
      attachments: [{ filename: "plån.pdf", mimeType: "text/plain", attachmentId: "A" }],
    },
  );
});

Deno.test("HTML text: a link's target is left out only where the text shows all of it", () => {
  const shown = (href: string, text: string) => htmlText(`<a href="${href}">${text}</a>`);
  assert.equal(shown("https://bank.co", "https://bank.com"), "https://bank.com <https://bank.co>");
  assert.equal(
    shown("https://e.com", "https://e.com.evil.example/x"),
    "https://e.com.evil.example/x <https://e.com>",
  );
  for (const text of ["https://e.com", "https://e.com/", "(https://e.com)", "at https://e.com."]) {
    assert.equal(shown("https://e.com", text), text);
  }
  assert.equal(
    htmlText(`<a title=' href="https://good.example"' href="https://evil.example">x</a>`),
    "x <https://evil.example>",
  );
});

Deno.test("HTML text: words about hiding hide nothing; joiners stay inside words", () => {
  assert.equal(
    htmlText(`<img alt="a hidden gem"> <a title="the hidden cost">kept</a>`),
    "a hidden gem kept",
  );
  assert.equal(htmlText(`<td class="x hidden y">kept</td>`), "kept");
  assert.equal(htmlText(`<p hidden="">gone</p><p data-x hidden>gone</p>kept`), "kept");
  assert.equal(htmlText(`<p data-style="display:none">kept</p>`), "kept");
  assert.equal(htmlText("می‌خواهم 👨‍👩‍👧 ❤️‍🔥"), "می‌خواهم 👨‍👩‍👧 ❤️‍🔥");
  assert.equal(htmlText("<p>Hi&zwnj;&nbsp;&zwnj;&nbsp;&#8205;</p>"), "Hi");
});
