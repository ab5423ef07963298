/** The file that says, until the next row that lands, that rows were lost (spec 07 §3.19). */

import type { Clock } from "../clock/mod.ts";
import { ensurePrivateDir, writeFileAtomic } from "../files/mod.ts";
import type { Logger } from "../log/mod.ts";
import { fileFacts, SENTINEL_FILE } from "./files.ts";

/** Longest text that is shown of a sentinel. */
const SHOWN_BYTES = 4_096;
/** Age from which on a directory's time tells every later change apart from it. */
const SETTLED_MS = 2_000;

/** The sentinel of one audit log; changes happen one after the other. */
export interface Sentinel {
  /** Overwrites the file with the time and this text. */
  raise(text: string): void;
  /** Removes the file when there is one. */
  lower(): void;
  /** Resolves when every change so far is on disk. */
  settled(): Promise<void>;
}

/** A sentinel in a profile's data directory. */
export function createSentinel(
  directory: string,
  options: { clock: Clock; log: Logger },
): Sentinel {
  const path = `${directory}/${SENTINEL_FILE}`;
  let work: Promise<void> = Promise.resolve();
  let pending = 0;
  /** The directory's time when no sentinel was in it; making one changes that time. */
  let clearSince: number | undefined;
  const isKnownClear = () => clearSince !== undefined && clearSince === changedAt(directory);
  const isClear = () => {
    if (isKnownClear()) return true;
    const changed = changedAt(directory);
    if (fileFacts(path) !== undefined) return false;
    // A time of just now may stay the same over one more change.
    clearSince = changed !== undefined && options.clock.now() - changed > SETTLED_MS
      ? changed
      : undefined;
    return true;
  };
  const then = (change: () => Promise<void>) => {
    pending++;
    work = work.then(change).catch((error) =>
      options.log.log("error", "audit sentinel could not be changed", { reason: `${error}` })
    ).finally(() => pending--);
  };
  return {
    raise(text) {
      const line = `${new Date(options.clock.now()).toISOString()} ${text.replace(/\s+/g, " ")}\n`;
      then(async () => {
        await ensurePrivateDir(directory);
        await writeFileAtomic(path, new TextEncoder().encode(line));
      });
    },
    lower() {
      if (pending === 0 && isClear()) return;
      then(() =>
        Deno.remove(path).catch((error) => {
          if (!(error instanceof Deno.errors.NotFound)) throw error;
        })
      );
    },
    settled: () => work,
  };
}

/** When something was last made or removed in a directory; undefined when that cannot be seen. */
function changedAt(directory: string): number | undefined {
  try {
    return Deno.statSync(directory).mtime?.getTime();
  } catch {
    return undefined; // whoever writes there says what is wrong
  }
}

/** True while the last audit write of the profile failed. */
export function isAuditBroken(directory: string): boolean {
  try {
    return fileFacts(`${directory}/${SENTINEL_FILE}`) !== undefined;
  } catch {
    return true; // a directory that cannot even be looked at keeps no audit log
  }
}

/** What the sentinel says, shortened and trimmed; undefined when nothing is broken. */
export async function sentinelText(directory: string): Promise<string | undefined> {
  try {
    using file = await Deno.open(`${directory}/${SENTINEL_FILE}`, { read: true });
    const bytes = new Uint8Array(SHOWN_BYTES);
    const count = await file.read(bytes) ?? 0;
    return new TextDecoder().decode(bytes.subarray(0, count)).trim();
  } catch (error) {
    if (error instanceof Deno.errors.NotFound) return undefined;
    throw error;
  }
}
