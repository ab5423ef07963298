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
import { isJsonObject, type JsonValue, parseJson } from "../../json/mod.ts";
import { loadTokenCounter } from "../../tokens/mod.ts";
import {
  compositionProblems,
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
  assert.deepEqual(compositionProblems({ set }), []);
  assert.ok(set.fixtures.length >= 200);
});

Deno.test("TestGainFixtureCompositionGate: a lopsided set is refused", () => {
  const without = (keep: (fixture: Fixture) => boolean): FixtureSet => {
    const fixtures = set.fixtures.filter(keep);
    return { ...set, fixtures, manifest: { ...set.manifest, total: fixtures.length } };
  };
  const problems = compositionProblems({
    set: without(({ entry }) => entry.category !== "write_destructive"),
  });
  assert.ok(problems.some((problem) => problem.startsWith("write_destructive is 0.0 %")));
  assert.ok(problems.some((problem) => problem.includes("fewer than 200")));
  const [one] = set.fixtures;
  assert.ok(one !== undefined);
  const many = { ...set, fixtures: [...set.fixtures, ...Array(20).fill(one)] };
  const found = compositionProblems({ set: many });
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

Deno.test("TestReleaseFixturesAreRealistic: no two answers are alike, words are many", async () => {
  const bodies = set.fixtures.flatMap(({ entry, calls }) =>
    entry.category === "gum_parallel_batch" ? [] : calls.map(({ body }) => body)
  ).filter((body) => body.trim() !== "");
  assert.equal(new Set(bodies).size, bodies.length);
  const texts = set.fixtures.flatMap(({ calls }) =>
    calls.flatMap(({ body }) => body.trim() === "" ? [] : words(parseJson(body)))
  );
  const joined = new Blob([[...new Set(texts)].join("\n")]);
  const packed = await new Response(joined.stream().pipeThrough(new CompressionStream("gzip")))
    .arrayBuffer();
  assert.ok(packed.byteLength / joined.size >= 0.22, `${packed.byteLength / joined.size}`);
});

/** Free text: strings with at least two spaces. */
function words(value: JsonValue): string[] {
  if (typeof value === "string") return value.split(" ").length > 2 ? [value] : [];
  if (Array.isArray(value)) return value.flatMap(words);
  return isJsonObject(value) ? Object.values(value).flatMap(words) : [];
}

Deno.test("TestReleaseFixturesAreRealistic: sizes are spread and nothing dominates", () => {
  const rows = measured.flatMap(({ rows, path }) => rows.map((row) => ({ ...row, path })));
  const total = rows.reduce((sum, { raw }) => sum + raw, 0);
  const byOp = Map.groupBy(rows, ({ opId }) => opId);
  for (const [opId, own] of byOp) {
    const raw = own.reduce((sum, row) => sum + row.raw, 0);
    assert.ok(raw / total <= 0.25, `${opId} is ${raw / total} of the tokens`);
  }
  for (const { path, rows: own } of measured) {
    const raw = own.reduce((sum, row) => sum + row.raw, 0);
    assert.ok(raw / total <= 0.05, `${path} is ${raw / total} of the tokens`);
  }
  const saved = (kept: typeof rows) =>
    1 -
    kept.reduce((sum, row) => sum + row.shaped, 0) / kept.reduce((sum, row) => sum + row.raw, 0);
  for (const opId of byOp.keys()) {
    const without = saved(rows.filter((row) => row.opId !== opId));
    assert.ok(Math.abs(without - saved(rows)) <= 0.03, `${opId} carries the claim`);
  }
  for (const opId of ["gmail.users.messages.list", "drive.files.list", "calendar.events.list"]) {
    const sizes = (byOp.get(opId) ?? []).map(({ raw }) => raw);
    assert.ok(Math.max(...sizes) >= 6 * Math.min(...sizes), opId);
  }
  const sizes = set.fixtures.flatMap(({ calls }) => calls.map(({ body }) => body.length));
  assert.ok(Math.min(...sizes) === 0 && Math.max(...sizes) > 100_000);
});

Deno.test("TestReleaseFixturesAreRealistic: scripts, nulls, empty lists, errors and awkward text", () => {
  const bodies = set.fixtures.flatMap(({ calls }) => calls.map(({ body }) => body));
  const share = (pattern: RegExp) =>
    bodies.filter((body) => pattern.test(body)).length / bodies.length;
  assert.ok(share(/[\u0080-\u{10ffff}]/u) >= 0.1);
  for (
    const [what, pattern] of Object.entries({
      cjk: /\p{Script=Han}/u,
      rightToLeft: /[\p{Script=Arabic}\p{Script=Hebrew}]/u,
      joinedEmoji: /\u200d/,
      quotes: /\\"/,
      newline: /\\n/,
      emptyList: /\[\]/,
      numberLike: /"[0-9]+"/,
    })
  ) assert.ok(share(pattern) > 0, what);
  const failed = set.fixtures.flatMap(({ calls }) =>
    calls.filter(({ request }) => request.http_status !== undefined)
      .map(({ request }) => request.http_status)
  );
  assert.deepEqual([...new Set(failed)].sort(), [403, 404, 429]);
  assert.ok(bodies.some((body) => body.trim() === ""));
});

Deno.test("TestReleaseFixturesAreRealistic: ids lead from one answer to another", () => {
  const bodyOf = (opId: string) =>
    set.fixtures.flatMap(({ calls }) => calls).filter(({ request }) => request.op_id === opId);
  const listed = bodyOf("gmail.users.messages.list").map(({ body }) => body).join("");
  const read = bodyOf("gmail.users.messages.get").filter(({ request }) =>
    request.http_status === undefined && listed.includes(String(request.args.id))
  );
  assert.ok(read.length >= 5, `${read.length} of the messages read were listed`);
  const files = bodyOf("drive.files.list").map(({ body }) => body).join("");
  assert.ok(
    bodyOf("drive.files.get").some(({ request }) => files.includes(String(request.args.fileId))),
  );
});

Deno.test("TestReleaseFixturesAreRealistic: every address is at a reserved domain", () => {
  const reserved = /@(?:[a-z0-9.-]+\.)?example(?:\.(?:com|net|org))?$|\.(?:test|invalid|example)$/i;
  const strange = new Set<string>();
  for (const { calls } of set.fixtures) {
    for (const { body } of calls) {
      for (
        const [address] of body.matchAll(/[A-Za-z0-9._%+-]+@[A-Za-z0-9-]+(?:\.[A-Za-z0-9-]+)+/g)
      ) {
        if (!reserved.test(address)) strange.add(address.slice(address.indexOf("@")));
      }
    }
  }
  const google =
    /^@(?:group\.calendar\.google\.com|mail\.gmail\.com|[a-z.]*calendar\.google\.com|[a-z0-9.-]*gserviceaccount\.com|[a-z0-9.-]*google\.com)$/;
  assert.deepEqual([...strange].filter((domain) => !google.test(domain)), []);
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
