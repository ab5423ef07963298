/** One-time markers: of all uses of a token exactly one gets through (spec 02 §3.5). */

import { ensurePrivateDir } from "../files/mod.ts";

/** Remembers spent tokens by their MAC. */
export interface ReplayStore {
  isSpent(mac: string): Promise<boolean>;
  /** False when it was spent before. Throws when the store cannot be used. */
  spend(entry: { mac: string; expiresMs: number; now: number }): Promise<boolean>;
}

const IN_MEMORY_LIMIT = 1024;

/** Markers of one process; for kernels without a profile directory. */
export function createMemoryReplayStore(): ReplayStore {
  const spent = new Map<string, number>();
  return {
    isSpent: (mac) => Promise.resolve(spent.has(mac)),
    spend({ mac, expiresMs, now }) {
      if (spent.has(mac)) return Promise.resolve(false);
      if (spent.size >= IN_MEMORY_LIMIT) makeRoom(spent, now);
      spent.set(mac, expiresMs);
      return Promise.resolve(true);
    },
  };
}

function makeRoom(spent: Map<string, number>, now: number): void {
  for (const [mac, expiresMs] of spent) if (expiresMs < now) spent.delete(mac);
  while (spent.size >= IN_MEMORY_LIMIT) {
    let earliest: [string, number] | undefined;
    for (const entry of spent) {
      if (earliest === undefined || entry[1] < earliest[1]) earliest = entry;
    }
    if (earliest === undefined) return;
    spent.delete(earliest[0]);
  }
}

/** Markers as files of a directory, shared by every process of the profile. */
export function createFileReplayStore(directory: string): ReplayStore {
  return {
    async isSpent(mac) {
      try {
        await Deno.lstat(`${directory}/${mac}`);
        return true;
      } catch (error) {
        if (error instanceof Deno.errors.NotFound) return false;
        throw error;
      }
    },
    async spend({ mac, expiresMs, now }) {
      await ensurePrivateDir(directory);
      await dropExpired(directory, now);
      return await createMarker(`${directory}/${mac}`, `${expiresMs}`);
    },
  };
}

async function createMarker(path: string, text: string): Promise<boolean> {
  let file: Deno.FsFile;
  try {
    file = await Deno.open(path, { write: true, createNew: true, mode: 0o600 });
  } catch (error) {
    if (error instanceof Deno.errors.AlreadyExists) return false;
    throw error;
  }
  try {
    await file.write(new TextEncoder().encode(text));
    await file.sync();
  } catch (error) {
    // The call is refused, so the marker must not count as a use.
    await Deno.remove(path).catch(() => {/* the directory is unusable: the caller is told */});
    throw error;
  } finally {
    file.close();
  }
  return true;
}

/** A marker that cannot be read or is past its time protects nothing any more. */
async function dropExpired(directory: string, now: number): Promise<void> {
  for await (const entry of Deno.readDir(directory)) {
    const path = `${directory}/${entry.name}`;
    const expiresMs = Number(await Deno.readTextFile(path).catch(() => "NaN"));
    if (expiresMs >= now) continue;
    // A marker is empty for an instant while its winner writes it.
    if (!(expiresMs > 0) && await isYoung(path)) continue;
    await Deno.remove(path).catch(() => {/* another process was faster */});
  }
}

const YOUNG_MS = 10_000;

async function isYoung(path: string): Promise<boolean> {
  try {
    const { mtime } = await Deno.lstat(path);
    return mtime !== null && Date.now() - mtime.getTime() < YOUNG_MS;
  } catch {
    return false; // gone already, or unreadable: removing it is tried and may fail harmlessly
  }
}
