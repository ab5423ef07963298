/**
 * The audit log behind the kernel's `AuditSink`.
 *
 * @module
 */
import type { AuditSink } from "../dispatch/types.ts";

export { auditRow, createFileAuditSink, type FileAuditSink } from "./file_sink.ts";

/** Keeps no record; for sessions without a data directory. */
export const disabledAuditSink: AuditSink = { append() {} };
