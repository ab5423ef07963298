/** Shapes of local health (spec 07 §2.7). */

/** One look at a subsystem. */
export interface HealthSample {
  status: "healthy" | "degraded" | "unavailable";
  detail: string;
}

/** A local probe: no network, no prompt, no secret read. Throwing means `unavailable`. */
export type HealthProbe = () => Promise<HealthSample> | HealthSample;

/** Names of the probed subsystems. */
export type HealthSubsystem =
  | "audit_log"
  | "cache_sqlite"
  | "canary_runner"
  | "gain_ledger"
  | "keychain"
  | "tee_filesystem";
