import assert from "node:assert/strict";
import type { ShapedResponse } from "../lib/dispatch/types.ts";
import type { JsonObject } from "../lib/json/mod.ts";
import { runRecorded } from "./testing/recorded_host.ts";
import { SHAPED } from "./testing/shaped.ts";

const LIST = "gmail.users.messages.list";

function answer(more: Partial<ShapedResponse> & { text?: string }): ShapedResponse {
  const { text, ...rest } = more;
  return {
    ...SHAPED,
    ...(text === undefined ? {} : { body: new TextEncoder().encode(text) }),
    ...rest,
  };
}

function read(
  response: ShapedResponse,
  argv: string[] = [],
  more: Parameters<typeof runRecorded>[1] = {},
) {
  return runRecorded(["read", LIST, ...argv], {
    dispatch: () => Promise.resolve(response),
    ...more,
  });
}

const TOON = answer({
  format: "toon",
  text: "op: x\n\nrows",
  structuredContent: { rows: [], nextPageToken: "n" },
});

Deno.test("JSON output gets _expression as one more key and keeps its own bytes", async () => {
  const { stdout, stderr } = await read(answer({ text: '{"z":1,"a":9007199254740993}' }));
  assert.equal(
    stdout,
    `{"z":1,"a":9007199254740993,"_expression":${JSON.stringify(SHAPED.expression)}}\n`,
  );
  assert.equal(stderr, "");
  const empty = await read(answer({ text: "{}", structuredContent: {} }));
  assert.deepEqual(Object.keys(JSON.parse(empty.stdout)), ["_expression"]);
});

Deno.test("JSON arrays and scalars are wrapped, --no-envelope leaves them alone", async () => {
  for (const text of ["[1,2]", '"x"', "5"]) {
    const { stdout } = await read(answer({ text, structuredContent: JSON.parse(text) }));
    assert.deepEqual(JSON.parse(stdout), {
      data: JSON.parse(text),
      _expression: SHAPED.expression,
    });
    const bare = await read(answer({ text, structuredContent: JSON.parse(text) }), [
      "--no-envelope",
    ]);
    assert.deepEqual([bare.stdout, bare.stderr], [text + "\n", ""]);
  }
  const unchanged = await read(answer({
    text: '{"unchanged":true,"etag":"e"}',
    expression: undefined,
    unchanged: { etag: "e" },
  }));
  assert.equal(unchanged.stdout, '{"unchanged":true,"etag":"e"}\n');
});

Deno.test("TOON and its kin keep stdout byte-exact and put _expression on a piped stderr", async () => {
  for (const format of ["toon", "csv", "markdown", "raw"] as const) {
    const { stdout, stderr } = await read(answer({ format, text: "body" }));
    assert.equal(stdout, "body\n", format);
    assert.equal(stderr, JSON.stringify({ _expression: SHAPED.expression }) + "\n", format);
    const bare = await read(answer({ format, text: "body" }), ["--no-envelope"]);
    assert.equal(bare.stderr, "", format);
    const terminal = await read(answer({ format, text: "body\n" }), [], { terminals: ["stderr"] });
    assert.deepEqual([terminal.stdout, terminal.stderr], ["body\n", ""], format);
  }
});

Deno.test("--envelope prints what MCP clients get, without the resource link", async () => {
  const expression = { ...SHAPED.expression, full_result_resource: "gum://results/ab" };
  const run = await read({ ...TOON, expression: expression as ShapedResponse["expression"] }, [
    "--envelope",
  ]);
  assert.equal(run.stderr, "");
  assert.deepEqual(JSON.parse(run.stdout), {
    format: "toon",
    toon: "op: x\n\nrows",
    op: LIST,
    variant: SHAPED.variantId,
    next_page_token: "n",
    _expression: SHAPED.expression,
  });
  const json = await read(SHAPED, ["--envelope"]);
  assert.deepEqual(JSON.parse(json.stdout), {
    format: "json",
    data: { id: "m1" },
    _expression: SHAPED.expression,
  });
  const csv = await read(answer({ format: "csv", text: "id\nm1\n" }), ["--envelope"]);
  assert.equal(JSON.parse(csv.stdout).data, "id\nm1\n");
  for (const output of ["table", "value(id)"]) {
    const refused = await read(SHAPED, ["--envelope", "-o", output]);
    assert.match(refused.stderr, /^Error: CLI_ARG_INVALID: "--envelope"/);
    assert.equal(refused.code, 2);
  }
});

Deno.test("--envelope wins over a default layout, only a typed one contradicts it", async () => {
  const options = {
    dispatch: () => Promise.resolve(SHAPED),
    terminals: ["stdout"] as const,
    environment: { GUM_DEFAULT_OUTPUT: "table" },
  };
  for (const argv of [["call", LIST, "--risk=read"], ["read", LIST]]) {
    const { code, stdout } = await runRecorded([...argv, "--envelope"], options);
    assert.deepEqual([code, JSON.parse(stdout).format], [0, "json"]);
  }
});

Deno.test("table and value(path) lay out the shaped value, the kernel runs with json", async () => {
  const rows = answer({ structuredContent: { messages: [{ id: "a" }, { id: "b" }], total: 2 } });
  const table = await read(rows, ["--output", "table"]);
  assert.equal(table.invocations[0]?.format, "json");
  assert.match(table.stdout, /^id\n--\na\nb$/m);
  assert.equal(table.stderr, "");
  const value = await read(rows, ["-o", "VALUE(messages[].id)"]);
  assert.equal(value.stdout, "a\nb\n");
  const miss = await read(rows, ["-o", "value(nothing.here)"]);
  assert.deepEqual([miss.code, miss.stdout, miss.stderr], [0, "", ""]);
  const malformed = await read(rows, ["-o", "value(a..b)"]);
  assert.deepEqual([malformed.code, malformed.invocations.length], [2, 0]);
  const opaque = await read(
    answer({ format: "raw", text: "not json", structuredContent: undefined }),
    ["-o", "table"],
  );
  assert.deepEqual([opaque.code, opaque.stdout], [1, ""]);
  assert.match(opaque.stderr, /--output json or --output raw/);
});

Deno.test("the notice is one stderr line in every format but raw; call spells the raw way", async () => {
  const notice = { cli: "143 rows omitted.\nUse --format raw for everything.", mcp: "" };
  const piped = await read(answer({ notice }));
  assert.equal(piped.stderr, "143 rows omitted. Use --format raw for everything.\n");
  const table = await read(answer({ notice }), ["-o", "value(id)"]);
  assert.deepEqual([table.stdout, table.stderr], ["m1\n", piped.stderr]);
  const raw = await read(answer({ notice, format: "raw", expression: undefined }), [
    "--format",
    "raw",
  ]);
  assert.equal(raw.stderr, "");
  const call = await runRecorded(["call", LIST, "--risk=read", "--json"], {
    dispatch: () => Promise.resolve(answer({ notice })),
  });
  assert.match(call.stderr, /Use --output raw for everything\.\n$/);
});

Deno.test("TestCLINoticeNamesTheAnnotationFieldsRawDrops: the names reach stderr, once", async () => {
  const { shaper } = await import("../lib/shape/mod.ts");
  const body = new TextEncoder().encode(
    '{"results":[{"text":"a","extra":1,"matchedInputs":["a"]}]}',
  );
  const shape = shaper.shape({
    body,
    opId: "x.list",
    variantId: "x.v1.rest.list",
    profile: { name: "t", keep_fields: ["results.text", "results.matchedInputs"] },
  });
  const notice = (annotationPaths: string[]) =>
    shaper.notice({
      opId: "x.list",
      variantId: "x.v1.rest.list",
      profileName: "t",
      shape,
      validationWarnings: [],
      annotationPaths,
    }, "cli");
  const annotated = await read(
    answer({ notice: { cli: notice(["results.matchedInputs"]), mcp: "" } }),
  );
  assert.match(annotated.stderr, /results\.extra/);
  assert.match(annotated.stderr, /--format raw[^\n]*results\.matchedInputs/);
  assert.doesNotMatch(annotated.stdout, /matchedInputs[^\n]*raw/);
});

Deno.test("TestCLINoticeKeepsThePlainRawHint: without annotations the hint names no lost field", async () => {
  const { shaper } = await import("../lib/shape/mod.ts");
  const shape = shaper.shape({
    body: new TextEncoder().encode('{"results":[{"text":"a","extra":1}]}'),
    opId: "x.list",
    variantId: "x.v1.rest.list",
    profile: { name: "t", keep_fields: ["results.text"] },
  });
  const cli = shaper.notice({
    opId: "x.list",
    variantId: "x.v1.rest.list",
    profileName: "t",
    shape,
    validationWarnings: [],
    annotationPaths: [],
  }, "cli");
  const plain = await read(answer({ notice: { cli, mcp: "" } }));
  assert.match(plain.stderr, /--format raw/);
  assert.doesNotMatch(plain.stderr, /matchedInputs|GUM adds|added by/);
});

Deno.test("on a terminal hostile characters are made visible, in a pipe bytes are untouched", async () => {
  const text = "name\u001b[2Jx\u202egpj";
  const seen = await read(answer({ format: "markdown", text }), ["--format", "markdown"], {
    terminals: ["stdout", "stderr"],
  });
  // deno-lint-ignore no-control-regex -- looks for terminal control sequences
  assert.ok(!/[\u001b\u202e]/.test(seen.stdout));
  const piped = await read(answer({ format: "markdown", text }), ["--no-envelope"]);
  assert.equal(piped.stdout, text + "\n");
});

Deno.test("output choice: precedence of flags, environment and terminal", async () => {
  const formatOf = async (argv: string[], more: Parameters<typeof runRecorded>[1] = {}) =>
    (await runRecorded(argv, { dispatch: () => Promise.resolve(SHAPED), ...more })).invocations[0]
      ?.format;
  const environment = { GUM_DEFAULT_OUTPUT: "csv" };
  assert.equal(await formatOf(["read", LIST]), undefined);
  assert.equal(await formatOf(["read", LIST], { environment }), "csv");
  assert.equal(
    await formatOf(["read", LIST], { environment: { GUM_DEFAULT_OUTPUT: "x" } }),
    undefined,
  );
  assert.equal(await formatOf(["read", LIST, "--format", "toon"], { environment }), "toon");
  assert.equal(await formatOf(["read", LIST, "--format", "toon", "-o", "markdown"]), "markdown");
  assert.equal(await formatOf(["call", LIST, "--risk=read"]), "json");
  assert.equal(await formatOf(["call", LIST, "--risk=read"], { environment }), "csv");
  assert.equal(await formatOf(["call", LIST, "--risk=read", "--toon"], { environment }), "toon");
  assert.equal(await formatOf(["call", LIST, "--risk=read", "--raw"]), "raw");
});

Deno.test("output choice: two selectors on call are a duplicate, call has no --format", async () => {
  const run = (argv: string[]) =>
    runRecorded(["call", LIST, "--risk=read", ...argv], {
      dispatch: () => Promise.resolve(SHAPED),
    });
  for (const argv of [["--json", "--toon"], ["--raw", "-o", "csv"], ["-o", "csv", "-o", "csv"]]) {
    const { code, stderr, invocations } = await run(argv);
    assert.deepEqual([code, stderr, invocations.length], [
      2,
      "Error: CLI_ARG_DUPLICATE: format\n",
      0,
    ]);
  }
  // `format` is a field of this operation, so only the word stays unknown elsewhere.
  const other = await runRecorded([
    "call",
    "drive.files.delete",
    "--risk=read",
    "--format",
    "json",
  ]);
  assert.match(other.stderr, /^Error: unknown flag: --format/);
  const bad = await run(["-o", "yaml"]);
  assert.match(bad.stderr, /CLI_ARG_INVALID: "--output": "yaml"/);
});

Deno.test("--max-items: refused with INVALID_ARGS before any dispatch on all four commands", async () => {
  const commands = [["read", LIST], ["write", LIST], ["destructive", LIST], [
    "call",
    LIST,
    "--risk=read",
  ]];
  for (const argv of commands) {
    for (const value of ["0", "-1", "1.5", "many", ""]) {
      const run = await runRecorded([...argv, `--max-items=${value}`], {
        dispatch: () => Promise.resolve(SHAPED),
      });
      const error = JSON.parse(run.stderr) as JsonObject;
      assert.deepEqual([error.error_code, error.field], ["INVALID_ARGS", "max_items"]);
      assert.deepEqual([run.code, run.stdout, run.invocations.length], [2, "", 0]);
    }
    const all = await runRecorded([...argv, "--max-items=all"], {
      dispatch: () => Promise.resolve(SHAPED),
    });
    assert.equal(all.invocations[0]?.maxItems, "all");
    const some = await runRecorded([...argv, "--max-items", "5"], {
      dispatch: () => Promise.resolve(SHAPED),
    });
    assert.equal(some.invocations[0]?.maxItems, 5);
  }
});
