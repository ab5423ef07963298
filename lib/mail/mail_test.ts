import { deepStrictEqual, equal, match, ok, rejects } from "node:assert/strict";
import fc from "fast-check";
import PostalMime, { type Email } from "postal-mime";
import { GumError } from "../errors/mod.ts";
import type { JsonObject } from "../json/mod.ts";
import { readMailRequest } from "./fields.ts";
import { argsWithMessage, type MailOperation, mailOperation, messageParts } from "./operations.ts";
import { MAX_MESSAGE_BYTES } from "./limits.ts";
import type { FileAccess } from "./attachments.ts";
import type { ReadOperation } from "./original.ts";
import { writeMail, type WrittenMail } from "./written_mail.ts";

const SEND: MailOperation = { holder: "body", sends: true };
const noReading: ReadOperation = (opId) => Promise.reject(new Error(`nothing should read ${opId}`));

interface Written extends WrittenMail {
  source: string;
  mail: Email;
}

async function write(
  fields: JsonObject,
  context: { files?: FileAccess; read?: ReadOperation; operation?: MailOperation } = {},
): Promise<Written> {
  const operation = context.operation ?? SEND;
  const parts = messageParts(operation, fields);
  if (parts === undefined) throw new Error("no message in the fields");
  const written = await writeMail(readMailRequest(parts), {
    operation,
    userId: "me",
    files: context.files ?? { kind: "inside", directories: [] },
    read: context.read ?? noReading,
    limit: MAX_MESSAGE_BYTES,
  });
  return {
    ...written,
    source: new TextDecoder().decode(written.bytes),
    mail: await PostalMime.parse(written.bytes),
  };
}

/** The one GumError of a refused message. */
async function refusal(
  fields: JsonObject,
  context: Parameters<typeof write>[1] = {},
): Promise<GumError> {
  try {
    await write(fields, context);
  } catch (error) {
    if (error instanceof GumError) return error;
    throw error;
  }
  throw new Error("the message was accepted");
}

const base64 = (text: string) => new TextEncoder().encode(text).toBase64();

Deno.test("a plain message reads back as it was written, by a parser of another make", async () => {
  const { mail, source } = await write({
    to: ["Ann Lee <ann@example.com>", "bob@example.com, Carl <carl@example.com>"],
    cc: '"Müller, Jürgen" <juergen@example.com>',
    bcc: "hidden@example.com",
    reply_to: "answers@example.com",
    from: "Me <me@example.com>",
    subject: "Grüße aus Zürich – 日本語のとても長い件名で、折り返しが必要になるものです",
    text: "Line one\nLine twö\n\n" + "x".repeat(1_200) + "\n",
    html: "<p>Line twö</p>",
  });
  deepStrictEqual(mail.to?.map(({ name, address }) => [name, address]), [
    ["Ann Lee", "ann@example.com"],
    ["", "bob@example.com"],
    ["Carl", "carl@example.com"],
  ]);
  deepStrictEqual(mail.cc?.map(({ name, address }) => [name, address]), [
    ["Müller, Jürgen", "juergen@example.com"],
  ]);
  deepStrictEqual(mail.bcc?.map(({ address }) => address), ["hidden@example.com"]);
  deepStrictEqual(mail.replyTo?.map(({ address }) => address), ["answers@example.com"]);
  deepStrictEqual([mail.from?.name, mail.from?.address], ["Me", "me@example.com"]);
  equal(mail.subject, "Grüße aus Zürich – 日本語のとても長い件名で、折り返しが必要になるものです");
  equal(mail.text?.trimEnd(), "Line one\nLine twö\n\n" + "x".repeat(1_200));
  equal(mail.html?.trimEnd(), "<p>Line twö</p>");
  // On the wire: ASCII only, CRLF only, no line over 998 octets.
  ok(/^[\t\r\n\x20-\x7e]*$/.test(source));
  equal(source.replaceAll("\r\n", "").match(/[\r\n]/), null);
  ok(source.split("\r\n").every((line) => line.length <= 998));
});

Deno.test("attachments keep their bytes, names and types", async () => {
  const bytes = Uint8Array.from({ length: 70_000 }, (_, index) => (index * 7919) % 256);
  const { mail, preview } = await write({
    to: "a@example.com",
    text: "see attached",
    attachments: [
      {
        filename: "Übersicht 2026.pdf",
        content_type: "application/pdf",
        data_base64: bytes.toBase64(),
      },
      { filename: "notes.csv", data_base64: base64("a,b\n1,2\n") },
    ],
  });
  deepStrictEqual(
    mail.attachments.map(({ filename, mimeType }) => [filename, mimeType]),
    [["Übersicht 2026.pdf", "application/pdf"], ["notes.csv", "text/csv"]],
  );
  deepStrictEqual(new Uint8Array(mail.attachments[0]?.content as ArrayBuffer), bytes);
  deepStrictEqual((preview.facts.message as JsonObject).attachments, [
    { filename: "Übersicht 2026.pdf", content_type: "application/pdf", size_bytes: 70_000 },
    { filename: "notes.csv", content_type: "text/csv", size_bytes: 8 },
  ]);
});

Deno.test("the same fields give the same bytes, and any other field gives other bytes", async () => {
  const fields = {
    to: "a@example.com",
    subject: "s",
    text: "t",
    html: "<b>t</b>",
    attachments: [{ filename: "a.bin", data_base64: base64("one") }],
  };
  const first = await write(fields);
  deepStrictEqual((await write(fields)).bytes, first.bytes);
  ok(!/^(date|message-id):/im.test(first.source), "left to Gmail");
  const changes: JsonObject[] = [
    { text: "u" },
    { bcc: "x@example.com" },
    { attachments: [{ filename: "a.bin", data_base64: base64("two") }] },
  ];
  for (const changed of changes) {
    const other = await write({ ...fields, ...changed });
    ok(other.source !== first.source, JSON.stringify(changed));
  }
});

Deno.test("no field can start a header or a part of its own", async () => {
  const evil = fc.string({ unit: "binary", maxLength: 60 }).chain((text) =>
    fc.constantFrom(
      text,
      `${text}\r\nBcc: evil@example.com\r\n`,
      `x\nX-Evil: 1`,
      `x\rX-Evil: 1`,
      `x\u2028X-Evil: 1`,
      `=?utf-8?Q?=0D=0AX-Evil:_1?= <a@example.com>`,
      `"a\\"\r\n b" <a@example.com>`,
      `"${text}" <a@example.com>`,
      `${text} <b@example.com>`,
      `a@example.com, ${text} <b@example.com>`,
      `--gum-Part_1\r\nContent-Type: text/html\r\n\r\n<b>`,
      `text/plain; name="${text}"`,
      `text/plain; boundary=x`,
    )
  );
  const message = fc.record({
    to: evil,
    cc: evil,
    reply_to: evil,
    from: evil,
    subject: evil,
    text: evil,
    html: evil,
    filename: evil,
    contentType: evil,
  }, { requiredKeys: [] }).chain((fields) => {
    // One or two hostile fields at a time: refusing one must not hide what another would do.
    const names = Object.keys(fields) as (keyof typeof fields)[];
    return fc.subarray(names, { maxLength: Math.min(2, names.length) }).map((kept) =>
      Object.fromEntries(kept.map((name) => [name, fields[name]])) as typeof fields
    );
  });
  const allowed = new Set([
    "to",
    "cc",
    "reply-to",
    "from",
    "subject",
    "mime-version",
    "content-type",
    "content-transfer-encoding",
    "content-disposition",
  ]);
  let accepted = 0;
  await fc.assert(
    fc.asyncProperty(message, async ({ filename, contentType, ...fields }) => {
      const attachments = filename === undefined && contentType === undefined ? [] : [{
        filename: filename ?? "a.txt",
        ...(contentType === undefined ? {} : { content_type: contentType }),
        data_base64: base64("x"),
      }];
      let written: Written;
      try {
        written = await write({ ...fields, attachments }, {
          operation: { holder: "body", sends: false },
        });
      } catch (error) {
        ok(error instanceof GumError, String(error));
        equal(error.code, "INVALID_ARGS");
        return;
      }
      accepted++;
      const head = written.source.slice(0, written.source.indexOf("\r\n\r\n"));
      const names = head.split(/\r\n(?![ \t])/).map((line) => line.split(":")[0]?.toLowerCase());
      equal(new Set(names).size, names.length, "no header twice");
      for (const name of names) ok(allowed.has(name ?? ""), `${name} in ${head}`);
      equal(written.mail.attachments.length, attachments.length);
      equal(written.mail.bcc?.length ?? 0, 0);
      // What was confirmed is who gets it.
      const shown = written.preview.facts.message as JsonObject;
      for (const [field, read] of [["to", written.mail.to], ["cc", written.mail.cc]] as const) {
        const listed = Array.isArray(shown[field]) ? shown[field] : [];
        equal(read?.length ?? 0, listed.length, written.source);
      }
    }),
    { numRuns: 300 },
  );
  ok(accepted > 10, `${accepted} messages were written`);
});

Deno.test("what a message may not hold is refused by name", async () => {
  const cases: [JsonObject, string, RegExp][] = [
    [{ to: "a@example.com", message: { subjct: "x" } }, "message.subjct", /did you mean subject/],
    [{ to: "a@example.com", body: { replyTo: "x" } }, "body.replyTo", /did you mean reply_to/],
    [{ to: "a@example.com", raw: "eA" }, "raw", /plain fields/],
    [{ to: "not an address" }, "to", /no mail address/],
    [{ to: "a@b@example.com" }, "to", /no mail address/],
    [{ to: 5 }, "to", /must be a string/],
    [{ to: "a@example.com", subject: "x\r\nBcc: y" }, "subject", /line breaks/],
    [{ text: "to nobody" }, "to", /required/],
    [{ to: "a@example.com", from: "a@example.com, b@example.com" }, "from", /one address/],
    [
      { to: "a@example.com", in_reply_to_message_id: "1", forward_message_id: "2" },
      "forward_message_id",
      /in_reply_to/,
    ],
    [
      { to: "a@example.com", attachments: [{ filename: "a", data: "eA==" }] },
      "attachments[0].data",
      /did you mean data_base64/,
    ],
    [
      { to: "a@example.com", attachments: [{ filename: "a", data_base64: "*" }] },
      "attachments[0].data_base64",
      /base64/,
    ],
    [
      {
        to: "a@example.com",
        attachments: [{ filename: "a", content_type: "multipart/mixed", data_base64: "" }],
      },
      "attachments[0].content_type",
      /media type/,
    ],
  ];
  for (const [fields, field, text] of cases) {
    const error = await refusal(fields);
    equal(error.code, "INVALID_ARGS");
    equal(error.details.field, field);
    match(error.message, text);
  }
});

Deno.test("a message over 25 MB is refused before it is built", async () => {
  const error = await refusal({
    to: "a@example.com",
    attachments: [{
      filename: "big.bin",
      data_base64: new Uint8Array(26 * 1024 * 1024).toBase64(),
    }],
  });
  equal(error.details.reason, "message_too_large");
  const directory = await Deno.makeTempDir();
  try {
    // Sparse: refused by its size, not after reading it.
    await Deno.writeTextFile(`${directory}/big`, "");
    await Deno.truncate(`${directory}/big`, 40 * 1024 ** 3);
    const files: FileAccess = { kind: "anywhere" };
    const huge = await refusal({ to: "a@example.com", attachments: `${directory}/big` }, { files });
    equal(huge.details.reason, "message_too_large");
  } finally {
    await Deno.remove(directory, { recursive: true });
  }
});

Deno.test("paths are read inside the allowed directories only, wherever a link leads", async () => {
  const directory = await Deno.makeTempDir();
  try {
    await Deno.mkdir(`${directory}/open`);
    await Deno.mkdir(`${directory}/open-too`);
    await Deno.writeTextFile(`${directory}/open/a.txt`, "inside");
    await Deno.writeTextFile(`${directory}/secret.txt`, "outside");
    await Deno.writeTextFile(`${directory}/open-too/b.txt`, "sibling");
    await Deno.symlink(`${directory}/secret.txt`, `${directory}/open/link.txt`);
    const files: FileAccess = { kind: "inside", directories: [`${directory}/open`, "/missing"] };
    const to = "a@example.com";
    const { mail } = await write({ to, attachments: [`${directory}/open/a.txt`] }, { files });
    equal(mail.attachments[0]?.filename, "a.txt");
    for (
      const path of [
        `${directory}/secret.txt`,
        `${directory}/open/../secret.txt`,
        `${directory}/open/link.txt`,
        `${directory}/open-too/b.txt`,
        `${directory}/nothing-here`,
      ]
    ) {
      const error = await refusal({ to, attachments: path }, { files });
      equal(error.code, "POLICY_DENIED", path);
      equal(error.details.reason, "attachment_path_not_allowed");
    }
    const missing = await refusal({ to, attachments: `${directory}/open/none` }, { files });
    equal(missing.details.reason, "file_not_found");
    const folder = await refusal({ to, attachments: `${directory}/open` }, {
      files: { kind: "anywhere" },
    });
    match(folder.message, /not a file/);
    const none = await refusal({ to, attachments: `${directory}/open/a.txt` });
    equal(none.code, "POLICY_DENIED");
    const linked = await write({ to, attachments: `${directory}/open/link.txt` }, {
      files: { kind: "anywhere" },
    });
    equal(linked.mail.attachments[0]?.filename, "link.txt");
  } finally {
    await Deno.remove(directory, { recursive: true });
  }
});

function stored(headers: Record<string, string>, extra: JsonObject = {}): ReadOperation {
  return (opId) => {
    equal(opId, "gmail.users.messages.get");
    return Promise.resolve(new TextEncoder().encode(JSON.stringify({
      threadId: "thread-1",
      labelIds: ["INBOX"],
      payload: {
        headers: Object.entries(headers).map(([name, value]) => ({ name, value })),
        ...extra,
      },
    })));
  };
}

Deno.test("an answer joins its thread, names its ancestors and says Re: once", async () => {
  const read = stored({
    "Message-ID": "<c@example.com>",
    References: "<a@example.com> <b@example.com>",
    Subject: "Plan",
    From: "Ann <ann@example.com>",
  });
  const answer = await write({ in_reply_to_message_id: "m", text: "Yes" }, { read });
  equal(answer.threadId, "thread-1");
  equal(answer.mail.subject, "Re: Plan");
  equal(answer.mail.inReplyTo, "<c@example.com>");
  equal(answer.mail.references, "<a@example.com> <b@example.com> <c@example.com>");
  deepStrictEqual(answer.mail.to?.map(({ address }) => address), ["ann@example.com"]);

  const again = stored({
    "Message-ID": "<c@example.com>",
    Subject: "RE: Plan",
    "Reply-To": "l@example.com",
    From: "a@example.com",
  });
  const second = await write({ in_reply_to_message_id: "m", text: "Yes" }, { read: again });
  equal(second.mail.subject, "RE: Plan");
  equal(second.mail.references, "<c@example.com>");
  deepStrictEqual(second.mail.to?.map(({ address }) => address), ["l@example.com"]);

  const error = await refusal({ in_reply_to_message_id: "m", body: { threadId: "other" } }, {
    read,
  });
  equal(error.details.reason, "conflicting_values");
});

Deno.test("headers that a stranger wrote cannot add headers to the answer", async () => {
  await fc.assert(
    fc.asyncProperty(
      fc.string({ unit: "binary", maxLength: 80 }),
      fc.constantFrom("", "\r\nBcc: evil@example.com", "\nX-Evil: 1\n\n<script>"),
      async (text, tail) => {
        const read = stored({
          "Message-ID": `<a@example.com>${text}${tail}`,
          References: `<b@example.com${text}> <c@example.com>${tail}`,
          Subject: `${text}${tail}`,
        });
        const fields = { in_reply_to_message_id: "m", to: "a@example.com", text: "x" };
        const { source, mail } = await write(fields, { read });
        ok(!/^(x-evil|bcc):/im.test(source), source);
        equal(mail.bcc?.length ?? 0, 0);
      },
    ),
    { numRuns: 100 },
  );
});

Deno.test("a forward quotes the original under its header lines and keeps its files", async () => {
  const read: ReadOperation = async (opId, args) => {
    if (opId === "gmail.users.messages.attachments.get") {
      deepStrictEqual([args.messageId, args.id], ["m", "att-1"]);
      return new TextEncoder().encode(JSON.stringify({ data: base64("%PDF"), size: 4 }));
    }
    equal(args.format, "full");
    return await stored({
      Subject: "Numbers",
      From: "Ann <ann@example.com>",
      Date: "Mon, 2 Mar 2026 10:00:00 +0000",
      "Message-ID": "<n@example.com>",
    }, {
      mimeType: "multipart/mixed",
      parts: [
        {
          mimeType: "multipart/alternative",
          parts: [
            { mimeType: "text/plain", body: { data: base64("The numbers – 1 & 2") } },
            {
              mimeType: "text/html",
              body: { data: base64("<html><body><p>The <b>numbers</b></p></body></html>") },
            },
          ],
        },
        {
          mimeType: "application/pdf",
          filename: "n.pdf",
          body: { attachmentId: "att-1", size: 4 },
        },
      ],
    })(opId, args);
  };
  const { mail, threadId } = await write(
    { forward_message_id: "m", to: "boss@example.com", text: "FYI" },
    { read },
  );
  equal(mail.subject, "Fwd: Numbers");
  equal(threadId, undefined);
  const text = mail.text ?? "";
  ok(
    text.startsWith("FYI\n\n---------- Forwarded message ----------\nFrom: Ann <ann@example.com>"),
  );
  ok(
    text.includes("Date: Mon, 2 Mar 2026 10:00:00 +0000\nSubject: Numbers\n\nThe numbers – 1 & 2"),
  );
  match(
    mail.html ?? "",
    /FYI[\s\S]*From: Ann &lt;ann@example.com&gt;[\s\S]*<p>The <b>numbers<\/b><\/p>/,
  );
  equal((mail.html ?? "").includes("<body>"), false);
  deepStrictEqual(mail.attachments.map(({ filename }) => filename), ["n.pdf"]);
  equal(new TextDecoder().decode(mail.attachments[0]?.content as ArrayBuffer), "%PDF");
});

Deno.test("the preview says who gets what", async () => {
  const { preview } = await write({
    to: ["Ann <ann@example.com>", "bob@example.com"],
    bcc: "c@example.com",
    subject: "Lunch",
    text: Array.from({ length: 40 }, (_, line) => `line ${line}`).join("\n"),
    attachments: [{ filename: "menu.txt", data_base64: base64("soup") }],
  });
  equal(
    preview.sentence,
    'Mail to ann@example.com, bob@example.com, bcc c@example.com: "Lunch" with 1 attachment.',
  );
  const message = preview.facts.message as JsonObject;
  deepStrictEqual(message.to, ["Ann <ann@example.com>", "bob@example.com"]);
  deepStrictEqual(message.bcc, ["c@example.com"]);
  equal(message.subject, "Lunch");
  ok(String(message.first_lines).endsWith("line 11\n…"));
});

Deno.test("the message goes where the operation takes it, whichever way it was given", () => {
  const message = { raw: "eA", threadId: "t" };
  const cases: [string, JsonObject, JsonObject][] = [
    ["gmail.users.messages.send", { userId: "me", to: "a" }, { userId: "me", ...message }],
    ["gmail.users.messages.send", { body: { to: "a", labelIds: ["L"] } }, {
      body: { labelIds: ["L"], ...message },
    }],
    ["gmail.users.messages.send", { message: { to: "a" }, userId: "me" }, {
      userId: "me",
      ...message,
    }],
    ["gmail.users.drafts.create", { to: "a" }, { message }],
    ["gmail.users.drafts.create", { message: { to: "a" } }, { message }],
    ["gmail.users.drafts.update", { id: "d", body: { message: { to: "a" } } }, {
      id: "d",
      body: { message },
    }],
    ["gmail.users.drafts.send", { body: { id: "d", message: { to: "a" } } }, {
      body: { id: "d", message },
    }],
  ];
  for (const [opId, args, expected] of cases) {
    const operation = mailOperation(opId);
    if (operation === undefined) throw new Error(`${opId} takes mail`);
    const parts = messageParts(operation, args);
    if (parts === undefined) throw new Error(`${JSON.stringify(args)} holds mail`);
    deepStrictEqual(argsWithMessage(operation, parts, message), expected);
  }
});

Deno.test("arguments without plain fields are left alone", async () => {
  const operation = SEND;
  const untouched: JsonObject[] = [
    { raw: "eA" },
    { body: { raw: "eA", unheardOf: 1 } },
    { userId: "me" },
    { body: {} },
  ];
  for (const args of untouched) {
    equal(messageParts(operation, args), undefined, JSON.stringify(args));
  }
  await rejects(() => write({ body: { sbject: "x" } }), { code: "INVALID_ARGS" });
});
