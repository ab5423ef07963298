import assert from "node:assert/strict";
import { createSnapshot, embeddedRequestSchema, loadCatalog } from "../catalog/mod.ts";
import { shaper } from "../shape/mod.ts";
import { loadTokenCounter } from "../tokens/mod.ts";
import { embeddedSources } from "./embed.ts";
import { profileCommands } from "./mod.ts";
import type { ProfileTestReport } from "./test_command.ts";

const FOLDER = new URL("./embedded/", import.meta.url).pathname;
/** A ceiling further away than this does not notice when a profile grows. */
const SLACK = 1.1;

const { testProfile } = await profileCommands();
const countTokens = await loadTokenCounter();
const catalog = createSnapshot(loadCatalog(), { requestSchema: embeddedRequestSchema });
const tools = { shape: shaper.shape, countTokens };

/** Profiles that only others inherit from. */
const SOURCES = embeddedSources();
const names = [...SOURCES.keys()].filter((name) => !name.startsWith("_base."));

function run(name: string, text: string): Promise<ProfileTestReport> {
  return testProfile(
    { path: `${FOLDER}${name}.toml`, text, layers: [], catalog, origin: "catalog-embedded" },
    tools,
  );
}

Deno.test("TestProfileFixturesMeetTokenBudgets: every built-in profile stays below its ceiling, and close to it", async () => {
  const wrong: string[] = [];
  for (const name of names) {
    const text = await Deno.readTextFile(`${FOLDER}${name}.toml`);
    const report = await run(name, text);
    assert.ok(report.fixtures.length > 0, name);
    assert.equal(report.token_budget.ceiling_violations, 0, JSON.stringify(report));
    assert.ok(report.passed, JSON.stringify(report));
    const ceilings = [...text.matchAll(/^expect_max_tokens = ([0-9]+)$/gm)].map(([, n]) =>
      Number(n)
    );
    assert.equal(ceilings.length, report.fixtures.length, `${name}: a fixture without a ceiling`);
    report.fixtures.forEach(({ name: fixture, actual_tokens }, index) => {
      const ceiling = ceilings[index] ?? 0;
      if (ceiling > SLACK * actual_tokens + 5) {
        wrong.push(`${fixture}: ${actual_tokens}/${ceiling}`);
      }
    });
  }
  assert.deepEqual(wrong, []);
});

Deno.test("TestProfileFixturesMeetTokenBudgets: one token over the ceiling fails", async () => {
  for (const name of ["drive.files.list.v1", "gmail.messages.get.v1", "calendar.events.write.v1"]) {
    const text = SOURCES.get(name) ?? "";
    const tokens = (await run(name, text)).fixtures[0]?.actual_tokens ?? 0;
    const at = (ceiling: number) =>
      run(name, text.replace(/expect_max_tokens = [0-9]+/, `expect_max_tokens = ${ceiling}`));
    assert.equal((await at(tokens)).passed, true, name);
    const over = await at(tokens - 1);
    assert.equal(over.passed, false, name);
    assert.equal(over.token_budget.ceiling_violations, 1, name);
    assert.match(over.fixtures[0]?.failures?.[0] ?? "", /expect_max_tokens/);
  }
});

Deno.test("TestProfileFixturesMeetTokenBudgets: the command says so too", async () => {
  const { code, stdout, stderr } = await new Deno.Command(Deno.execPath(), {
    args: ["run", "-q", "--no-prompt", "-P=gum", "main.ts", "profile", "test"].concat(
      `${FOLDER}drive.files.list.v1.toml`,
    ),
    cwd: new URL("../..", import.meta.url).pathname,
  }).output();
  assert.equal(code, 0, new TextDecoder().decode(stderr));
  const report: ProfileTestReport = JSON.parse(new TextDecoder().decode(stdout));
  assert.ok(report.passed);
  const own = await run("drive.files.list.v1", SOURCES.get("drive.files.list.v1") ?? "");
  assert.deepEqual(report, JSON.parse(JSON.stringify(own)));
});
