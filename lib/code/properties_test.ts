/** Laws of the language: generated programs against an independent evaluator (spec 09 §16). */

import assert from "node:assert/strict";
import fc from "fast-check";
import { compileRisor, ScriptSyntaxError } from "./risor/mod.ts";
import { KEYWORDS, OPERATORS } from "./risor/tokens.ts";
import { evaluate } from "./testdata/model.ts";
import { ModelError, Unpredictable } from "./testdata/model_failures.ts";
import { inspect } from "./testdata/model_operators.ts";
import { type Program, programText } from "./testdata/model_program.ts";
import { program } from "./testdata/program_arbitrary.ts";
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

const SOUP = [
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
  const soup = fc.array(fc.constantFrom(...SOUP), { maxLength: 40 }).map((all) => all.join(" "));
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

/** What the model says: the text of the value, or kind and message of the error. */
function predicted(made: Program): string | undefined {
  try {
    return inspect(evaluate(made));
  } catch (error) {
    if (error instanceof Unpredictable) return undefined;
    if (error instanceof ModelError) return `${error.kind}: ${error.message}`;
    throw error;
  }
}

Deno.test("generated programs do what an independent evaluator says", async () => {
  const runs = { numRuns: 2_000, seed: 20_260_901 };
  const programs = fc.sample(program, runs).flatMap((made) => {
    const expected = predicted(made);
    return expected === undefined ? [] : [{ made, expected }];
  });
  assert.ok(programs.length > 1_800, `${programs.length} programs have a settled outcome`);
  await using rig = openRig({
    limits: { outputBytes: 1 << 24, maxSteps: 1_000_000_000, memoryBytes: 256 << 20 },
  });
  const perScript = 100;
  let values = 0;
  for (let first = 0; first < programs.length; first += perScript) {
    const some = programs.slice(first, first + perScript);
    const source = some.map(({ made }) =>
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
    some.forEach(({ made, expected }, index) => {
      const [actual] = JSON.parse(lines[index] ?? "[]");
      if (!/^[a-z]+ error: /.test(expected)) values++;
      // Of the library's own messages only the kind is predicted.
      const shown = expected.endsWith(": *") ? actual.replace(/: [^]*$/, ": *") : actual;
      assert.equal(shown, expected, programText(made));
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
