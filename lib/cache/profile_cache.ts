/** The response cache of one account profile: memory in front of a file (spec 07 §3.2 to §3.7). */

import type { Clock } from "../clock/mod.ts";
import type { ResponseCache } from "../dispatch/types.ts";
import type { JsonObject } from "../json/mod.ts";
import { defaultLogger, type Logger } from "../log/mod.ts";
import { sqliteFault } from "../sqlite/mod.ts";
import { createTally } from "./counters.ts";
import { type CacheEntry, isFresh, isRetained } from "./entry.ts";
import { openCacheFile } from "./file.ts";
import { createHotTier, type HotTierLimits } from "./hot_tier.ts";
import { type CacheRows, cacheRows } from "./rows.ts";
import { ttlPolicy, type TtlSources } from "./ttl.ts";

const HOUR_MS = 3_600_000;
const LARGEST_BODY = 8 * 1024 * 1024;
/** Bodies this session is known to have been given; beyond it the oldest are forgotten. */
const DELIVERED_LIMIT = 16_384;

/** What a cache is made from; the numbers are those of configuration (spec 05 §8). */
export interface ResponseCacheOptions {
  clock: Clock;
  log?: Logger;
  /** `<cache>/gum/<profile>`; absent: memory only. */
  directory?: string;
  ttl?: TtlSources;
  /** `cache.max_size_mb` in bytes; default 256 MiB. */
  maxBytes?: number;
  /** `cache.max_entries`; default 1,024. */
  maxEntries?: number;
  /** `cache.etag_retention_hours` in milliseconds; default 168 hours. */
  etagRetentionMs?: number;
  /** How long a statement waits for another process; default 5,000 ms. */
  busyTimeoutMs?: number;
  hot?: HotTierLimits;
}

/** A response cache with a lifetime. */
export interface ProfileResponseCache extends ResponseCache {
  /** Opens the file ahead of the first call; never rejects. */
  warm(): Promise<void>;
  /** Removes what can serve nobody any more; returns the rows that are gone. */
  evictExpired(): Promise<number>;
  /** Writes counters and closes the file; afterwards every lookup misses. May be called twice. */
  close(): void;
}

/**
 * Makes the cache. The file is opened by the first call that needs it; when it cannot be used the
 * cache lives in memory and says so in the log once. Only {@link ProfileResponseCache.evictExpired}
 * and `put` reject.
 */
export function createResponseCache(options: ResponseCacheOptions): ProfileResponseCache {
  const { clock, etagRetentionMs = 168 * HOUR_MS } = options;
  const log = options.log ?? defaultLogger();
  const ttl = ttlPolicy(options.ttl);
  const limits = {
    maxBytes: options.maxBytes ?? 256 * 1024 * 1024,
    maxEntries: options.maxEntries ?? 1_024,
    ttl,
  };
  const hot = createHotTier(options.hot);
  const tally = createTally();
  const delivered = new Set<string>();
  /** Scopes whose rows could not be removed from the file: those rows are served to nobody. */
  const condemned = new Set<string>();
  /** Invalidations by service and principal. */
  const changed = new Map<string, number>();
  let rows: CacheRows | undefined;
  let opening: Promise<void> | undefined;
  let seenVersion = 0;
  let closed = false;
  let nextExpiry = 0;

  const open = async (directory: string): Promise<void> => {
    try {
      const database = await openCacheFile(directory, {
        busyTimeoutMs: options.busyTimeoutMs ?? 5_000,
      });
      if (closed) return database.close();
      rows = cacheRows(database);
      seenVersion = rows.dataVersion();
    } catch (error) {
      log.log("warn", "cache_open_failed", { reason: `${error}` });
    }
  };
  const warm = (): Promise<void> => {
    if (options.directory === undefined || closed) return Promise.resolve();
    return opening ??= open(options.directory);
  };
  /** Runs a statement; a file that turns out damaged is let go, and memory goes on alone. */
  const onRows = <T>(work: (rows: CacheRows) => T): T | undefined => {
    if (rows === undefined) return undefined;
    try {
      return work(rows);
    } catch (error) {
      if (sqliteFault(error) === "corrupt") {
        log.log("warn", "cache_open_failed", { reason: `${error}` });
        rows.close();
        rows = undefined;
      }
      throw error;
    }
  };
  /** What another process has committed since the last look may have made memory out of date. */
  const noticeOthers = (): void => {
    const version = onRows((file) => file.dataVersion());
    if (version === undefined || version === seenVersion) return;
    seenVersion = version;
    hot.clear();
  };
  const flush = (): void => {
    try {
      onRows((file) => file.flush(tally.pending()));
      if (rows !== undefined) tally.settle();
    } catch (error) {
      log.log("warn", "cache_write_failed", { reason: `${error}` });
    }
  };
  const counted = (): void => {
    if (tally.due() && rows !== undefined) flush();
  };
  const deliver = (key: string): void => {
    delivered.add(key);
    if (delivered.size <= DELIVERED_LIMIT) return;
    for (const oldest of delivered) {
      delivered.delete(oldest);
      break;
    }
  };
  const lookUp = (key: string): CacheEntry | undefined => {
    noticeOthers();
    const known = hot.get(key);
    if (known !== undefined) return known;
    const found = onRows((file) => file.find(key));
    if (found === undefined || !cleared(found)) return undefined;
    hot.set(key, found);
    return found;
  };
  const dropScope = (scope: { service: string; fingerprint: string }): void => {
    const name = scopeName(scope);
    condemned.add(name);
    onRows((file) => file.deleteScope(scope));
    condemned.delete(name);
  };
  /** False when the row should have gone with a write; another try to remove it is made. */
  const cleared = (found: CacheEntry): boolean => {
    if (!condemned.has(scopeName(found))) return true;
    try {
      dropScope({ service: found.service, fingerprint: found.fingerprint });
    } catch (error) {
      log.log("warn", "cache_write_failed", { reason: `${error}` });
    }
    return false;
  };
  const until = (opId: string, tagged: boolean) => {
    const now = clock.now();
    const freshUntil = now + ttl(opId);
    return {
      freshUntil,
      retainUntil: tagged ? Math.max(freshUntil, now + etagRetentionMs) : freshUntil,
    };
  };
  const expire = async (): Promise<number> => {
    await warm();
    const now = clock.now();
    nextExpiry = now + HOUR_MS;
    const keys = onRows((file) => file.deleteExpired(now)) ?? [];
    // Only now: a failed commit must leave memory and file telling the same story.
    for (const key of keys) hot.delete(key);
    hot.deleteWhere((entry) => !isRetained(entry, now));
    return keys.length;
  };

  return {
    cacheable: (opId) => ttl(opId) > 0,
    warm,
    async get(key) {
      await warm();
      if (closed) return undefined;
      const now = clock.now();
      const entry = lookUp(key);
      const fresh = entry !== undefined && isFresh(entry, now);
      tally.count(fresh ? "semantic_hits" : "semantic_misses");
      counted();
      if (entry === undefined || !isRetained(entry, now)) return undefined;
      const seen = delivered.has(key);
      if (fresh) {
        tally.used(key, now);
        deliver(key);
      }
      return { body: entry.body.slice(), etag: entry.etag, fresh, seen };
    },
    changes: (scope) => changed.get(scopeName(scope)) ?? 0,
    async put(key, { changes, ...given }) {
      await warm();
      if (closed || ttl(given.opId) <= 0 || given.body.length > LARGEST_BODY) return;
      const now = clock.now();
      const entry: CacheEntry = {
        ...given,
        body: given.body.slice(),
        ...until(given.opId, given.etag !== undefined),
      };
      deliver(key);
      tally.count("http_misses");
      if (rows !== undefined && now >= nextExpiry) {
        await expire().catch((error) =>
          log.log("warn", "cache_write_failed", { reason: `${error}` })
        );
      }
      // A write has ended since this answer was asked for: it may show what was there before.
      if (changes !== undefined && changes !== (changed.get(scopeName(given)) ?? 0)) return;
      // Uses come first, so that eviction knows what was read since.
      flush();
      try {
        onRows((file) => file.put(key, { entry, now, limits }));
      } catch (error) {
        hot.delete(key);
        throw error;
      }
      const left = hot.set(key, entry);
      // In front of a file, leaving memory is no loss.
      if (rows === undefined && left > 0) tally.count("evictions", left);
    },
    async renew(key) {
      await warm();
      if (closed) return;
      deliver(key);
      tally.count("http_hits");
      const entry = lookUp(key);
      if (entry === undefined) return;
      const renewed = { ...entry, ...until(entry.opId, entry.etag !== undefined) };
      hot.set(key, renewed);
      onRows((file) => file.renew(key, { ...renewed, now: clock.now() }));
      counted();
    },
    async evict(key) {
      await warm();
      hot.delete(key);
      onRows((file) => file.delete(key));
    },
    async invalidate({ service, fingerprint }) {
      const scope = scopeName({ service, fingerprint });
      changed.set(scope, (changed.get(scope) ?? 0) + 1);
      await warm();
      hot.deleteWhere((entry) => entry.service === service && entry.fingerprint === fingerprint);
      dropScope({ service, fingerprint });
    },
    evictExpired: expire,
    stats() {
      flush();
      const now = clock.now();
      try {
        const stored = onRows((file) => ({
          ...statistics(file.counters(), file.measure(now)),
          backend: "file",
        }));
        if (stored !== undefined) return stored;
      } catch (error) {
        log.log("warn", "cache_read_failed", { reason: `${error}` });
      }
      return { ...statistics(tally.totals(), hot.measure(now)), backend: "memory" };
    },
    close() {
      if (closed) return;
      closed = true;
      flush();
      rows?.close();
      rows = undefined;
      hot.clear();
    },
  };
}

function scopeName(scope: { service: string; fingerprint: string }): string {
  return `${scope.service}\u0000${scope.fingerprint}`;
}

/** Counters and sizes in the shape of `gum.cache_stats`. */
export function statistics(
  counters: Readonly<Record<string, number>>,
  sizes: { entries: number; bytes: number; tagged: number; taggedBytes: number },
): { semantic: JsonObject; http: JsonObject } {
  const count = (name: string) => Math.max(0, counters[name] ?? 0);
  return {
    semantic: {
      hits: count("semantic_hits"),
      misses: count("semantic_misses"),
      evictions: count("evictions"),
      entries: sizes.entries,
      bytes: sizes.bytes,
    },
    http: {
      hits: count("http_hits"),
      misses: count("http_misses"),
      entries: sizes.tagged,
      bytes: sizes.taggedBytes,
    },
  };
}
