/** What the cache's tests share: a clock to move, entries to keep, a folder that goes away. */

import { DatabaseSync } from "node:sqlite";
import type { Clock } from "../../clock/mod.ts";
import { createResponseCache, type ResponseCacheOptions } from "../mod.ts";

/** A clock that stands still until it is moved. */
export function standingClock(start = 1_780_000_000_000): Clock & { advance(ms: number): void } {
  let now = start;
  return { now: () => now, sleep: () => Promise.resolve(), advance: (ms) => void (now += ms) };
}

/** Something to keep. */
export function entry(
  extra: Partial<Parameters<Cache["put"]>[1]> = {},
): Parameters<Cache["put"]>[1] {
  return {
    body: new TextEncoder().encode("{}"),
    opId: "x.y",
    variantId: "v",
    service: "drive",
    fingerprint: "f",
    ...extra,
  };
}

/** The cache under test. */
export type Cache = ReturnType<typeof createResponseCache>;

/** A profile's cache folder and everything a test does with it. */
export interface Rig extends AsyncDisposable {
  folder: string;
  clock: ReturnType<typeof standingClock>;
  logs: string[];
  open(options?: Partial<ResponseCacheOptions>): Cache;
  /** A connection of somebody else; closed with the rig. */
  connect(): DatabaseSync;
  rows(): { key: string; size_bytes: number; hits: number; last_access_ms: number }[];
}

/** Makes a folder; caches and connections that were opened are closed with it. */
export async function openRig(): Promise<Rig> {
  const root = await Deno.makeTempDir({ prefix: "gum-cache-" });
  const folder = `${root}/gum/default`;
  const clock = standingClock();
  const logs: string[] = [];
  const closers: (() => void)[] = [];
  const connect = () => {
    const database = new DatabaseSync(`${folder}/http-wal.db`);
    database.exec("PRAGMA busy_timeout = 2000");
    closers.push(() => database.isOpen && database.close());
    return database;
  };
  return {
    folder,
    clock,
    logs,
    open(options = {}) {
      const cache = createResponseCache({
        clock,
        directory: folder,
        log: { log: (_level, message) => logs.push(message) },
        ...options,
      });
      closers.push(() => cache.close());
      return cache;
    },
    connect,
    rows: () =>
      connect().prepare("SELECT key, size_bytes, hits, last_access_ms FROM entry ORDER BY key")
        .all().map((row) => ({
          key: String(row.key),
          size_bytes: Number(row.size_bytes),
          hits: Number(row.hits),
          last_access_ms: Number(row.last_access_ms),
        })),
    async [Symbol.asyncDispose]() {
      for (const close of closers) close();
      await Deno.remove(root, { recursive: true });
    },
  };
}
