/** A registry over real files whose file system can be made to fail. */

import { type PluginFileSystem, realFileSystem } from "../../file_system.ts";
import { fixedClock, recordingAudit, recordingLogger, stateRow } from "../../testdata/fixture.ts";
import type { RegistryMutation } from "../../types.ts";
import { openPluginRegistry } from "../mod.ts";

/** A change that adds one row of state. */
export const addState = (name: string): RegistryMutation => (draft) => {
  draft.state.plugins.push(stateRow(name));
};

/** The registry of a profile directory, with what it logs and audits. */
export function registryIn(
  profileDir: string,
  fs: Partial<PluginFileSystem> = {},
): {
  registry: ReturnType<typeof openPluginRegistry>;
  logger: ReturnType<typeof recordingLogger>;
  auditSink: ReturnType<typeof recordingAudit>;
} {
  const logger = recordingLogger();
  const auditSink = recordingAudit();
  const registry = openPluginRegistry({
    profileDir,
    clock: fixedClock(),
    logger,
    auditSink,
    fs: { ...realFileSystem, ...fs },
  });
  return { registry, logger, auditSink };
}

/** The text of a file. */
export const text = (path: string): string => Deno.readTextFileSync(path);

/** What a failing sync is rejected with. */
export function errnoError(code: string): Error {
  return Object.assign(new TypeError(`sync failed (os error 22)`), { code });
}
