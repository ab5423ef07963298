/** When a failed plugin may be tried again (spec 06 §3.17). Pure. */

import { rfc3339 } from "../../clock/mod.ts";
import type { StateRow } from "../types.ts";

const STEP_MS = [30_000, 60_000, 120_000, 240_000, 480_000];

/** The wait after so many failures in a row. */
export type Backoff = { kind: "none" } | { kind: "wait"; ms: number } | { kind: "permanent" };

/** The wait of a step; from the sixth failure on only an explicit command helps. */
export function nextBackoff(step: number): Backoff {
  if (step <= 0) return { kind: "none" };
  const ms = STEP_MS[step - 1];
  return ms === undefined ? { kind: "permanent" } : { kind: "wait", ms };
}

/** Whether a plugin may be started. */
export type GateVerdict =
  | { allowed: true }
  | { allowed: false; reason: "permanent" | "explicit_only" }
  | { allowed: false; reason: "waiting"; nextRetryAt: string };

/** The gate before every supervised start and every canary. */
export function quarantineGate(row: Partial<StateRow> | undefined, now: number): GateVerdict {
  if (row === undefined) return { allowed: true };
  if (row.permanent_quarantine === true) return { allowed: false, reason: "permanent" };
  if (row.quarantined !== true) return { allowed: true };
  const { next_retry_at: at } = row;
  const instant = typeof at === "string" ? Date.parse(at) : NaN;
  if (at === undefined || Number.isNaN(instant)) return { allowed: false, reason: "explicit_only" };
  return now < instant ? { allowed: false, reason: "waiting", nextRetryAt: at } : { allowed: true };
}

/** Enters a failed start into a row. */
export function enterCrash(row: StateRow, crash: { code: string; now: number }): void {
  const { code, now } = crash;
  row.retry_count = (row.retry_count ?? 0) + 1;
  row.backoff_step = (row.backoff_step ?? 0) + 1;
  row.quarantined = true;
  row.quarantined_at = rfc3339(now);
  row.last_error_code = code;
  const backoff = nextBackoff(row.backoff_step);
  if (backoff.kind === "permanent") row.permanent_quarantine = true;
  // A changed program does not get better by waiting.
  if (backoff.kind === "wait" && code !== "PLUGIN_EXECUTABLE_UNTRUSTED") {
    // Whole seconds are stored, so the wait is rounded up, never cut short.
    row.next_retry_at = rfc3339(Math.ceil((now + backoff.ms) / 1000) * 1000);
  } else delete row.next_retry_at;
}

/** Lifts a quarantine; the other fields stay. */
export function liftQuarantine(row: StateRow): void {
  if (row.reason === "CANARY_FAILED") delete row.reason;
  delete row.quarantined_at;
  delete row.last_error_code;
  delete row.next_retry_at;
  row.quarantined = false;
  row.permanent_quarantine = false;
  row.retry_count = 0;
  row.backoff_step = 0;
}
