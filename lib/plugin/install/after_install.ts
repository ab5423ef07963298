/** What follows a committed installation: the live canary and the report. */

import { rfc3339 } from "../../clock/mod.ts";
import { realFileSystem } from "../file_system.ts";
import { sweepSchemas } from "../schemas/mod.ts";
import type {
  CanaryOutcome,
  PluginStatus,
  PluginWarning,
  RegistrySnapshot,
  SandboxReport,
  StateRow,
} from "../types.ts";
import type { InstallParts, InstallRequest, InstallResult } from "./types.ts";

/** How long sweeping may wait for the registry; it is a courtesy. */
const SWEEP_LOCK_MS = 2_000;

interface Given {
  request: InstallRequest;
  parts: InstallParts;
  warnings: PluginWarning[];
  statusOf: (row: StateRow) => PluginStatus;
}

/** Runs the canary where one is due and describes the installation. */
export async function afterInstall(
  committed: RegistrySnapshot,
  given: Given & { pluginId: string },
): Promise<InstallResult> {
  const { request, parts, warnings, pluginId } = given;
  const row = committed.state.plugins.find(({ name }) => name === pluginId);
  const lock = committed.lock.plugins.find(({ name }) => name === pluginId);
  if (row === undefined || lock === undefined) {
    throw new Error(`the registry holds no row of ${pluginId} after its installation`);
  }
  await sweepLeftovers(given);
  let canary: CanaryOutcome | undefined;
  let current = row;
  if (!row.needs_configuration && request.runCanary !== false) {
    if (parts.canary === undefined) {
      warnings.push({ code: "canary_not_run", message: "this build cannot start plugins" });
    } else {
      const outcome = await parts.canary(row.name, request.signal);
      if (!outcome.ok && outcome.host_condition === true) {
        warnings.push({
          code: "canary_not_run",
          message: `the canary could not be run on this machine: ${outcome.message}`,
        });
      } else {
        canary = outcome;
        if (!outcome.ok) current = await quarantine(row, { ...given, outcome });
      }
    }
  }
  return {
    plugin_id: row.name,
    version: lock.version,
    status: given.statusOf(current),
    install_generation: committed.generation,
    install_txid: committed.txid,
    risk: lock.risk,
    executable: lock.executable,
    sandbox: canary?.sandbox ?? await sandboxOf(given, lock) ?? null,
    warnings,
    ...(canary === undefined ? {} : { canary }),
  };
}

async function sandboxOf(
  { request, parts }: Given,
  lock: RegistrySnapshot["lock"]["plugins"][number],
): Promise<SandboxReport | undefined> {
  return await parts.sandbox?.(lock, request.signal);
}

async function sweepLeftovers({ request, parts }: Given): Promise<void> {
  try {
    await parts.registry.whileLocked(
      { signal: request.signal, lockTimeoutMs: SWEEP_LOCK_MS },
      (snapshot) =>
        sweepSchemas(snapshot.catalog.variants, {
          paths: parts.registry.paths,
          fs: parts.fs ?? realFileSystem,
        }),
    );
  } catch (error) {
    parts.logger.log("debug", "schemas of earlier versions were not swept", {
      error: error instanceof Error ? error.message : String(error),
    });
  }
}

/** A plugin that does not work stays installed and quarantined, until somebody looks at it. */
async function quarantine(
  row: StateRow,
  { request, parts, outcome }: Given & { outcome: CanaryOutcome & { ok: false } },
): Promise<StateRow> {
  const now = rfc3339(parts.clock.now());
  let changed = row;
  await parts.registry.writeTransaction((draft) => {
    const target = draft.state.plugins.find(({ name }) => name === row.name);
    if (target === undefined) return false;
    markCanaryFailed(target, { now });
    changed = target;
  }, { signal: request.signal });
  parts.logger.log("debug", "the live canary of an installed plugin failed", {
    plugin: row.name,
    source_error_code: outcome.source_error_code,
    detail: outcome.message,
  });
  parts.auditSink.append({
    event: "plugin_quarantined",
    plugin: row.name,
    last_error_code: "CANARY_FAILED",
    permanent: false,
  });
  return changed;
}

/** A failed live canary: only an explicit command lifts it. */
export function markCanaryFailed(row: StateRow, { now }: { now: string }): void {
  row.quarantined = true;
  row.quarantined_at = now;
  row.last_error_code = "CANARY_FAILED";
  row.reason = "CANARY_FAILED";
  delete row.next_retry_at;
}
