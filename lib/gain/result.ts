/** The one shape of every gain report (spec 07 §2.5). */

/** Calls of one session. */
export interface SessionGain {
  session: string;
  calls: number;
  baseline_tokens: number;
  actual_tokens: number;
  savings_pct: number | null;
  /** Sorted, unique. */
  op_families: string[];
}

/** Calls of one operation that ended the same way. */
export interface OperationGain {
  op_id: string;
  op_family: string;
  calls: number;
  baseline_tokens: number;
  actual_tokens: number;
  cache_status: string;
  field_mask_status: string;
}

/** Calls of one family in one session. */
export interface HistoryGain {
  session: string;
  op_family: string;
  baseline_tokens: number;
  actual_tokens: number;
  savings_pct: number | null;
}

/** Calls of one tool or operation. */
export interface ToolGain {
  tool: string;
  calls: number;
  baseline_tokens: number;
  actual_tokens: number;
}

/** What every report says; percentages are on a scale of 0 to 100, rounded to two decimals. */
export interface GainTotals {
  mode: "summary" | "session" | "history";
  window: string;
  baseline_tokens: number;
  actual_tokens: number;
  savings_tokens: number;
  savings_pct: number | null;
  /** Over rows backed by fixtures only; null when there are none. */
  end_to_end_savings: number | null;
  batch_envelope_overhead: number;
  tokenizer: "cl100k_base";
  per_op_shaping_savings?: number | null;
}

/** A gain report. */
export interface GainResult extends GainTotals {
  by_tool?: ToolGain[];
  sessions?: SessionGain[];
  operations?: OperationGain[];
  history?: HistoryGain[];
}

/**
 * A gain report whose rows are made while they are gone through, any number of times: a long ledger
 * has more of them than fit in memory as objects. Every {@link GainResult} is one.
 */
export interface GainView extends GainTotals {
  by_tool?: Iterable<ToolGain>;
  sessions?: Iterable<SessionGain>;
  operations?: Iterable<OperationGain>;
  history?: Iterable<HistoryGain>;
}

/** A view with all its rows at once. */
export function gainResult(view: GainView): GainResult {
  const { by_tool, sessions, operations, history, ...totals } = view;
  return {
    ...totals,
    ...by_tool === undefined ? {} : { by_tool: [...by_tool] },
    ...sessions === undefined ? {} : { sessions: [...sessions] },
    ...operations === undefined ? {} : { operations: [...operations] },
    ...history === undefined ? {} : { history: [...history] },
  };
}

/** Saved share of a baseline in percent, rounded half away from zero; null without a baseline. */
export function savedPercent(baseline: number, actual: number): number | null {
  if (baseline === 0) return null;
  const scaled = 10_000 * (baseline - actual) / baseline;
  return Math.sign(scaled) * Math.round(Math.abs(scaled)) / 100;
}
