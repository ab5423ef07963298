/**
 * Canaries: proof that an installed plugin still works (spec 06 §3.18). None of them quarantines a
 * plugin or counts as a crash.
 *
 * @module
 */
export { parseCanaryArgs, resolveCanaryArgs } from "./args.ts";
export {
  type PassiveRunner,
  type PassiveRunnerOptions,
  scheduleMs,
  startPassiveRunner,
  type WatchedPlugin,
} from "./passive.ts";
export { type CanaryParts, type CanaryRequest, runCanary } from "./run.ts";
