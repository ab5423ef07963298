import assert from "node:assert/strict";
import fc from "fast-check";
import { kebabCase } from "./call_fields.ts";
import { runRecorded } from "./testing/recorded_host.ts";
import { SHAPED } from "./testing/shaped.ts";

const LIST = "gmail.users.messages.list";

async function argsOf(words: string[], more: Parameters<typeof runRecorded>[1] = {}) {
  const run = await runRecorded(["call", ...words], {
    dispatch: () => Promise.resolve(SHAPED),
    ...more,
  });
  return { ...run, args: JSON.parse(JSON.stringify(run.invocations[0]?.args ?? null)) };
}

Deno.test("kebabCase: field names as flag names", () => {
  const cases = {
    siteUrl: "site-url",
    labelIds: "label-ids",
    URLPath: "url-path",
    ID: "id",
    userId: "user-id",
    q: "q",
    page2Token: "page2-token",
    item2D: "item2-d",
    snake_case: "snake_case",
    URL: "url",
  };
  for (const [name, flag] of Object.entries(cases)) assert.equal(kebabCase(name), flag, name);
});

Deno.test("kebabCase: lower case, no doubled or outer hyphens, for any camel-case name", () => {
  fc.assert(fc.property(fc.stringMatching(/^[A-Za-z][A-Za-z0-9]{0,20}$/), (name) => {
    assert.match(kebabCase(name), /^[a-z0-9]+(-[a-z0-9]+)*$/);
    assert.equal(kebabCase(name).replaceAll("-", ""), name.toLowerCase());
  }));
});

Deno.test("call: field flags merge with positional arguments", async () => {
  const { args, code, stderr } = await argsOf([
    LIST,
    "--risk=read",
    "q=old",
    "--q",
    "new",
    "labelIds=INBOX",
    "--label-ids",
    "UNREAD",
    "--label-ids=STARRED",
    "--include-spam-trash",
    "--max-results",
    "7",
  ]);
  assert.equal(stderr, "");
  assert.equal(code, 0);
  assert.deepEqual(args, {
    q: "new",
    labelIds: ["INBOX", "UNREAD", "STARRED"],
    includeSpamTrash: "true",
    maxResults: "7",
  });
});

Deno.test("call: a bool field flag takes a following true or false", async () => {
  const { args } = await argsOf([LIST, "--risk=read", "--include-spam-trash", "false", "q=x"]);
  assert.deepEqual(args, { includeSpamTrash: "false", q: "x" });
});

Deno.test("call: field flags may stand before the operation id", async () => {
  const { args, code } = await argsOf(["--risk", "read", "--q", "from:a.b@c.d", LIST]);
  assert.equal(code, 0);
  assert.deepEqual(args, { q: "from:a.b@c.d" });
});

Deno.test("call: a field whose flag is taken keeps its positional form", async () => {
  const words = ["tasks.tasks.insert", "--risk=write", "tasklist=l", "title=t", "risk=high"];
  const { args, invocations } = await argsOf(words);
  assert.equal(args.risk, "high");
  assert.equal(invocations[0]?.allowWrite, true);
});

Deno.test("call: an array of objects is typed as JSON, bad JSON is refused", async () => {
  const base = ["tasks.tasks.insert", "--risk=write", "tasklist=l", "title=t"];
  const { args } = await argsOf([...base, "--links", '{"a":1}', "--links", '{"a":2}']);
  assert.deepEqual(args.links, [{ a: 1 }, { a: 2 }]);
  const bad = await argsOf([...base, "--links", "nope"]);
  assert.match(bad.stderr, /^Error: CLI_ARG_INVALID: "--links": /);
  assert.equal(bad.invocations.length, 0);
});

Deno.test("call: local checks refuse wrong types and unknown choices before a session opens", async () => {
  for (
    const [word, pattern] of [
      ["maxResults=ten", /CLI_ARG_INVALID: "maxResults": expected integer/],
      ["format=huge", /CLI_ARG_INVALID: "format": expected one of full, metadata, minimal/],
      ["includeSpamTrash=maybe", /CLI_ARG_INVALID: "includeSpamTrash": expected boolean/],
    ] as const
  ) {
    const run = await argsOf([LIST, "--risk=read", word]);
    assert.match(run.stderr, pattern);
    assert.deepEqual([run.code, run.stdout, run.invocations.length], [2, "", 0]);
  }
});

Deno.test("call: host controls win over arguments of the same wire name", async () => {
  const { args } = await argsOf([
    LIST,
    "--risk=read",
    "fields=a",
    "--fields",
    "b",
    "pageToken=1",
    "--page-token=2",
    "--page-size",
    "9",
  ]);
  assert.deepEqual(args, { fields: "b", pageToken: "2", maxResults: 9 });
  const unmasked = await argsOf([LIST, "--risk=read", "--fields", "b", "--no-field-mask"]);
  assert.deepEqual(unmasked.args, {});
  assert.equal(unmasked.invocations[0]?.suppressFieldMask, true);
});

Deno.test("call: a terminal is asked for missing required fields only", async () => {
  const asked = await argsOf(["tasks.tasks.insert", "--risk=write", "tasklist=l"], {
    stdin: "Buy milk\n",
    terminals: ["stdin"],
  });
  assert.match(asked.stderr, /^title: /);
  assert.ok(!asked.stderr.includes("tasklist:"));
  assert.deepEqual(asked.args, { tasklist: "l", title: "Buy milk" });
  const inBody = await argsOf(
    ["tasks.tasks.insert", "--risk=write", "tasklist=l", 'body:={"title":"x"}'],
    { terminals: ["stdin"] },
  );
  assert.equal(inBody.stderr, "");
  const hostDefault = await argsOf([LIST, "--risk=read"], { terminals: ["stdin"] });
  assert.equal(hostDefault.stderr, "");
});

Deno.test("call: an empty answer or end of input is CLI_ARG_INVALID, a pipe is never asked", async () => {
  for (const stdin of ["", "\n", " , ,\n"]) {
    const run = await argsOf(["drive.files.delete", "--risk=destructive"], {
      stdin,
      terminals: ["stdin"],
    });
    assert.equal(run.code, 2);
    assert.match(run.stderr, /CLI_ARG_INVALID: "fileId"/);
    assert.equal(run.invocations.length, 0);
  }
  const piped = await argsOf(["drive.files.delete", "--risk=destructive"], { stdin: "x\n" });
  assert.deepEqual(piped.args, {});
});

Deno.test("call: --skeleton prints a form, needs no --risk and calls nothing", async () => {
  const run = await argsOf(["tasks.tasks.insert", "--skeleton"]);
  assert.equal(run.code, 0);
  assert.equal(run.invocations.length, 0);
  assert.equal(
    run.stdout,
    `# tasks.tasks.insert: run with gum call tasks.tasks.insert --risk=write <lines below>

# path parameters
tasklist=<string>  # required

# query parameters
URLPath=<string>
risk=<string>

# body fields
title=<string>  # required
links:=<object>  # repeatable
due=<string>  # date-time
`,
  );
  const list = await argsOf([LIST, "--skeleton"]);
  assert.match(list.stdout, /^format=<string> {2}# choices: full\|metadata\|minimal$/m);
  assert.match(list.stdout, /^includeSpamTrash:=<boolean> {2}# default: false$/m);
  const unknown = await argsOf(["no.such.op", "--skeleton"]);
  assert.match(unknown.stderr, /CLI_ARG_INVALID: "no\.such\.op"/);
});
