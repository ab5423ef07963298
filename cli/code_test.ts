/** The grammar of `gum code` and what reaches the kernel (spec 08 §4.5). */

import assert from "node:assert/strict";
import { embeddedCatalogBytes } from "../lib/catalog/mod.ts";
import { codeRequest } from "../lib/code/request/mod.ts";
import type { Invocation, ShapedResponse } from "../lib/dispatch/types.ts";
import { GumError } from "../lib/errors/mod.ts";
import type { JsonObject } from "../lib/json/mod.ts";
import { type RecordedOptions, runRecorded } from "./testing/recorded_host.ts";

function answered(text: string, lossy = false): ShapedResponse {
  return {
    body: new TextEncoder().encode(text),
    format: "raw",
    expression: {
      profile: "_default",
      op_id: "gum.code",
      variant_id: "gum.code.v1.risor",
      lossy,
      result_count: 1,
    },
    opId: "gum.code",
    variantId: "gum.code.v1.risor",
    notice: { cli: "", mcp: "" },
    validationWarnings: [],
    droppedPaths: [],
    dedupedRows: 0,
    limitedRows: 0,
    annotationPaths: [],
  };
}

/** A kernel that asks for a confirmation where the real one does. */
function dispatch(invocation: Invocation): Promise<ShapedResponse> {
  const elevated = invocation.allowWrite === true || invocation.allowDestructive === true;
  if (elevated && invocation.confirmationToken !== "t0ken") {
    return Promise.reject(
      new GumError("REQUIRES_CONFIRMATION", {
        details: { confirmation_token: "t0ken", confirmation_purpose: "gum_code_write" },
      }),
    );
  }
  return Promise.resolve(answered("out"));
}

const code = (words: string[], options: RecordedOptions = {}) =>
  runRecorded(["code", ...words], { dispatch, ...options });

const SAFE: JsonObject = {
  language: "risor",
  allow_write: false,
  allow_destructive: false,
  destructive_budget: 0,
  destructive_scope: [],
};

Deno.test("TestCLICodeConfirmationAndScopeGrammar: reads run at once; grants ask a person or need --yes", async () => {
  const read = await code(["1 + 1"]);
  assert.deepEqual([read.code, read.stdout], [0, "out\n"]);
  assert.deepEqual(read.invocations[0]?.args, { ...SAFE, source: "1 + 1" });
  const piped = await code(["1", "--allow-write"]);
  assert.equal(piped.code, 5);
  assert.match(piped.stderr, /Elevated code/);
  assert.match(piped.stderr, /--confirmed --token t0ken/);
  const yes = await code(["1", "--allow-write", "--yes"]);
  assert.deepEqual([yes.code, yes.invocations.length], [0, 2]);
  const typed = await code(["1", "--allow-write"], {
    terminals: ["stdin", "stderr"],
    stdin: "y\n",
  });
  assert.equal(typed.code, 0);
  const declined = await code(["1", "--allow-write"], {
    terminals: ["stdin", "stderr"],
    stdin: "n\n",
  });
  assert.deepEqual([declined.code, declined.invocations.length], [5, 1]);
  const token = await code(["1", "--allow-write", "--confirmed", "--token", "t0ken"]);
  assert.equal(token.code, 0);
  for (const flag of ["--no-confirm", "--lang", "--lang=risor"]) {
    const unknown = await code(["1", flag]);
    assert.equal(unknown.code, 2, flag);
    assert.match(unknown.stderr, /unknown flag/);
    assert.equal(unknown.invocations.length, 0);
  }
  const pragma = await code(["// pragma: allow_write\n1", "--allow-write", "--yes"]);
  assert.equal(pragma.code, 2);
  assert.match(pragma.stderr, /^Error: CLI_ARG_INVALID: .*pragma/);
});

Deno.test("TestCodeCmdRejectsDestructiveFlagsWithoutAllow: budget and scope need the flag, the flag a budget", async () => {
  const cases = [
    ["1", "--destructive-budget", "2"],
    ["1", "--destructive-scope", "drive.files.delete"],
    ["1", "--allow-destructive"],
    ["1", "--allow-destructive", "--destructive-budget", "0"],
    ["1", "--allow-destructive", "--destructive-budget", "21"],
    ["1", "--timeout-sec", "0"],
    ["1", "--timeout-sec", "601"],
    ["1", "--language", "python"],
    ["1", "--format", "csv"],
    ["1", "-o", "table"],
    ["1", "-o", "json", "--format", "raw"],
  ];
  for (const words of cases) {
    const run = await code([...words, "--yes"]);
    assert.equal(run.code, 2, words.join(" "));
    assert.match(run.stderr, /^Error: CLI_ARG_/, words.join(" "));
    assert.equal(run.invocations.length, 0);
  }
});

Deno.test("TestCodeCmdRejectsMalformedScopeEntry: nothing is dispatched", async () => {
  for (const entry of ["", ":key", "drive", "drive.files.delete:", "a b.c", "../x.y", "drive..x"]) {
    const run = await code([
      "1",
      "--allow-destructive",
      "--destructive-budget",
      "1",
      `--destructive-scope=${entry}`,
      "--yes",
    ]);
    assert.equal(run.code, 2, entry);
    assert.match(run.stderr, /CLI_ARG_INVALID/);
    assert.equal(run.invocations.length, 0);
  }
});

Deno.test("TestCodeCmdDestructiveBudgetAndScopeReachInvocation: canonical scope, split at the first colon", async () => {
  const run = await code([
    "1",
    "--allow-destructive",
    "--destructive-budget",
    "7",
    "--destructive-scope",
    "drive.files.delete:b:c",
    "--destructive-scope",
    "drive.files.delete:a",
    "--destructive-scope",
    "calendar.events.delete",
    "--destructive-scope",
    "drive.files.delete:a",
    "--yes",
  ]);
  assert.equal(run.code, 0, run.stderr);
  assert.equal(run.invocations[0]?.args.destructive_budget, 7);
  assert.deepEqual(run.invocations[0]?.args.destructive_scope, [
    { op_id: "calendar.events.delete" },
    { op_id: "drive.files.delete", resource_key: "a" },
    { op_id: "drive.files.delete", resource_key: "b:c" },
  ]);
  assert.equal(run.invocations[0]?.allowDestructive, true);
  assert.equal(run.invocations[0]?.allowWrite, false);
});

Deno.test("TestCodeCmdDestructiveArgsSatisfyAdapterGate: what the flags stamp passes the executor's own check", async () => {
  const run = await code([
    "1",
    "--allow-write",
    "--allow-destructive",
    "--destructive-budget",
    "20",
    "--destructive-scope",
    "drive.files.delete:a",
    "--yes",
  ]);
  const request = codeRequest(run.invocations[0]?.args ?? {});
  assert.equal(request.destructiveBudget, 20);
  assert.deepEqual(request.destructiveScope, [{ op_id: "drive.files.delete", resource_key: "a" }]);
});

Deno.test("TestCodeDestructiveScopeCap: twenty entries are accepted, twenty-one are not", async () => {
  const words = (count: number) => [
    "1",
    "--allow-destructive",
    "--destructive-budget",
    "1",
    "--yes",
    ...Array.from({ length: count }, (_, n) => `--destructive-scope=drive.files.delete:${n}`),
  ];
  assert.equal((await code(words(20))).code, 0);
  const over = await code(words(21));
  assert.equal(over.code, 2);
  assert.match(over.stderr, /20/);
});

Deno.test("TestCodeInvocationArgsAreDeclared: every stamped argument is a parameter of the catalog's operation", async () => {
  const { ops } = JSON.parse(new TextDecoder().decode(embeddedCatalogBytes()));
  const declared = ops.find((op: { op_id: string }) => op.op_id === "gum.code").request_fields
    .map((field: { name: string }) => field.name).sort();
  const run = await code(["1", "--allow-destructive", "--destructive-budget", "1", "--yes"]);
  assert.deepEqual(Object.keys(run.invocations[0]?.args ?? {}).sort(), declared);
});

Deno.test("scripts come from a file or standard input; what cannot be read is never dispatched", async () => {
  const files = { "s.risor": "gum_print(1)" };
  assert.equal((await code(["@s.risor"], { files })).invocations[0]?.args.source, "gum_print(1)");
  const piped = await code(["@-"], { stdin: "2 + 2\n" });
  assert.equal(piped.invocations[0]?.args.source, "2 + 2\n");
  const missing = await code(["@gone.risor"], { files });
  assert.equal(missing.code, 2);
  assert.match(missing.stderr, /read script file/);
  const long = await code(["@-"], { stdin: "x".repeat(256 * 1024 + 1) });
  assert.equal(long.code, 2);
  assert.match(long.stderr, /read script file/);
  const none = await code([]);
  assert.equal(none.code, 2);
  for (const run of [missing, long, none]) assert.equal(run.invocations.length, 0);
});

Deno.test("output is the script's text and one line end; a cut is announced on stderr", async () => {
  const run = (text: string, lossy: boolean, words: string[] = []) =>
    code(["1", ...words], { dispatch: () => Promise.resolve(answered(text, lossy)) });
  assert.deepEqual([(await run("a", false)).stdout, (await run("a\n", false)).stdout], [
    "a\n",
    "a\n",
  ]);
  assert.equal((await run("", false)).stdout, "");
  const cut = await run("a", true);
  assert.deepEqual([cut.code, cut.stdout], [0, "a\n"]);
  assert.match(cut.stderr, /output was cut/);
  const envelope = JSON.parse((await run("a", true, ["--envelope"])).stdout);
  assert.deepEqual(
    [envelope.format, envelope.data, envelope._code_output_truncated, envelope._expression.lossy],
    ["json", "a", true, true],
  );
  const javascript = await code(["1", "--language", "javascript"]);
  assert.equal(javascript.invocations[0]?.args.language, "javascript");
});

Deno.test("a terminal shows how far a slow script has come; a pipe shows nothing", async () => {
  const slow = (onTerminal: boolean) => async (invocation: Invocation) => {
    const { onScriptProgress } = invocation;
    assert.equal(onScriptProgress !== undefined, onTerminal);
    onScriptProgress?.({ phase: "starting", done: 0, asked: 0 });
    onScriptProgress?.({ phase: "running", done: 3, asked: 10 });
    // Longer than the patience before anything is drawn.
    if (onTerminal) await new Promise((resolve) => setTimeout(resolve, 900));
    return answered("out");
  };
  const shown = await code(["1"], { dispatch: slow(true), terminals: ["stderr"] });
  assert.deepEqual([shown.code, shown.stdout], [0, "out\n"]);
  assert.match(shown.stderr, /the script is running, 3 of 10 calls…/);
  assert.ok(shown.stderr.endsWith("\r\x1b[K"), "the line is gone before the output");
  const piped = await code(["1"], { dispatch: slow(false) });
  assert.deepEqual([piped.code, piped.stderr], [0, ""]);
});

Deno.test("a terminal shows what a failed script had printed, and the place; another tool is not advised", async () => {
  const failing = () =>
    Promise.reject(
      new GumError("CODE_MODE_RUNTIME", {
        message: "index error: index out of range: 5 (3:3)",
        details: {
          line: 3,
          column: 3,
          snippet: "xs[5]\n  ^",
          partial_output: "so far\x1b[2J",
          completed_calls: 1,
        },
        suggestion: "Look at line 3, column 3.",
      }),
    );
  const shown = await code(["1"], { dispatch: failing, terminals: ["stderr"] });
  assert.equal(shown.stdout, "");
  assert.match(
    shown.stderr,
    /^Printed before it failed:\nso far<U\+001B>\[2J\n {2}xs\[5\]\n {4}\^\n/,
  );
  const piped = await code(["1"], { dispatch: failing });
  assert.equal(JSON.parse(piped.stderr).partial_output, "so far\x1b[2J");
  const unreadable = () =>
    Promise.reject(new GumError("CODE_MODE_SYNTAX", { message: "syntax error: …" }));
  const files = { "report.js": "const a = 1;" };
  const misread = await code(["@report.js"], { dispatch: unreadable, files });
  assert.match(JSON.parse(misread.stderr).how_to_fix, /--language javascript/);
  const named = await code(["@report.js", "--language", "javascript"], {
    dispatch: unreadable,
    files,
  });
  assert.doesNotMatch(JSON.parse(named.stderr).how_to_fix, /--language/);
  const refused = () =>
    Promise.reject(
      new GumError("RISK_TOOL_MISMATCH", {
        message: "tasks.tasks.insert is a write operation",
        details: { op_id: "tasks.tasks.insert", variant_risk_class: "write" },
        suggestion: "Run the script again with allow_write (--allow-write), and confirm that.",
      }),
    );
  const advice = JSON.parse((await code(["1"], { dispatch: refused })).stderr);
  assert.match(advice.how_to_fix, /again with allow_write/);
  assert.equal("required_risk_flag" in advice, false);
  const terminal = await code(["1"], { dispatch: refused, terminals: ["stderr"] });
  assert.doesNotMatch(terminal.stderr, /--risk|gum write/);
});
