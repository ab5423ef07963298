/** The output budget, prints and values (spec 09 §4, §5, §8). */

import assert from "node:assert/strict";
import fc from "fast-check";
import { op, variant } from "../dispatch/testdata/fixture.ts";
import { rawNumber } from "../json/mod.ts";
import { openOutput } from "./output.ts";
import { byteLength, cutToBytes } from "./request/mod.ts";
import { openRig } from "./testdata/rig.ts";

const OPS = [op("x.get", [variant("x.v", ["read", "GET", "https://www.googleapis.com/x"])])];

Deno.test("TestCodeOutputBudget: prints and the final value share one budget; the script goes on", async (t) => {
  await using rig = openRig({ ops: OPS, limits: { outputBytes: 1024 } });
  await t.step("prints", async () => {
    const result = await rig.run(
      'gum_print("a".repeat(1000))\ngum_print("b".repeat(100))\ngum_call("x.get")\ngum_print("c")',
    );
    assert.equal(result.output, "a".repeat(1000) + "b".repeat(24));
    assert.equal(result.truncated, true);
    assert.equal(rig.calls.length, 1, "the script went on after the cut");
  });
  await t.step("the final value", async () => {
    const result = await rig.run('gum_print("a".repeat(1020))\n"value"');
    assert.equal(result.output, "a".repeat(1020) + "\nval");
    assert.equal(result.truncated, true);
  });
  await t.step("exactly full is not cut", async () => {
    const result = await rig.run('gum_print("a".repeat(1018))\n"value"');
    assert.equal(byteLength(result.output), 1024);
    assert.equal(result.truncated, false);
  });
  await t.step("a line end is not doubled, nil and functions add nothing", async () => {
    assert.equal(await rig.output('gum_print("a\\n")\n1'), "a\n1");
    assert.equal(await rig.output('gum_print("a")\nnil'), "a");
    assert.equal(await rig.output('gum_print("a")\nlen'), "a");
    assert.equal(await rig.output('gum_print("a")\n() => 1'), "a");
    assert.equal(await rig.output('""'), "");
  });
});

Deno.test("TestBudgetReportsTheLiveRemainder: what is left shrinks with every write and ends at the cut", () => {
  const output = openOutput(10);
  assert.equal(output.remaining(), 10);
  output.write("é");
  assert.equal(output.remaining(), 8);
  output.write("12345678");
  assert.deepEqual([output.remaining(), output.truncated], [0, false]);
  output.write("x");
  assert.deepEqual([output.remaining(), output.truncated, output.text()], [0, true, "é12345678"]);
  const cut = openOutput(10);
  cut.write("12345678é€");
  assert.deepEqual([cut.text(), cut.remaining()], ["12345678é", 0]);
  cut.write("");
  cut.write("z");
  assert.equal(cut.text(), "12345678é", "nothing follows a cut, even where it would fit");
});

Deno.test("TestGumPrintUtf8Boundary: a cut never leaves half a character", async () => {
  for (const character of ["é", "€", "😀"]) {
    const size = byteLength(character);
    for (let offset = 0; offset < size; offset++) {
      await using rig = openRig({ limits: { outputBytes: 1024 } });
      const lead = "a".repeat(1024 - size * 2 + offset);
      const { output, truncated } = await rig.run(`gum_print("${lead}${character.repeat(3)}")`);
      const whole = offset === 0 ? 2 : 1;
      assert.equal(output, lead + character.repeat(whole), `${character} at ${offset}`);
      assert.equal(truncated, true);
    }
  }
  fc.assert(
    fc.property(fc.string({ unit: "grapheme" }), fc.nat(40), (text, room) => {
      const cut = cutToBytes(text, room);
      assert.ok(text.startsWith(cut) && cut.isWellFormed() && byteLength(cut) <= room);
      const next = Array.from(text.slice(cut.length))[0];
      if (next !== undefined) assert.ok(byteLength(cut + next) > room);
    }),
  );
});

Deno.test("TestGumPrintEncodesStructuredValuesAsJSON: strings verbatim, all else compact JSON", async () => {
  await using rig = openRig();
  const prints: [string, string][] = [
    ['"a \\"quoted\\" <b> & é"', 'a "quoted" <b> & é'],
    ["nil", "null"],
    ["true", "true"],
    ["12", "12"],
    ["2.5", "2.5"],
    ["3.0", "3"],
    ["1e300", "1e+300"],
    ["-0.0", "0"],
    ["9223372036854775807", "9223372036854775807"],
    ['["<&>", "\\u2028"]', '["<&>","\u2028"]'],
    [
      '{b: 1, a: {d: [], c: nil}, "é": 2, "😀": 3, "\\uffee": 4}',
      '{"a":{"c":null,"d":[]},"b":1,"é":2,"\uffee":4,"😀":3}',
    ],
    ["range(1, 6, 2)", "[1,3,5]"],
    ['"\\ud800"', "\ufffd"],
  ];
  for (const [value, expected] of prints) {
    assert.equal(await rig.output(`gum_print(${value})`), expected, value);
  }
  for (
    const [value, message] of [
      ["1.0 / 0.0", /cannot encode Infinity/],
      ["len", /cannot encode builtin/],
      ["[x => x]", /cannot encode function/],
      ['error("e")', /cannot encode error/],
    ] as const
  ) {
    const error = await rig.failure(`gum_print(${value})`);
    assert.equal(error.code, "CODE_MODE_RUNTIME");
    assert.match(error.message, message);
  }
  assert.match(
    (await rig.failure("let a = []\na.append(a)\ngum_print(a)")).message,
    /contains itself/,
  );
  assert.match((await rig.failure("gum_print()")).message, /takes 1 argument \(0 given\)/);
  assert.match((await rig.failure("gum_print(1, 2)")).message, /takes 1 argument \(2 given\)/);
});

Deno.test("numbers keep every digit both ways", async () => {
  const seen: unknown[] = [];
  await using rig = openRig({
    ops: OPS,
    answer({ args }) {
      seen.push(args);
      return [9007199254740993, 1.5, 1e21, -3].map((n) => n).concat() as never;
    },
  });
  const big = rawNumber("9007199254740993");
  await using exact = openRig({
    ops: OPS,
    answer({ args }) {
      seen.push(args.n);
      return { big, small: 5, half: 0.5, huge: rawNumber("18446744073709551616") };
    },
  });
  const source = `let r = gum_call("x.get", {n: 9007199254740993})
[r.big + 1, type(r.big), type(r.small), type(r.half), type(r.huge)]`;
  assert.equal(
    await exact.output(source),
    '[9007199254740994,"int","int","float","float"]',
  );
  assert.equal(JSON.stringify(seen[0]), "9007199254740993");
  const javascript = `const r = await gum_call("x.get", {n: 9007199254740993n});
[r.big + 1n, typeof r.big, typeof r.small]`;
  assert.equal(
    await exact.output(javascript, { language: "javascript" }),
    '[9007199254740994,"bigint","number"]',
  );
  assert.equal(JSON.stringify(seen[1]), "9007199254740993");
  assert.equal(await rig.output('type(gum_call("x.get")[2])'), "float");
});

Deno.test("halves of surrogate pairs become U+FFFD on their way in, in keys and values", async () => {
  await using rig = openRig({ ops: OPS, answer: () => ({ "k\ud83d": ["\ude00x", "😀"] }) });
  for (
    const [language, source] of [
      ["risor", 'let r = gum_call("x.get")\n[keys(r), r.values()[0].map(s => len(s)), r]'],
      [
        "javascript",
        `const r = await gum_call("x.get");
       [Object.keys(r), Object.values(r)[0].map((s) => [...s].length), r]`,
      ],
    ] as const
  ) {
    assert.equal(
      await rig.output(source, { language }),
      '[["k\ufffd"],[2,1],{"k\ufffd":["\ufffdx","😀"]}]',
      language,
    );
  }
});

Deno.test("a print longer than an answer may be is cut like any other, and the script goes on", async () => {
  await using rig = openRig({ limits: { maxSteps: 1_000_000_000 } });
  const mebibyte = '"é".repeat(524288)';
  const risor = `let s = ${mebibyte}\nlet text = ""\nfor (i in range(17)) { text += s }\n` +
    'gum_print(text)\nlet r = "went on"';
  for (
    const [language, source] of [
      ["risor", risor],
      ["javascript", `gum_print("é".repeat(9 * 1024 * 1024)); const r = "went on"`],
    ] as const
  ) {
    const { output, truncated } = await rig.run(source, { language });
    assert.deepEqual([output.length, truncated], [65_536 / 2, true], language);
  }
});

Deno.test("prints arrive in order and whole, between calls and before an end of any kind", async (t) => {
  await using rig = openRig({ ops: OPS, limits: { timeoutMs: 500 }, answer: () => 1 });
  const numbers = (most: number) => Array.from({ length: most }, (_, n) => `${n},`).join("");
  const many = "for (let i = 0; i < 500; i++) gum_print(i + ',');";
  await t.step("five hundred in a row", async () => {
    assert.equal(await rig.output(many, { language: "javascript" }), numbers(500));
    const risor = "for (i in range(500)) { gum_print(`${i},`) }";
    assert.equal(await rig.output(risor), numbers(500));
  });
  await t.step("around calls", async () => {
    const source = 'for (i in range(3)) { gum_print(`${i},`)\ngum_call("x.get") }\n"end"';
    assert.equal(await rig.output(source), "0,1,2,\nend");
  });
  await t.step("before an error, a deadline and a limit", async () => {
    for (const end of ["throw new Error('x')", "await new Promise(() => {})", "for (;;);"]) {
      const error = await rig.failure(`${many} ${end}`, { language: "javascript" });
      assert.equal(error.details.partial_output, numbers(500), end);
    }
    const waiting = await rig.failure(`${many} /(a+)+$/.test("a".repeat(99) + "b")`, {
      language: "javascript",
    });
    assert.equal(waiting.details.partial_output, numbers(500));
  });
});

Deno.test("an empty body is nil, text is a string, and errors carry the whole envelope", async () => {
  await using rig = openRig({
    ops: OPS,
    kernel: {
      dispatch: (invocation) => {
        const text = String(invocation.args.body ?? "");
        const bytes = new TextEncoder().encode(text);
        return Promise.resolve({
          body: bytes,
          format: "raw",
          upstreamBytes: bytes,
          opId: "x.get",
          variantId: "x.v",
          notice: { cli: "", mcp: "" },
          validationWarnings: [],
          droppedPaths: [],
          dedupedRows: 0,
          limitedRows: 0,
          annotationPaths: [],
        });
      },
    },
  });
  assert.equal(await rig.output('type(gum_call("x.get"))'), "null");
  assert.equal(await rig.output('gum_call("x.get", {body: "plain text"})'), "plain text");
});

Deno.test("arguments of host functions are checked and named", async () => {
  await using rig = openRig({ ops: OPS });
  const cases: [string, string][] = [
    ['gum_call("")', "op_id"],
    ["gum_call(1)", "op_id"],
    ['gum_call("x.get", [])', "args"],
    ['gum_call("x.get", {}, "")', "variant_id"],
    ['gum_confirm_destructive("")', "op_id"],
    ['gum_search("")', "query"],
    ['gum_search("x", 51)', "top_k"],
    ["gum_parallel({})", "elements"],
  ];
  for (const [source, field] of cases) {
    const error = await rig.failure(source);
    assert.deepEqual([error.code, error.details.field], ["INVALID_ARGS", field], source);
    assert.equal(error.details.line, 1);
    const caught = `try { ${source} } catch (e) { [e.kind(), e.code(), e.details().field] }`;
    assert.equal(await rig.output(caught), `["gum error","INVALID_ARGS","${field}"]`);
  }
  assert.match((await rig.failure("gum_call()")).message, /^args error: function "gum_call"/);
  assert.equal((await rig.failure('gum_pages("x.get")')).details.capability, "gum_pages");
  await using bare = openRig({ kernel: undefined, catalog: undefined });
  assert.equal((await bare.failure('gum_call("x.get")')).details.capability, "gum_call");
});
