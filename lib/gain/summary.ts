/** Adding up a ledger (spec 07 §3.14). */

import { GumError } from "../errors/mod.ts";
import { BATCH_OP, TOKENIZER } from "./entry.ts";
import { ledgerFiles } from "./ledger.ts";
import { type LedgerRow, ledgerRow, linesBackwards, sessionOf } from "./reading.ts";
import { type GainResult, savedPercent } from "./result.ts";

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
  try {
    return addUp(linesBackwards(await filesOrNone(directory)), query);
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
  calls: number;
  baseline: number;
  actual: number;
}

/** A group and where it first appears, counted backwards from the newest line. */
interface Group<Key> extends Sum {
  key: Key;
  first: number;
}

const emptySum = (): Sum => ({ calls: 0, baseline: 0, actual: 0 });

/** Adds up lines that come newest first. */
export function addUp(lines: Iterable<string>, query: GainQuery): GainResult {
  const copied = interner();
  const total = emptySum();
  const withoutBatches = emptySum();
  const fixtures = emptySum();
  let overhead = 0;
  let position = 0;
  const sessions = groups<{ session: string; families: Set<string> }>(copied);
  const operations = groups<
    Pick<LedgerRow, "opId" | "opFamily" | "cacheStatus" | "fieldMaskStatus">
  >(copied);
  const history = groups<{ session: string; opFamily: string }>(copied);
  const byOp = groups<string>(copied);
  const newestOnly = query.mode === "summary" && query.since === undefined;
  const isFull = () => newestOnly && sessions.size() >= SUMMARY_SESSIONS;

  for (const line of lines) {
    position++;
    const early = sessionOf(line);
    // Most lines of a long ledger are of other sessions and need not be read any further.
    if (early !== undefined) {
      if (query.mode === "session" && early !== query.session) continue;
      if (isFull() && !sessions.has(early)) continue;
    }
    const row = ledgerRow(line);
    if (row === undefined || !isSelected(row, query)) continue;
    if (isFull() && !sessions.has(row.session)) continue;
    add(total, row);
    if (row.opId === BATCH_OP) overhead += row.requestTokens + row.responseTokens;
    else add(withoutBatches, row);
    if (row.fromFixture) add(fixtures, row);
    const place = { row, position };
    if (query.mode === "summary") {
      const group = sessions.add(row.session, {
        ...place,
        key: () => ({ session: copied(row.session), families: new Set<string>() }),
      });
      if (!group.key.families.has(row.opFamily)) group.key.families.add(copied(row.opFamily));
      if (query.byOp) byOp.add(row.opId, { ...place, key: () => copied(row.opId) });
    } else if (query.mode === "session") {
      operations.add(`${row.opId} ${row.cacheStatus} ${row.fieldMaskStatus}`, {
        ...place,
        key: () => ({ ...row, opId: copied(row.opId), opFamily: copied(row.opFamily) }),
      });
    } else {
      history.add(`${row.session} ${row.opFamily}`, {
        ...place,
        key: () => ({ session: copied(row.session), opFamily: copied(row.opFamily) }),
      });
    }
  }

  const result: GainResult = {
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
    result.operations = operations.inOrder().map(({ key, ...sum }) => ({
      op_id: key.opId,
      op_family: key.opFamily,
      calls: sum.calls,
      baseline_tokens: sum.baseline,
      actual_tokens: sum.actual,
      cache_status: key.cacheStatus,
      field_mask_status: key.fieldMaskStatus,
    }));
  } else if (query.mode === "history") {
    result.history = history.inOrder().map(({ key, ...sum }) => ({
      session: key.session,
      op_family: key.opFamily,
      baseline_tokens: sum.baseline,
      actual_tokens: sum.actual,
      savings_pct: savedPercent(sum.baseline, sum.actual),
    }));
  } else {
    if (query.byOp) {
      result.by_tool = byOp.inOrder()
        .sort((left, right) => left.key < right.key ? -1 : 1)
        .map(({ key, ...sum }) => ({
          tool: key,
          calls: sum.calls,
          baseline_tokens: sum.baseline,
          actual_tokens: sum.actual,
        }));
    }
    result.sessions = sessions.inOrder().map(({ key, ...sum }) => ({
      session: key.session,
      calls: sum.calls,
      baseline_tokens: sum.baseline,
      actual_tokens: sum.actual,
      savings_pct: savedPercent(sum.baseline, sum.actual),
      op_families: [...key.families].sort(),
    }));
  }
  return result;
}

function add(sum: Sum, row: LedgerRow): void {
  sum.calls++;
  sum.baseline += row.rawTokens;
  sum.actual += row.shapedTokens;
}

function groups<Key>(copied: (text: string) => string) {
  const known = new Map<string, Group<Key>>();
  return {
    size: () => known.size,
    has: (id: string) => known.has(id),
    add(id: string, found: { row: LedgerRow; position: number; key: () => Key }): Group<Key> {
      let group = known.get(id);
      if (group === undefined) {
        group = { ...emptySum(), key: found.key(), first: found.position };
        known.set(copied(id), group);
      }
      add(group, found.row);
      group.first = found.position;
      return group;
    },
    /** In order of first appearance in the ledger: the highest position counted from its end. */
    inOrder: () => [...known.values()].sort((left, right) => right.first - left.first),
  };
}

/** Gives one string of its own for equal texts: a piece of a chunk would keep the whole chunk. */
function interner(): (text: string) => string {
  const known = new Map<string, string>();
  return (text) => {
    const found = known.get(text);
    if (found !== undefined) return found;
    const own = decoder.decode(encoder.encode(text));
    known.set(own, own);
    return own;
  };
}

const encoder = new TextEncoder();
const decoder = new TextDecoder();

/** The form this program writes sorts like the times it stands for. */
const WRITTEN_TIME = /^[0-9]{4}-[0-9]{2}-[0-9]{2}T[0-9]{2}:[0-9]{2}:[0-9]{2}\.[0-9]{3}Z$/;

function isSelected(row: LedgerRow, query: GainQuery): boolean {
  if (query.excludeRetries && row.isRetry) return false;
  if (query.mode === "session" && row.session !== query.session) return false;
  if (query.since === undefined && query.until === undefined) return true;
  const time = Date.parse(WRITTEN_TIME.test(row.ts) ? row.ts : zoned(row.ts));
  if (Number.isNaN(time)) return true;
  return time >= (query.since ?? -Infinity) && time <= (query.until ?? Infinity);
}

/** Only a time with its zone is readable; Date.parse would take others as local. */
function zoned(text: string): string {
  return /T.*(Z|[+-][0-9]{2}:[0-9]{2})$/.test(text) ? text : "";
}

function windowOf(query: GainQuery): string {
  if (query.mode === "session") return `session:${query.session}`;
  const since = query.since === undefined
    ? undefined
    : new Date(query.since).toISOString().replace(".000Z", "Z");
  if (query.mode === "history") return since === undefined ? "history" : `history:since:${since}`;
  return since === undefined ? `last-${SUMMARY_SESSIONS}-sessions` : `since:${since}`;
}
