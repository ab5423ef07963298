/**
 * Token accounting (spec 07 §2.4, §2.5, §3.9 to §3.14): every call leaves one line in
 * `<data>/gum/<profile>/gain-ledger.jsonl`, counted after its answer has left; reports add them up.
 *
 * ```ts
 * import { summarizeLedger } from "./mod.ts";
 *
 * const directory = await Deno.makeTempDir();
 * const { baseline_tokens } = await summarizeLedger(directory, { mode: "summary" }); // 0
 * await Deno.remove(directory, { recursive: true });
 * ```
 *
 * @module
 */
import type { GainSink } from "../dispatch/types.ts";

export { type Accounting, type AccountingOptions, openAccounting } from "./accounting.ts";
export { BATCH_OP, type GainEntry, HEADER_LINE, operationFamily, TOKENIZER } from "./entry.ts";
export {
  type Ledger,
  LEDGER_FILE,
  type LedgerOptions,
  openLedger,
  ROTATE_BYTES,
} from "./ledger.ts";
export { gainDisabled, type GainSwitch, gainSwitch, type GainSwitchSources } from "./opt_out.ts";
export {
  type ChartedGain,
  chartLedger,
  type GainQuery,
  ledgerUnavailable,
  summarizeLedger,
  viewLedger,
} from "./summary.ts";
export type { GainTimeline, HourGain } from "./timeline.ts";
export {
  type GainResult,
  type GainTotals,
  type GainView,
  type HistoryGain,
  type OperationGain,
  savedPercent,
  type SessionGain,
  type ToolGain,
} from "./result.ts";
export { gainCsv, gainJson, gainText } from "./render.ts";
export { gainReportPage, type GainReportSource } from "./report.ts";

/** Counts nothing; for sessions whose accounting is off. */
export const disabledGainSink: GainSink = { record() {} };
