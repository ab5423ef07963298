/** Moving the live audit file aside (spec 07 §3.19). */

import { ensurePrivateDir, withFileLock } from "../files/mod.ts";
import { fileFacts, LIVE_FILE, LOCK_FILE, nextArchiveName, pruneArchives } from "./files.ts";

/** What a rotation needs to know. */
export interface RotationRequest {
  directory: string;
  /** Archives that stay. */
  maxFiles: number;
  now: number;
  /** How long to wait for a peer that rotates. */
  waitMs: number;
  signal?: AbortSignal;
  /** Asked again under the lock: a peer may have rotated meanwhile. */
  stillNeeded: (info: Deno.FileInfo) => boolean;
}

/** @throws FileLockTimeout when a peer holds the lock for the whole wait. */
export async function rotateAuditFile(request: RotationRequest): Promise<void> {
  const { directory, waitMs, signal } = request;
  await ensurePrivateDir(directory);
  await withFileLock(`${directory}/${LOCK_FILE}`, { timeoutMs: waitMs, signal }, () => {
    const live = `${directory}/${LIVE_FILE}`;
    const info = fileFacts(live);
    if (info !== undefined && info.size > 0 && request.stillNeeded(info)) {
      const archive = `${directory}/${nextArchiveName(directory, request.now)}`;
      Deno.renameSync(live, archive);
      if (Deno.build.os !== "windows") Deno.chmodSync(archive, 0o600);
    }
    createLive(live);
    pruneArchives(directory, request.maxFiles);
    return Promise.resolve();
  });
}

/**
 * Puts right what a process left that died between moving the file and making the new one: a lock
 * file without a live file.
 */
export async function recoverAuditFile(
  directory: string,
  options: { waitMs: number },
): Promise<void> {
  const live = `${directory}/${LIVE_FILE}`;
  const lock = `${directory}/${LOCK_FILE}`;
  if (fileFacts(lock) === undefined || fileFacts(live) !== undefined) return;
  await withFileLock(lock, { timeoutMs: options.waitMs }, () => {
    if (fileFacts(live) === undefined) createLive(live);
    return Promise.resolve();
  });
}

function createLive(path: string): void {
  try {
    Deno.openSync(path, { write: true, createNew: true, mode: 0o600 }).close();
  } catch (error) {
    if (!(error instanceof Deno.errors.AlreadyExists)) throw error;
  }
}
