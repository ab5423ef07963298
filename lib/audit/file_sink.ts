/** Audit rows as JSON lines in one file. */

import type { Clock } from "../clock/mod.ts";
import type { AuditSink } from "../dispatch/types.ts";
import type { JsonObject } from "../json/mod.ts";

/** Keys that lead a row, in this order (spec 07 §2.6); the rest follow in code-point order. */
const LEADING = [
  "op_id",
  "variant_id",
  "args_hash",
  "client_id",
  "risk_class",
  "risk_override",
  "risk_override_reason",
  "shaping_bypassed",
  "sanitizer_bypassed",
  "dual_fetch",
  "panic",
];

/** A sink over a file, open from the first row to {@link FileAuditSink.close}. */
export interface FileAuditSink extends AuditSink, Disposable {
  close(): void;
}

/** Appends each row to the file at `path` (created 0600; its directory must exist). */
export function createFileAuditSink(path: string, options: { clock: Clock }): FileAuditSink {
  let file: Deno.FsFile | undefined;
  const close = () => {
    file?.close();
    file = undefined;
  };
  return {
    append(row) {
      file ??= Deno.openSync(path, { append: true, create: true, mode: 0o600 });
      const line = JSON.stringify(auditRow(row, options.clock.now())) + "\n";
      // One write a row: with O_APPEND, rows of several processes do not mix.
      file.writeSync(new TextEncoder().encode(line));
    },
    close,
    [Symbol.dispose]: close,
  };
}

/** A row in the order of the contract: `v`, `ts`, the fixed keys, then the others sorted. */
export function auditRow(row: JsonObject, now: number): JsonObject {
  const ordered: JsonObject = { v: 1, ts: new Date(now).toISOString() };
  const others = Object.keys(row).filter((key) => !LEADING.includes(key)).sort();
  for (const key of [...LEADING, ...others]) {
    const value = row[key];
    if (value !== undefined) ordered[key] = value;
  }
  return ordered;
}
