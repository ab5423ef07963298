/**
 * The savings claim from the command line.
 *
 *     deno run -q --no-prompt -P=test tasks/gain_replay.ts            # both passes, both floors
 *     deno run -q --no-prompt -P=test tasks/gain_replay.ts --update   # rewrites what is expected
 *
 * @module
 */

import {
  createSnapshot,
  embeddedCatalogSha256,
  embeddedRequestSchema,
  loadCatalog,
} from "../lib/catalog/mod.ts";
import { createKernel } from "../lib/dispatch/mod.ts";
import {
  baselineOf,
  createFixtureKernel,
  type FixtureSet,
  loadFixtureSet,
  type LoadOptions,
  loadRecordedSet,
  type MeasuredFixture,
  type MeasuredRow,
  measureSet,
  type RecordedSet,
  rememberingCounter,
  replayFixtureSet,
  type ReplayFormat,
  type ReplayParts,
  tokensOf,
} from "../lib/gain/replay/mod.ts";
import { loadTokenCounter, type TokenCounter } from "../lib/tokens/mod.ts";
import { liteList, liveToolList } from "./gain_replay_server.ts";
import { naiveTools } from "./gain_replay_naive.ts";

/** The committed set. */
const RELEASE_DIRECTORY = new URL("../testdata/release_fixtures", import.meta.url).pathname;

/** The least that must be saved: like for like, and with everything that goes over the wire. */
export const FLOORS = { like_for_like: 0.84, full_wire: 0.80 };

/** What a replay is made with in this tree. */
export function replayParts(): ReplayParts {
  return {
    createKernel,
    catalog: createSnapshot(loadCatalog(), { requestSchema: embeddedRequestSchema }),
  };
}

function committed(): LoadOptions {
  return { directory: RELEASE_DIRECTORY, catalogSha256: embeddedCatalogSha256() };
}

/** Loads the committed set. */
export async function committedSet(): Promise<FixtureSet> {
  return await loadFixtureSet(committed());
}

/** Both passes over a set, counted with one counter. */
export async function bothPasses(
  set: RecordedSet,
  count: TokenCounter,
): Promise<Record<ReplayFormat, MeasuredFixture[]>> {
  const counted = rememberingCounter(count);
  const kernel = await createFixtureKernel(replayParts());
  return {
    toon: await measureSet(set, { kernel, format: "toon", count: counted, compact: true }),
    json: await measureSet(set, { kernel, format: "json", count: counted }),
  };
}

/** The terms of the claim (spec 07 §3.17), with one tokenizer. */
export interface Claim {
  /** Naive `tools/list`. */
  N: number;
  naive_tools: number;
  /** The same list with the curated request fields only. */
  N_fields: number;
  /** Live `tools/list` with name, description and input schema only. */
  G_lite: number;
  /** Live `tools/list` as sent. */
  G_full: number;
  /** Answers, compact. */
  R: number;
  /** Answers, as Google sends them. */
  R_as_sent: number;
  /** What GUM answered, envelopes of batches included. */
  S: number;
  like_for_like: number;
  full_wire: number;
  like_for_like_as_sent: number;
  full_wire_as_sent: number;
  /** 1 − G_full / N. */
  registration: number;
  /** 1 − S / R. */
  shaping: number;
  shaping_as_sent: number;
}

/** Puts the claim together. */
export function claimOf(
  lists: ToolLists,
  pass: { measured: readonly { rows: readonly MeasuredRow[] }[]; count: TokenCounter },
): Claim {
  const { count } = pass;
  const rows = pass.measured.flatMap(({ rows }) => rows);
  const [N, lite, full] = [count(lists.naive), count(lists.lite), count(lists.full)];
  const R = rows.reduce((sum, { raw }) => sum + raw, 0);
  const sent = rows.reduce((sum, { rawAsSent }) => sum + rawAsSent, 0);
  const S = rows.reduce((sum, { shaped }) => sum + shaped, 0);
  return {
    N,
    naive_tools: lists.naiveTools,
    N_fields: count(lists.naiveFields),
    G_lite: lite,
    G_full: full,
    R,
    R_as_sent: sent,
    S,
    like_for_like: 1 - (lite + S) / (N + R),
    full_wire: 1 - (full + S) / (N + R),
    like_for_like_as_sent: 1 - (lite + S) / (N + sent),
    full_wire_as_sent: 1 - (full + S) / (N + sent),
    registration: 1 - full / N,
    shaping: 1 - S / R,
    shaping_as_sent: 1 - S / sent,
  };
}

/** The tool lists of both sides, as JSON text. */
export interface ToolLists {
  naive: string;
  naiveFields: string;
  naiveTools: number;
  lite: string;
  full: string;
}

/** Both lists: the naive one made, GUM's asked of a real server process. */
export async function toolLists(): Promise<ToolLists> {
  const tools = naiveTools(loadCatalog());
  const live = await liveToolList();
  return {
    naive: JSON.stringify({ tools }),
    naiveFields: JSON.stringify({ tools: naiveTools(loadCatalog(), "request_fields") }),
    naiveTools: tools.length,
    lite: JSON.stringify(liteList(live)),
    full: JSON.stringify(live),
  };
}

async function update(): Promise<void> {
  const set = await loadRecordedSet(committed());
  const { toon, json } = await bothPasses(set, await loadTokenCounter());
  for (const [index, measured] of toon.entries()) {
    const other = json[index];
    if (other === undefined) throw new Error("the passes differ in length");
    const folder = `${RELEASE_DIRECTORY}/${measured.path}`;
    await Deno.writeTextFile(`${folder}/expected-toon.txt`, measured.text);
    await Deno.writeTextFile(
      `${folder}/expected-tokens-cl100k.json`,
      `${JSON.stringify(tokensOf({ toon: measured, json: other }))}\n`,
    );
  }
  await Deno.writeTextFile(
    `${RELEASE_DIRECTORY}/expected-baseline.json`,
    `${JSON.stringify({ toon: baselineOf(toon), json: baselineOf(json) }, null, 1)}\n`,
  );
  console.log(`expectations of ${toon.length} fixtures written`);
}

async function check(): Promise<void> {
  const shared = {
    ...replayParts(),
    ...committed(),
  };
  const count = await loadTokenCounter();
  for (const format of ["toon", "json"] as const) {
    const result = await replayFixtureSet({ ...shared, format });
    console.log(
      `${format}: ${result.baseline_tokens} → ${result.actual_tokens} tokens, ` +
        `${result.end_to_end_savings} % saved`,
    );
  }
  const { toon } = await bothPasses(await committedSet(), count);
  const claim = claimOf(await toolLists(), { measured: toon, count });
  console.log(JSON.stringify(claim, null, 1));
  for (const name of ["like_for_like", "full_wire"] as const) {
    if (claim[`${name}_as_sent`] < FLOORS[name]) {
      console.error(`${name} is below ${FLOORS[name]}`);
      Deno.exitCode = 1;
    }
  }
}

if (import.meta.main) {
  if (Deno.args.includes("--update")) await update();
  else await check();
}
