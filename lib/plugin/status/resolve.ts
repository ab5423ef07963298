/** The status of a plugin, and whether a session may use it (spec 06 §2.4, §3.10). */

import type { PluginStatus, RegistrySnapshot, StateRow } from "../types.ts";

const KNOWN: readonly string[] = [
  "active",
  "installed_pending_restart",
  "needs_configuration",
  "quarantined",
];

/** Fields of a state row as they come from disk: any of them may be missing. */
export type StoredState = Partial<StateRow>;

/**
 * The status that every surface shows. Quarantine wins over missing configuration, which wins over
 * the stored word; an activation after the session's start does not count for that session.
 *
 * @param sessionStartedAt Milliseconds since the epoch.
 */
export function resolveStatus(row: StoredState, sessionStartedAt?: number): PluginStatus {
  if (row.quarantined === true) return "quarantined";
  if (row.needs_configuration === true) return "needs_configuration";
  const status: unknown = row.status;
  if (typeof status !== "string" || status === "") return "active";
  if (status === "active") {
    return sessionStartedAt !== undefined && activatedLater(row, sessionStartedAt)
      ? "installed_pending_restart"
      : "active";
  }
  // A word of a newer version means nothing here; the plugin then waits rather than runs.
  return KNOWN.includes(status) ? status as PluginStatus : "installed_pending_restart";
}

/** Both instants are stored with whole seconds. */
function activatedLater({ activated_at: at }: StoredState, sessionStartedAt: number): boolean {
  if (typeof at !== "string") return false;
  const instant = Date.parse(at);
  if (Number.isNaN(instant)) return false;
  return Math.floor(instant / 1000) > Math.floor(sessionStartedAt / 1000);
}

/** Names of the plugins whose operations a session may use. */
export function activePlugins(
  snapshot: Pick<RegistrySnapshot, "state" | "ok">,
  sessionStartedAt?: number,
): Set<string> {
  if (!snapshot.ok) return new Set();
  return new Set(
    snapshot.state.plugins
      .filter((row) => resolveStatus(row, sessionStartedAt) === "active")
      .map(({ name }) => name),
  );
}
