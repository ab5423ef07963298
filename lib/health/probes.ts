/** The probes of what a profile keeps on disk (spec 07 §3.21). */

import { readTeeSecret } from "../artifact/mod.ts";
import { sentinelText } from "../audit/broken/mod.ts";
import { inspectCacheFile } from "../cache/mod.ts";
import { GumError, isGumError } from "../errors/mod.ts";
import { LEDGER_FILE, ROTATE_BYTES } from "../gain/mod.ts";
import type { HealthSample } from "./types.ts";
import { tryWriting } from "./writable/mod.ts";

const healthy = (detail: string): HealthSample => ({ status: "healthy", detail });
const degraded = (detail: string): HealthSample => ({ status: "degraded", detail });
const unavailable = (detail: string): HealthSample => ({ status: "unavailable", detail });

/** A directory of a profile; undefined where none could be resolved. */
export type ProbedDirectory = string | undefined;

/** `audit_log`: can rows be written, and did the last one land. */
export async function probeAuditLog(directory: ProbedDirectory): Promise<HealthSample> {
  if (directory === undefined) return unavailable("no data directory could be resolved");
  const outcome = await tryWriting(directory, ".audit-probe");
  const broken = await sentinelText(directory);
  if (broken !== undefined) return degraded(broken);
  return healthy(
    outcome === "writable" ? "audit log writable" : "no rows yet; the directory can be made",
  );
}

/** `cache_sqlite`: is the cache file one that this build can use. */
export async function probeCache(
  directory: ProbedDirectory,
  options: { persist: boolean },
): Promise<HealthSample> {
  if (!options.persist) return healthy("memory only: the response cache is not kept on disk");
  if (directory === undefined) return unavailable("no cache directory could be resolved");
  await tryWriting(directory, ".cache-probe");
  const state = await inspectCacheFile(directory);
  switch (state.kind) {
    case "absent":
      return healthy("no cache file yet");
    case "ready":
      return healthy("cache file readable");
    case "older":
      return healthy("cache file of an earlier version; it is brought up to date on first use");
    case "newer":
      return degraded(`cache file has schema ${state.version} of a newer gum; memory only`);
    case "busy":
      return degraded(`cache file is busy: ${state.reason}`);
    case "corrupt":
    case "unusable":
      return unavailable(`cache file: ${state.reason}`);
  }
}

/** What the ledger's probe is told by the session. */
export interface LedgerFacts {
  /** Accounting is switched off. */
  off: boolean;
  /** What the last append of this process failed with. */
  failure?: string;
  /** Default 100 MiB. */
  rotateBytes?: number;
}

/** `gain_ledger`: can entries be appended. */
export async function probeLedger(
  directory: ProbedDirectory,
  facts: LedgerFacts,
): Promise<HealthSample> {
  if (facts.off) return healthy("accounting is switched off");
  if (directory === undefined) return unavailable("no data directory could be resolved");
  await tryWriting(directory, ".gain-probe");
  if (facts.failure !== undefined) return degraded(`last append failed: ${facts.failure}`);
  const path = `${directory}/${LEDGER_FILE}`;
  try {
    using file = await Deno.open(path, { append: true });
    const { size } = await file.stat();
    // Twice the size: one append over the limit is rotated by the next one.
    return size > 2 * (facts.rotateBytes ?? ROTATE_BYTES)
      ? degraded("rotation of the ledger is overdue")
      : healthy("ledger writable");
  } catch (error) {
    if (error instanceof Deno.errors.NotFound) return healthy("no entries yet");
    throw error;
  }
}

/** `tee_filesystem`: can recovery artifacts be written and found again. */
export async function probeArtifacts(directory: ProbedDirectory): Promise<HealthSample> {
  if (directory === undefined) return unavailable("no data directory could be resolved");
  const outcome = await tryWriting(`${directory}/tee`, ".tee-probe");
  try {
    await readTeeSecret(directory);
  } catch (error) {
    if (!isGumError(error, "TEE_SECRET_CORRUPT")) throw error;
    return degraded(error instanceof GumError ? error.message : "tee.secret is malformed");
  }
  return healthy(outcome === "writable" ? "artifact tree writable" : "no artifacts yet");
}
