import assert from "node:assert/strict";
import { loadCatalog } from "../lib/catalog/mod.ts";
import { rememberingCounter } from "../lib/gain/replay/mod.ts";
import { loadTokenCounter } from "../lib/tokens/mod.ts";
import { bothPasses, claimOf, committedSet, FLOORS, toolLists } from "./gain_replay.ts";
import { naiveTools } from "./gain_replay_naive.ts";
import { savingsTable } from "./gain_replay_report.ts";
import { RELEASE_SET, releaseFiles } from "./record_release_fixtures.ts";
import { playScenarios, sideTotal } from "./scenarios.ts";

const count = rememberingCounter(await loadTokenCounter());

Deno.test("TestGainReleaseFixtureSavingsFloor: both floors hold against answers as Google sends them", async () => {
  const { toon } = await bothPasses(await committedSet(), count);
  const claim = claimOf(await toolLists(), { measured: toon, count });
  assert.ok(
    claim.like_for_like_as_sent >= FLOORS.like_for_like,
    `like for like ${claim.like_for_like_as_sent}`,
  );
  assert.ok(claim.full_wire_as_sent >= FLOORS.full_wire, `full wire ${claim.full_wire_as_sent}`);
  // Google does not answer minified; the wire floor holds against that, too.
  assert.ok(claim.full_wire >= FLOORS.full_wire, `minified ${claim.full_wire}`);
});

Deno.test("TestGainReleaseFixtureSavingsFloor: the naive side is the shipped catalog, nothing more", () => {
  const catalog = loadCatalog();
  const tools = naiveTools(catalog);
  const names = new Set(catalog.ops.map(({ op_id }) => op_id));
  assert.ok(tools.every(({ name }) => names.has(String(name))));
  assert.equal(new Set(tools.map(({ name }) => name)).size, tools.length);
  for (const tool of tools) {
    assert.deepEqual(Object.keys(tool), ["name", "description", "inputSchema"]);
  }
});

Deno.test("TestGainFixtureReplay: recording again gives the same files", async () => {
  const stale = [...await releaseFiles()].filter(([path, text]) =>
    Deno.readTextFileSync(new URL(path, RELEASE_SET)) !== text
  ).map(([path]) => path);
  assert.deepEqual(stale, []);
});

Deno.test("TestGainReleaseFixtureSavingsFloor: compact TOON is measured and decides nothing", async () => {
  const { toon, json } = await bothPasses(await committedSet(), count);
  const compact = toon.flatMap(({ rows }) => rows)
    .filter(({ opId }) => opId !== "gum_parallel").map(({ compactToon }) => compactToon);
  assert.ok(compact.every((tokens) => tokens !== undefined));
  assert.ok(json.flatMap(({ rows }) => rows).every(({ compactToon }) => compactToon === undefined));
  const plain = toon.map((fixture) => ({
    ...fixture,
    rows: fixture.rows.map((row) => ({ ...row, compactToon: 0 })),
  }));
  const lists = { naive: "a", naiveFields: "a", naiveTools: 1, lite: "b", full: "b" };
  assert.deepEqual(
    claimOf(lists, { measured: plain, count }),
    claimOf(lists, { measured: toon, count }),
  );
});

Deno.test("TestGainReleaseFixtureSavingsFloor: release notes carry the replay's figures", async () => {
  const names = [...Deno.readDirSync(new URL("../docs/", import.meta.url))].map(({ name }) => name)
    .filter((name) => /^release-notes-v.+\.md$/.test(name)).sort();
  assert.ok(names.length > 0);
  for (const name of names) {
    const text = Deno.readTextFileSync(new URL(`../docs/${name}`, import.meta.url));
    const [, section = ""] = text.split("## Token savings");
    for (const format of ["toon", "json"]) {
      assert.match(
        section,
        new RegExp(`^\\| ${format} \\| [0-9,]{5,} \\| [0-9,]{5,} \\| [0-9]+\\.[0-9] % \\|$`, "m"),
        `${name}: ${format}`,
      );
    }
  }
  const { version } = JSON.parse(
    Deno.readTextFileSync(new URL("../deno.json", import.meta.url)),
  );
  const current = Deno.readTextFileSync(
    new URL(`../docs/release-notes-v${version}.md`, import.meta.url),
  );
  assert.ok(
    current.includes(savingsTable((await committedSet()).baseline)),
    "deno task bench:savings",
  );
});

Deno.test("scenarios: every task keeps its facts and takes a fraction of the tokens", async () => {
  const results = await playScenarios(count, { schema: "request_fields" });
  assert.equal(results.length, 10);
  assert.deepEqual(results.filter(({ missing }) => missing.length > 0), []);
  assert.ok(results.every(({ gum, naive }) => sideTotal(gum) < 0.3 * sideTotal(naive)));
  const total = (side: "gum" | "naive") =>
    results.reduce((sum, result) => sum + sideTotal(result[side]), 0);
  assert.ok(1 - total("gum") / total("naive") >= 0.87);
});

Deno.test("TestGainFixtureReplayKeepsToonAsItsDefault: the profile's default format, else toon", async () => {
  const home = await Deno.makeTempDir({ prefix: "gum-replay-home-" });
  const replayed = async (...argv: string[]) => {
    const { code, stdout, stderr } = await new Deno.Command(Deno.execPath(), {
      args: ["run", "-q", "--no-prompt", "-P=gum", "main.ts", "gain", "--fixture-replay", ...argv],
      cwd: new URL("..", import.meta.url).pathname,
      env: { XDG_CONFIG_HOME: home, XDG_DATA_HOME: home },
    }).output();
    assert.equal(code, 0, new TextDecoder().decode(stderr));
    return JSON.parse(new TextDecoder().decode(stdout)).actual_tokens;
  };
  try {
    const { toon, json } = (await committedSet()).baseline;
    assert.equal(await replayed(), toon.actual_tokens);
    await Deno.mkdir(`${home}/gum/default`, { recursive: true });
    await Deno.writeTextFile(
      `${home}/gum/default/config.toml`,
      'output.default_format = "json"\n',
    );
    assert.equal(await replayed(), json.actual_tokens);
    assert.equal(await replayed("--format", "toon"), toon.actual_tokens);
  } finally {
    await Deno.remove(home, { recursive: true });
  }
});
