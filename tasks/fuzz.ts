/**
 * `deno task fuzz [TARGET…]`: searches for inputs that break a reader's promise, for a time.
 *
 * Every target runs in a process of its own, all at once: first the inputs of its corpus folder
 * below `testdata/fuzz`, then generated ones and mutations of the corpus. An input that fails is
 * made small, written to the corpus folder and so replayed by every later run and by the suite.
 *
 *     GUM_FUZZ_SECONDS   how long each target searches, 5 when absent
 *     GUM_FUZZ_SEED      where its random numbers start, to repeat a run; printed by every run
 */

import fc from "fast-check";
import { FUZZ_TARGETS, type FuzzTarget } from "./fuzz_targets.ts";

const CORPUS = new URL("../testdata/fuzz/", import.meta.url);
const SIZE_OF_LIMIT = 64 * 1024;
/** A slow try may be the neighbours'; this many slow ones in a row are the reader's. */
const TIMING_ATTEMPTS = 25;
/** Beyond this a target that does not come back is stopped: it hangs. */
const GRACE_SECONDS = 60;

/** What a search found. */
export type FuzzOutcome =
  | { kind: "survived"; runs: number }
  | { kind: "broke"; input: Uint8Array<ArrayBuffer>; error: unknown };

/** How long and from where to search. */
export interface FuzzSearch {
  corpus: readonly Uint8Array<ArrayBuffer>[];
  seconds: number;
  seed: number;
  /** Whether the time limit of 64 KiB inputs is measured too. */
  timed: boolean;
}

/** Inputs that are tried first, in the order of their file names; none where the folder is absent. */
export function readCorpus(name: string): Uint8Array<ArrayBuffer>[] {
  const folder = new URL(`${name}/`, CORPUS);
  return corpusFiles(name).map((file) => Deno.readFileSync(new URL(file, folder)));
}

function corpusFiles(name: string): string[] {
  try {
    return [...Deno.readDirSync(new URL(`${name}/`, CORPUS))].map((entry) => entry.name).sort();
  } catch (error) {
    if (error instanceof Deno.errors.NotFound) return [];
    throw error;
  }
}

/** Tries the corpus, then generated inputs until the time is up; stops at the first failure. */
export async function searchTarget(target: FuzzTarget, search: FuzzSearch): Promise<FuzzOutcome> {
  const check = async (input: Uint8Array<ArrayBuffer>) => {
    await target.check(input);
    if (search.timed && target.limitMs !== undefined) await checkTime(target, input);
  };
  for (const input of search.corpus) {
    try {
      await check(input);
    } catch (error) {
      return { kind: "broke", input, error };
    }
  }
  let runs = search.corpus.length;
  if (search.seconds <= 0) return { kind: "survived", runs };
  const found = await fc.check(
    fc.asyncProperty(inputs(target, search.corpus), async (input) => {
      runs++;
      await check(input);
    }),
    {
      numRuns: Number.MAX_SAFE_INTEGER,
      interruptAfterTimeLimit: search.seconds * 1000,
      seed: search.seed,
    },
  );
  if (!found.failed || found.counterexample === null) return { kind: "survived", runs };
  return { kind: "broke", input: found.counterexample[0], error: found.errorInstance };
}

/** 64 KiB of an input take at most the target's limit; the best try counts, since neighbours disturb. */
async function checkTime(target: FuzzTarget, input: Uint8Array<ArrayBuffer>): Promise<void> {
  const limit = (target.limitMs ?? Infinity) * Math.max(1, input.length / SIZE_OF_LIMIT);
  let best = Infinity;
  for (let attempt = 0; attempt < TIMING_ATTEMPTS && best > limit; attempt++) {
    const started = performance.now();
    await target.check(input);
    best = Math.min(best, performance.now() - started);
  }
  if (best > limit) {
    throw new Error(
      `${input.length} bytes took ${best.toFixed(0)} ms, over ${limit.toFixed(0)} ms`,
    );
  }
}

/** Inputs of the grammar, raw bytes, and corpus entries that were cut, repeated and spliced. */
function inputs(
  target: FuzzTarget,
  corpus: readonly Uint8Array<ArrayBuffer>[],
): fc.Arbitrary<Uint8Array<ArrayBuffer>> {
  const encoder = new TextEncoder();
  const written = target.grammar.map((text) => encoder.encode(text));
  const raw = fc.uint8Array({ maxLength: 512 }).map((bytes) => new Uint8Array(bytes));
  const base = corpus.length === 0 ? written : fc.oneof(fc.constantFrom(...corpus), written);
  const piece = fc.oneof(
    fc.constantFrom(...target.pieces).map((text) => encoder.encode(text)),
    base,
    fc.uint8Array({ maxLength: 8 }),
  );
  const edit = fc.record({
    at: fc.double({ min: 0, max: 1, noNaN: true }),
    removed: fc.nat(24),
    added: fc.array(piece, { maxLength: 2 }),
    copies: fc.oneof({ weight: 20, arbitrary: fc.constant(1) }, {
      weight: 1,
      arbitrary: fc.nat(2000),
    }),
  });
  const mutated = fc.tuple(base, fc.array(edit, { minLength: 1, maxLength: 4 }))
    .map(([start, edits]) => edits.reduce(edited, new Uint8Array(start)));
  return fc.oneof(
    { weight: 2, arbitrary: written },
    { weight: 1, arbitrary: raw },
    { weight: 5, arbitrary: mutated },
  );
}

interface Edit {
  at: number;
  removed: number;
  added: Uint8Array[];
  copies: number;
}

function edited(input: Uint8Array<ArrayBuffer>, edit: Edit): Uint8Array<ArrayBuffer> {
  const from = Math.floor(edit.at * input.length);
  const parts = [
    input.subarray(0, from),
    ...Array.from({ length: edit.copies }, () => edit.added).flat(),
    input.subarray(from + edit.removed),
  ];
  const whole = new Uint8Array(parts.reduce((sum, part) => sum + part.length, 0));
  let position = 0;
  for (const part of parts) {
    whole.set(part, position);
    position += part.length;
  }
  return whole.slice(0, 2 * SIZE_OF_LIMIT);
}

/** Keeps a failing input under the first digits of its hash. */
async function keepInput(name: string, input: Uint8Array<ArrayBuffer>): Promise<string> {
  const digest = new Uint8Array(await crypto.subtle.digest("SHA-256", input)).toHex();
  const folder = new URL(`${name}/`, CORPUS);
  await Deno.mkdir(folder, { recursive: true });
  await Deno.writeFile(new URL(`found-${digest.slice(0, 16)}`, folder), input);
  return `testdata/fuzz/${name}/found-${digest.slice(0, 16)}`;
}

async function runTarget(name: string, { seconds, seed }: { seconds: number; seed: number }) {
  const target = FUZZ_TARGETS[name];
  if (target === undefined) throw new Error(`no target ${name}; there are: ${names().join(", ")}`);
  const outcome = await searchTarget(target, {
    corpus: readCorpus(name),
    seconds,
    seed,
    timed: true,
  });
  if (outcome.kind === "survived") {
    console.log(`${name}: ${outcome.runs} inputs, none failed (seed ${seed})`);
    return 0;
  }
  const { error, input } = outcome;
  const path = await keepInput(name, input);
  console.error(`${name}: an input of ${input.length} bytes fails (seed ${seed}), kept as ${path}`);
  console.error(error instanceof Error ? error.stack ?? error.message : String(error));
  return 1;
}

function names(): string[] {
  return Object.keys(FUZZ_TARGETS);
}

/** One process a target: a reader that hangs can be stopped, and all cores search. */
async function runInProcesses(
  targets: readonly string[],
  { seconds, seed }: { seconds: number; seed: number },
): Promise<number> {
  const codes = await Promise.all(targets.map(async (name) => {
    const deadline = AbortSignal.timeout((seconds + GRACE_SECONDS) * 1000);
    const { code } = await new Deno.Command(Deno.execPath(), {
      args: ["run", "-q", "--no-prompt", "-P=test", import.meta.url, "--here", name],
      env: { GUM_FUZZ_SECONDS: String(seconds), GUM_FUZZ_SEED: String(seed) },
      cwd: new URL("..", import.meta.url),
      stdin: "null",
      signal: deadline,
    }).spawn().status;
    if (deadline.aborted) console.error(`${name}: stopped, it hangs on some input (seed ${seed})`);
    return code;
  }));
  return codes.every((code) => code === 0) ? 0 : 1;
}

if (import.meta.main) {
  const seconds = Number(Deno.env.get("GUM_FUZZ_SECONDS") ?? 5);
  const seed = Number(
    Deno.env.get("GUM_FUZZ_SEED") ?? crypto.getRandomValues(new Int32Array(1))[0],
  );
  const [first, ...rest] = Deno.args;
  if (first === "--here") Deno.exit(await runTarget(rest[0] ?? "", { seconds, seed }));
  Deno.exit(await runInProcesses(Deno.args.length === 0 ? names() : Deno.args, { seconds, seed }));
}
