import assert from "node:assert/strict";
import fc from "fast-check";
import { textWidth } from "../lib/format/text/mod.ts";
import { GumError } from "../lib/errors/mod.ts";
import type { JsonValue } from "../lib/json/mod.ts";
import { noticeLines } from "./terminal_notice.ts";
import { renderForTerminal } from "./terminal_table.ts";
import type { Styles } from "./terminal_text.ts";
import { wrapText } from "./terminal_wrap.ts";
import { instantOf, relativeTime, wallTime } from "./terminal_time.ts";
import { FIXTURE_OPS } from "./testing/fixture_ops.ts";
import { runRecorded } from "./testing/recorded_host.ts";
import { SHAPED } from "./testing/shaped.ts";

const same = (text: string) => text;
const PLAIN: Styles = { bold: same, dim: same, red: same, yellow: same, green: same };
const NOW = Date.parse("2026-05-19T12:00:00Z");
const NO_COLOR = { NO_COLOR: "1" };

function shown(value: JsonValue, width = 80): string {
  return renderForTerminal(value, { width, styles: PLAIN, now: NOW });
}

Deno.test("terminal: relative times the way people say them, dates when far away", () => {
  const at = (text: string) => relativeTime(Date.parse(text), NOW);
  assert.equal(at("2026-05-19T11:59:30Z"), "just now");
  assert.equal(at("2026-05-19T11:59:00Z"), "1 minute ago");
  assert.equal(at("2026-05-19T09:00:00Z"), "3 hours ago");
  assert.equal(at("2026-05-21T12:00:00Z"), "in 2 days");
  assert.equal(at("2024-01-02T00:00:00Z"), undefined);
  assert.equal(wallTime("2024-01-02T09:15:00+02:00", 0), "2024-01-02 09:15");
  assert.equal(wallTime("1747656000000", 1747656000000), "2025-05-19 12:00");
  assert.equal(instantOf("2026-05-19"), undefined);
  assert.equal(instantOf("1747656000000", "threadId"), undefined);
  assert.equal(instantOf("1747656000000", "internalDate"), 1747656000000);
  assert.equal(instantOf("2026-99-99T00:00:00Z"), undefined);
});

Deno.test("terminal: a list is a table in the profile's column order, numbers to the right", () => {
  const rows = [
    { name: "Plan", id: "1a", size: 5, modified: "2026-05-19T09:00:00Z", labels: ["A", "B"] },
    { name: "Ärger 漢字", id: "2b", size: 1200, modified: "2026-05-19T11:58:00Z", labels: [] },
  ];
  assert.equal(
    shown({ files: rows, total: 2 }),
    `total: 2

name        id  size  modified       labels
──────────  ──  ────  ─────────────  ──────
Plan        1a     5  3 hours ago    A, B
Ärger 漢字  2b  1200  2 minutes ago
`,
  );
  assert.equal(shown({ items: [] }), "(no rows)\n");
});

Deno.test("terminal: too wide for a table means fewer columns, and says which; few records are cards", () => {
  const row = {
    summary: "s".repeat(50),
    id: "i".repeat(30),
    description: "d".repeat(50),
    webLink: "https://example.com/" + "x".repeat(40),
    starts: "2026-05-19T09:00:00Z",
  };
  const wide = shown({ items: Array.from({ length: 5 }, (_, n) => ({ ...row, id: row.id + n })) });
  assert.match(wide, /^id +summary +starts +description$/m);
  assert.match(wide, /^-o json shows 1 more: webLink$/m);
  assert.match(wide, new RegExp(`${row.id}4`), "ids stay whole");
  const cards = shown({ items: [row] });
  assert.match(cards, /^starts +2026-05-19T09:00:00Z \(3 hours ago\)$/m);
});

Deno.test("terminal: a column that says the same in every row waits when room is short", () => {
  const items = Array.from({ length: 4 }, (_, n) => ({
    folder: "f".repeat(30) + n,
    id: "i".repeat(30) + n,
    shared: false,
    owner: "Mara Lindqvist",
    name: `Some telling name ${n}`,
  }));
  const text = shown({ items }, 90);
  assert.match(text, /^name +id +folder$/m);
  assert.match(text, /^-o json shows 2 more: shared, owner$/m);
  assert.match(shown({ items }, 200), /^folder +id +shared +owner +name$/m);
});

Deno.test("terminal: a text that was cut ends in a mark, not in a column about it", () => {
  const items = [1, 2].map((n) => ({ id: `m${n}`, snippet: "Dear", snippet_truncated: n === 1 }));
  const text = shown({ items });
  assert.match(text, /^id +snippet$/m);
  assert.match(text, /^m1 +Dear…\nm2 +Dear$/m);
  assert.match(shown({ id: "1", body: "Hi...", body_truncated: true }), /^body +Hi…$/m);
  assert.match(
    shown({ id: "1", snippet: "Tom &amp; Ann&#39;s &lt;plan&gt;" }),
    /Tom & Ann's <plan>/,
  );
  assert.match(shown({ was_truncated: true, id: "1" }), /^was_truncated +true$/m);
});

Deno.test("terminal: an object is a card, nested ones indented", () => {
  assert.equal(
    shown({
      id: "x",
      owner: { name: "Ann", mail: null },
      parts: [{ a: 1 }, { a: 2 }],
      text: "l1\nl2",
    }),
    `id     x
owner
  name  Ann
  mail
parts
  1.a  1
  2.a  2
text   l1
       l2
`,
  );
});

Deno.test("terminal: no line of a table is wider than the terminal, nothing invisible gets through", () => {
  const cell = fc.oneof(
    fc.string({ unit: "grapheme" }),
    fc.integer(),
    fc.boolean(),
    fc.constant(null),
  );
  const rows = fc.array(
    fc.record({ id: fc.string({ maxLength: 12 }), a: cell, b: cell, c: cell }),
    {
      minLength: 4,
      maxLength: 8,
    },
  );
  fc.assert(
    fc.property(rows, fc.integer({ min: 40, max: 120 }), (items, width) => {
      for (const line of shown({ items }, width).split("\n")) {
        // deno-lint-ignore no-control-regex -- control characters are what must not be there
        assert.ok(!/[\u0000-\u0009\u000b-\u001f\u007f\u202e]/.test(line), JSON.stringify(line));
        assert.ok(textWidth(line) <= width, `${textWidth(line)} > ${width}: ${line}`);
      }
    }),
    { numRuns: 60 },
  );
});

Deno.test("terminal: text wraps at blanks and inside words that are too long", () => {
  assert.deepEqual(wrapText("aa bb cc", 5), ["aa bb", "cc"]);
  assert.deepEqual(wrapText("abcdefgh", 3), ["abc", "def", "gh"]);
  assert.deepEqual(wrapText("漢字漢字", 3), ["漢", "字", "漢", "字"]);
  assert.deepEqual(wrapText("a\n\nb", 9), ["a", "", "b"]);
});

Deno.test("terminal: the notice in plain words, one sentence a line", () => {
  assert.equal(
    noticeLines(
      "12 rows omitted (items_omitted_count); --max-items all returns every row. 2 fields dropped: " +
        "a.b, c. Full result: /tmp/x.json.",
      { styles: PLAIN, width: 80 },
    ),
    "· 12 rows not shown; --max-items all returns every row.\n· 2 fields not shown: a.b, c.\n" +
      "· Full result: /tmp/x.json\n",
  );
  assert.equal(noticeLines("", { styles: PLAIN, width: 80 }), "");
  assert.equal(
    noticeLines("One two three four five six. Full result: /a/long/path/to/copy.json.", {
      styles: PLAIN,
      width: 20,
    }),
    "· One two three four\n  five six.\n· Full result: /a/long/path/to/copy.json\n",
  );
});

Deno.test("terminal: gum read at a terminal is a table, in a pipe what the kernel gives", async () => {
  const dispatch = () =>
    Promise.resolve({ ...SHAPED, structuredContent: { items: [{ id: "a\u001b[2J" }] } });
  const argv = ["read", "gmail.users.messages.list"];
  const seen = await runRecorded(argv, { dispatch, terminals: ["stdout"], environment: NO_COLOR });
  assert.equal(
    seen.stdout,
    "id\n─────────────\na<U+001B>[2J\n".replace("─────────────", "─".repeat(12)),
  );
  const coloured = await runRecorded(argv, { dispatch, terminals: ["stdout"] });
  assert.ok(coloured.stdout.startsWith("\u001b[1mid\u001b[0m"));
  const piped = await runRecorded(argv, { dispatch });
  assert.equal(piped.invocations[0]?.format, undefined);
  assert.ok(!piped.stdout.includes("─"));
});

Deno.test("terminal: gum read without arguments asks a person for the required ones", async () => {
  const dispatch = () => Promise.resolve(SHAPED);
  const argv = ["destructive", "drive.files.delete", "--yes"];
  const asked = await runRecorded(argv, { dispatch, terminals: ["stdin"], stdin: "f1\n" });
  assert.match(asked.stderr, /^fileId: File id: /);
  assert.deepEqual(asked.invocations[0]?.args, { fileId: "f1" });
  const given = await runRecorded([...argv, "--args", "{}"], { dispatch, terminals: ["stdin"] });
  assert.deepEqual(given.invocations[0]?.args, {});
  const piped = await runRecorded(argv, { dispatch, stdin: "f1\n" });
  assert.deepEqual([piped.stderr, piped.invocations[0]?.args], ["", {}]);
});

Deno.test("terminal: gum search marks risk by colour and says how to call the best hit", async () => {
  const seen = await runRecorded(["search", "send", "email"], { terminals: ["stdout", "stderr"] });
  assert.ok(seen.stdout.includes("\u001b[33mwrite"));
  assert.match(
    seen.stderr,
    /gum describe gmail\.users\.messages\.send\n.*gum write gmail\.users\.messages\.send --allow-write/,
  );
  const plain = await runRecorded(["search", "send", "email"], {
    terminals: ["stdout", "stderr"],
    environment: NO_COLOR,
  });
  assert.ok(!plain.stdout.includes("\u001b"));
  for (const line of plain.stdout.split("\n")) assert.ok(line.length <= 80, line);
});

Deno.test("terminal: gum describe is a page with a line to paste, json on request and in a pipe", async () => {
  const argv = ["describe", "drive.files.delete"];
  const page = await runRecorded(argv, { terminals: ["stdout"], environment: NO_COLOR });
  assert.match(page.stdout, /^NAME\n {4}drive\.files\.delete - /);
  assert.match(
    page.stdout,
    /\n {4}gum call drive\.files\.delete --risk=destructive 'fileId=<fileId>'\n/,
  );
  assert.match(page.stdout, /fileId {2}string, required\n {8}File id\n/);
  for (
    const [words, terminals] of [[argv, []], [[...argv, "--format", "json"], ["stdout"]]] as const
  ) {
    const { stdout } = await runRecorded(words, { terminals: [...terminals] });
    assert.equal(JSON.parse(stdout).op.op_id, "drive.files.delete");
  }
});

Deno.test("terminal: an error names the next command to type", async () => {
  const unknown = await runRecorded(["describe", "drive.files.delet"], {
    terminals: ["stderr"],
    environment: NO_COLOR,
  });
  assert.match(unknown.stderr, /\n {2}Next: gum describe drive\.files\.delete\n {2}OP_NOT_FOUND/);
  const word = await runRecorded(["serch"], { terminals: ["stderr"], environment: NO_COLOR });
  assert.match(word.stderr, /did you mean "search"\?\n {2}Next: gum search --help\n$/);
});

Deno.test("terminal: long work shows a sign of life and leaves a clean line", async () => {
  const dispatch = () =>
    new Promise<typeof SHAPED>((resolve) => setTimeout(() => resolve(SHAPED), 900));
  const argv = ["read", "gmail.users.messages.list", "--format", "json"];
  const { stderr } = await runRecorded(argv, { dispatch, terminals: ["stderr"] });
  // deno-lint-ignore no-control-regex -- the line is erased before it is drawn
  assert.match(stderr, /^\r\u001b\[K. gmail\.users\.messages\.list…/);
  assert.ok(stderr.endsWith("\r\u001b[K"));
  assert.equal((await runRecorded(argv, { dispatch })).stderr, "");
});

Deno.test("terminal: the line of progress never wraps, and a dumb terminal gets none and no style", async () => {
  const dispatch = () =>
    new Promise<typeof SHAPED>((resolve) => setTimeout(() => resolve(SHAPED), 900));
  const argv = ["read", "gmail.users.messages.list", "--format", "json"];
  const narrow = await runRecorded(argv, { dispatch, terminals: ["stderr"], columns: 20 });
  const frames = narrow.stderr.split("\r\u001b[K").filter((frame) => frame !== "");
  assert.ok(frames.length > 0);
  for (const frame of frames) assert.ok(textWidth(frame) < 20, frame);
  const dumb = { terminals: ["stdout", "stderr"] as const, environment: { TERM: "dumb" } };
  assert.equal((await runRecorded(argv, { ...dumb, dispatch })).stderr, "");
  for (const words of [["search", "mail"], ["help"], ["describe", "drive.files.delete"], ["x.y"]]) {
    const { stdout, stderr } = await runRecorded(words, dumb);
    assert.ok(!(stdout + stderr).includes("\u001b"), words.join(" "));
  }
});

Deno.test("terminal: one that says it has no columns is an ordinary one", async () => {
  const argv = ["search", "message", "--format", "table"];
  const look = { terminals: ["stdout"] as const, environment: NO_COLOR };
  const [none, usual] = await Promise.all([
    runRecorded(argv, { ...look, columns: 0 }),
    runRecorded(argv, { ...look, columns: 80 }),
  ]);
  assert.equal(none.stdout, usual.stdout);
});

Deno.test("terminal: a summary that a plugin wrote is shown, not obeyed, and fits in columns", async () => {
  const [first, ...rest] = FIXTURE_OPS;
  assert.ok(first !== undefined);
  const hostile = {
    ...first,
    summary: "Delete a file \u001b[2J\u202eevil 漢字漢字漢字漢字漢字漢字漢字",
  };
  const { stdout } = await runRecorded(["search", "delete", "file", "--top-k", "1"], {
    ops: [hostile, ...rest],
    terminals: ["stdout"],
    environment: NO_COLOR,
    columns: 72,
  });
  assert.ok(!stdout.includes("\u001b") && !stdout.includes("\u202e"), stdout);
  for (const line of stdout.split("\n")) assert.ok(textWidth(line) <= 72, line);
});

Deno.test("terminal: hits at 20 columns stand one below the other, ids whole", async () => {
  const { stdout } = await runRecorded(["search", "delete", "file", "--top-k", "1"], {
    terminals: ["stdout"],
    environment: NO_COLOR,
    columns: 20,
  });
  assert.equal(
    stdout,
    `OP_ID
    RISK  AUTH
    SUMMARY
drive.files.delete
    destructive  byo_oauth
    Delete a file f…
`,
  );
});

Deno.test("terminal: a failure speaks of commands, fits the width, and goes on with the command typed", async () => {
  const dispatch = () =>
    Promise.reject(
      new GumError("RISK_TOOL_MISMATCH", {
        userMessage: "This is a read operation; it runs through gum.read only.",
        details: { op_id: "drive.files.get", variant_risk_class: "read" },
      }),
    );
  const look = { dispatch, terminals: ["stderr"] as const, environment: NO_COLOR, columns: 40 };
  const called = await runRecorded(
    ["call", "drive.files.delete", "--risk=write", "fileId=x"],
    look,
  );
  assert.match(
    called.stderr,
    /^Error: This is a read operation; it runs\n {7}through gum read only\.\n/,
  );
  assert.match(called.stderr, /\n {2}Next: gum call drive\.files\.get --risk=read\n/);
  const write = () =>
    Promise.reject(
      new GumError("RISK_TOOL_MISMATCH", {
        details: { op_id: "tasks.tasks.insert", variant_risk_class: "write" },
      }),
    );
  const written = await runRecorded(["write", "tasks.tasks.insert", "--args", "{}"], {
    ...look,
    dispatch: write,
    columns: 100,
  });
  assert.match(
    written.stderr,
    /^Error: gum write changes something only with --allow-write; nothing was sent\.\n/,
  );
});

Deno.test("terminal: what shows the columns left out is what the command has", () => {
  const rows = [1, 2, 3, 4].map((count) => ({
    name: `n${count}`,
    note: `${count} `.repeat(30),
    count,
  }));
  const look = { width: 24, styles: PLAIN, now: NOW };
  assert.match(renderForTerminal(rows, look), /^-o json shows 1 more:/m);
  assert.match(renderForTerminal(rows, { ...look, whole: "a pipe" }), /^a pipe shows 1 more: /m);
});

Deno.test("terminal: a command that the advice names alone is the next one to type", async () => {
  const look = { terminals: ["stderr"] as const, environment: NO_COLOR };
  const failing = (suggestion: string) => ({
    ...look,
    dispatch: () => Promise.reject(new GumError("RESOURCE_NOT_FOUND", { suggestion })),
  });
  const argv = ["read", "drive.files.delete", "--args", "{}"];
  const next = async (suggestion: string) =>
    /^ {2}Next: (.*)$/m.exec((await runRecorded(argv, failing(suggestion))).stderr)?.[1];
  assert.equal(await next("Look at `gum plugin list`."), "gum plugin list");
  assert.equal(await next("gum profile list shows every profile."), "gum profile list");
  assert.equal(await next("Run `gum plugin install <dir> --yes` first."), undefined);
  assert.equal(await next("Run `gum login` or `gum doctor`."), undefined);
  const usage = await runRecorded(["plugin", "list", "--format", "yaml"], look);
  assert.match(usage.stderr, /\n {2}Next: gum help plugin list\n$/);
  const behind = await runRecorded(["--profile", "work", "audit", "tail", "--lines", "x"], look);
  assert.match(behind.stderr, /\n {2}Next: gum help audit tail\n$/);
});
