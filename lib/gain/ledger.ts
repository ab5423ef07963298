/** The ledger file and its segments (spec 07 §3.10). */

import type { Clock } from "../clock/mod.ts";
import { appendLine, ensurePrivateDir, FileLockTimeout, withFileLock } from "../files/mod.ts";
import { defaultLogger, type Logger } from "../log/mod.ts";
import { entryLine, type GainEntry, HEADER_LINE } from "./entry.ts";

/** Name of the live ledger in a profile's data directory. */
export const LEDGER_FILE = "gain-ledger.jsonl";

/** Size of the live file that makes it a segment. */
export const ROTATE_BYTES = 104_857_600;

const LOCK_WAIT_MS = 2_000;
const APPENDING = { read: true, append: true, create: true, mode: 0o600 } as const;
const SEGMENT = /^gain-ledger-([0-9]+)\.jsonl$/;

/** What a ledger is made from. */
export interface LedgerOptions {
  /** `<data>/gum/<profile>`. */
  directory: string;
  clock: Clock;
  log?: Logger;
  /** Default {@link ROTATE_BYTES}. */
  rotateBytes?: number;
}

/** A ledger open for writing. */
export interface Ledger {
  /** Appends one entry; rejects when it did not get into the file. */
  append(entry: GainEntry): Promise<void>;
  /** Waits for what was appended and closes the file. May be called twice. */
  close(): Promise<void>;
}

/** Opens the ledger of a directory; the file is made by the first append. */
export function openLedger(options: LedgerOptions): Ledger {
  const { directory, clock, rotateBytes = ROTATE_BYTES } = options;
  const log = options.log ?? defaultLogger();
  const path = `${directory}/${LEDGER_FILE}`;
  const lockPath = `${path}.lock`;
  let file: Deno.FsFile | undefined;
  let chain: Promise<void> = Promise.resolve();

  const release = () => {
    file?.close();
    file = undefined;
  };
  const underLock = <T>(work: () => T) =>
    withFileLock(lockPath, { timeoutMs: LOCK_WAIT_MS }, () => Promise.resolve(work()));
  const open = async (): Promise<Deno.FsFile> => {
    await ensurePrivateDir(directory);
    file = Deno.openSync(path, APPENDING);
    const { mode, size } = file.statSync();
    if (Deno.build.os !== "windows" && ((mode ?? 0) & 0o077) !== 0) Deno.chmodSync(path, 0o600);
    const opened = file;
    if (size === 0) {
      // Whoever gets the lock first writes it; everyone after finds a file that is not empty.
      await underLock(() => {
        if (opened.statSync().size === 0) appendLine(opened, bytesOf(HEADER_LINE + "\n"));
      });
    }
    return opened;
  };
  /** Another process may have made a segment of the file this one holds. */
  const current = (): Deno.FsFile | undefined => {
    if (file === undefined) return undefined;
    try {
      if (Deno.statSync(path).ino === file.statSync().ino) return file;
    } catch (error) {
      if (!(error instanceof Deno.errors.NotFound)) throw error;
    }
    release();
    return undefined;
  };
  const rotate = async () => {
    try {
      await underLock(() => {
        const live = Deno.statSync(path);
        if (live.size <= rotateBytes) return;
        file?.syncSync();
        Deno.renameSync(path, segmentPath(directory, clock.now()));
        release();
        using made = Deno.openSync(path, APPENDING);
        // Whoever opened it in between may have found it empty and be waiting for the lock.
        if (made.statSync().size === 0) appendLine(made, bytesOf(HEADER_LINE + "\n"));
      });
    } catch (error) {
      // A peer that holds the lock is rotating itself; the next append looks again.
      if (error instanceof FileLockTimeout) return;
      log.log("warn", "gain_rotate_failed", { reason: `${error}` });
    }
  };
  const write = async (line: string) => {
    const target = current() ?? await open();
    appendLine(target, bytesOf(line));
    if (target.statSync().size > rotateBytes) await rotate();
  };
  return {
    append(entry) {
      const result = chain.then(() => write(entryLine(entry)));
      chain = result.catch(() => release());
      return result;
    },
    async close() {
      await chain;
      release();
    },
  };
}

function bytesOf(text: string): Uint8Array {
  return new TextEncoder().encode(text);
}

/**
 * A name that sorts after every other segment: the second of its making, or the one after the last
 * when that is taken or the clock was set back.
 */
function segmentPath(directory: string, now: number): string {
  let second = Math.floor(now / 1000);
  for (const { name } of Deno.readDirSync(directory)) {
    const stamp = Number(SEGMENT.exec(name)?.[1] ?? -1);
    // A number that is too long to add to is none of this ledger's.
    if (stamp >= second && stamp < Number.MAX_SAFE_INTEGER) second = stamp + 1;
  }
  return `${directory}/gain-ledger-${second}.jsonl`;
}

/** Files of a ledger, oldest first, the live one last; nothing else in the directory is read. */
export async function ledgerFiles(directory: string): Promise<string[]> {
  const segments: { name: string; stamp: number }[] = [];
  let live = false;
  for await (const { name } of Deno.readDir(directory)) {
    const stamp = SEGMENT.exec(name)?.[1];
    if (stamp !== undefined) segments.push({ name, stamp: Number(stamp) });
    live ||= name === LEDGER_FILE;
  }
  segments.sort((left, right) => left.stamp - right.stamp);
  return [...segments.map(({ name }) => name), ...(live ? [LEDGER_FILE] : [])]
    .map((name) => `${directory}/${name}`);
}
