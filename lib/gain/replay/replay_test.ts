import assert from "node:assert/strict";
import {
  createSnapshot,
  embeddedCatalogSha256,
  embeddedRequestSchema,
  loadCatalog,
} from "../../catalog/mod.ts";
import { createKernel } from "../../dispatch/mod.ts";
import { findGumError } from "../../errors/mod.ts";
import { decodeToonDocument, toonDocumentValue } from "../../format/mod.ts";
import { isJsonObject, parseJson } from "../../json/mod.ts";
import { loadTokenCounter } from "../../tokens/mod.ts";
import {
  baselineOf,
  createFixtureKernel,
  type Fixture,
  type FixtureSet,
  loadFixtureSet,
  type MeasuredFixture,
  measureSet,
  rememberingCounter,
  replayFixtureSet,
  type ReplayFormat,
} from "./mod.ts";
import { compositionProblems } from "./testdata/composition.ts";

const DIRECTORY = new URL("../../../testdata/release_fixtures", import.meta.url).pathname;
const parts = {
  createKernel,
  catalog: createSnapshot(loadCatalog(), { requestSchema: embeddedRequestSchema }),
};
const shared = { ...parts, directory: DIRECTORY, catalogSha256: embeddedCatalogSha256() };
const set = await loadFixtureSet(shared);
const count = rememberingCounter(await loadTokenCounter());
const kernel = await createFixtureKernel(parts);
const measured = await measureSet(set, { kernel, format: "toon", count });

/** A copy of the set with some of its files, for breaking. */
async function withCopy(
  change: (directory: string) => Promise<void>,
  use: (directory: string) => Promise<void>,
): Promise<void> {
  const directory = await Deno.makeTempDir({ prefix: "gum-replay-" });
  try {
    const [first] = set.manifest.entries;
    assert.ok(first !== undefined);
    const manifest = { ...set.manifest, total: 1, entries: [first] };
    await Deno.mkdir(`${directory}/${first.path}`, { recursive: true });
    for (const { name } of Deno.readDirSync(`${DIRECTORY}/${first.path}`)) {
      await Deno.copyFile(
        `${DIRECTORY}/${first.path}/${name}`,
        `${directory}/${first.path}/${name}`,
      );
    }
    await Deno.writeTextFile(`${directory}/manifest.json`, JSON.stringify(manifest));
    await Deno.copyFile(
      `${DIRECTORY}/expected-baseline.json`,
      `${directory}/expected-baseline.json`,
    );
    await change(directory);
    await use(directory);
  } finally {
    await Deno.remove(directory, { recursive: true });
  }
}

async function failureOf(directory: string, format: ReplayFormat = "toon") {
  try {
    await replayFixtureSet({ ...shared, directory, format });
  } catch (error) {
    return findGumError(error)?.toEnvelope() ?? { error_code: String(error) };
  }
  return { error_code: "none" };
}

const firstPath = set.manifest.entries[0]?.path ?? "";

Deno.test("TestGainFixtureCompositionGate: the set is made of what the claim needs", () => {
  assert.deepEqual(compositionProblems(set), []);
  assert.ok(set.fixtures.length >= 200);
});

Deno.test("TestGainFixtureCompositionGate: a lopsided set is refused", () => {
  const without = (keep: (fixture: Fixture) => boolean): FixtureSet => {
    const fixtures = set.fixtures.filter(keep);
    return { ...set, fixtures, manifest: { ...set.manifest, total: fixtures.length } };
  };
  const problems = compositionProblems(
    without(({ entry }) => entry.category !== "write_destructive"),
  );
  assert.ok(problems.some((problem) => problem.startsWith("write_destructive is 0.0 %")));
  assert.ok(problems.some((problem) => problem.includes("fewer than 200")));
  const [one] = set.fixtures;
  assert.ok(one !== undefined);
  const many = { ...set, fixtures: [...set.fixtures, ...Array(20).fill(one)] };
  const found = compositionProblems(many);
  assert.ok(found.some((problem) => problem.startsWith("the manifest counts")));
});

Deno.test("TestGainFixtureReplay: both figures of every fixture are what is expected of it", async () => {
  const result = await replayFixtureSet({ ...shared, format: "toon", count });
  assert.equal(result.mode, "summary");
  assert.equal(result.window, "since:fixture-replay");
  assert.equal(result.sessions?.length, 1);
  assert.match(result.sessions?.[0]?.session ?? "", /^[0-9a-f]{8}$/);
  assert.equal(result.baseline_tokens, set.baseline.toon.baseline_tokens);
  assert.equal(result.end_to_end_savings, set.baseline.toon.end_to_end_savings);
  assert.deepEqual(
    result.by_tool?.map(({ tool }) => tool),
    ["gum.code", "gum.destructive", "gum.read", "gum.write"],
  );
  const sum = result.by_tool?.reduce((total, { actual_tokens }) => total + actual_tokens, 0);
  assert.equal(sum, result.actual_tokens);
});

Deno.test("TestGainFixtureReplay: it writes nothing", async () => {
  const before = [...Deno.readDirSync(DIRECTORY)].map(({ name }) => name).sort();
  const stamp = Deno.statSync(`${DIRECTORY}/${firstPath}/expected-toon.txt`).mtime?.getTime();
  const worker = new Deno.Command(Deno.execPath(), {
    args: [
      "run",
      "-q",
      "--no-prompt",
      "--allow-read",
      "--deny-write",
      "--deny-net",
      "--allow-env",
      "main.ts",
      "gain",
      "--fixture-replay",
    ],
    cwd: new URL("../../..", import.meta.url).pathname,
    env: { XDG_CONFIG_HOME: "/nonexistent" },
    stderr: "piped",
  });
  const { code, stdout, stderr } = await worker.output();
  assert.equal(code, 0, new TextDecoder().decode(stderr));
  const result = JSON.parse(new TextDecoder().decode(stdout));
  assert.equal(result.actual_tokens, set.baseline.toon.actual_tokens);
  assert.deepEqual([...Deno.readDirSync(DIRECTORY)].map(({ name }) => name).sort(), before);
  assert.equal(
    Deno.statSync(`${DIRECTORY}/${firstPath}/expected-toon.txt`).mtime?.getTime(),
    stamp,
  );
});

Deno.test("TestGainFixtureReplayJSONDefault: a json pass stays in its band", async () => {
  const result = await replayFixtureSet({ ...shared, format: "json", count });
  const expected = set.baseline.json.end_to_end_savings;
  assert.ok(Math.abs((result.end_to_end_savings ?? 0) - expected) <= 2);
  assert.ok((result.end_to_end_savings ?? 0) >= 30);
});

Deno.test("TestGainFixtureReplay: each failure has its envelope", async () => {
  const missing = await failureOf("/nonexistent/fixtures");
  assert.equal(missing.error_code, "GAIN_FIXTURE_SET_MISSING");
  assert.equal(missing.path, "/nonexistent/fixtures");

  const drifts: ((directory: string) => Promise<void>)[] = [
    (directory) => Deno.writeTextFile(`${directory}/${firstPath}/response.json`, "{"),
    (directory) => Deno.remove(`${directory}/${firstPath}/request.json`),
    (directory) => Deno.writeTextFile(`${directory}/manifest.json`, "{}"),
    (directory) => edit(directory, { schema_version: 2 }),
    (directory) => edit(directory, { catalog_sha256: "0" }),
    (directory) => edit(directory, { note: "x" }),
    (directory) => edit(directory, { total: 3 }),
  ];
  for (const drift of drifts) {
    await withCopy(drift, async (directory) => {
      const found = await failureOf(directory);
      assert.equal(found.error_code, "GAIN_FIXTURE_SCHEMA_DRIFT");
      assert.ok(typeof found.path === "string" && typeof found.reason === "string");
    });
  }

  for (
    const [name, text] of [
      ["expected-toon.txt", "something else"],
      ["expected-tokens-cl100k.json", '{"in":1,"in_as_sent":1,"out_json":1,"out_toon":1}'],
    ] as const
  ) {
    await withCopy(
      (directory) => Deno.writeTextFile(`${directory}/${firstPath}/${name}`, text),
      async (directory) => {
        const found = await failureOf(directory);
        assert.equal(found.error_code, "GAIN_FIXTURE_BASELINE_MISMATCH");
        assert.equal(found.path, firstPath);
        assert.equal(typeof found.expected, "number");
        assert.equal(typeof found.actual, "number");
      },
    );
  }
});

async function edit(directory: string, change: Record<string, unknown>): Promise<void> {
  const path = `${directory}/manifest.json`;
  const manifest = JSON.parse(await Deno.readTextFile(path));
  await Deno.writeTextFile(path, JSON.stringify({ ...manifest, ...change }));
}

Deno.test("TestReplayMeasuresTheNineZeroDocument: what is counted is the document that is sent", () => {
  const toon = alone(measured).filter(({ formats }) => formats[0] === "toon");
  assert.ok(toon.length >= 80, `${toon.length} documents`);
  for (const { path, text, rows } of toon) {
    const [row] = rows;
    assert.ok(text.startsWith(`op: ${row?.opId}\nvariant: `), path);
    assert.match(text, /\nformat_version: 1\n/);
    assert.equal(row?.shaped, count(text), path);
  }
});

Deno.test("TestReplayFallsBackToJSONWhenNotRepresentable: other answers count as JSON", () => {
  const json = alone(measured).filter(({ formats }) => formats[0] === "json");
  assert.ok(json.length > 0);
  for (const { path, text } of json) {
    const [body = ""] = text.split("\n");
    assert.doesNotThrow(() => parseJson(body), path);
  }
  const failed = alone(measured).filter(({ formats }) => formats[0] === "error");
  assert.ok(failed.length >= 2);
  for (const { text } of failed) assert.ok(isJsonObject(parseJson(text)));
});

function alone(all: readonly MeasuredFixture[]): MeasuredFixture[] {
  return all.filter(({ category }) => category !== "gum_parallel_batch");
}

Deno.test("TestGainFixtureReplay: a batch is its envelope, counted once", () => {
  for (const { path, category, rows, text } of measured) {
    if (category !== "gum_parallel_batch") continue;
    const outer = rows.at(-1);
    assert.equal(outer?.opId, "gum_parallel", path);
    const total = rows.reduce((sum, { shaped }) => sum + shaped, 0) - (outer?.requestTokens ?? 0);
    assert.ok(total >= count(text), path);
    assert.ok(isJsonObject(parseJson(text)), path);
  }
});

Deno.test("TestGainFixtureReplay: a document decodes to the rows that were recorded", () => {
  const [list] = alone(measured).filter(({ rows }) => rows[0]?.opId === "gmail.users.labels.list");
  assert.ok(list !== undefined);
  const document = list.text.split("\n").filter((line, index, all) =>
    index < all.length - 1 || !line.includes("dropped")
  ).join("\n");
  const value = toonDocumentValue(decodeToonDocument(document));
  assert.ok(isJsonObject(value) && Array.isArray(value.labels) && value.labels.length > 3);
});

Deno.test("TestGainFixtureReplay: two passes that differ fail, with the first path", async () => {
  let calls = 0;
  const firstPass = set.fixtures[0]?.calls.length ?? 0;
  // A pipeline that counts something in would write another text the second time.
  const unsteady: typeof createKernel = (deps) => {
    const kernel = createKernel(deps);
    return {
      ...kernel,
      async dispatch(invocation, signal) {
        const response = await kernel.dispatch(invocation, signal);
        return calls++ < firstPass
          ? response
          : { ...response, expression: response.expression && { ...response.expression, calls } };
      },
    };
  };
  await withCopy(() => Promise.resolve(), async (directory) => {
    const baseline = `${directory}/expected-baseline.json`;
    const single = await measureSet(await loadFixtureSet({ ...shared, directory }), {
      kernel,
      format: "toon",
      count,
    });
    await Deno.writeTextFile(
      baseline,
      JSON.stringify({ toon: baselineOf(single), json: baselineOf(single) }),
    );
    await assert.rejects(
      replayFixtureSet({ ...shared, createKernel: unsteady, directory, format: "toon", count }),
      (error) => {
        const envelope = findGumError(error)?.toEnvelope();
        assert.equal(envelope?.error_code, "GAIN_FIXTURE_BASELINE_MISMATCH");
        assert.equal(envelope?.reason, "nondeterministic");
        assert.equal(envelope?.path, firstPath);
        return true;
      },
    );
    calls = 0;
    await replayFixtureSet({ ...shared, directory, format: "toon", count });
  });
});
