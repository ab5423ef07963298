import assert from "node:assert/strict";
import { type Budget, BUDGETS, figures, renderBudgets, replaceBudgets } from "./bench.ts";

Deno.test("TestBench: every promised budget is a line that can fail", () => {
  const gates = BUDGETS.filter(({ most, goal }) => most !== undefined && goal !== true);
  const isLocal = ({ what }: Budget) => /^`gum [^`]*`$/.test(what);
  for (const { value, most = Infinity } of gates.filter(isLocal)) {
    assert.ok(most <= (value === "gum --help" ? 1.5 : 2.5), value);
  }
  assert.ok(gates.filter(isLocal).length > 25, "commands that look at this machine alone");
  assert.deepEqual(
    gates.filter((gate) => !isLocal(gate)).map(({ value, unit, most }) =>
      `${value} ≤ ${most} ${unit}`
    ),
    [
      "gum --version ≤ 1.5 ×",
      "gum search, curated operations ≤ 2.5 ×",
      "gum search, whole Discovery directory ≤ 3.5 ×",
      "tools/list ≤ 250 ms",
      "kernel overhead ≤ 1 ms",
      "empty script ≤ 30 ms",
      "script batch ≤ 1.15 ×",
      "shaping ≤ 25 ms",
      "curated search ≤ 1 ms",
      "directory search ≤ 5 ms",
      "tool tokens ≤ 8000 tokens",
      "largest executable ≤ 120 MB",
      "idle memory ≤ 120 MB",
      "idle memory, emulator ≤ 120 MB",
    ],
  );
});

Deno.test("TestBench: a figure holds, is over, misses a goal, is shown, or is left out", () => {
  const line = (value: string, more: Partial<Budget>): Budget => ({
    what: value,
    unit: "ms",
    how: "h",
    value,
    ...more,
  });
  const lines = figures(
    [
      line("a", { most: 2 }),
      line("b", { most: 2 }),
      line("c", { most: 2, goal: true }),
      line("d", { unit: "×" }),
      line("e", { most: 1 }),
    ],
    new Map([["a", 2], ["b", 2.01], ["c", 123.4], ["d", 1.234]]),
  );
  assert.deepEqual(lines.map(({ what, measured, verdict }) => [what, measured, verdict]), [
    ["a", "2.00 ms", "holds"],
    ["b", "2.01 ms", "over"],
    ["c", "123 ms", "goal missed"],
    ["d", "×1.23", "–"],
  ]);
  assert.match(renderBudgets(lines), /\| b \| 2\.01 ms \| ≤ 2\.00 ms \| \*\*over\*\* \| h \|/);
});

Deno.test("TestBench: the table goes between its markers, and a page without them is refused", () => {
  const page = "# B\n<!-- budgets: deno task bench -->\nold\n<!-- /budgets -->\nrest\n";
  const once = replaceBudgets(page, "new");
  assert.ok(once.includes("\n\nnew\n\n") && !once.includes("old") && once.endsWith("rest\n"));
  assert.equal(replaceBudgets(once, "new"), once);
  assert.throws(() => replaceBudgets("# B\n", "new"), /markers/);
});
