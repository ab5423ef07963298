/**
 * The audit log behind the kernel's `AuditSink` (spec 07 §3.19, §3.20): one line a call in
 * `<data>/gum/<profile>/audit.jsonl`, rotated and bounded; a write that fails is visible in
 * `audit.broken` and never fails a call.
 *
 * ```ts
 * import { systemClock } from "../clock/mod.ts";
 * import { openAuditLog } from "./mod.ts";
 *
 * const directory = await Deno.makeTempDir();
 * const audit = openAuditLog({ directory, profileName: "default", clock: systemClock });
 * audit.append({ event: "auth_login" });
 * await audit.close(); // { drained: 1, dropped: 0, timedOut: false }
 * await Deno.remove(directory, { recursive: true });
 * ```
 *
 * @module
 */
import type { AuditSink } from "../dispatch/types.ts";

export { auditRow } from "./row.ts";
export {
  type AuditLog,
  type AuditLogOptions,
  type DrainReport,
  openAuditLog,
} from "./audit_log.ts";
export { isAuditBroken, sentinelText } from "./sentinel.ts";
export {
  type AuditFileReport,
  type AuditVerification,
  lastRows,
  verifyAuditLog,
} from "./reading.ts";

/** Keeps no record; for sessions without a data directory. */
export const disabledAuditSink: AuditSink = { append() {} };
