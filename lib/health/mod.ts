/**
 * Local health: what a profile keeps on disk, looked at without network, prompt or secret
 * (spec 07 §3.21, 05 §3.20). Probes leave nothing behind; one that throws counts as unavailable.
 *
 * @module
 */
export {
  type LedgerFacts,
  probeArtifacts,
  probeAuditLog,
  probeCache,
  type ProbedDirectory,
  probeLedger,
} from "./probes.ts";
export { type CredentialPlace, keychainProbe, keychainSample } from "./keychain.ts";
export { tryWriting, type WritableOutcome } from "./writable/mod.ts";
export type { HealthProbe, HealthSample, HealthSubsystem } from "./types.ts";
