import assert from "node:assert/strict";
import plugin from "./gum.ts";

/** Ids of the rules that object to a source text. */
function objections(source: string, file = "lib/cache/row.ts"): string[] {
  return Deno.lint.runPlugin(plugin, file, source).map(({ id }) => id);
}

Deno.test("TestLintRules: console is refused where the logger is injected, and nowhere else", () => {
  assert.deepEqual(objections("console.log(1);", "/r/lib/cache/row.ts"), ["gum/no-console"]);
  assert.deepEqual(objections("console.log(1);", "/r/lib/cache/row_test.ts"), []);
  assert.deepEqual(objections("console.log(1);", "/r/tasks/bench.ts"), []);
});

Deno.test("TestLintRules: production code imports no fixture", () => {
  const line = 'import { x } from "./testdata/fixture.ts"; x;';
  assert.deepEqual(objections(line), ["gum/no-testdata-import"]);
  assert.deepEqual(objections(line, "lib/cache/row_test.ts"), []);
});

Deno.test("TestLintRules: every export has a JSDoc line, an overload once", () => {
  for (
    const bare of ["function f() {}", "const a = 1;", "interface I {}", "type T = 1;", "class C {}"]
  ) {
    assert.deepEqual(objections(`export ${bare}`), ["gum/exported-jsdoc"], bare);
    assert.deepEqual(objections(`// not JSDoc\nexport ${bare}`), ["gum/exported-jsdoc"], bare);
    assert.deepEqual(objections(`/** Why. */\nexport ${bare}`), [], bare);
  }
  assert.deepEqual(
    objections(
      "/** F. */\nexport function f(a: 1): 1;\nexport function f(a: 2): 2;\nexport function f(a: 1 | 2) { return a; }",
    ),
    [],
  );
  assert.deepEqual(objections('export { a } from "./a.ts"; export * from "./b.ts";'), []);
});

Deno.test("TestLintRules: notes of work to do, vague names and long parameter lists are refused", () => {
  assert.deepEqual(objections(`// ${"TO"}DO: later\nlet a;`), ["gum/no-left-over-note"]);
  assert.deepEqual(objections("let a;", "lib/cache/cache_utils.ts"), ["gum/no-vague-file-name"]);
  assert.deepEqual(objections("let a;", "lib/cache/cacheRow.ts"), ["gum/no-vague-file-name"]);
  assert.deepEqual(objections("let a;", "lib/emulator/data_manager_v2/mod.ts"), []);
  assert.deepEqual(objections("function f(a, b, c, d) {}"), ["gum/few-positional-parameters"]);
  assert.deepEqual(objections("class C { m(a, b, c, d) {} }"), [
    "gum/few-positional-parameters",
  ]);
  assert.deepEqual(objections("function f(this: X, a, b, c, ...rest) {}"), []);
});
