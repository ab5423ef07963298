import assert from "node:assert/strict";
import { compareMatrix, parseMatrix, testNames, updateMatrix } from "./matrix.ts";

const HEAD =
  "| # | requirement | proofs | phase | status | note |\n| --- | --- | --- | --- | --- | --- |\n";

Deno.test("TestMatrixTool: a proved row without its test and a test without a row both fail", () => {
  const rows = parseMatrix(`${HEAD}| 1 | r | \`TestAlpha\` \`TestBeta\` | CI | proved | |\n`);
  const problems = compareMatrix(rows, [
    { name: "TestAlpha", folder: "lib/a" },
    { name: "TestGamma", folder: "lib/a" },
  ]);
  assert.deepEqual(problems, [
    "row 1 is marked proved, but has no test TestBeta",
    "TestGamma (lib/a) is in no row",
  ]);
});

Deno.test("TestMatrixTool: an open row whose tests all exist must be marked proved", () => {
  const rows = parseMatrix(`${HEAD}| 7 | r | \`TestBackend<Name>\` | CI | open | |\n`);
  assert.equal(compareMatrix(rows, [{ name: "TestBackendRest", folder: "lib/x" }]).length, 1);
  assert.deepEqual(compareMatrix(rows, []), []);
});

Deno.test("TestMatrixTool: update makes rows and tests agree, and is idempotent", () => {
  const tests = [{ name: "TestAlpha", folder: "lib/a" }, { name: "TestGamma", folder: "lib/b" }];
  const updated = updateMatrix(`${HEAD}| 1 | r | \`TestAlpha\` | CI | open | n |\n`, tests);
  assert.deepEqual(compareMatrix(parseMatrix(updated), tests), []);
  assert.equal(updateMatrix(updated, tests), updated);
});

Deno.test("TestMatrixTool: names are read from registrations of every quoting style", () => {
  const register = ["Deno", "test"].join(".");
  const source = `${register}("TestOne: x", f);\n${register}({\n  name: 'TestTwo', fn });` +
    `\n${register}(\n  \`TestThree: \${y}\`, f);\n${register}("plain words", f); t("TestNot");`;
  assert.deepEqual(testNames(source).sort(), ["TestOne", "TestThree", "TestTwo"]);
});
