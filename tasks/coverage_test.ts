import assert from "node:assert/strict";
import {
  BASELINE_OS,
  FLOOR_PERCENT,
  gatedModule,
  judgeCoverage,
  opportunities,
  OPPORTUNITY_MARGIN,
  parseLcov,
  percentOf,
  raiseRatchets,
  readRatchets,
  violations,
} from "./coverage.ts";

const ROOT = new URL("..", import.meta.url);
const SHIPPED = await Deno.readTextFile(new URL("testdata/coverage-ratchets.json", ROOT));

/** A report with this many of a hundred lines hit for each file. */
function lcov(files: Record<string, number>): string {
  return Object.entries(files).map(([path, hits]) =>
    [
      `SF:/repo/${path}`,
      ...Array.from({ length: 100 }, (_, line) => `DA:${line + 1},${line < hits ? 3 : 0}`),
      "LF:100",
      "end_of_record",
    ].join("\n")
  ).join("\n");
}

const measured = (files: Record<string, number>) => parseLcov(lcov(files), "/repo");

Deno.test("TestFloorIs85: a folder without an entry needs 85 percent", () => {
  assert.equal(FLOOR_PERCENT, 85);
  assert.deepEqual(violations(measured({ "lib/new/a.ts": 85 }), []), []);
  assert.deepEqual(violations(measured({ "lib/new/a.ts": 84 }), []), [
    { module: "lib/new", percent: 84, min: 85 },
  ]);
});

Deno.test("TestRatchetEntriesHaveBeadReferences: every entry says why", () => {
  for (const { module, why } of readRatchets(SHIPPED)) assert.ok(why.trim().length > 5, module);
  for (const why of ["", "  ", undefined]) {
    const json = JSON.stringify([{ module: "lib/a", min: 80, why }]);
    assert.throws(() => readRatchets(json), /lib\/a needs a why/);
  }
  const outOfRange = JSON.stringify([{ module: "lib/a", min: 101, why: "x" }]);
  assert.throws(() => readRatchets(outOfRange), /between 0 and 100/);
});

Deno.test("TestRatchetEntriesAreUnique: a folder has one entry", () => {
  const modules = readRatchets(SHIPPED).map(({ module }) => module);
  assert.deepEqual(modules, [...new Set(modules)]);
  const twice = JSON.stringify([
    { module: "lib/a", min: 80, why: "x" },
    { module: "lib/a", min: 90, why: "y" },
  ]);
  assert.throws(() => readRatchets(twice), /lib\/a is there twice/);
});

Deno.test("TestGatedPackages: folders of lib, the command line and the MCP surface count, nothing else", () => {
  const gated: [string, string | undefined][] = [
    ["lib/cache/file.ts", "lib/cache"],
    ["lib/dispatch/steps/cache_check.ts", "lib/dispatch"],
    ["cli/run.ts", "cli"],
    ["mcp/server.ts", "mcp"],
    ["lib/cache/file_test.ts", undefined],
    ["lib/code/code_bench.ts", undefined],
    ["lib/plugin/testdata/fixture.ts", undefined],
    ["cli/testing/spawned.ts", undefined],
    ["cli/root_help.generated.ts", undefined],
    ["catalog/build.ts", undefined],
    ["tasks/matrix.ts", undefined],
    ["lib/loose.ts", undefined],
    ["main.ts", undefined],
    ["client/x.ts", undefined],
  ];
  for (const [path, module] of gated) assert.equal(gatedModule(path), module, path);
  // Every tracked folder has its entry, and every entry a folder.
  const folders = [...Deno.readDirSync(new URL("lib", ROOT))]
    .filter((entry) => entry.isDirectory && !entry.name.startsWith("."))
    .filter((entry) => hasSources(new URL(`lib/${entry.name}/`, ROOT)))
    .map((entry) => `lib/${entry.name}`);
  const listed = readRatchets(SHIPPED).map(({ module }) => module);
  assert.deepEqual(listed.toSorted(), [...folders, "cli", "mcp"].sort());
});

function hasSources(folder: URL): boolean {
  return [...Deno.readDirSync(folder)].some(({ name, isFile }) => isFile && /\.ts$/.test(name));
}

Deno.test("TestCheckRespectsRatchet: an entry stands above or below the floor", () => {
  const files = { "lib/low/a.ts": 70, "lib/high/a.ts": 95 };
  const ratchets = [
    { module: "lib/low", min: 69, why: "x" },
    { module: "lib/high", min: 96, why: "x" },
  ];
  assert.deepEqual(violations(measured(files), ratchets), [
    { module: "lib/high", percent: 95, min: 96 },
  ]);
});

Deno.test("TestOpportunitiesFlagsImprovedPackages: two points above the entry are worth a new one", () => {
  assert.equal(OPPORTUNITY_MARGIN, 2);
  const ratchets = [{ module: "lib/a", min: 80, why: "x" }];
  assert.deepEqual(opportunities(measured({ "lib/a/x.ts": 81 }), ratchets), []);
  assert.equal(opportunities(measured({ "lib/a/x.ts": 82 }), ratchets).length, 1);
  const verdict = judgeCoverage(measured({ "lib/a/x.ts": 90 }), { ratchets, os: BASELINE_OS });
  assert.equal(verdict.code, 0);
  assert.match(verdict.hints.join(), /^RATCHET_OPPORTUNITY lib\/a: 90\.0 %/);
});

Deno.test("TestOpportunitiesFlagsImprovedPackages: raising takes a point off and lowers nothing", () => {
  const files = { "lib/a/x.ts": 90, "lib/b/x.ts": 70, "lib/c/x.ts": 50 };
  const ratchets = [
    { module: "lib/a", min: 80, why: "kept" },
    { module: "lib/b", min: 75, why: "kept" },
  ];
  assert.deepEqual(
    raiseRatchets(measured(files), ratchets).map(({ module, min }) => [module, min]),
    [["lib/a", 89], ["lib/b", 75], ["lib/c", 49]],
  );
  assert.equal(raiseRatchets(measured(files), ratchets)[0]?.why, "kept");
});

Deno.test("TestParseProfileAggregatesPerPackage: files of a folder are summed by lines", () => {
  const coverage = measured({ "lib/a/x.ts": 100, "lib/a/deep/y.ts": 50, "cli/z.ts": 10 });
  assert.deepEqual(coverage, [
    { module: "cli", lines: 100, hit: 10 },
    { module: "lib/a", lines: 200, hit: 150 },
  ]);
  assert.deepEqual(coverage.map(percentOf), [10, 75]);
  // A file that two records name: a line is covered when either covers it.
  const twice = "SF:/repo/cli/a.ts\nDA:1,1\nDA:2,0\nend_of_record\n" +
    "SF:/repo/cli/a.ts\nDA:1,0\nDA:2,2\nDA:3,0\nend_of_record\n";
  assert.deepEqual(parseLcov(twice, "/repo"), [{ module: "cli", lines: 3, hit: 2 }]);
});

Deno.test("TestViolationFailsOnlyOnBaseline: elsewhere it is a warning without hints", () => {
  const files = measured({ "lib/a/x.ts": 60, "lib/b/x.ts": 99 });
  const ratchets = [{ module: "lib/b", min: 90, why: "x" }];
  const baseline = judgeCoverage(files, { ratchets, os: "linux" });
  assert.equal(baseline.code, 1);
  assert.deepEqual(baseline.errors, ["lib/a: 60.0 % of lines, needs 85.0 %"]);
  assert.equal(baseline.hints.length, 1);
  const elsewhere = judgeCoverage(files, { ratchets, os: "darwin" });
  assert.deepEqual(elsewhere, {
    errors: [],
    warnings: ["lib/a: 60.0 % of lines, needs 85.0 %"],
    hints: [],
    code: 0,
  });
});

Deno.test("TestViolationFailsOnlyOnBaseline: an entry whose folder is gone fails too", () => {
  const ratchets = [{ module: "lib/gone", min: 90, why: "x" }];
  assert.match(judgeCoverage([], { ratchets, os: "linux" }).errors.join(), /lib\/gone/);
});
