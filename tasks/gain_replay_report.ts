/**
 * Writes the section "Savings" of `docs/benchmarks.md` and `docs/savings.json`.
 *
 *     deno run -q --no-prompt -P=test tasks/gain_replay_report.ts
 *
 * @module
 */

import { countTokens as countO200k } from "gpt-tokenizer/encoding/o200k_base";
import {
  type ExpectedBaseline,
  type MeasuredFixture,
  type MeasuredRow,
  rememberingCounter,
} from "../lib/gain/replay/mod.ts";
import { loadTokenCounter, type TokenCounter } from "../lib/tokens/mod.ts";
import {
  factSheetNames,
  measureFixture,
  openFidelityBench,
  readCall,
  readFacts,
} from "./fidelity.ts";
import { bothPasses, type Claim, claimOf, committedSet, FLOORS, toolLists } from "./gain_replay.ts";
import {
  driveDefaults,
  otherSeeds,
  type Variation,
  withoutServices,
} from "./gain_replay_variations.ts";
import { readReleasePlan } from "./record_release_fixtures_plan.ts";
import { playScenarios, type ScenarioResult, sideTotal } from "./scenarios.ts";

const PAGE = new URL("../docs/benchmarks.md", import.meta.url);
const FIGURES = new URL("../docs/savings.json", import.meta.url);
const START = "<!-- savings: written by tasks/gain_replay_report.ts -->";
const END = "<!-- savings: end -->";

/** Tokens of some rows together. */
interface Group {
  name: string;
  calls: number;
  compact: number;
  sent: number;
  shaped: number;
}

interface TokenizerFigures {
  tokenizer: string;
  claim: Claim;
  json_shaped: number;
  scenarios: ScenarioResult[];
  /** The same against a naive list of the curated fields only. */
  scenarios_fields: ScenarioResult[];
}

interface Figures {
  fixtures: number;
  calls: number;
  operations: number;
  services: number;
  tokenizers: TokenizerFigures[];
  by_category: Group[];
  by_size: Group[];
  by_operation: Group[];
  /** Tokens of the shaped bodies as compact TOON, a form that is never sent. */
  compact_toon: number;
  /** Largest change of the as-sent share, in points, when one operation is left out. */
  leave_one_out: { operation: string; points: number };
  /** The claim without the calls of one service, those that move it most first. */
  without_service: Variation[];
  /** The claim with Drive's own default fields on the naive side. */
  drive_defaults: Variation;
  /** The claim for sets that other seeds draw by the same rules. */
  other_seeds: Variation[];
  fidelity: { answers: number; facts: number; lost: number };
}

/** Tokens of an answer as sent, by which rows are told apart. */
const SIZES: readonly [string, number][] = [
  ["up to 500", 500],
  ["501 to 2,000", 2_000],
  ["2,001 to 10,000", 10_000],
  ["10,001 to 30,000", 30_000],
  ["more than 30,000", Infinity],
];

async function figures(): Promise<Figures> {
  const set = await committedSet();
  const lists = await toolLists();
  const o200k = (text: string) => countO200k(text, { disallowedSpecial: new Set<string>() });
  const counters: [string, TokenCounter][] = [
    ["cl100k_base", await loadTokenCounter()],
    ["o200k_base", o200k],
  ];
  const tokenizers: TokenizerFigures[] = [];
  let measured: MeasuredFixture[] = [];
  for (const [tokenizer, plain] of counters) {
    const count = rememberingCounter(plain);
    const { toon, json } = await bothPasses(set, count);
    if (tokenizer === "cl100k_base") measured = toon;
    tokenizers.push({
      tokenizer,
      claim: claimOf(lists, { measured: toon, count }),
      json_shaped: json.flatMap(({ rows }) => rows).reduce((sum, { shaped }) => sum + shaped, 0),
      scenarios: await playScenarios(count),
      scenarios_fields: await playScenarios(count, { schema: "request_fields" }),
    });
  }
  const count = rememberingCounter(counters[0]?.[1] ?? (() => 0));
  const all = measured.flatMap(({ rows, category }) => rows.map((row) => ({ ...row, category })));
  const calls = all.filter(({ opId }) => opId !== "gum_parallel");
  const size = ({ rawAsSent }: MeasuredRow) =>
    SIZES.find(([, most]) => rawAsSent <= most)?.[0] ?? "";
  const sizes = new Map(groups(calls, size).map((group) => [group.name, group]));
  const operations = groups(all, ({ opId }) => opId)
    .sort((left, right) => right.sent - left.sent);
  return {
    fixtures: set.fixtures.length,
    calls: calls.length,
    operations: operations.length - 1,
    services: new Set(calls.map(({ opId }) => opId.split(".")[0])).size,
    tokenizers,
    by_category: groups(all, ({ category }) => category),
    by_size: SIZES.flatMap(([name]) => sizes.get(name) ?? []),
    by_operation: operations,
    compact_toon: all.reduce((sum, { compactToon = 0 }) => sum + compactToon, 0),
    leave_one_out: leaveOneOut(operations),
    without_service: withoutServices(all, { lists, count }),
    drive_defaults: driveDefaults(set, { measured, lists, count }),
    other_seeds: await otherSeeds({ lists, count }),
    fidelity: await fidelity(counters[0]?.[1] ?? (() => 0)),
  };
}

function groups<Row extends MeasuredRow>(
  rows: readonly Row[],
  nameOf: (row: Row) => string,
): Group[] {
  return [...Map.groupBy(rows, nameOf)].map(([name, own]) => ({
    name,
    calls: own.length,
    compact: own.reduce((sum, { raw }) => sum + raw, 0),
    sent: own.reduce((sum, { rawAsSent }) => sum + rawAsSent, 0),
    shaped: own.reduce((sum, { shaped }) => sum + shaped, 0),
  }));
}

function leaveOneOut(operations: readonly Group[]): { operation: string; points: number } {
  const sum = (pick: (group: Group) => number) =>
    operations.reduce((total, group) => total + pick(group), 0);
  const [sent, shaped] = [sum((group) => group.sent), sum((group) => group.shaped)];
  let worst = { operation: "", points: 0 };
  for (const group of operations) {
    const without = 1 - (shaped - group.shaped) / (sent - group.sent);
    const points = 100 * (without - (1 - shaped / sent));
    if (Math.abs(points) > Math.abs(worst.points)) worst = { operation: group.name, points };
  }
  return worst;
}

async function fidelity(count: TokenCounter): Promise<Figures["fidelity"]> {
  const bench = await openFidelityBench(count);
  const results = factSheetNames().map((name) =>
    measureFixture(name, { call: readCall(name), sheet: readFacts(name), bench })
  );
  return {
    answers: results.length,
    facts: results.reduce((sum, { facts }) => sum + facts, 0),
    lost: results.reduce((sum, { missing }) => sum + missing.length, 0),
  };
}

function percent(before: number, after: number): string {
  return before === 0 ? "–" : share(1 - after / before);
}

function share(part: number): string {
  return `${(100 * part).toFixed(1)} %`;
}

function grouped(count: number): string {
  return String(count).replace(/\B(?=([0-9]{3})+$)/g, ",");
}

function table(head: readonly string[], rows: readonly (readonly string[])[]): string[] {
  return [
    `| ${head.join(" | ")} |`,
    `| ${head.map((_, index) => index === 0 ? "---" : "---:").join(" | ")} |`,
    ...rows.map((cells) => `| ${cells.join(" | ")} |`),
  ];
}

function groupTable(name: string, rows: readonly Group[]): string[] {
  return table(
    [name, "calls", "as sent", "minified", "GUM", "saved of sent", "of minified"],
    rows.map((group) => [
      group.name === "gum_parallel" ? "envelopes of batches" : group.name,
      String(group.calls),
      grouped(group.sent),
      grouped(group.compact),
      grouped(group.shaped),
      percent(group.sent, group.shaped),
      percent(group.compact, group.shaped),
    ]),
  );
}

function section(found: Figures): string {
  const claims = found.tokenizers.map(({ claim }) => claim);
  const row = (name: string, pick: (claim: Claim) => string) => [name, ...claims.map(pick)];
  const [first] = found.tokenizers;
  const { leave_one_out: left, fidelity } = found;
  const scenarios = first?.scenarios ?? [];
  const naiveTotal = scenarios.reduce((sum, { naive }) => sum + sideTotal(naive), 0);
  const structured = scenarios.reduce(
    (sum, { gum }) => sum + gum.tools + gum.calls + gum.structured,
    0,
  );
  return [
    `${found.fixtures} recorded fixtures, ${found.calls} calls of ${found.operations} operations and ` +
    `${found.services} services. Fidelity gate: ${grouped(fidelity.facts)} facts in ` +
    `${fidelity.answers} answers, ${fidelity.lost} lost.`,
    "",
    "### The claim",
    "",
    ...table(["", ...found.tokenizers.map(({ tokenizer }) => tokenizer)], [
      row(`N: naive list, ${claims[0]?.naive_tools} tools`, ({ N }) => grouped(N)),
      row("the same with curated fields only", ({ N_fields }) => grouped(N_fields)),
      row("G: GUM's list as sent", ({ G_full }) => grouped(G_full)),
      row("G, name, description and input schema", ({ G_lite }) => grouped(G_lite)),
      row("R: answers as Google sends them", ({ R_as_sent }) => grouped(R_as_sent)),
      row("R, minified", ({ R }) => grouped(R)),
      row("S: GUM's answers, notices and envelopes included", ({ S }) => grouped(S)),
      row("**registration alone**, 1 − G/N", ({ registration }) => share(registration)),
      row("**shaping alone**, 1 − S/R", ({ shaping_as_sent }) => share(shaping_as_sent)),
      row("shaping alone, against minified answers", ({ shaping }) => share(shaping)),
      row(
        `**like for like** (floor ${share(FLOORS.like_for_like)})`,
        (claim) => share(claim.like_for_like_as_sent),
      ),
      row(
        `**full wire** (floor ${share(FLOORS.full_wire)})`,
        (claim) => share(claim.full_wire_as_sent),
      ),
      row("like for like, against minified answers", (claim) => share(claim.like_for_like)),
      row("full wire, against minified answers", (claim) => share(claim.full_wire)),
    ]),
    "",
    "Google indents its answers; a server that parses and minifies them saves some of that itself, which " +
    "is the second pair: there full wire holds its floor and like for like does not reach it.",
    "",
    `In JSON instead of TOON GUM's answers take ${grouped(first?.json_shaped ?? 0)} tokens ` +
    `(${
      percent(claims[0]?.R_as_sent ?? 0, first?.json_shaped ?? 0)
    } saved). Bodies alone as compact ` +
    `TOON, a form GUM never sends, would take ${
      grouped(found.compact_toon)
    }. Leaving out the one ` +
    `operation that matters most (${left.operation}) moves the share of shaping by ` +
    `${left.points.toFixed(1)} points.`,
    "",
    "### Which calls, and what if they were others",
    "",
    "`testdata/release_fixtures/plan.json` holds the counts, the ways of calling each operation and the rules; " +
    "a seed draws the rest. " + readReleasePlan().rules.join(" "),
    "",
    "The rules were settled in three steps, and the figures were known in between: drawing the operations of " +
    "batches evenly instead of by how often the set calls them gave 81.8 % like for like and 81.5 % full wire; " +
    "with the rule as it stands and the emulator's places as thin as they were, 82.7 % and 82.4 %, and 83.3 % and " +
    "83.0 % after shaping had improved. Places then got the hours, photos, codes and links that the service's " +
    "document lists, and batches got elements of at most 10 rows, so that none is more than 5 % of the set. " +
    "The seed is the first that was tried; these are the same rules with others:",
    "",
    ...variationTable("seed", found.other_seeds),
    "",
    "Without one service, the three that matter most, and with Drive's own default fields (four of a file, " +
    "where GUM tells ten) in place of all fields on the naive side:",
    "",
    ...variationTable("without", [...found.without_service.slice(0, 3), found.drive_defaults]),
    "",
    "### Ten tasks of an agent",
    "",
    "The exact calls of each task on the same emulated account, searches, descriptions and confirmations " +
    "of GUM included; counted is what enters the model's context, once: tool list, calls, results.",
    "",
    ...scenarioTable(first),
    "",
    ...scenarioTotals(found),
    "",
    "A client that shows the model `structuredContent` instead of the text of a result takes " +
    `${grouped(structured)} tokens for all ten with GUM: ${
      percent(naiveTotal, structured)
    } saved. Half of what is left is GUM's own tool list.`,
    "",
    "### By kind",
    "",
    ...groupTable("kind", found.by_category),
    "",
    "### By size of the answer, in tokens",
    "",
    ...groupTable("size", found.by_size),
    "",
    "### By operation",
    "",
    ...groupTable("operation", found.by_operation),
  ].join("\n");
}

function variationTable(name: string, variations: readonly Variation[]): string[] {
  return table(
    [name, "like for like", "full wire", "like for like, minified", "full wire, minified"],
    variations.map((found) => [
      found.name,
      share(found.like_for_like_as_sent),
      share(found.full_wire_as_sent),
      share(found.like_for_like),
      share(found.full_wire),
    ]),
  );
}

function scenarioTable(figures: TokenizerFigures | undefined): string[] {
  return table(
    ["task", "calls", "naive", "GUM", "saved", "saved without the lists", "facts", "lost"],
    (figures?.scenarios ?? []).map((result) => [
      result.name,
      `${result.naive.count} / ${result.gum.count}`,
      grouped(sideTotal(result.naive)),
      grouped(sideTotal(result.gum)),
      percent(sideTotal(result.naive), sideTotal(result.gum)),
      percent(
        result.naive.calls + result.naive.results,
        result.gum.calls + result.gum.results,
      ),
      String(result.facts),
      String(result.missing.length),
    ]),
  );
}

function scenarioTotals(found: Figures): string[] {
  const total = (results: readonly ScenarioResult[], side: "gum" | "naive") =>
    results.reduce((sum, result) => sum + sideTotal(result[side]), 0);
  const saved = (results: readonly ScenarioResult[]) =>
    percent(total(results, "naive"), total(results, "gum"));
  return table(
    ["all ten", "naive", "GUM", "saved", "saved against a list of curated fields"],
    found.tokenizers.map(({ tokenizer, scenarios, scenarios_fields }) => [
      tokenizer,
      grouped(total(scenarios, "naive")),
      grouped(total(scenarios, "gum")),
      saved(scenarios),
      saved(scenarios_fields),
    ]),
  );
}

const HEADING = `## Savings

What GUM saves against a server with one typed tool for each operation of the shipped catalog, which
hands on the answers as Google sends them. Every figure comes from recorded calls
(\`testdata/release_fixtures/\`, made by \`deno task record:release\`) that run through the real kernel;
the tool list is that of a real server process. \`deno task gain-replay\` checks both floors,
\`deno task bench:savings\` rewrites this section and \`docs/savings.json\`.

`;

function withSection(page: string, text: string): string {
  const block = `${START}\n\n${text}\n\n${END}`;
  const start = page.indexOf(START);
  const end = page.indexOf(END);
  if (start !== -1 && end > start) {
    return page.slice(0, start) + block + page.slice(end + END.length);
  }
  return `${page.trimEnd()}\n\n${HEADING}${block}\n`;
}

const NOTES = new URL("../docs/release-notes-v0.1.0.md", import.meta.url);
const NOTES_START = "<!-- token savings: written by tasks/gain_replay_report.ts -->";
const NOTES_END = "<!-- token savings: end -->";

/** The table that the notes of a release carry: the replay's own figures, nothing else. */
export function savingsTable(baseline: ExpectedBaseline): string {
  return table(
    ["format", "tokens of the answers", "tokens with GUM", "saved"],
    (["toon", "json"] as const).map((format) => {
      const { baseline_tokens, actual_tokens, end_to_end_savings } = baseline[format];
      return [
        format,
        grouped(baseline_tokens),
        grouped(actual_tokens),
        `${end_to_end_savings.toFixed(1)} %`,
      ];
    }),
  ).join("\n");
}

async function writeNotes(): Promise<void> {
  const { baseline } = await committedSet();
  const text = await Deno.readTextFile(NOTES);
  const [start, end] = [text.indexOf(NOTES_START), text.indexOf(NOTES_END)];
  if (start === -1 || end < start) throw new Error("the release notes have no table to rewrite");
  await Deno.writeTextFile(
    NOTES,
    `${text.slice(0, start)}${NOTES_START}\n\n${savingsTable(baseline)}\n\n${text.slice(end)}`,
  );
}

/** Measures everything and rewrites the figures, the page and the table of the release notes. */
export async function writeReport(): Promise<void> {
  const found = await figures();
  await Deno.writeTextFile(FIGURES, `${JSON.stringify(found, null, 1)}\n`);
  await Deno.writeTextFile(PAGE, withSection(await Deno.readTextFile(PAGE), section(found)));
  await writeNotes();
  console.log("docs/benchmarks.md, docs/savings.json and the release notes written");
}

if (import.meta.main) await writeReport();
