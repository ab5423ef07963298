import assert from "node:assert/strict";
import fc from "fast-check";
import { utf8 } from "../encoding.ts";
import {
  allParts,
  decodeQuotedPrintable,
  decodeWords,
  headerOf,
  readMessage,
} from "./mime_read.ts";
import { encodeHeader, quotedPrintable, writeMessage, type WritePart } from "./mime_write.ts";

const text = (body: Uint8Array) => new TextDecoder().decode(body);

Deno.test("mime: quoted-printable reads back, in lines of at most 76 characters", () => {
  fc.assert(fc.property(fc.uint8Array({ maxLength: 400 }), (bytes) => {
    const encoded = quotedPrintable(bytes);
    assert.ok(encoded.split("\r\n").every((line) => line.length <= 76));
    assert.deepEqual([...decodeQuotedPrintable(utf8(encoded))], [...bytes]);
  }));
});

Deno.test("mime: header text of any script reads back from its encoded words", () => {
  fc.assert(fc.property(fc.string({ unit: "grapheme", maxLength: 90 }), (value) => {
    const subject = value.replace(/\s+/g, " ").trim();
    fc.pre(!subject.includes("=?") && !/[<>\p{Cc}]/u.test(subject));
    const encoded = encodeHeader(subject);
    assert.match(encoded, /^[\r\n\x20-\x7e]*$/);
    assert.equal(decodeWords(encoded.replace(/\r\n\s/g, " ")), subject);
  }));
});

Deno.test("mime: every text comes back from every encoding and character set that can hold it", () => {
  const encodings = ["quoted-printable", "base64", "8bit"] as const;
  const charsets = ["utf-8", "iso-8859-1", "windows-1252", "shift_jis"];
  const samples: Record<string, string> = {
    "utf-8": "漢字, עברית, 🙂 and a line\nmore",
    "iso-8859-1": "déjà vu £",
    "windows-1252": "“quotes” – €",
    "shift_jis": "干潟の調査 カタカナ",
  };
  for (const charset of charsets) {
    for (const encoding of encodings) {
      const body = samples[charset] as string;
      const raw = writeMessage([["Subject", "s"]], {
        kind: "text",
        subtype: "plain",
        charset,
        encoding,
        text: body,
      });
      assert.equal(
        text(readMessage(raw).body).replaceAll("\r\n", "\n"),
        body,
        `${charset} ${encoding}`,
      );
    }
  }
});

Deno.test("mime: nested parts are numbered as Gmail numbers them", () => {
  const leaf = (body: string): WritePart => ({
    kind: "text",
    subtype: "plain",
    charset: "utf-8",
    encoding: "7bit",
    text: body,
  });
  const raw = writeMessage([["From", "Å <a@example.com>"], ["To", "b@example.com"]], {
    kind: "container",
    subtype: "mixed",
    boundary: "outer",
    parts: [
      {
        kind: "container",
        subtype: "alternative",
        boundary: "outer-inner",
        parts: [leaf("one"), leaf("two")],
      },
      {
        kind: "file",
        contentType: "image/png",
        fileName: "Größe.png",
        bytes: new Uint8Array([1, 2, 3]),
      },
    ],
  });
  const root = readMessage(raw);
  assert.deepEqual(allParts(root).map(({ partId, mimeType }) => [partId, mimeType]), [
    ["", "multipart/mixed"],
    ["0", "multipart/alternative"],
    ["0.0", "text/plain"],
    ["0.1", "text/plain"],
    ["1", "image/png"],
  ]);
  assert.equal(headerOf(root, "from"), "Å <a@example.com>");
  assert.deepEqual([root.parts[1]?.fileName, [...root.parts[1]?.body ?? []]], ["Größe.png", [
    1,
    2,
    3,
  ]]);
  assert.equal(text(root.parts[0]?.parts[1]?.body ?? new Uint8Array()), "two");
});

Deno.test("mime: no bytes make the reader throw", () => {
  const piece = fc.oneof(
    fc.string({ maxLength: 30 }),
    fc.constantFrom(
      "\r\n",
      "\r\n\r\n",
      "--b",
      "--b--",
      "Content-Type: multipart/mixed; boundary=b",
      "Content-Transfer-Encoding: base64",
      "=?utf-8?B?%%?=",
      "Content-Type: text/plain; charset=no-such",
      "=C3",
      "filename*=utf-8''%ZZ",
    ),
  );
  fc.assert(fc.property(fc.array(piece, { maxLength: 20 }), (pieces) => {
    const root = readMessage(utf8(pieces.join("\r\n")));
    assert.ok(allParts(root).length >= 1);
  }));
});
