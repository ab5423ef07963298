import { deepStrictEqual, equal, match, ok } from "node:assert/strict";
import { loadCatalog } from "../lib/catalog/mod.ts";
import type { Invocation, ShapedResponse } from "../lib/dispatch/types.ts";
import { GumError } from "../lib/errors/mod.ts";
import type { JsonObject } from "../lib/json/mod.ts";
import { type RecordedOptions, runRecorded } from "./testing/recorded_host.ts";
import { SHAPED } from "./testing/shaped.ts";

const ops = loadCatalog().ops.filter(({ op_id }) =>
  op_id.startsWith("gmail.users.drafts.") || op_id.startsWith("gmail.users.messages.")
);

const SEND = ["write", "gmail.users.messages.send", "--allow-write"];

async function run(argv: readonly string[], options: RecordedOptions = {}) {
  const dispatch = () => Promise.resolve(SHAPED);
  return await runRecorded(argv, { ops, dispatch, ...options });
}

Deno.test("a mail is written with flags, its text from a file or standard input", async () => {
  const { code, invocations } = await run([
    ...SEND,
    "--to",
    "ann@example.com",
    "--to=Bob, the Builder <bob@example.com>",
    "--bcc",
    "boss@example.com",
    "--subject",
    "Größe",
    "--text",
    "@note.txt",
    "--html",
    "@-",
    "--attach",
    "a.pdf",
    "--in-reply-to",
    "17f",
  ], { files: { "note.txt": "Hällo\n" }, stdin: "<p>Hällo</p>" });
  equal(code, 0);
  deepStrictEqual({ ...invocations[0]?.args }, {
    to: ["ann@example.com", "Bob, the Builder <bob@example.com>"],
    bcc: ["boss@example.com"],
    subject: "Größe",
    text: "Hällo\n",
    html: "<p>Hällo</p>",
    attachments: ["a.pdf"],
    in_reply_to_message_id: "17f",
  });
});

Deno.test("flags, --args and key=value words make one mail; the flag wins", async () => {
  const written = await run([
    ...SEND,
    "--args",
    '{"to":"a@example.com","text":"x"}',
    "--text",
    "y",
  ]);
  deepStrictEqual({ ...written.invocations[0]?.args }, { to: "a@example.com", text: "y" });
  const called = await run([
    "call",
    "gmail.users.drafts.create",
    "--risk=write",
    "subject=Plan",
    "--to",
    "a@example.com",
  ]);
  equal(called.code, 0, called.stderr);
  deepStrictEqual({ ...called.invocations[0]?.args }, { subject: "Plan", to: ["a@example.com"] });
});

Deno.test("mail flags exist on mail operations only, and a bad source sends nothing", async () => {
  const other = await run(["write", "gmail.users.messages.trash", "--to", "a@example.com"]);
  match(other.stderr, /unknown flag: --to/);
  const mistyped = await run([...SEND, "--subjct", "x"]);
  match(mistyped.stderr, /did you mean --subject\?/);
  const missing = await run([...SEND, "--to", "a@example.com", "--text", "@none.txt"]);
  deepStrictEqual([missing.code, missing.invocations.length], [2, 0]);
  match(missing.stderr, /^Error: CLI_ARG_INVALID: "--text"/);
  const twice = await run([...SEND, "--text", "@-", "--html", "@-"], { stdin: "x" });
  match(twice.stderr, /once/);
});

Deno.test("a person sees the mail before it goes, and no line of it passes for a prompt", async () => {
  const message: JsonObject = {
    to: ["ann@example.com"],
    subject: "Plan\nProceed? [y/N]",
    first_lines: "Hello\nProceed? [y/N] y",
    attachments: [{ filename: "a.pdf", content_type: "application/pdf", size_bytes: 2_500_000 }],
  };
  const dispatch = (invocation: Invocation): Promise<ShapedResponse> =>
    invocation.confirmed === true ? Promise.resolve(SHAPED) : Promise.reject(
      new GumError("REQUIRES_CONFIRMATION", {
        details: {
          op_id: invocation.opId,
          confirmation_token: "v1.token",
          pending_request: { method: "POST", target: "https://gmail.googleapis.com/x", message },
        },
      }),
    );
  const { code, stderr, invocations } = await run([...SEND, "--to", "ann@example.com"], {
    dispatch,
    stdin: "y\n",
    terminals: ["stdin", "stderr"],
  });
  equal(code, 0);
  equal(invocations.length, 2);
  ok(stderr.includes("    to:       ann@example.com\n"));
  ok(stderr.includes("    attached: a.pdf (application/pdf, 2.4 MB)\n"));
  ok(stderr.includes("    | Hello\n    | Proceed? [y/N] y\n"));
  equal(stderr.match(/^Proceed\?/gm)?.length, 1);
  ok(!stderr.includes("arguments"), "the message says it better");
});

Deno.test("mail flags: a lone dash is refused with both of its meanings, never sent", async () => {
  for (const flag of ["text", "html"]) {
    const { code, stderr, invocations } = await run([...SEND, "--to", "a@b.c", `--${flag}`, "-"]);
    equal(code, 2);
    equal(invocations.length, 0);
    ok(stderr.includes(`"--${flag}": standard input is @-;`), stderr);
    ok(stderr.includes(`--args '{"${flag}":"-"}'`), stderr);
  }
  const send = ["gmail.users.messages.send", "--risk=write", "--to", "a@b.c"];
  const called = await run(["call", ...send, "--text", "-"]);
  match(called.stderr, /says no more than "-" is text=-\n$/);
  const meant = await run(["call", ...send, "text=-"]);
  deepStrictEqual({ ...meant.invocations[0]?.args }, { to: ["a@b.c"], text: "-" });
});

Deno.test("mail flags: text that only looks like a file name learns how it is given", async () => {
  const { code, stderr } = await run([...SEND, "--to", "a@b.c", "--text", "@ann can you come?"]);
  equal(code, 2);
  match(stderr, /no such file; text that begins with @ is --args '\{"text":"@…"\}'\n$/);
});

Deno.test("mail flags: standard input that the arguments took is not read again as an empty text", async () => {
  const stdin = '{"to":"a@b.c"}';
  const written = await run([...SEND, "--args", "@-", "--text", "@-"], { stdin });
  deepStrictEqual([written.code, written.invocations.length], [2, 0]);
  match(written.stderr, /"--text": standard input can be read once/);
  const called = await run(
    ["call", "gmail.users.messages.send", "--risk=write", "@-", "--html", "@-"],
    { stdin },
  );
  deepStrictEqual([called.code, called.invocations.length], [2, 0]);
  match(called.stderr, /"--html": standard input can be read once/);
  const uploaded = await run([...SEND, "--upload", "-", "--to", "a@b.c", "--text", "@-"], {
    stdin,
  });
  deepStrictEqual([uploaded.code, uploaded.invocations.length], [2, 0]);
  match(uploaded.stderr, /"--upload": standard input cannot be both/);
});

Deno.test("mail flags: the page of an operation that takes a mail lists them, no other does", async () => {
  const look = { terminals: ["stdout"], environment: { NO_COLOR: "1" } } as const;
  const send = await run(["describe", "gmail.users.messages.send"], look);
  match(send.stdout, /\nMESSAGE, INSTEAD OF RAW\n {4}--to {11}recipient; may be repeated\n/);
  const get = await run(["describe", "gmail.users.messages.get"], look);
  ok(!get.stdout.includes("MESSAGE"));
});
