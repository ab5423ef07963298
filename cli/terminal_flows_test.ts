/** What a person sees who works with the real program, on the emulator. */

import assert from "node:assert/strict";
import { textWidth } from "../lib/format/text/mod.ts";
import { processFactories } from "./host.ts";
import { type RecordedOptions, runRecorded } from "./testing/recorded_host.ts";
import { withFolder } from "./testing/spawned.ts";

const PERSON = ["stdin", "stdout", "stderr"] as const;

async function person(argv: readonly string[], options: RecordedOptions = {}) {
  let run: Awaited<ReturnType<typeof runRecorded>> | undefined;
  await withFolder(async (home) => {
    run = await runRecorded(argv, {
      terminals: PERSON,
      factories: processFactories(),
      ...options,
      environment: { HOME: home, GUM_EMULATOR: "1", NO_COLOR: "1", ...options.environment },
    });
  });
  assert.ok(run);
  return run;
}

Deno.test("terminal flows: asked for a list of objects, a person answers in JSON", async () => {
  const answered = await person(["read", "calendar.freebusy.query"], {
    stdin: '2026-06-01T00:00:00Z\n2026-06-02T00:00:00Z\n[{"id":"primary"}]\n',
  });
  assert.equal(answered.code, 0, answered.stderr);
  assert.match(answered.stderr, /items: .* \(JSON, such as \[\{"id":"x"\}\]\): /);
  assert.match(answered.stderr, /^timeMin: The start of the interval [^.]*[^.:]: /);
  assert.match(answered.stdout, /^timeMin {2,}2026-06-01T00:00:00/m);
  const wrong = await person(["read", "calendar.freebusy.query"], {
    stdin: "2026-06-01T00:00:00Z\n2026-06-02T00:00:00Z\nprimary\n",
  });
  assert.equal(wrong.code, 2);
  assert.match(wrong.stderr, /"items": not valid JSON/);
  assert.match(wrong.stderr, /Next: gum describe calendar\.freebusy\.query/);
});

Deno.test("terminal flows: a success without an answer says that it is done", async () => {
  const argv = ["destructive", "gmail.users.labels.delete", "--args", '{"id":"Label_1"}', "--yes"];
  const seen = await person(argv);
  assert.deepEqual([seen.code, seen.stdout], [0, ""], seen.stderr);
  assert.match(seen.stderr, /^done gmail\.users\.labels\.delete$/m);
  const piped = await person(argv, { terminals: [] });
  assert.ok(!piped.stderr.includes("done"));
});

Deno.test("terminal flows: results and notices fit every width", async () => {
  for (const columns of [20, 30, 44, 60, 80, 120, 200]) {
    for (
      const argv of [
        ["read", "gmail.users.threads.list", "--args", '{"maxResults":5}'],
        ["read", "drive.files.list", "--args", '{"pageSize":6}'],
        ["read", "calendar.events.list", "--args", '{"maxResults":5}'],
        ["read", "tasks.tasks.list", "--args", '{"tasklist":"@default"}'],
        ...columns < 60 ? [] : [["search", "unread", "mail"]],
      ]
    ) {
      const run = await person(argv, { columns });
      assert.equal(run.code, 0, run.stderr);
      for (const line of run.stdout.split("\n")) {
        assert.ok(textWidth(line) <= columns, `${textWidth(line)} > ${columns}: ${line}`);
      }
      for (const line of run.stderr.split("\n")) {
        // Paths and commands are there to be copied; they stay whole.
        if (!line.startsWith("·") && !line.startsWith("  ")) continue;
        const copied = /Full result: |\/home|Contract:|Call:/.test(line);
        assert.ok(copied || textWidth(line) <= columns, line);
      }
    }
  }
});

Deno.test("terminal flows: with NO_COLOR nothing styles anything, whatever the command", async () => {
  const failing = ["read", "gmail.users.messages.get", "--args", '{"id":"nope"}'];
  for (
    const argv of [
      ["read", "gmail.users.labels.list"],
      ["search", "mail"],
      ["describe", "gmail.users.messages.send"],
      ["cache", "stats"],
      ["help", "call"],
      ["doctor"],
      failing,
    ]
  ) {
    const { stdout, stderr } = await person(argv);
    // deno-lint-ignore no-control-regex -- an escape sequence is what must not be there
    assert.ok(!/\u001b\[/.test(stdout + stderr), argv.join(" "));
    const coloured = await person(argv, { environment: { NO_COLOR: undefined } });
    // deno-lint-ignore no-control-regex -- and what should be there without it
    assert.ok(/\u001b\[/.test(coloured.stdout + coloured.stderr), argv.join(" "));
  }
});

Deno.test("terminal flows: log records are lines for a person, JSON for everybody else", async () => {
  // A key that nobody knows is warned about, once in a process.
  const run = async (key: string, options: RecordedOptions, more: readonly string[] = []) => {
    let stderr = "";
    await withFolder(async (home) => {
      await Deno.mkdir(`${home}/.config/gum/default`, { recursive: true });
      await Deno.writeTextFile(`${home}/.config/gum/default/config.toml`, `[logs]\n${key} = 1\n`);
      const environment = { HOME: home };
      const argv = ["read", "gmail.users.labels.list", ...more];
      stderr = (await person(argv, { ...options, environment })).stderr;
    });
    return stderr;
  };
  assert.match(await run("one", {}), /^\S+ WARN logs\.one/m);
  assert.match(
    await run("two", {}, ["--log-format", "json"]),
    /^\{.*"level":"warn".*logs\.two/m,
  );
  const piped = (await run("three", { terminals: [] })).trimEnd().split("\n");
  const records = piped.map((line) => JSON.parse(line));
  assert.ok(records.some(({ level, msg }) => level === "warn" && msg.startsWith("logs.three")));
});

Deno.test("terminal flows: a reason that repeats the sentence is not said twice", async () => {
  const gone = await person(["read", "gmail.users.labels.list"], {
    environment: { GUM_EMULATOR: "http://127.0.0.1:1" },
  });
  assert.equal(gone.code, 7);
  assert.match(gone.stderr, /^Error: No emulator answers at http:\/\/127\.0\.0\.1:1\.\n {2}Fix: /);
  assert.match(gone.stderr, /^ {2}Next: gum emulator serve$/m);
});

Deno.test("terminal flows: a narrow search puts the summary below, an empty one says what to do", async () => {
  const narrow = await person(["search", "unread", "mail", "--top-k", "2"], { columns: 60 });
  assert.match(narrow.stdout, /^OP_ID +RISK +AUTH\n {4}SUMMARY\n\S+ +read +byo_oauth\n {4}\S/);
  const none = await person(["search", "zzqqxyv"]);
  assert.equal(none.stdout, "no results\n");
  assert.match(none.stderr, /broader query/);
});
