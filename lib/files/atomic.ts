/** Atomic writes and private directories. */

import { defaultLogger, type Logger } from "../log/mod.ts";

/** Mode bits of a private file and a private directory. */
const PRIVATE_FILE = 0o600;
const PRIVATE_DIR = 0o700;
/** Bytes that are written without leaving the thread. */
const AT_ONCE_BYTES = 64 * 1024;

/**
 * Writes a file so that a reader sees the old bytes or the new ones, never a part: temporary file
 * in the same directory, fsync, rename. The temporary file is removed when anything fails.
 */
export async function writeFileAtomic(
  path: string,
  bytes: Uint8Array,
  options: AtomicWriteOptions = {},
): Promise<void> {
  const temporary = `${path}.${randomSuffix()}.tmp`;
  try {
    await writeDurably(temporary, { ...options, bytes });
    // Like opening, a matter of microseconds, which handing it to another thread is not.
    Deno.renameSync(temporary, path);
  } catch (error) {
    await removeIfPresent(temporary);
    throw error;
  }
  await syncTogether(parentDir(path));
}

/** How {@link writeFileAtomic} writes. */
export interface AtomicWriteOptions {
  /** Default 0600. */
  mode?: number;
  /** The file's time, in milliseconds since 1970; default: now. */
  modified?: number;
}

async function writeDurably(path: string, content: AtomicWriteOptions & { bytes: Uint8Array }) {
  const { bytes, mode = PRIVATE_FILE, modified } = content;
  using file = Deno.openSync(path, { write: true, createNew: true, mode });
  for (let written = 0; written < bytes.length;) {
    const part = bytes.subarray(written);
    written += part.length > AT_ONCE_BYTES ? await file.write(part) : file.writeSync(part);
  }
  if (modified !== undefined) file.utimeSync(modified / 1_000, modified / 1_000);
  await file.sync();
}

/** Syncs that have not begun yet, and the one under way, by directory. */
const waitingSyncs = new Map<string, Promise<void>>();
const runningSyncs = new Map<string, Promise<void>>();

/** One sync of a directory serves every rename made before it begins. */
function syncTogether(path: string): Promise<void> {
  const waiting = waitingSyncs.get(path);
  if (waiting !== undefined) return waiting;
  const begin = () => {
    waitingSyncs.delete(path);
    const sync = syncDirectory(path).finally(() => {
      if (runningSyncs.get(path) === sync) runningSyncs.delete(path);
    });
    runningSyncs.set(path, sync);
    return sync;
  };
  // Whoever waits for the one under way hears of its failure; this one tries for itself.
  const next = (runningSyncs.get(path) ?? Promise.resolve()).then(begin, begin);
  waitingSyncs.set(path, next);
  return next;
}

/** Makes a directory and its missing parents, readable by the owner alone. */
export async function ensurePrivateDir(path: string): Promise<void> {
  await Deno.mkdir(path, { recursive: true, mode: PRIVATE_DIR });
}

/** The directory part of a path; `.` when there is none. */
export function parentDir(path: string): string {
  const cut = Deno.build.os === "windows"
    ? Math.max(path.lastIndexOf("/"), path.lastIndexOf("\\"))
    : path.lastIndexOf("/");
  return cut > 0 ? path.slice(0, cut) : cut === 0 ? "/" : ".";
}

async function removeIfPresent(path: string): Promise<void> {
  try {
    await Deno.remove(path);
  } catch (error) {
    if (!(error instanceof Deno.errors.NotFound)) throw error;
  }
}

/** What a test may put in the place of the real thing. */
export interface SyncOptions {
  /** Default: the directory's own fsync. */
  sync?: (directory: Deno.FsFile) => Promise<void>;
  /** Default: the process logger. */
  log?: Logger;
}

/**
 * Makes a rename durable, which it is only once its directory is. Some file systems refuse; the
 * bytes are in place and readable all the same, so that is one warning a process and no error.
 */
export async function syncDirectory(path: string, options: SyncOptions = {}): Promise<void> {
  if (Deno.build.os === "windows") return;
  using directory = await Deno.open(path, { read: true });
  try {
    await (options.sync ?? ((opened) => opened.sync()))(directory);
  } catch (error) {
    warnUnsynced({ path, error }, options.log ?? defaultLogger());
  }
}

/** Directories' file systems that were warned about, by the reason they gave. */
const warned = new Set<string>();

function warnUnsynced({ path, error }: { path: string; error: unknown }, log: Logger): void {
  const { code = "unknown" } = error as { code?: string };
  if (warned.has(code)) return;
  warned.add(code);
  log.log("warn", "the file system does not sync directories; a power cut may undo renames", {
    event: "fsync_unsupported",
    path,
    code,
  });
}

function randomSuffix(): string {
  return crypto.getRandomValues(new Uint8Array(6)).toHex();
}
