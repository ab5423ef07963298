/** What a session remembers on disk: cache, audit log, gain ledger, and their health. */

import { disabledAuditSink, isAuditBroken, openAuditLog } from "../audit/mod.ts";
import {
  CACHE_FILE,
  createResponseCache,
  disabledResponseCache,
  type ProfileResponseCache,
} from "../cache/mod.ts";
import type { Clock } from "../clock/mod.ts";
import type { AuditSink, GainSink, ResponseCache } from "../dispatch/types.ts";
import {
  type Accounting,
  disabledGainSink,
  gainDisabled,
  type GainResult,
  type GainSwitch,
  ledgerUnavailable,
  openAccounting,
  summarizeLedger,
} from "../gain/mod.ts";
import type { HealthProbe, HealthSubsystem } from "../health/types.ts";
import type { JsonObject } from "../json/mod.ts";
import type { Logger } from "../log/mod.ts";
import { closeAll } from "./close_all.ts";

/** Settings of what is remembered, in the units of configuration (spec 05 §8). */
export interface LocalStateSettings {
  cache: {
    enabled: boolean;
    persist: boolean;
    maxSizeMb: number;
    maxEntries: number;
    /** Seconds by operation. */
    ttl: Readonly<Record<string, number>>;
    etagRetentionHours: number;
  };
  gain: GainSwitch;
  audit: {
    maxSizeMb: number;
    maxFiles: number;
    retentionDays: number;
    unbounded: boolean;
    drainTimeoutSeconds: number;
  };
}

/** What {@link openLocalState} is given. */
export interface LocalStateOptions {
  profileName: string;
  /** Base directories; undefined where none could be resolved. */
  directories: { data?: string; cache?: string };
  /** Answers of the emulator must never reach the file that real answers use. */
  emulator: boolean;
  /** The process stays and serves many calls: start-up work is worth it. */
  serving: boolean;
  settings: LocalStateSettings;
  /** Lifetimes that plugins declare for their own operations, in milliseconds. */
  declaredTtl?: (opId: string) => number | undefined;
  clock: Clock;
  log: Logger;
}

/** The parts of a session that remember. */
export interface LocalState {
  cache: ResponseCache;
  audit: AuditSink;
  gain: GainSink;
  /** The summary of the profile's ledger, everything recorded so far included. */
  summary(): Promise<JsonObject>;
  auditBroken(): boolean;
  health: Partial<Record<HealthSubsystem, HealthProbe>>;
  /** Writes everything that was recorded and closes every file. May be called twice. */
  close(): Promise<void>;
}

const MIB = 1024 * 1024;
const HOUR_MS = 3_600_000;
const SECOND = 1000;

/** Opens what a session remembers. Nothing is written before a call needs it. */
export function openLocalState(options: LocalStateOptions): LocalState {
  const { directories, profileName, settings, clock, log } = options;
  const data = profileFolder(directories.data, profileName);
  const cache = openCache(options);
  const audit = data === undefined ? undefined : openAuditLog({
    directory: data,
    profileName,
    clock,
    log,
    announceDrain: options.serving,
    ...auditSettings(settings),
  });
  const gainSwitch = settings.gain;
  const accounting = data === undefined || !gainSwitch.on
    ? undefined
    : openAccounting({ directory: data, clock, log });
  const started = startUp({ audit, cache, log, cacheFile: servedCacheFile(options) });
  let closing: Promise<void> | undefined;
  return {
    cache: cache ?? disabledResponseCache,
    audit: audit ?? disabledAuditSink,
    gain: accounting ?? disabledGainSink,
    async summary() {
      if (!gainSwitch.on) throw gainDisabled(gainSwitch.source);
      return jsonObject(await ledgerSummary(data, accounting));
    },
    auditBroken: () => data !== undefined && isAuditBroken(data),
    health: probes(options, { data, accounting, gainSwitch }),
    close: () =>
      closing ??= closeAll([
        () => started,
        () => audit?.close(),
        () => accounting?.close(),
        () => cache?.close(),
      ]),
  };
}

/** The same value as plain JSON: a named shape has no index signature. */
function jsonObject(result: GainResult): JsonObject {
  return JSON.parse(JSON.stringify(result));
}

function profileFolder(base: string | undefined, profileName: string): string | undefined {
  return base === undefined ? undefined : `${base}/gum/${profileName}`;
}

function openCache(options: LocalStateOptions): ProfileResponseCache | undefined {
  const { cache } = options.settings;
  if (!cache.enabled) return undefined;
  const configured = Object.fromEntries(
    Object.entries(cache.ttl).map(([opId, seconds]) => [opId, seconds * SECOND]),
  );
  return createResponseCache({
    clock: options.clock,
    log: options.log,
    directory: keepsCacheFile(options)
      ? profileFolder(options.directories.cache, options.profileName)
      : undefined,
    ttl: { configured, declared: options.declaredTtl },
    maxBytes: cache.maxSizeMb * MIB,
    maxEntries: cache.maxEntries,
    etagRetentionMs: cache.etagRetentionHours * HOUR_MS,
  });
}

function keepsCacheFile(options: LocalStateOptions): boolean {
  const { enabled, persist } = options.settings.cache;
  return enabled && persist && !options.emulator;
}

function auditSettings({ audit }: LocalStateSettings) {
  return {
    maxBytes: audit.maxSizeMb * MIB,
    maxFiles: audit.maxFiles,
    retentionDays: audit.retentionDays,
    unbounded: audit.unbounded,
    drainTimeoutMs: audit.drainTimeoutSeconds * SECOND,
  };
}

/** The cache file that a server opens ahead of its first call. */
function servedCacheFile(options: LocalStateOptions): string | undefined {
  if (!options.serving || !keepsCacheFile(options)) return undefined;
  const folder = profileFolder(options.directories.cache, options.profileName);
  return folder === undefined ? undefined : `${folder}/${CACHE_FILE}`;
}

/** Puts right what a crash left; a server also clears out the cache and has its file open. */
async function startUp(
  parts: {
    audit: ReturnType<typeof openAuditLog> | undefined;
    cache: ProfileResponseCache | undefined;
    cacheFile: string | undefined;
    log: Logger;
  },
): Promise<void> {
  await parts.audit?.recover();
  if (parts.cacheFile === undefined || !await exists(parts.cacheFile)) return;
  try {
    await parts.cache?.evictExpired();
  } catch (error) {
    parts.log.log("warn", "cache_write_failed", { reason: `${error}` });
  }
}

async function exists(path: string): Promise<boolean> {
  try {
    await Deno.stat(path);
    return true;
  } catch {
    return false; // absent, or not to be looked at: the first call that needs it will say why
  }
}

async function ledgerSummary(
  data: string | undefined,
  accounting: Accounting | undefined,
): Promise<GainResult> {
  if (data === undefined) throw ledgerUnavailable("", new Error("there is no data directory"));
  await accounting?.flush();
  const result = await summarizeLedger(data, { mode: "summary" });
  const failure = accounting?.failure();
  // What could be read is worth more than what could not be written; with neither, say so.
  if (failure !== undefined && result.sessions?.length === 0) {
    throw ledgerUnavailable(data, new Error(failure));
  }
  return result;
}

function probes(
  options: LocalStateOptions,
  parts: {
    data: string | undefined;
    accounting: Accounting | undefined;
    gainSwitch: GainSwitch;
  },
): LocalState["health"] {
  const { data, accounting, gainSwitch } = parts;
  const cacheFolder = profileFolder(options.directories.cache, options.profileName);
  const health = () => import("../health/mod.ts");
  return {
    audit_log: async () => (await health()).probeAuditLog(data),
    cache_sqlite: async () =>
      (await health()).probeCache(cacheFolder, { persist: keepsCacheFile(options) }),
    canary_runner: () => ({ status: "healthy", detail: "no plugin canaries" }),
    gain_ledger: async () =>
      (await health()).probeLedger(data, {
        off: !gainSwitch.on,
        failure: accounting?.failure(),
      }),
    tee_filesystem: async () => (await health()).probeArtifacts(data),
  };
}
