/** Laws of the language: generated programs against an independent evaluator (spec 09 §16). */

import assert from "node:assert/strict";
import fc from "fast-check";
import { compileRisor, ScriptSyntaxError } from "./risor/mod.ts";
import { KEYWORDS, OPERATORS } from "./risor/tokens.ts";
import {
  evaluate,
  type Expr,
  inspect,
  ModelError,
  type ModelValue,
  type Program,
  programText,
  type Stmt,
} from "./testdata/model.ts";
import { openRig } from "./testdata/rig.ts";

function compiled(source: string): string | undefined {
  try {
    return compileRisor(source);
  } catch (error) {
    if (error instanceof ScriptSyntaxError) {
      assert.ok(error.problems.length >= 1 && error.problems.length <= 10);
      for (const { line, column } of error.problems) assert.ok(line >= 1 && column >= 1);
      return undefined;
    }
    throw error;
  }
}

const words = [
  ...KEYWORDS,
  ...OPERATORS,
  "x",
  "y",
  "_",
  "len",
  "gum_print",
  "1",
  "2.5",
  '"s"',
  "`t${1}`",
  "\n",
  "é",
  "constructor",
];

Deno.test("whatever the text, the compiler gives a program that parses or a syntax error", () => {
  const soup = fc.array(fc.constantFrom(...words), { maxLength: 40 }).map((all) => all.join(" "));
  const anything = fc.oneof(fc.string({ unit: "binary" }), soup, soup);
  fc.assert(
    fc.property(anything, (source) => {
      const program = compiled(source);
      // Parsed, never run: the text must be one JavaScript expression.
      if (program !== undefined) new Function(`return ${program}`);
    }),
    { numRuns: 3_000 },
  );
});

// --- generated programs -------------------------------------------------------------------------

const VARS = ["a", "b", "c"];

const edge = fc.constantFrom(
  0n,
  1n,
  2n,
  63n,
  64n,
  9223372036854775807n,
  4294967296n,
  10n,
);
const literal: fc.Arbitrary<ModelValue> = fc.oneof(
  fc.constant<ModelValue>({ t: "nil" }),
  fc.boolean().map((v): ModelValue => ({ t: "bool", v })),
  edge.map((v): ModelValue => ({ t: "int", v })),
  fc.constantFrom(0.5, 1.5, 2, 0.25, 1024).map((v): ModelValue => ({ t: "float", v })),
  fc.constantFrom("", "a", "b", "aé", "😀", "\uffee", 'q"\\').map((v): ModelValue => ({
    t: "string",
    v,
  })),
);

const arithmetic = ["+", "-", "*", "/", "%", "&", "|", "^", "<<", ">>"];
const comparison = ["==", "!=", "<", "<=", ">", ">="];

const { expression } = fc.letrec<{ expression: Expr }>((tie) => {
  const x = tie("expression");
  const branch = { maxDepth: 4, depthIdentifier: "program" };
  return {
    expression: fc.oneof(
      branch,
      literal.map((value): Expr => ({ e: "lit", value })),
      fc.constantFrom(...VARS).map((name): Expr => ({ e: "var", name })),
      fc.tuple(fc.constantFrom(...arithmetic), x, x).map(([op, l, r]): Expr => ({
        e: "bin",
        op,
        l,
        r,
      })),
      fc.tuple(fc.constantFrom(...comparison), x, x).map(([op, l, r]): Expr => ({
        e: "bin",
        op,
        l,
        r,
      })),
      fc.tuple(fc.constantFrom<"not" | "neg">("not", "neg"), x).map(([e, inner]): Expr => ({
        e,
        x: inner,
      })),
      fc.tuple(fc.constantFrom<"and" | "or" | "coalesce">("and", "or", "coalesce"), x, x)
        .map(([e, l, r]): Expr => ({ e, l, r })),
      fc.tuple(x, x, x).map(([c, a, b]): Expr => ({ e: "if", c, a, b })),
      fc.array(x, { maxLength: 3 }).map((items): Expr => ({ e: "list", items })),
      fc.array(fc.tuple(fc.constantFrom("k", "é", "a"), x), { maxLength: 3 })
        .map((items): Expr => ({ e: "map", items })),
      fc.tuple(x, x).map(([inner, i]): Expr => ({ e: "index", x: inner, i })),
      fc.tuple(x, x).map(([l, r]): Expr => ({ e: "in", l, r })),
      fc.array(fc.oneof(fc.constantFrom("", "<", "é"), x), { maxLength: 3 })
        .map((parts): Expr => ({ e: "template", parts })),
      fc.tuple(fc.constantFrom(...VARS), x, x).map(([parameter, body, arg]): Expr => ({
        e: "apply",
        parameter,
        body,
        arg,
      })),
      fc.tuple(x, fc.array(fc.tuple(x, x), { maxLength: 2 }), x)
        .map(([subject, arms, otherwise]): Expr => ({ e: "match", x: subject, arms, otherwise })),
      fc.tuple(x, x).map(([body, caught]): Expr => ({ e: "try", body, caught })),
    ),
  };
});

const jump = fc.constantFrom<Stmt>({ s: "break" }, { s: "continue" });
const assignment = fc.record({
  s: fc.constant("set" as const),
  name: fc.constantFrom(...VARS),
  op: fc.constantFrom("=", "+=", "-=", "*=") as fc.Arbitrary<"=" | "+=" | "-=" | "*=">,
  x: expression,
});
const simple: fc.Arbitrary<Stmt> = fc.oneof(
  { weight: 5, arbitrary: assignment },
  { weight: 1, arbitrary: expression.map((x): Stmt => ({ s: "throw", x })) },
);

function statement(depth: number, inLoop: boolean): fc.Arbitrary<Stmt> {
  const own = inLoop ? fc.oneof({ weight: 4, arbitrary: simple }, jump) : simple;
  if (depth === 0) return own;
  const block = (loop: boolean) => fc.array(statement(depth - 1, loop), { maxLength: 3 });
  return fc.oneof(
    { weight: 3, arbitrary: own },
    fc.record({
      s: fc.constant("for" as const),
      name: fc.constantFrom("i", "a"),
      x: expression,
      body: block(true),
    }),
    fc.record({
      s: fc.constant("if" as const),
      c: expression,
      a: block(inLoop),
      b: block(inLoop),
    }),
  );
}

const program: fc.Arbitrary<Program> = fc.record({
  starts: fc.tuple(literal, literal, literal),
  body: fc.array(statement(2, false), { maxLength: 5 }),
  result: expression,
}).map(({ starts, body, result }) => ({
  body: [
    ...VARS.map((name, index): Stmt => ({
      s: "let",
      name,
      x: { e: "lit", value: starts[index] ?? { t: "nil" } },
    })),
    ...body,
  ],
  result,
}));

/** What the model says: the text of the value, or kind and message of the error. */
function predicted(made: Program): string {
  try {
    return inspect(evaluate(made));
  } catch (error) {
    if (error instanceof ModelError) return `${error.kind}: ${error.message}`;
    throw error;
  }
}

Deno.test("generated programs do what an independent evaluator says", async () => {
  const programs = fc.sample(program, { numRuns: 1_500, seed: 20_260_901 });
  await using rig = openRig({
    limits: { outputBytes: 1 << 24, maxSteps: 1_000_000_000, memoryBytes: 256 << 20 },
  });
  const perScript = 100;
  let values = 0;
  for (let first = 0; first < programs.length; first += perScript) {
    const some = programs.slice(first, first + perScript);
    const source = some.map((made) =>
      `gum_print([(() => {
try {
let result = (() => {
${programText(made)}
})()
let shown = \`\${[result]}\`
shown[1:len(shown) - 1]
} catch (e) { \`\${e.kind()}: \${e.message()}\` }
})()])
gum_print("\\n")`
    ).join("\n");
    const { output } = await rig.run(source);
    const lines = output.split("\n");
    some.forEach((made, index) => {
      const [actual] = JSON.parse(lines[index] ?? "[]");
      const expected = predicted(made);
      if (!/^[a-z]+ error: /.test(expected)) values++;
      assert.equal(actual, expected, programText(made));
    });
  }
  assert.ok(values > programs.length / 10, "enough programs ran to their end");
});

Deno.test("int arithmetic wraps like a 64-bit machine", async () => {
  const int = fc.bigInt({ min: -(1n << 63n) + 1n, max: (1n << 63n) - 1n });
  const cases = fc.sample(fc.tuple(int, int, fc.constantFrom("+", "-", "*")), {
    numRuns: 400,
    seed: 7,
  });
  await using rig = openRig({ limits: { outputBytes: 1 << 20 } });
  const source = cases.map(([a, b, op]) => `gum_print(string((${a}) ${op} (${b})) + "\\n")`);
  const lines = (await rig.output(source.join("\n"))).split("\n");
  cases.forEach(([a, b, op], index) => {
    const exact = op === "+" ? a + b : op === "-" ? a - b : a * b;
    assert.equal(lines[index], String(BigInt.asIntN(64, exact)), `${a} ${op} ${b}`);
  });
});

Deno.test("values survive the way through a script: JSON in, JSON out", async () => {
  const json = fc.jsonValue({ maxDepth: 4, noUnicodeString: false } as never);
  const samples = fc.sample(json, { numRuns: 200, seed: 3 });
  for (const language of ["risor", "javascript"]) {
    await using rig = openRig({
      limits: { outputBytes: 1 << 20 },
      answer: ({ args }) => args.value ?? null,
    });
    const call = language === "risor" ? "gum_call" : "await gum_call";
    const decodeText = (text: string) =>
      language === "risor"
        ? `decode(${JSON.stringify(text)}, "json")`
        : `JSON.parse(${JSON.stringify(text)})`;
    const source = samples.map((sample) => {
      const value = decodeText(JSON.stringify(sample));
      return `gum_print([${call}("x.y", {value: ${value}})]); gum_print("\\n")`;
    }).join("\n");
    const lines = (await rig.run(source, { language })).output.split("\n");
    samples.forEach((sample, index) => {
      const expected = JSON.parse(
        JSON.stringify([sample]),
        (_key, inner) => Object.is(inner, -0) ? 0 : inner,
      );
      assert.deepEqual(JSON.parse(lines[index] ?? ""), expected);
    });
  }
});
