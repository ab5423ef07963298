import assert from "node:assert/strict";
import { FIXTURE_OPS } from "./testing/fixture_ops.ts";
import { runRecorded } from "./testing/recorded_host.ts";

Deno.test("TestSearchJSONEnvelopeMatchesSpec: root, rows and _expression", async () => {
  const { stdout, stderr, code } = await runRecorded(["search", "list", "mail", "messages"]);
  assert.deepEqual([code, stderr], [0, ""]);
  const root = JSON.parse(stdout);
  assert.equal(stdout, JSON.stringify(root, null, 2) + "\n");
  assert.deepEqual(Object.keys(root), ["results", "_expression"]);
  assert.deepEqual(Object.keys(root.results[0]), [
    "op_id",
    "score",
    "summary",
    "risk_class",
    "auth_strategy",
  ]);
  assert.equal(root.results[0].op_id, "gmail.users.messages.list");
  assert.deepEqual(root._expression, {
    profile: "gum.search_apis",
    op_id: "gum.search_apis",
    variant_id: "gum.search_apis.v1",
    lossy: false,
    result_count: root.results.length,
    omitted_count: 0,
  });
});

Deno.test("TestSearchJSONEnvelopeMatchesSpec: no hits give an empty list and a message", async () => {
  for (const argv of [["search"], ["search", ""], ["search", "zzzzqqq"]]) {
    const { stdout, code } = await runRecorded(argv);
    assert.equal(code, 0);
    const root = JSON.parse(stdout);
    assert.deepEqual(root.results, []);
    assert.equal(root._expression.result_count, 0);
    assert.equal(
      root._expression.on_empty_message,
      "No matching operations found. Try a broader query.",
    );
  }
});

Deno.test("search: --top-k bounds the rows, a terminal gets a table", async () => {
  const one = await runRecorded(["search", "message", "--top-k", "1"]);
  assert.equal(JSON.parse(one.stdout).results.length, 1);
  const table = await runRecorded(["search", "delete", "file"], { terminals: ["stdout"] });
  const [header, first] = table.stdout.split("\n");
  assert.match(header ?? "", /^\S+OP_ID +RISK +AUTH +SUMMARY/);
  assert.match(first ?? "", /^drive\.files\.delete {2}\S+destructive/);
  const plain = await runRecorded(["search", "delete", "file", "--format", "table"]);
  // deno-lint-ignore no-control-regex -- looks for terminal control sequences
  assert.ok(!/\x1b/.test(plain.stdout));
  assert.match(plain.stdout, /^OP_ID {15}RISK {9}AUTH {7}SUMMARY\n/);
  const noColor = await runRecorded(["search", "delete", "file"], {
    terminals: ["stdout"],
    environment: { NO_COLOR: "1" },
  });
  assert.equal(noColor.stdout, plain.stdout);
});

Deno.test("search: empty tables say why", async () => {
  const none = await runRecorded(["search", "zzzzqqq", "--format", "table"]);
  assert.equal(none.stdout, "no results\n");
  const empty = await runRecorded(["search", "mail", "--format", "table"], { ops: [] });
  assert.equal(empty.stdout, "no results (catalog empty)\n");
});

Deno.test("search: a long summary is cut at 80 characters", async () => {
  const [first] = FIXTURE_OPS;
  assert.ok(first);
  const ops = [{ ...first, summary: "word ".repeat(40).trim() }];
  const { stdout } = await runRecorded(["search", "word", "--format", "table"], { ops });
  const summary = stdout.split("\n")[1]?.split("  ").at(-1) ?? "";
  assert.equal(summary.length, 80);
  assert.ok(summary.endsWith("..."));
});

Deno.test("describe: the contract and example arguments", async () => {
  const { stdout, code } = await runRecorded(["describe", "tasks.tasks.insert"]);
  assert.equal(code, 0);
  const root = JSON.parse(stdout);
  assert.deepEqual(Object.keys(root), ["op", "example_args"]);
  assert.equal(root.op.op_id, "tasks.tasks.insert");
  assert.equal(root.example_args.tasklist, "<tasklist>");
});

Deno.test("describe: an unknown operation is an OP_NOT_FOUND envelope with suggestions", async () => {
  const { stdout, stderr, code } = await runRecorded(["describe", "gmail.users.messages.lst"]);
  assert.deepEqual([stdout, code], ["", 4]);
  const error = JSON.parse(stderr);
  assert.equal(error.error_code, "OP_NOT_FOUND");
  assert.equal(error.op_id, "gmail.users.messages.lst");
  assert.equal(error.suggestions[0], "gmail.users.messages.list");
  assert.match(error.how_to_fix, /gum search/);
  assert.match(error.how_to_fix, /gmail\.users\.messages\.list/);
  const other = await runRecorded(["describe", "gmail.users.messages.list", "--format", "table"]);
  assert.match(other.stderr, /CLI_ARG_INVALID/);
});

Deno.test("TestCatalogListOverridesJSONOutputIsValidNDJSON: one exact object a line", async () => {
  const { stdout, stderr, code } = await runRecorded(["catalog", "list-overrides"]);
  assert.deepEqual([code, stderr], [0, ""]);
  const lines = stdout.split("\n");
  assert.equal(lines.pop(), "");
  assert.deepEqual(lines.map((line) => JSON.parse(line)), [{
    variant_id: "tasks.v1.rest.tasks.insert",
    risk_class: "write",
    risk_override_reason: "creates a row",
  }]);
  assert.deepEqual(Object.keys(JSON.parse(lines[0] ?? "")), [
    "variant_id",
    "risk_class",
    "risk_override_reason",
  ]);
});

Deno.test("TestCatalogListOverridesJSONOutputIsValidNDJSON: nothing to list is silent in a pipe", async () => {
  const piped = await runRecorded(["catalog", "list-overrides"], { ops: [] });
  assert.deepEqual([piped.code, piped.stdout, piped.stderr], [0, "", ""]);
  const seen = await runRecorded(["catalog", "list-overrides"], { ops: [], terminals: ["stderr"] });
  assert.equal(seen.stdout, "");
  assert.equal(seen.stderr.split("\n").length, 2);
});

Deno.test("search: an operation that the profile hides is named where it would have come first", async () => {
  const hidden = "message.things.insert";
  const factories = {
    search: () =>
      Promise.resolve({
        size: 1,
        search: () => [],
        hiddenBest: (query: string) => query === "message" ? hidden : undefined,
      }),
  };
  const json = await runRecorded(["search", "message"], { factories });
  assert.equal(JSON.parse(json.stdout)._expression.hidden_match, hidden);
  assert.equal(json.stderr, "");
  const table = await runRecorded(["search", "message", "--format", "table"], { factories });
  assert.match(
    table.stderr,
    /^message\.things\.insert would match best\. .*catalog\.long_tail=all/,
  );
  assert.ok(!table.stdout.includes(hidden));
  for (const more of [["--tier", "curated"], ["--service", "other"]]) {
    const other = await runRecorded(["search", "message", ...more], { factories });
    assert.equal(JSON.parse(other.stdout)._expression.hidden_match, undefined);
  }
  const none = await runRecorded(["search", "else"], { factories });
  assert.equal(JSON.parse(none.stdout)._expression.hidden_match, undefined);
});
