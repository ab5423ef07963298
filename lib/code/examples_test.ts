/** The examples of spec 09 §12, as they stand there. `⏎` is a line end. */

import assert from "node:assert/strict";
import type { Op } from "../catalog/types.ts";
import { op, variant } from "../dispatch/testdata/fixture.ts";
import { GumError } from "../errors/mod.ts";
import type { JsonValue } from "../json/mod.ts";
import { openRig } from "./testdata/rig.ts";

/** A script, and its output or the end of its error message. */
type Example = readonly [number, string, { out: string } | { fails: string }];

const out = (text: string) => ({ out: text });
const fails = (text: string) => ({ fails: text });

const EXAMPLES: readonly Example[] = [
  [1, "gum_print(1 + 2 * 3)", out("7")],
  [2, "7 / 2", out("3")],
  [2, "7.0 / 2", out("3.5")],
  [2, "-7 % 3", out("-1")],
  [2, "-2 ** 2", out("-4")],
  [3, "9223372036854775807 + 1", out("-9223372036854775808")],
  [4, '"a" + 1', fails("type error: unsupported operation for string: + on type int (1:5)")],
  [5, "let xs = [3, 1, 2]⏎xs.map(x => x * 10).filter(x => x > 10)", out("[30,20]")],
  [6, '["a", "b"].map((i, v) => `${i}:${v}`)', out('["0:a","1:b"]')],
  [7, "[1, 2, 3].reduce(0, (acc, v) => acc + v)", out("6")],
  [8, "let n = 0⏎let inc = () => { n++⏎ n }⏎inc()⏎inc()", out("2")],
  [
    9,
    "function fact(n) { if (n < 2) { return 1 }⏎ n * fact(n - 1) }⏎fact(20)",
    out("2432902008176640000"),
  ],
  [10, 'let label = if (3 > 2) { "big" }⏎else { "small" }⏎label', out("big")],
  [11, 'match "sun" {⏎ "sat" => "weekend"⏎ "sun" => "weekend"⏎ _ => "weekday"⏎}', out("weekend")],
  [12, 'let d = 3⏎match d { 3 if d > 5 => "x", 3 => "three", _ => "other" }', out("three")],
  [
    13,
    'let {name, role = "guest", id: uid} = {name: "Ann", id: 7}⏎`${name}/${role}/${uid}`',
    out("Ann/guest/7"),
  ],
  [14, "let [a, b, c = 9] = [1, 2]⏎[a, b, c]", out("[1,2,9]")],
  [15, "let [a] = [1, 2]", fails("value error: unpack count mismatch: 2 > 1 (1:5)")],
  [16, "[1, ...[2, 3], ...range(2)]", out("[1,2,3,0,1]")],
  [17, "{...{a: 1, b: 2}, b: 3, c: nil}", out('{"a":1,"b":3,"c":null}')],
  [
    18,
    "let m = {}⏎m.x = 1",
    fails('key error: key "x" does not exist (use m["x"] = value to add new keys) (2:5)'),
  ],
  [19, '{}["k"]', fails('key error: key "k" not found (1:3)')],
  [20, 'let o = {user: nil}⏎o.user?.name ?? "anonymous"', out("anonymous")],
  [21, '"  Hi, Bob ".trim_space().to_lower().split(", ")', out('["hi","bob"]')],
  [22, '"héllo"[1:3]', out("él")],
  [23, "[5, 3, 9] |> sorted |> reversed", out("[9,5,3]")],
  [23, "[1, 2, 3, 4, 5] |> chunk(2)", out("[[1,2],[3,4],[5]]")],
  [24, "[1, 2, 3]⏎ .map(x => x * x)⏎ .filter(x => x % 2 == 1)⏎ |> math.sum", out("10")],
  [
    25,
    "try { 1 / 0 } catch (e) { `${e.kind()}: ${e.message()} at ${e.line()}:${e.column()}` }",
    out("value error: division by zero at 1:9"),
  ],
  [
    26,
    'function f() { try { return "a" } finally { gum_print("cleanup;") } }⏎f()',
    out("cleanup;\na"),
  ],
  [27, 'throw "boom"', fails("runtime error: boom (1:1)")],
  [
    28,
    "let total = 0⏎for (x in range(1, 6)) { if (x == 4) { continue }⏎ total += x }⏎total",
    out("11"),
  ],
  [
    29,
    'let out = []⏎for (k, v in {b: 2, a: 1}) { out.append(`${k}=${v}`) }⏎"&".join(out)',
    out("a=1&b=2"),
  ],
  [30, "let i = 0⏎while (true) { i++⏎ if (i == 3) { break } }⏎i", out("3")],
  [
    31,
    'switch (2) {⏎ case 1: "one"⏎ case 2, 3: "two or three"⏎ default: "many"⏎}',
    out("two or three"),
  ],
  [
    32,
    'gum_print("n=")⏎gum_print([1, 2.5, 3.0, "é<b>", nil, {z: true, a: []}])',
    out('n=[1,2.5,3,"é<b>",null,{"a":[],"z":true}]'),
  ],
  [33, 'let r = {range: "A1:B2", values: [["a", 1]]}⏎r.values[0][0]', out("a")],
  [
    34,
    'print("x")',
    fails('compile error: undefined variable "print" (did you mean "gum_print"?) (1:1)'),
  ],
  [35, "let x = 1⏎let x = 2", fails('variable "x" already exists (2:5)')],
  [35, "const k = 1⏎k = 2", fails('cannot assign to constant "k" (2:3)')],
  [36, "1 +⏎ 2", out("3")],
  [36, "1⏎+ 2", fails('syntax error: invalid syntax (unexpected "+") (2:1)')],
  [37, '"abc', fails("unterminated string literal (1:1)")],
  [
    37,
    "if x > 1 { 2 }",
    fails('unexpected "x" while parsing if expression (expected "(") (1:4)'),
  ],
  [38, "function f() { f() }⏎f()", fails("runtime error: stack overflow (1:17)")],
];

Deno.test("code mode examples: the language alone (1-39)", async (t) => {
  await using rig = openRig();
  for (const [number, script, expected] of EXAMPLES) {
    await t.step(`${number}: ${script}`, async () => {
      const source = script.replaceAll("⏎", "\n");
      if ("out" in expected) return assert.equal(await rig.output(source), expected.out);
      const error = await rig.failure(source);
      assert.ok(error.message.endsWith(expected.fails), error.message);
      const syntax = /compile error|syntax error/.test(error.message);
      assert.equal(error.code, syntax ? "CODE_MODE_SYNTAX" : "CODE_MODE_RUNTIME");
      assert.equal(typeof error.details.line, "number");
      assert.match(String(error.details.snippet), /\n *\^$/);
    });
  }
  await t.step("39: while (true) { }", async () => {
    const error = await rig.failure("while (true) { }");
    assert.equal(error.code, "CODE_MODE_LIMIT");
    assert.deepEqual([error.details.limit, error.details.limit_value], ["steps", 10_000_000]);
  });
});

const GMAIL = "https://gmail.googleapis.com/gmail/v1/users/{userId}/messages";
const OPS: readonly Op[] = [
  op("gmail.users.messages.get", [variant("g", ["read", "GET", `${GMAIL}/{id}`])], {
    service_family: "gmail",
  }),
  op("gmail.users.messages.list", [variant("l", ["read", "GET", GMAIL])], {
    service_family: "gmail",
  }),
  op("gmail.users.messages.send", [variant("s", ["write", "POST", `${GMAIL}/send`])], {
    service_family: "gmail",
  }),
  op("gmail.users.messages.trash", [
    variant("t", ["destructive", "POST", `${GMAIL}/{id}/trash`]),
  ], { service_family: "gmail" }),
];
const SIZES: Record<string, number> = { m1: 1200, m2: 80 };

function mailbox() {
  return openRig({
    ops: OPS,
    answer({ opId, args, allowWrite, allowDestructive }): JsonValue {
      const refuse = (risk: string) =>
        new GumError("RISK_TOOL_MISMATCH", { details: { op_id: opId, required_tool: risk } });
      switch (opId) {
        case "gmail.users.messages.list":
          return { messages: [{ id: "m1", threadId: "t" }, { id: "m2", threadId: "t" }] };
        case "gmail.users.messages.get":
          return { id: args.id ?? null, sizeEstimate: SIZES[String(args.id)] ?? 0 };
        case "gmail.users.messages.send":
          if (!allowWrite) throw refuse("gum.write");
          return { id: "sent" };
        case "gmail.users.messages.trash":
          if (!allowDestructive) throw refuse("gum.destructive");
          return { id: args.id ?? null };
        default:
          throw new GumError("OP_NOT_FOUND", { details: { op_id: opId } });
      }
    },
  });
}

Deno.test("code mode examples: calls through a dispatcher (40-48)", async (t) => {
  const scripts: readonly (readonly [number, string, string])[] = [
    [
      40,
      'gum_call("gmail.users.messages.list", {userId: "me"}).messages.map(m => m.id)',
      '["m1","m2"]',
    ],
    [
      41,
      'let ids = gum_call("gmail.users.messages.list", {userId: "me"})["messages"].map(m => m.id)⏎' +
      'let big = ids.map(id => gum_call("gmail.users.messages.get", {userId: "me", id})).filter(m => m.sizeEstimate > 1000)⏎' +
      "gum_print({count: len(big), ids: big.map(m => m.id)})",
      '{"count":1,"ids":["m1"]}',
    ],
    [
      42,
      'try { gum_call("nope.op", {}) } catch (e) { {code: e.code(), op: e.details().op_id} }',
      '{"code":"OP_NOT_FOUND","op":"nope.op"}',
    ],
    [
      44,
      'let r = gum_parallel([{op_id: "gmail.users.messages.get", args: {id: "m1"}}, {op: "nope.op"}])⏎' +
      'for (item in r.results) {⏎ let err = item.get("error")⏎ if (err == nil) { gum_print(`${item._idx}:${item.data.id};`) } else { gum_print(`${item._idx}:${err.error_code};`) }⏎}',
      "0:m1;1:OP_NOT_FOUND;",
    ],
  ];
  for (const [number, script, expected] of scripts) {
    await t.step(`${number}`, async () => {
      await using rig = mailbox();
      assert.equal(await rig.output(script.replaceAll("⏎", "\n")), expected);
    });
  }
  await t.step("43", async () => {
    await using rig = mailbox();
    const error = await rig.failure('gum_call("gmail.users.messages.send", {userId: "me"})');
    assert.equal(error.code, "RISK_TOOL_MISMATCH");
    assert.deepEqual([error.details.line, error.details.column], [1, 9]);
  });
  const trash = (id: string) =>
    `gum_call("gmail.users.messages.trash", {userId: "me", id: "${id}"})`;
  const assertion = (id: string) =>
    `gum_confirm_destructive("gmail.users.messages.trash", "${id}")`;
  const sent = (calls: { opId: string }[]) => calls.filter((call) => call.opId.endsWith("trash"));
  await t.step("45", async () => {
    await using rig = mailbox();
    const source = [assertion("m1"), trash("m1"), trash("m2")].join("\n");
    const error = await rig.failure(source, { allow_destructive: true, destructive_budget: 2 });
    assert.equal(error.code, "REQUIRES_CONFIRMATION");
    assert.equal(sent(rig.calls).length, 1);
    assert.equal(error.details.completed_calls, 1);
  });
  await t.step("46", async () => {
    await using rig = mailbox();
    const source = [assertion("m1"), trash("m1"), assertion("m2"), trash("m2")].join("\n");
    const error = await rig.failure(source, { allow_destructive: true, destructive_budget: 1 });
    assert.equal(error.code, "DESTRUCTIVE_BUDGET_EXCEEDED");
    assert.equal(sent(rig.calls).length, 1);
  });
  await t.step("47", async () => {
    await using rig = mailbox();
    const error = await rig.failure([assertion("m9"), trash("m9")].join("\n"), {
      allow_destructive: true,
      destructive_budget: 2,
      destructive_scope: [{ op_id: "gmail.users.messages.trash", resource_key: "m1" }],
    });
    assert.equal(error.code, "DESTRUCTIVE_SCOPE_MISMATCH");
    assert.equal(sent(rig.calls).length, 0);
  });
  await t.step("48", async () => {
    await using rig = mailbox();
    const error = await rig.failure("// pragma: no_confirm\ngum_print(1)").catch((thrown) =>
      thrown
    );
    assert.ok(error instanceof GumError);
    assert.equal(error.code, "INVALID_ARGS");
    assert.equal(error.details.pragma, "rejected");
    assert.equal(rig.calls.length, 0);
  });
});
