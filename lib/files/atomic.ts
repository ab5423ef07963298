/** Atomic writes and private directories. */

import { defaultLogger, type Logger } from "../log/mod.ts";

/** Mode bits of a private file and a private directory. */
const PRIVATE_FILE = 0o600;
const PRIVATE_DIR = 0o700;

/**
 * Writes a file so that a reader sees the old bytes or the new ones, never a part: temporary file
 * in the same directory, fsync, rename. The temporary file is removed when anything fails.
 */
export async function writeFileAtomic(
  path: string,
  bytes: Uint8Array,
  options: { mode?: number } = {},
): Promise<void> {
  const temporary = `${path}.${randomSuffix()}.tmp`;
  try {
    await writeDurably(temporary, { bytes, mode: options.mode ?? PRIVATE_FILE });
    await Deno.rename(temporary, path);
  } catch (error) {
    await removeIfPresent(temporary);
    throw error;
  }
  await syncDirectory(parentDir(path));
}

async function writeDurably(path: string, content: { bytes: Uint8Array; mode: number }) {
  using file = await Deno.open(path, { write: true, createNew: true, mode: content.mode });
  let written = 0;
  while (written < content.bytes.length) {
    written += await file.write(content.bytes.subarray(written));
  }
  await file.sync();
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
