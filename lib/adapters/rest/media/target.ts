/** Where downloaded bytes go: a new file that appears whole or not at all, or a sink. */

import { GumError } from "../../../errors/mod.ts";
import type { MediaRequest } from "../../../dispatch/types.ts";
import { parentDir, syncDirectory } from "../../../files/mod.ts";
import { safeFileName } from "./file_name.ts";

/** A download target that was looked at and found usable, before anything is sent. */
export type CheckedTarget =
  | { kind: "sink"; write: (piece: Uint8Array) => void | Promise<void> }
  | { kind: "file"; path: string; overwrite: boolean }
  | { kind: "directory"; path: string; overwrite: boolean };

/** Takes bytes until they are committed or given up. */
export interface ByteTarget {
  write(piece: Uint8Array): Promise<void>;
  /** Forgets what was written; false when that is impossible because it is gone already. */
  restart(): Promise<boolean>;
  /** Makes the file appear under its name; gives its path, `-` for a sink. */
  commit(): Promise<string>;
  /** Leaves nothing behind. */
  discard(): Promise<void>;
}

/**
 * Looks at a target: `-`, a file, or an existing directory.
 *
 * @throws GumError `INVALID_ARGS` for a missing folder or a file that is in the way.
 */
export async function checkTarget(
  media: MediaRequest & { kind: "download" },
): Promise<CheckedTarget> {
  const { target, sink, overwrite = false } = media;
  if (target === "-") {
    if (sink === undefined) throw refusal("no_sink", "this caller cannot take bytes directly");
    return { kind: "sink", write: sink };
  }
  const found = await infoOf(target);
  if (found?.isDirectory) {
    return { kind: "directory", path: await Deno.realPath(target), overwrite };
  }
  if (/[/\\]$/.test(target)) {
    throw refusal("no_such_directory", `the directory ${target} does not exist`);
  }
  if (found !== undefined && !found.isFile) {
    throw refusal("not_a_file", `${target} is neither a file nor a directory`);
  }
  if (found !== undefined && !overwrite) throw exists(target);
  if (found !== undefined) return { kind: "file", path: await Deno.realPath(target), overwrite };
  const parent = await infoOf(parentDir(target));
  if (!parent?.isDirectory) {
    throw refusal("no_such_directory", `the directory of ${target} does not exist`);
  }
  const folder = await Deno.realPath(parentDir(target));
  return { kind: "file", path: joined(folder, target.split(separator()).at(-1) ?? ""), overwrite };
}

/**
 * Opens a checked target. In a directory the file gets `name`, made harmless. The bytes go to
 * `<path>.part`, readable by the owner alone, which is gone after any failure.
 */
export async function openTarget(
  checked: CheckedTarget,
  options: { name: string; signal: AbortSignal },
): Promise<ByteTarget> {
  if (checked.kind === "sink") return sinkTarget(checked.write);
  const { overwrite } = checked;
  const path = checked.kind === "file"
    ? checked.path
    : joined(checked.path, safeFileName(options.name));
  if (checked.kind === "directory") {
    const found = await infoOf(path);
    if (found !== undefined && !found.isFile) {
      throw refusal("not_a_file", `${path} is not a file`);
    }
    if (found !== undefined && !overwrite) throw exists(path);
  }
  return await partFile(path, { overwrite, signal: options.signal });
}

function sinkTarget(write: (piece: Uint8Array) => void | Promise<void>): ByteTarget {
  let started = false;
  return {
    async write(piece) {
      started = true;
      await write(piece);
    },
    restart: () => Promise.resolve(!started),
    commit: () => Promise.resolve("-"),
    discard: () => Promise.resolve(),
  };
}

async function partFile(
  path: string,
  options: { overwrite: boolean; signal: AbortSignal },
): Promise<ByteTarget> {
  const { overwrite, signal } = options;
  const part = `${path}.part`;
  await clearStalePart(part);
  const file = await createPart(part);
  let open = true;
  const close = () => {
    if (open) file.close();
    open = false;
  };
  // A caller who gives up is answered at once; the file must be gone before the process is.
  const onAbort = () => removeNow(part);
  signal.addEventListener("abort", onAbort, { once: true });
  return {
    async write(piece) {
      let written = 0;
      while (written < piece.length) written += await file.write(piece.subarray(written));
    },
    async restart() {
      await file.truncate(0);
      await file.seek(0, Deno.SeekMode.Start);
      return true;
    },
    async commit() {
      await file.sync();
      signal.throwIfAborted();
      close();
      await appear(part, { path, overwrite });
      signal.removeEventListener("abort", onAbort);
      await syncDirectory(parentDir(path));
      return path;
    },
    discard() {
      signal.removeEventListener("abort", onAbort);
      close();
      removeNow(part);
      return Promise.resolve();
    },
  };
}

/** Removes what a killed process left; a part that somebody still writes, or no file, is refused. */
async function clearStalePart(part: string): Promise<void> {
  const found = await infoOf(part, "link");
  if (found === undefined) return;
  if (!found.isFile) throw refusal("part_in_the_way", `${part} is in the way and is no file`);
  using file = await Deno.open(part, { write: true });
  if (!await file.tryLock(true)) {
    throw refusal("download_in_progress", `another download is writing ${part}`);
  }
  await Deno.remove(part);
}

async function createPart(part: string): Promise<Deno.FsFile> {
  let file: Deno.FsFile;
  try {
    file = await Deno.open(part, { write: true, createNew: true, mode: 0o600 });
  } catch (cause) {
    if (cause instanceof Deno.errors.AlreadyExists) {
      throw refusal("download_in_progress", `another download is writing ${part}`, cause);
    }
    throw refusal("not_writable", `${part} cannot be written`, cause);
  }
  await file.tryLock(true);
  return file;
}

/** Renames over an old file, or links without ever replacing a file that came meanwhile. */
async function appear(
  part: string,
  target: { path: string; overwrite: boolean },
): Promise<void> {
  if (target.overwrite) return await Deno.rename(part, target.path);
  try {
    await Deno.link(part, target.path);
  } catch (error) {
    if (error instanceof Deno.errors.AlreadyExists) throw exists(target.path);
    // Some file systems have no hard links.
    if (await infoOf(target.path, "link") !== undefined) throw exists(target.path);
    return await Deno.rename(part, target.path);
  }
  await Deno.remove(part);
}

function removeNow(path: string): void {
  try {
    Deno.removeSync(path);
  } catch (error) {
    if (!(error instanceof Deno.errors.NotFound)) throw error;
  }
}

async function infoOf(
  path: string,
  what: "link" | "target" = "target",
): Promise<Deno.FileInfo | undefined> {
  try {
    return await (what === "link" ? Deno.lstat(path) : Deno.stat(path));
  } catch (error) {
    if (error instanceof Deno.errors.NotFound || error instanceof Deno.errors.NotADirectory) {
      return undefined;
    }
    throw error;
  }
}

function separator(): RegExp {
  return Deno.build.os === "windows" ? /[/\\]/ : /\//;
}

function joined(folder: string, name: string): string {
  return `${folder.replace(/[/\\]$/, "")}/${name}`;
}

function exists(path: string): GumError {
  return new GumError("INVALID_ARGS", {
    message: `${path} exists already`,
    details: details("target_exists"),
    userMessage: "The target file exists already; nothing was downloaded.",
    suggestion: "Add --overwrite to replace it, or choose another target.",
  });
}

function refusal(reason: string, message: string, cause?: unknown): GumError {
  return new GumError("INVALID_ARGS", {
    message,
    details: details(reason),
    userMessage: `${message.charAt(0).toUpperCase()}${message.slice(1)}.`,
    suggestion: "Choose another target.",
    cause,
  });
}

function details(reason: string) {
  return { field: "download", reason, missing: [], unknown: [], type_errors: [] };
}
