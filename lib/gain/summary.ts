/** Adding up a ledger (spec 07 §3.14). */

import { GumError } from "../errors/mod.ts";
import { BATCH_OP, TOKENIZER } from "./entry.ts";
import { createFamilySets } from "./families.ts";
import { createGroupTable, type GroupTable } from "./groups.ts";
import { ledgerFiles } from "./ledger.ts";
import {
  CACHE_STATUSES,
  createLineScanner,
  MASK_STATUSES,
  type ScannedRow,
  sessionNumber,
  sessionText,
} from "./line_scanner.ts";
import { createNameTable, type NameTable } from "./names.ts";
import { visitBackwards } from "./reading.ts";
import { type GainResult, gainResult, type GainView, savedPercent } from "./result.ts";
import { createTimeline, type GainTimeline } from "./timeline.ts";

/** Sessions of a summary without a beginning. */
const SUMMARY_SESSIONS = 30;

/** What to add up. */
export type GainQuery =
  & {
    /** Inclusive bounds, milliseconds; rows without a readable time are always in. */
    since?: number;
    until?: number;
    excludeRetries?: boolean;
  }
  & (
    | { mode: "summary"; byOp?: boolean }
    | { mode: "session"; session: string }
    | { mode: "history" }
  );

/**
 * Reads the ledger of a profile's data directory; one that does not exist is empty.
 *
 * @throws GumError `GAIN_LEDGER_UNAVAILABLE`
 */
export async function summarizeLedger(directory: string, query: GainQuery): Promise<GainResult> {
  return gainResult(await viewLedger(directory, query));
}

/** Like {@link summarizeLedger}, for ledgers of any length: rows are made as they are asked for. */
export async function viewLedger(directory: string, query: GainQuery): Promise<GainView> {
  return (await readLedger(directory, { query })).view;
}

/** A report with what its charts need besides. */
export interface ChartedGain {
  view: GainView;
  timeline: GainTimeline;
}

/** Like {@link viewLedger}, with the same rows also added up over time. */
export async function chartLedger(directory: string, query: GainQuery): Promise<ChartedGain> {
  return await readLedger(directory, { query, charts: true });
}

async function readLedger(
  directory: string,
  request: { query: GainQuery; charts?: boolean },
): Promise<ChartedGain> {
  try {
    return addUp(await filesOrNone(directory), request);
  } catch (error) {
    throw ledgerUnavailable(directory, error);
  }
}

/** The error of a ledger that cannot be made or read. */
export function ledgerUnavailable(path: string, cause: unknown): GumError {
  return new GumError("GAIN_LEDGER_UNAVAILABLE", {
    message: `the gain ledger cannot be used: ${
      cause instanceof Error ? cause.message : String(cause)
    }`,
    details: {
      path,
      hint: "The ledger lies on the machine that runs gum; check that its data directory exists " +
        "and can be read and written.",
    },
    cause,
  });
}

async function filesOrNone(directory: string): Promise<string[]> {
  try {
    return await ledgerFiles(directory);
  } catch (error) {
    if (error instanceof Deno.errors.NotFound) return [];
    throw error;
  }
}

interface Sum {
  baseline: number;
  actual: number;
}

const emptySum = (): Sum => ({ baseline: 0, actual: 0 });

/** Groups are met newest first, so "in order of first appearance" is by their last position, down. */
function addUp(
  paths: readonly string[],
  { query, charts = false }: { query: GainQuery; charts?: boolean },
): ChartedGain {
  const names = createNameTable();
  const bounded = query.since !== undefined || query.until !== undefined;
  const scanner = createLineScanner(names, { time: bounded || charts });
  const { row } = scanner;
  const { excludeRetries = false, since = -Infinity, until = Infinity } = query;
  const batchOp = names.idOfText(BATCH_OP);
  const onlySession = query.mode === "session" ? sessionNumber(query.session) : undefined;
  const newestOnly = query.mode === "summary" && query.since === undefined;
  const byOp = query.mode === "summary" && query.byOp === true;
  const total = emptySum();
  const withoutBatches = emptySum();
  const fixtures = emptySum();
  const groups = createGroupTable();
  const tools = createGroupTable();
  const families = createFamilySets();
  const familyOf = new Map<number, number>();
  const timeline = createTimeline();
  let overhead = 0;
  let position = 0;

  const isOther = (session: number): boolean => {
    if (onlySession !== undefined) return session !== onlySession;
    return newestOnly && groups.size() >= SUMMARY_SESSIONS && !groups.has(session, 0);
  };
  const note = () => {
    add(total, row);
    if (row.op === batchOp) overhead += row.requestTokens + row.responseTokens;
    else add(withoutBatches, row);
    if (row.fromFixture) add(fixtures, row);
    if (charts) timeline.add(row);
    switch (query.mode) {
      case "summary": {
        const id = groups.add(row, { first: row.session, second: 0, position });
        families.add(id, row.family);
        if (byOp) tools.add(row, { first: row.op, second: 0, position });
        break;
      }
      case "session": {
        const ending = row.cacheStatus * MASK_STATUSES.length + row.maskStatus;
        groups.add(row, { first: row.op, second: ending, position });
        if (!familyOf.has(row.op)) familyOf.set(row.op, row.family);
        break;
      }
      case "history":
        groups.add(row, { first: row.session, second: row.family, position });
    }
  };

  visitBackwards(paths, (bytes, line) => {
    position++;
    // Most lines of a long ledger are of other sessions and need not be read any further.
    const early = scanner.sessionAt(bytes, line.start);
    if (early !== undefined && isOther(early)) return;
    if (!scanner.scan(bytes, line) || isOther(row.session)) return;
    if (excludeRetries && row.isRetry) return;
    // A comparison with NaN is false: a row without a readable time is in every window.
    if (row.time < since || row.time > until) return;
    note();
  });

  const view: GainView = {
    mode: query.mode,
    window: windowOf(query),
    baseline_tokens: total.baseline,
    actual_tokens: total.actual,
    savings_tokens: total.baseline - total.actual,
    savings_pct: savedPercent(total.baseline, total.actual),
    end_to_end_savings: savedPercent(fixtures.baseline, fixtures.actual),
    batch_envelope_overhead: overhead,
    tokenizer: TOKENIZER,
    per_op_shaping_savings: savedPercent(withoutBatches.baseline, withoutBatches.actual),
  };
  if (query.mode === "session") {
    view.operations = rows(groups, (id) => ({
      op_id: names.nameOf(groups.first(id)),
      op_family: names.nameOf(familyOf.get(groups.first(id)) ?? -1),
      calls: groups.calls(id),
      baseline_tokens: groups.baseline(id),
      actual_tokens: groups.actual(id),
      cache_status: CACHE_STATUSES[Math.floor(groups.second(id) / MASK_STATUSES.length)] ?? "",
      field_mask_status: MASK_STATUSES[groups.second(id) % MASK_STATUSES.length] ?? "",
    }));
  } else if (query.mode === "history") {
    view.history = rows(groups, (id) => ({
      session: sessionText(groups.first(id)),
      op_family: names.nameOf(groups.second(id)),
      baseline_tokens: groups.baseline(id),
      actual_tokens: groups.actual(id),
      savings_pct: savedPercent(groups.baseline(id), groups.actual(id)),
    }));
  } else {
    if (byOp) view.by_tool = toolRows(tools, names);
    const sorted = sortedIds(names);
    view.sessions = rows(groups, (id) => ({
      session: sessionText(groups.first(id)),
      calls: groups.calls(id),
      baseline_tokens: groups.baseline(id),
      actual_tokens: groups.actual(id),
      savings_pct: savedPercent(groups.baseline(id), groups.actual(id)),
      op_families: sorted.filter((family) => families.has(id, family)).map(names.nameOf),
    }));
  }
  return { view, timeline: timeline.done() };
}

function add(sum: Sum, row: ScannedRow): void {
  sum.baseline += row.rawTokens;
  sum.actual += row.shapedTokens;
}

function rows<Row>(groups: GroupTable, rowOf: (id: number) => Row): Iterable<Row> {
  return {
    *[Symbol.iterator]() {
      for (const id of groups.byPositionDescending()) yield rowOf(id);
    },
  };
}

function toolRows(tools: GroupTable, names: NameTable) {
  return Array.from({ length: tools.size() }, (_, id) => ({
    tool: names.nameOf(tools.first(id)),
    calls: tools.calls(id),
    baseline_tokens: tools.baseline(id),
    actual_tokens: tools.actual(id),
  })).sort((left, right) => left.tool < right.tool ? -1 : 1);
}

function sortedIds(names: NameTable): number[] {
  return Array.from({ length: names.size() }, (_, id) => ({ id, name: names.nameOf(id) }))
    .sort((left, right) => left.name < right.name ? -1 : 1)
    .map(({ id }) => id);
}

function windowOf(query: GainQuery): string {
  if (query.mode === "session") return `session:${query.session}`;
  const since = query.since === undefined
    ? undefined
    : new Date(query.since).toISOString().replace(".000Z", "Z");
  if (query.mode === "history") return since === undefined ? "history" : `history:since:${since}`;
  return since === undefined ? `last-${SUMMARY_SESSIONS}-sessions` : `since:${since}`;
}
