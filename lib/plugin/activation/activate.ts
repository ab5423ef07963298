/** The transaction of a start-up activation. */

import { rfc3339 } from "../../clock/mod.ts";
import { defaultLogger } from "../../log/mod.ts";
import { finalsAgree, openPluginRegistry, readFinals } from "../registry/mod.ts";
import type { StateRow } from "../types.ts";
import type { ActivationOptions } from "./mod.ts";

/** Activates the waiting plugins of a profile. */
export async function activatePending(
  profileDir: string,
  options: ActivationOptions & { lockTimeoutMs: number },
): Promise<string[]> {
  const { clock, auditSink } = options;
  const logger = options.logger ?? defaultLogger();
  const registry = openPluginRegistry({ profileDir, clock, logger, auditSink });
  const startedAt = rfc3339(options.sessionStartedAt ?? clock.now());
  const before = await registry.loadSnapshot();
  // A tear is looked at under the lock even when nothing waits: recovery settles it once.
  const torn = !finalsAgree(readFinals(registry.paths));
  if (!torn && !before.state.plugins.some(isWaiting)) return [];
  const activated: { name: string; version: string }[] = [];
  await registry.writeTransaction((draft) => {
    for (const row of draft.state.plugins.filter(isWaiting)) {
      row.status = "active";
      row.activated_at = startedAt;
      const version = draft.lock.plugins.find(({ name }) => name === row.name)?.version ?? "";
      activated.push({ name: row.name, version });
    }
    return activated.length === 0 ? false : undefined;
  }, {
    signal: new AbortController().signal,
    lockTimeoutMs: options.lockTimeoutMs,
    repair: false,
  });
  for (const { name, version } of activated) {
    const event = { event: "plugin_activated", plugin: name, version };
    logger.log("info", "a plugin is active now", event);
    auditSink?.append(event);
  }
  return activated.map(({ name }) => name);
}

function isWaiting(row: Partial<StateRow>): boolean {
  return row.status === "installed_pending_restart" && row.quarantined !== true &&
    row.needs_configuration !== true;
}
