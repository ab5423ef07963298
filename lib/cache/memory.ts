/** A response cache that lives as long as its process. */

import type { Clock } from "../clock/mod.ts";
import type { ResponseCache } from "../dispatch/types.ts";

/** Milliseconds; operations that change rarely may stay longer (spec 07 §3.3). */
const TTL_BY_OP: Readonly<Record<string, number>> = {
  "drive.files.list": 300_000,
  "gmail.users.getProfile": 3_600_000,
  "calendar.colors.get": 86_400_000,
};
const DEFAULT_TTL_MS = 60_000;
const LARGEST_ENTRY = 8 * 1024 * 1024;

interface Entry {
  body: Uint8Array;
  etag?: string;
  service: string;
  fingerprint: string;
  ttlMs: number;
  freshUntil: number;
}

/** What the cache is made from. */
export interface MemoryCacheOptions {
  clock: Clock;
  /** Milliseconds by operation, before the built-in table; 0 = never stored. */
  ttlMs?: Readonly<Record<string, number>>;
  /** Bytes kept in all; the oldest entries go first. Default 64 MiB. */
  capacityBytes?: number;
}

/** Makes an empty cache. */
export function createMemoryResponseCache(options: MemoryCacheOptions): ResponseCache {
  const { clock, capacityBytes = 64 * 1024 * 1024 } = options;
  const entries = new Map<string, Entry>();
  const delivered = new Set<string>();
  const counters = { hits: 0, misses: 0, stored: 0, evicted: 0 };
  let bytes = 0;
  const ttlOf = (opId: string) => options.ttlMs?.[opId] ?? TTL_BY_OP[opId] ?? DEFAULT_TTL_MS;
  const drop = (key: string) => {
    const entry = entries.get(key);
    if (entry === undefined) return;
    bytes -= entry.body.length;
    entries.delete(key);
    counters.evicted++;
  };
  return {
    cacheable: (opId) => ttlOf(opId) > 0,
    get(key) {
      const entry = entries.get(key);
      if (entry === undefined) {
        counters.misses++;
        return Promise.resolve(undefined);
      }
      const fresh = clock.now() < entry.freshUntil;
      if (fresh) counters.hits++;
      else counters.misses++;
      const seen = delivered.has(key);
      if (fresh) delivered.add(key);
      return Promise.resolve({ body: entry.body, etag: entry.etag, fresh, seen });
    },
    put(key, entry) {
      const ttlMs = ttlOf(entry.opId);
      if (ttlMs <= 0 || entry.body.length > LARGEST_ENTRY) return Promise.resolve();
      drop(key);
      const { body, etag, service, fingerprint } = entry;
      entries.set(key, {
        body,
        etag,
        service,
        fingerprint,
        ttlMs,
        freshUntil: clock.now() + ttlMs,
      });
      bytes += body.length;
      delivered.add(key);
      counters.stored++;
      for (const oldest of entries.keys()) {
        if (bytes <= capacityBytes) break;
        drop(oldest);
      }
      return Promise.resolve();
    },
    renew(key) {
      const entry = entries.get(key);
      if (entry !== undefined) entry.freshUntil = clock.now() + entry.ttlMs;
      delivered.add(key);
      return Promise.resolve();
    },
    evict(key) {
      drop(key);
      return Promise.resolve();
    },
    invalidate({ service, fingerprint }) {
      for (const [key, entry] of entries) {
        if (entry.service === service && entry.fingerprint === fingerprint) drop(key);
      }
      return Promise.resolve();
    },
    stats: () => ({ backend: "memory", entries: entries.size, bytes, ...counters }),
  };
}
