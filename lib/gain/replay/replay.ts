/** The replay: measure, compare with what is expected, report (spec 07 §3.16). */

import { GumError } from "../../errors/mod.ts";
import { loadTokenCounter, type TokenCounter } from "../../tokens/mod.ts";
import { BATCH_OP, operationFamily, TOKENIZER } from "../entry.ts";
import { type GainResult, savedPercent, type ToolGain } from "../result.ts";
import { createFixtureKernel, type FixtureKernel, type ReplayParts } from "./fixture_kernel.ts";
import { loadFixtureSet, schemaDrift } from "./fixture_set.ts";
import {
  type MeasuredFixture,
  type MeasuredRow,
  measureFixture,
  rememberingCounter,
} from "./measure.ts";
import type {
  BaselineFigures,
  Category,
  ExpectedTokens,
  FixtureSet,
  RecordedCall,
  RecordedRequest,
  RecordedSet,
  ReplayFormat,
} from "./types.ts";

/** Largest change of the savings of a pass before it fails, in points. */
const DRIFT_POINTS = 2;

/** What to replay. */
export interface ReplayOptions extends ReplayParts {
  directory: string;
  format: ReplayFormat;
  catalogSha256: string;
  /** Default: cl100k. */
  count?: TokenCounter;
}

/**
 * Replays the set once in the asked format, compares every figure with the expected files, and
 * reports. Reads files only.
 *
 * @throws GumError `GAIN_FIXTURE_SET_MISSING`, `GAIN_FIXTURE_SCHEMA_DRIFT` or
 * `GAIN_FIXTURE_BASELINE_MISMATCH`
 */
export async function replayFixtureSet(options: ReplayOptions): Promise<GainResult> {
  const set = await loadFixtureSet(options);
  const kernel = await createFixtureKernel(options);
  checkOperations(set, kernel);
  const count = rememberingCounter(options.count ?? await loadTokenCounter());
  const first = await measureSet(set, { ...options, kernel, count });
  compare(set, { measured: first, format: options.format });
  const second = await measureSet(set, { ...options, kernel, count });
  first.forEach((fixture, index) => {
    if (fixture.text !== second[index]?.text) throw nondeterministic(fixture.path);
  });
  return gainOf(set, first);
}

/** Every operation and profile of the set must be in this build. */
function checkOperations(set: FixtureSet, kernel: FixtureKernel): void {
  for (const { entry, calls } of set.fixtures) {
    for (const { request } of calls) {
      if (kernel.variantIdOf(request.op_id) === undefined) {
        throw schemaDrift(entry.path, `this build has no operation ${request.op_id}`);
      }
    }
    if (entry.op_id === BATCH_OP) continue;
    const profile = kernel.profileOf(entry.op_id, entry.variant_id ?? undefined)?.name ?? null;
    if (profile !== entry.output_profile) {
      throw schemaDrift(entry.path, `the profile is ${profile}, not ${entry.output_profile}`);
    }
  }
}

/** Measures every fixture, in path order. */
export async function measureSet(
  set: RecordedSet,
  options: {
    kernel: FixtureKernel;
    format: ReplayFormat;
    count: TokenCounter;
    compact?: boolean;
  },
): Promise<MeasuredFixture[]> {
  const toolOf = (request: RecordedRequest) => `gum.${options.kernel.riskOf(request.op_id)}`;
  const measured: MeasuredFixture[] = [];
  for (const fixture of set.fixtures) {
    measured.push(
      await measureFixture(
        { ...fixture.entry, calls: fixture.calls },
        { ...options, toolOf },
      ),
    );
  }
  return measured;
}

/** Measures calls that are no set on disk. */
export async function measureCalls(
  recorded: readonly { category: Category; calls: RecordedCall[] }[],
  options: { kernel: FixtureKernel; format: ReplayFormat; count: TokenCounter },
): Promise<MeasuredFixture[]> {
  const toolOf = (request: RecordedRequest) => `gum.${options.kernel.riskOf(request.op_id)}`;
  const measured: MeasuredFixture[] = [];
  for (const { category, calls } of recorded) {
    measured.push(
      await measureFixture({ path: category, category, calls }, { ...options, toolOf }),
    );
  }
  return measured;
}

/** The token file of a fixture, from both passes. */
export function tokensOf(passes: {
  toon: MeasuredFixture;
  json: MeasuredFixture;
}): ExpectedTokens {
  const { toon, json } = passes;
  const sum = (rows: readonly MeasuredRow[], pick: (row: MeasuredRow) => number) =>
    rows.reduce((total, row) => total + pick(row), 0);
  const outer = toon.rows.find(({ opId }) => opId === BATCH_OP);
  return {
    in: sum(toon.rows, ({ raw }) => raw),
    in_as_sent: sum(toon.rows, ({ rawAsSent }) => rawAsSent),
    out_json: sum(json.rows, ({ shaped }) => shaped),
    out_toon: sum(toon.rows, ({ shaped }) => shaped),
    ...(outer === undefined ? {} : {
      outer_request: outer.requestTokens,
      outer_response: outer.shaped - outer.requestTokens,
    }),
  };
}

/** Totals of one pass. */
export function baselineOf(measured: readonly MeasuredFixture[]): BaselineFigures {
  const rows = measured.flatMap(({ rows }) => rows);
  const total = (pick: (row: MeasuredRow) => number) =>
    rows.reduce((sum, row) => sum + pick(row), 0);
  const baseline = total(({ raw }) => raw);
  const actual = total(({ shaped }) => shaped);
  const saved = rows.filter(({ opId }) => opId !== BATCH_OP).map(({ raw, shaped }) => raw - shaped)
    .sort((left, right) => left - right);
  const percentile = (share: number) => {
    const index = Math.min(
      saved.length - 1,
      Math.max(0, Math.ceil(share * saved.length / 100) - 1),
    );
    return saved[index] ?? 0;
  };
  return {
    baseline_tokens: baseline,
    actual_tokens: actual,
    end_to_end_savings: savedPercent(baseline, actual) ?? 0,
    batch_envelope_overhead: rows.filter(({ opId }) => opId === BATCH_OP)
      .reduce((sum, { shaped }) => sum + shaped, 0),
    p50: percentile(50),
    p95: percentile(95),
    p99: percentile(99),
  };
}

function compare(
  set: FixtureSet,
  pass: { measured: readonly MeasuredFixture[]; format: ReplayFormat },
): void {
  const { measured, format } = pass;
  measured.forEach((fixture, index) => {
    const { expectedTokens: expected, expectedText } = set.fixtures[index] ?? {};
    const actual = tokensOf({ toon: fixture, json: fixture });
    if (expected === undefined) throw schemaDrift(fixture.path, "nothing is expected of it");
    const shaped = format === "toon" ? expected.out_toon : expected.out_json;
    differ(fixture.path, { what: "in", expected: expected.in, actual: actual.in });
    differ(fixture.path, {
      what: "in_as_sent",
      expected: expected.in_as_sent,
      actual: actual.in_as_sent,
    });
    differ(fixture.path, { what: `out_${format}`, expected: shaped, actual: actual.out_toon });
    if (format === "toon" && fixture.text !== expectedText) {
      throw mismatch(fixture.path, {
        reason: "text",
        expected: expectedText?.length ?? 0,
        actual: fixture.text.length,
      });
    }
  });
  const expected = set.baseline[format];
  if (expected === undefined) throw schemaDrift("expected-baseline.json", `no ${format} figures`);
  const actual = baselineOf(measured);
  if (Math.abs(actual.end_to_end_savings - expected.end_to_end_savings) > DRIFT_POINTS) {
    throw mismatch("expected-baseline.json", {
      reason: "drift",
      expected: expected.end_to_end_savings,
      actual: actual.end_to_end_savings,
    });
  }
  for (const key of Object.keys(actual) as (keyof BaselineFigures)[]) {
    differ("expected-baseline.json", { what: key, expected: expected[key], actual: actual[key] });
  }
}

function differ(
  path: string,
  figure: { what: string; expected: number; actual: number },
): void {
  if (figure.expected === figure.actual) return;
  throw mismatch(path, { ...figure, reason: figure.what });
}

function mismatch(
  path: string,
  found: { reason: string; expected: number; actual: number },
): GumError {
  const { reason, expected, actual } = found;
  return new GumError("GAIN_FIXTURE_BASELINE_MISMATCH", {
    message: `${path}: ${reason} is ${actual}, expected ${expected}`,
    details: { path, expected, actual, reason },
    suggestion: "Shaping has changed. Review the difference, then take it over with " +
      "`deno task bench:update`.",
  });
}

function nondeterministic(path: string): GumError {
  return new GumError("GAIN_FIXTURE_BASELINE_MISMATCH", {
    message: `${path}: two passes gave different answers`,
    details: { path, reason: "nondeterministic" },
  });
}

function gainOf(set: FixtureSet, measured: readonly MeasuredFixture[]): GainResult {
  const rows = measured.flatMap((fixture) => fixture.rows);
  const figures = baselineOf(measured);
  const byTool = new Map<string, ToolGain>();
  for (const { tool, raw, shaped } of rows) {
    const sum = byTool.get(tool) ?? { tool, calls: 0, baseline_tokens: 0, actual_tokens: 0 };
    sum.calls++;
    sum.baseline_tokens += raw;
    sum.actual_tokens += shaped;
    byTool.set(tool, sum);
  }
  const { baseline_tokens, actual_tokens, end_to_end_savings, batch_envelope_overhead } = figures;
  const savings_pct = savedPercent(baseline_tokens, actual_tokens);
  return {
    mode: "summary",
    window: "since:fixture-replay",
    baseline_tokens,
    actual_tokens,
    savings_tokens: baseline_tokens - actual_tokens,
    savings_pct,
    end_to_end_savings,
    batch_envelope_overhead,
    tokenizer: TOKENIZER,
    per_op_shaping_savings: savedPercent(
      baseline_tokens,
      actual_tokens - batch_envelope_overhead,
    ),
    by_tool: [...byTool.values()].sort((left, right) => left.tool < right.tool ? -1 : 1),
    sessions: [{
      session: set.session,
      calls: rows.length,
      baseline_tokens,
      actual_tokens,
      savings_pct,
      op_families: [...new Set(rows.map(({ opId }) => operationFamily(opId)))].sort(),
    }],
  };
}
