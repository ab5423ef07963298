/**
 * Supervised starts: a ladder of waits after failures, quarantine, and the way back (spec 06 §3.17).
 *
 * @module
 */
export { type Backoff, type GateVerdict, nextBackoff, quarantineGate } from "./ladder.ts";
export { liftQuarantine } from "./ladder.ts";
export {
  type AcceptedRuntime,
  acceptRuntime,
  type ReloadParts,
  reloadPlugin,
  unquarantinePlugin,
} from "./reload.ts";
export {
  crashCode,
  createPluginSupervisor,
  PluginQuarantinedError,
  type PluginSupervisor,
  type SupervisorOptions,
} from "./supervisor.ts";
