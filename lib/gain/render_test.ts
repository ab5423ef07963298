/** The text form where columns are scarce; its other forms are tested with the summaries. */

import assert from "node:assert/strict";
import fc from "fast-check";
import { gainText, type GainView } from "./mod.ts";

const TOTALS = {
  mode: "summary",
  window: "last-30-sessions",
  baseline_tokens: 4_299,
  actual_tokens: 2_447,
  savings_tokens: 1_852,
  savings_pct: 43.08,
  end_to_end_savings: null,
  batch_envelope_overhead: 0,
  tokenizer: "cl100k_base",
} as const;

const by_tool = [
  { tool: "gmail.users.labels.list", calls: 1, baseline_tokens: 598, actual_tokens: 220 },
  { tool: "gmail.users.messages.list", calls: 12, baseline_tokens: 3_701, actual_tokens: 2_227 },
];

const linesOf = (view: GainView, columns?: number) =>
  [...gainText(view, columns === undefined ? {} : { columns })].join("").trimEnd().split("\n");

Deno.test("gain text fits the terminal: the bar gives way first, then names, never a figure", () => {
  const view: GainView = { ...TOTALS, by_tool };
  const table = (columns?: number) => linesOf(view, columns).slice(-3);
  assert.match(table(100)[0] ?? "", /█ sent ░ saved$/);
  assert.match(table(100)[2] ?? "", / █{14}░{10}$/);
  assert.deepEqual(
    table(76),
    [
      "operation                  calls  baseline  actual  saved  saved %",
      "gmail.users.labels.list        1       598     220    378  63.21 %  █",
      "gmail.users.messages.list     12     3,701   2,227  1,474  39.83 %  █████░░░",
    ].map((line, index) => index === 0 ? line : line),
  );
  assert.deepEqual(table(60), [
    "operation            calls  baseline  actual  saved  saved %",
    "….users.labels.list      1       598     220    378  63.21 %",
    "…sers.messages.list     12     3,701   2,227  1,474  39.83 %",
  ]);
});

Deno.test("gain text without a terminal keeps its long headings and whole names", () => {
  const [heading = ""] = linesOf({ ...TOTALS, by_tool }).slice(-3);
  assert.match(
    heading,
    /^op_id +calls +baseline_tokens +actual_tokens +savings_tokens +savings_pct/,
  );
});

Deno.test("no line of gain text is wider than a terminal of 70 columns and more", () => {
  const name = fc.stringMatching(/^[a-z]{1,12}(\.[a-z]{1,14}){1,5}$/);
  const count = fc.nat(9_999_999);
  const tool = fc.record({
    tool: name,
    calls: count,
    baseline_tokens: count,
    actual_tokens: count,
  });
  fc.assert(
    fc.property(
      fc.array(tool, { minLength: 1 }),
      fc.integer({ min: 70, max: 220 }),
      (rows, wide) => {
        for (const line of linesOf({ ...TOTALS, by_tool: rows }, wide)) {
          assert.ok(line.length <= wide, `${line.length} > ${wide}: ${line}`);
        }
      },
    ),
  );
});
