import assert from "node:assert/strict";
import fc from "fast-check";
import { readCorpus, searchTarget } from "./fuzz.ts";
import { FUZZ_TARGETS, type FuzzTarget } from "./fuzz_targets.ts";

const ROOT = new URL("..", import.meta.url);
/** The targets that the requirement names, in its order. */
const REQUIRED = [
  "FuzzToonDecode",
  "FuzzJCSCanonical",
  "FuzzJCSIdempotent",
  "FuzzPluginManifest",
  "FuzzParseArgs",
  "FuzzParse",
];

/** Replays the corpus, and searches as long as the environment asks for. */
async function survives(name: string): Promise<void> {
  const target = FUZZ_TARGETS[name];
  assert.ok(target !== undefined);
  const corpus = readCorpus(name);
  assert.ok(corpus.length >= 8, `${name} has a seed corpus`);
  const seed = Number(Deno.env.get("GUM_FUZZ_SEED") ?? Math.floor(Math.random() * 2 ** 31));
  const seconds = Number(Deno.env.get("GUM_FUZZ_SECONDS") ?? 0.3);
  const outcome = await searchTarget(target, { corpus, seconds, seed, timed: false });
  if (outcome.kind === "broke") {
    const shown = JSON.stringify(new TextDecoder().decode(outcome.input.slice(0, 400)));
    throw new Error(`${name} fails on ${shown} (seed ${seed})`, { cause: outcome.error });
  }
}

Deno.test("FuzzToonDecode: corpus and generated inputs", () => survives("FuzzToonDecode"));
Deno.test("FuzzJCSCanonical: corpus and generated inputs", () => survives("FuzzJCSCanonical"));
Deno.test("FuzzJCSIdempotent: corpus and generated inputs", () => survives("FuzzJCSIdempotent"));
Deno.test("FuzzPluginManifest: corpus and generated inputs", () => survives("FuzzPluginManifest"));
Deno.test("FuzzParseArgs: corpus and generated inputs", () => survives("FuzzParseArgs"));
Deno.test("FuzzParse: corpus and generated inputs", () => survives("FuzzParse"));

Deno.test("TestFuzzWorkflowTargetsExist: requirement, code, corpus and workflow name the same six", async () => {
  assert.deepEqual(Object.keys(FUZZ_TARGETS), REQUIRED);
  const folders = [...Deno.readDirSync(new URL("testdata/fuzz", ROOT))].map((entry) => entry.name);
  assert.deepEqual(folders.sort(), REQUIRED.toSorted());
  const workflow = await Deno.readTextFile(new URL(".github/workflows/fuzz.yml", ROOT));
  assert.deepEqual([...workflow.matchAll(/^ +- (Fuzz\w+)$/gm)].map((match) => match[1]), REQUIRED);
  assert.match(workflow, /deno task -q fuzz \$\{\{ matrix\.target \}\}/);
  assert.match(workflow, /GUM_FUZZ_SECONDS: "?60"?\n/);
  assert.match(workflow, /^ {2}schedule:$/m);
});

Deno.test("TestFuzzSearch: a reader that breaks is found, on a small input", async () => {
  const target: FuzzTarget = {
    check: (input) => {
      if (new TextDecoder().decode(input).includes("}{")) throw new Error("broken");
    },
    grammar: fc.string({ unit: fc.constantFrom("{", "}", "a") }),
    pieces: ["{", "}"],
  };
  const outcome = await searchTarget(target, { corpus: [], seconds: 20, seed: 7, timed: false });
  assert.ok(outcome.kind === "broke");
  assert.equal(new TextDecoder().decode(outcome.input), "}{");
});

Deno.test("TestFuzzSearch: a failing corpus entry is found before anything is generated", async () => {
  const bad = new TextEncoder().encode("known");
  const target: FuzzTarget = {
    check: (input) => assert.notDeepEqual(input, bad),
    grammar: fc.string(),
    pieces: ["x"],
  };
  const outcome = await searchTarget(target, {
    corpus: [new TextEncoder().encode("fine"), bad],
    seconds: 0,
    seed: 1,
    timed: false,
  });
  assert.ok(outcome.kind === "broke");
  assert.deepEqual(outcome.input, bad);
});

Deno.test("TestFuzzSearch: the same seed tries the same inputs", async () => {
  const tried = async (seed: number) => {
    const seen: string[] = [];
    const target: FuzzTarget = {
      check: (input) => {
        seen.push(input.toHex());
        if (seen.length === 40) throw new Error("enough");
      },
      grammar: fc.string(),
      pieces: ["x"],
    };
    await searchTarget(target, { corpus: [], seconds: 20, seed, timed: false });
    return seen.slice(0, 40);
  };
  assert.deepEqual(await tried(5), await tried(5));
  assert.notDeepEqual(await tried(5), await tried(6));
});
