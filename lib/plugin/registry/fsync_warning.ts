/** Saying once that a file system cannot make writes durable (spec 06 §3.9). */

import type { AuditSink } from "../../dispatch/types.ts";
import type { Logger } from "../../log/mod.ts";
import { errnoName, isSyncUnsupported } from "./errno.ts";

const SUGGESTION = "Move the profile data directory to a local file system.";

const warned = new Set<string>();

/** Runs a sync; what the file system does not support is told once and passes. */
export type SyncGuard = (path: string, sync: () => Promise<void>) => Promise<void>;

/** A guard for one profile. The warning is given once a process, whatever the transaction. */
export function syncGuard(
  profileDir: string,
  sinks: { logger: Logger; auditSink: AuditSink },
): SyncGuard {
  return async (path, sync) => {
    try {
      await sync();
    } catch (error) {
      if (!isSyncUnsupported(error)) throw error;
      if (warned.has(profileDir)) return;
      warned.add(profileDir);
      const facts = { path, syscall_errno: errnoName(error), suggestion: SUGGESTION };
      sinks.logger.log("warn", "this file system cannot make writes durable", {
        event: "fsync_not_supported",
        ...facts,
      });
      sinks.auditSink.append({ event: "fsync_not_supported", ...facts });
    }
  };
}

/** Forgets which profiles were warned about; for tests of the warning itself. */
export function forgetSyncWarnings(): void {
  warned.clear();
}
