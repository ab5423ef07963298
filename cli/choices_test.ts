import assert from "node:assert/strict";
import { accepted, choiceOf, nearHint, notAChoice } from "./choices.ts";
import { parseWords } from "./parse.ts";
import { runRecorded } from "./testing/recorded_host.ts";

Deno.test("choices: a word outside a closed set gets the nearest one, a far word gets none", () => {
  assert.equal(
    notAChoice("jsno", ["json", "toon"]),
    '"jsno" is none of json, toon; did you mean "json"?',
  );
  assert.equal(accepted("yaml", ["text", "json"]), "accepted: text, json");
  assert.equal(accepted("JSN", ["text", "json"]), 'accepted: text, json; did you mean "json"?');
  assert.equal(nearHint("", ["a"]), "");
  assert.equal(nearHint("x", ["ab"]), "", "a word replaced whole is not near");
});

Deno.test("choices: every kind of closed value on the command line is told its neighbour", async () => {
  const lists: readonly [string[], string][] = [
    [["call", "gmail.users.messages.list", "--risk=raed"], "read"],
    [["call", "gmail.users.messages.list", "--risk=read", "-o", "tabel"], "table"],
    [["read", "gmail.users.messages.list", "--format", "jsno"], "json"],
    [["call", "gmail.users.messages.list", "--risk=read", "format=metdata"], "metadata"],
    [["search", "mail", "--format", "tabel"], "table"],
    [["search", "mail", "--tier", "currated"], "curated"],
    [["code", "1", "--language", "javscript"], "javascript"],
    [["config", "list", "--format", "txt"], "text"],
    [["--log-level", "wran", "version"], "warn"],
    [["config", "set", "policy.mode=drft_only"], "draft_only"],
    [["--log-format", "jsn", "version"], "json"],
  ];
  for (const [argv, wanted] of lists) {
    const { code, stdout, stderr } = await runRecorded(argv);
    assert.deepEqual([code, stdout], [2, ""], argv.join(" "));
    assert.match(stderr, /^Error: CLI_ARG_INVALID: .*\n$/, argv.join(" "));
    assert.ok(stderr.endsWith(`; did you mean ${JSON.stringify(wanted)}?\n`), stderr);
  }
});

Deno.test("flags: names that other programs have are answered with ours", async () => {
  const format = await runRecorded([
    "call",
    "drive.files.delete",
    "--risk=read",
    "--format",
    "json",
  ]);
  assert.equal(format.stderr, "Error: unknown flag: --format (did you mean --output?)\n");
  const limit = await runRecorded(["read", "gmail.users.messages.list", "--limit", "5"]);
  assert.equal(limit.stderr, "Error: unknown flag: --limit (did you mean --max-items?)\n");
  const none = await runRecorded(["version", "--limit", "5"]);
  assert.equal(none.stderr, "Error: unknown flag: --limit\n");
});

Deno.test("flags: a field flag of a misspelt operation blames the operation", async () => {
  const { code, stderr } = await runRecorded(
    ["call", "gmail.users.message.list", "--risk=read", "--label-ids", "INBOX"],
  );
  assert.equal(code, 2);
  assert.equal(
    stderr,
    "Error: unknown flag: --label-ids; there is no operation gmail.users.message.list, so it has " +
      "no flags of its own: did you mean gmail.users.messages.list?\n",
  );
  const far = await runRecorded(["call", "zzzzzz.yyyyyyyy.xxxxxxxxx", "--risk=read", "--q", "x"]);
  assert.match(far.stderr, /no operation zzzzzz\.yyyyyyyy\.xxxxxxxxx, .*: gum search finds ids\n$/);
  const known = await runRecorded([
    "call",
    "gmail.users.messages.list",
    "--risk=read",
    "--labl",
    "x",
  ]);
  assert.equal(known.stderr, "Error: unknown flag: --labl\n");
  const plain = await runRecorded(["call", "--qqqqqqq", "v1.2"]);
  assert.doesNotMatch(plain.stderr, /INTERNAL|at file/);
  const person = await runRecorded(
    ["call", "gmail.users.message.list", "--label-ids", "INBOX"],
    { terminals: ["stderr"], environment: { NO_COLOR: "1" } },
  );
  assert.match(person.stderr, /\n {2}Next: gum describe gmail\.users\.messages\.list\n$/);
});

Deno.test("usage: an operation in the place of a command is told how it is called", async () => {
  const piped = await runRecorded(["gmail.users.labels.list", "--max-items", "3"]);
  assert.equal(piped.code, 2);
  assert.equal(
    piped.stderr,
    'Error: unknown command "gmail.users.labels.list" for gum; for an operation, ' +
      "gum describe gmail.users.labels.list shows how it is called\n",
  );
  const person = await runRecorded(["gmail.users.labels.list"], {
    terminals: ["stderr"],
    environment: { NO_COLOR: "1" },
  });
  assert.match(person.stderr, /\n {2}Next: gum describe gmail\.users\.labels\.list\n$/);
  const below = await runRecorded(["plugin", "a.b"]);
  assert.doesNotMatch(below.stderr, /describe/);
});

Deno.test("call --skeleton: an unknown operation comes with the nearest one", async () => {
  const { code, stderr } = await runRecorded(["call", "gmail.users.messages.lst", "--skeleton"]);
  assert.equal(code, 2);
  assert.match(stderr, /unknown operation; did you mean gmail\.users\.messages\.list\?\n$/);
});

Deno.test("choices: a flag's choice is read in any case, its default too, and another word is refused", () => {
  const specs = [{ name: "format", type: "string", default: "text", help: "" }] as const;
  const choices = ["text", "json"] as const;
  const chosen = (...words: string[]) =>
    choiceOf(parseWords(words, specs).flags, { flag: "format", choices });
  assert.equal(chosen(), "text");
  assert.equal(chosen("--format", "JSON"), "json");
  assert.throws(() => chosen("--format", "jsn"), /accepted: text, json; did you mean "json"\?/);
});
