/**
 * Confining plugins with programs of the host: a closed list, tried out before it is relied on, and
 * no plugin without one (spec 06 §3.15).
 *
 * @module
 */
export { BACKENDS, seatbeltProfile } from "./backends.ts";
export { chooseSandbox, describeHost } from "./choose.ts";
export { probeBackend, type ProbedBackend } from "./probe.ts";
export { type PluginDirectories, prepareDirectories } from "./write_dir.ts";
export type {
  Backend,
  BackendName,
  BackendPlan,
  ChosenSandbox,
  ConfinementPolicy,
  PlannedCommand,
  ProbeResult,
  SandboxParts,
  SandboxSettings,
} from "./types.ts";
