/** The audit log: one append-only line a call, bounded on disk (spec 07 §3.19, §3.20). */

import type { Clock } from "../clock/mod.ts";
import type { AuditSink } from "../dispatch/types.ts";
import { appendLine, FileLockTimeout } from "../files/mod.ts";
import type { JsonObject } from "../json/mod.ts";
import { defaultLogger, type Logger } from "../log/mod.ts";
import { beganAt, fileFacts, LIVE_FILE } from "./files.ts";
import { recoverAuditFile, rotateAuditFile } from "./rotation.ts";
import { auditRow } from "./row.ts";
import { createSentinel } from "./sentinel.ts";

const MIB = 1024 * 1024;
const DAY_MS = 86_400_000;
/** After a peer kept the rotation lock for too long, rows are appended without asking again. */
const ROTATION_PAUSE_MS = 1_000;

/** What an audit log is made from; the numbers are those of configuration (spec 05 §8). */
export interface AuditLogOptions {
  /** `<data>/gum/<profile>`. */
  directory: string;
  profileName: string;
  clock: Clock;
  log?: Logger;
  /** `audit.max_size_mb` in bytes; 0 = no rotation by size. Default 100 MiB. */
  maxBytes?: number;
  /** `audit.max_files`; default 5. */
  maxFiles?: number;
  /** `audit.retention_days`; 0 = no rotation by age. Default 90. */
  retentionDays?: number;
  /** `audit.unbounded`: lifts the ceiling only. */
  unbounded?: boolean;
  /** `audit.drain_timeout_seconds` in milliseconds; default 2,000. */
  drainTimeoutMs?: number;
  /** Log one `audit_drain_complete` on close, as a server does. */
  announceDrain?: boolean;
  /** Size the live file never passes; default 10 GiB. */
  ceilingBytes?: number;
  /** Waits for the rotation lock: at the ceiling, and otherwise. Default 60 s and 2 s. */
  ceilingWaitMs?: number;
  rotationWaitMs?: number;
  /** Rows that may wait for a rotation; default 256. */
  queueRows?: number;
  /** How long a row waits for a place in a full queue; default 250 ms. */
  slotWaitMs?: number;
}

/** How closing went; `drained + dropped` is what was offered. */
export interface DrainReport {
  drained: number;
  dropped: number;
  timedOut: boolean;
}

/** An audit log with a lifetime. */
export interface AuditLog extends AuditSink {
  /** Puts right what a crashed process left; never rejects. */
  recover(): Promise<void>;
  /** Resolves when nothing waits to be written. */
  idle(): Promise<void>;
  /** Writes what waits, within the drain time. Later rows are dropped. May be called twice. */
  close(): Promise<DrainReport>;
}

/** A row on its way to the file. */
interface Line {
  bytes: Uint8Array;
}

/**
 * Opens the log of a profile; nothing is written before the first row.
 *
 * A row is in the file when `append` returns, so what was answered was recorded. Only while the
 * file is moved aside, which may have to wait for another process, do rows queue. `append` never
 * throws: a row that is lost leaves `audit.broken` behind.
 */
export function openAuditLog(options: AuditLogOptions): AuditLog {
  const { directory, clock, maxBytes = 100 * MIB, maxFiles = 5, retentionDays = 90 } = options;
  const log = options.log ?? defaultLogger();
  const ceiling = options.unbounded ? Infinity : options.ceilingBytes ?? 10 * 1024 * MIB;
  const queueRows = options.queueRows ?? 256;
  const path = `${directory}/${LIVE_FILE}`;
  const sentinel = createSentinel(directory, { clock, log });
  const queue: Line[] = [];
  const waiting = new Map<Line, ReturnType<typeof setTimeout>>();
  const stop = new AbortController();
  const counts = { drained: 0, dropped: 0 };
  let worker: Promise<void> | undefined;
  let age: { inode: number | null; since: number } | undefined;
  let closing: Promise<DrainReport> | undefined;
  /** Aborted when rows pile up behind a rotation that could as well come later. */
  let hurry: AbortController | undefined;
  let noRotationBefore = 0;

  const fail = (error: unknown) => {
    counts.dropped++;
    const reason = error instanceof Error ? error.message : String(error);
    log.log("error", "audit_write_failure", { error: reason, profile: options.profileName });
    sentinel.raise(reason);
  };
  const isOld = (info: Deno.FileInfo): boolean => {
    if (retentionDays <= 0) return false;
    const now = clock.now();
    if (age === undefined || age.inode !== info.ino) {
      age = { inode: info.ino, since: beganAt(path, { info, now }) };
    }
    return now - age.since >= retentionDays * DAY_MS;
  };
  /** Why the file has to move aside before `bytes` more go into it. */
  const rotationReason = (bytes: number, info = fileFacts(path)) => {
    if (info === undefined || info.size === 0) return undefined;
    if (info.size + bytes > ceiling) return "ceiling";
    if (performance.now() < noRotationBefore) return undefined;
    if (maxBytes > 0 && info.size + bytes > maxBytes) return "size";
    return isOld(info) ? "age" : undefined;
  };
  const isAtCeiling = (line: Line): boolean => {
    try {
      return (fileFacts(path)?.size ?? 0) + line.bytes.length > ceiling;
    } catch {
      return false; // what cannot be looked at will fail where it is written
    }
  };
  const rotate = (waitMs: number, line: Line) => {
    age = undefined;
    hurry = new AbortController();
    return rotateAuditFile({
      directory,
      maxFiles,
      now: clock.now(),
      waitMs,
      signal: AbortSignal.any([stop.signal, hurry.signal]),
      stillNeeded: (info) => rotationReason(line.bytes.length, info) !== undefined,
    });
  };
  const write = (line: Line, archiveTrouble?: unknown) => {
    try {
      using file = openForAppend(path);
      appendLine(file, line.bytes);
    } catch (error) {
      return fail(error);
    }
    counts.drained++;
    if (archiveTrouble === undefined) return sentinel.lower();
    log.log("error", "audit_write_failure", {
      error: `${archiveTrouble}`,
      profile: options.profileName,
    });
    sentinel.raise(`rotation failed: ${archiveTrouble}`);
  };
  /** False when the log was told to stop before the row could be written. */
  const writeRotating = async (line: Line): Promise<boolean> => {
    const reason = rotationReason(line.bytes.length);
    let trouble: unknown;
    if (reason !== undefined) {
      const { ceilingWaitMs = 60_000, rotationWaitMs = 2_000 } = options;
      try {
        await rotate(reason === "ceiling" ? ceilingWaitMs : rotationWaitMs, line);
      } catch (error) {
        if (stop.signal.aborted) return false;
        if (reason === "ceiling") {
          fail(error);
          return true;
        }
        // A peer that rotates is no trouble; anything else must not cost the row either.
        if (hurry?.signal.aborted || error instanceof FileLockTimeout) {
          noRotationBefore = performance.now() + ROTATION_PAUSE_MS;
        } else trouble = error;
      }
    }
    write(line, trouble);
    return true;
  };
  const admit = () => {
    for (const [line, timer] of waiting) {
      if (queue.length >= queueRows) return;
      clearTimeout(timer);
      waiting.delete(line);
      queue.push(line);
    }
  };
  const work = async () => {
    for (let line = queue[0]; line !== undefined; line = queue[0]) {
      try {
        if (!await writeRotating(line)) return;
      } catch (error) {
        fail(error);
      }
      queue.shift();
      if (stop.signal.aborted) return;
      admit();
    }
  };
  const enqueue = (line: Line) => {
    if (queue.length < queueRows) queue.push(line);
    else if (!isAtCeiling(line)) {
      // Below the ceiling no row is worth less than a rotation: let it come later.
      hurry?.abort(new Error("rows pile up"));
      queue.push(line);
    } else {
      const dropLate = () => {
        waiting.delete(line);
        fail(new Error(`audit queue full: a row waited ${options.slotWaitMs ?? 250} ms in vain`));
      };
      waiting.set(line, setTimeout(dropLate, options.slotWaitMs ?? 250));
    }
    worker ??= work().finally(() => worker = undefined);
  };
  const drain = async (): Promise<DrainReport> => {
    const timeoutMs = options.drainTimeoutMs ?? 2_000;
    const timedOut = worker !== undefined && await isLate(worker, timeoutMs);
    // What is left after that is not a failure: it is counted, and no sentinel is raised.
    for (const timer of waiting.values()) clearTimeout(timer);
    if (timedOut) {
      stop.abort(new Error("the drain time is over"));
      await worker;
      counts.dropped += queue.length + waiting.size;
      queue.length = 0;
      waiting.clear();
    }
    await sentinel.settled();
    const report = { ...counts, timedOut };
    if (options.announceDrain) {
      log.log("info", "audit_drain_complete", {
        drained: report.drained,
        dropped: report.dropped,
        timed_out: timedOut,
      });
    }
    return report;
  };

  return {
    append(row) {
      if (closing !== undefined) {
        counts.dropped++;
        return;
      }
      const line = lineOf(row, clock.now());
      if (line instanceof Error) return fail(line);
      if (queue.length > 0) return enqueue(line);
      try {
        if (rotationReason(line.bytes.length) !== undefined) return enqueue(line);
      } catch (error) {
        return fail(error);
      }
      write(line);
    },
    async recover() {
      try {
        await recoverAuditFile(directory, { waitMs: options.rotationWaitMs ?? 2_000 });
      } catch (error) {
        log.log("warn", "audit log could not be put right", { reason: `${error}` });
      }
    },
    async idle() {
      await worker;
      await sentinel.settled();
    },
    close: () => closing ??= drain(),
  };
}

function lineOf(row: JsonObject, now: number): Line | Error {
  try {
    return { bytes: new TextEncoder().encode(JSON.stringify(auditRow(row, now)) + "\n") };
  } catch (error) {
    return error instanceof Error ? error : new Error(String(error));
  }
}

function openForAppend(path: string): Deno.FsFile {
  const open = () => Deno.openSync(path, { read: true, append: true, create: true, mode: 0o600 });
  let file: Deno.FsFile;
  try {
    file = open();
  } catch (error) {
    if (!(error instanceof Deno.errors.NotFound)) throw error;
    // The directory is new, or it went away while we ran.
    Deno.mkdirSync(path.slice(0, path.lastIndexOf("/")), { recursive: true, mode: 0o700 });
    file = open();
  }
  if (Deno.build.os !== "windows" && ((file.statSync().mode ?? 0) & 0o077) !== 0) {
    Deno.chmodSync(path, 0o600);
  }
  return file;
}

async function isLate(work: Promise<void>, timeoutMs: number): Promise<boolean> {
  if (timeoutMs <= 0) return true;
  let timer: ReturnType<typeof setTimeout> | undefined;
  const late = new Promise<boolean>((resolve) => {
    timer = setTimeout(() => resolve(true), timeoutMs);
  });
  try {
    return await Promise.race([work.then(() => false), late]);
  } finally {
    clearTimeout(timer);
  }
}
