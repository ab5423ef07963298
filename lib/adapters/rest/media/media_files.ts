/** What the kernel asks about files before a call may touch them (spec 02 §8.1, §8.2). */

import type { MediaFiles } from "../../../dispatch/types.ts";
import { GumError } from "../../../errors/mod.ts";
import { parentDir } from "../../../files/mod.ts";
import { contentTypeOfName } from "./content_types.ts";
import { streamDigest } from "./digest.ts";

const PIECE_BYTES = 256 * 1024;

/** The file system as {@link MediaFiles}. */
export const mediaFiles: MediaFiles = { locate, describe };

async function locate(path: string, directories: readonly string[]): Promise<string | undefined> {
  // Neither can name a file, and the file system answers both with errors of its own.
  if (path === "" || path.includes("\0")) return undefined;
  const real = await realPathOf(path);
  if (real === undefined) return undefined;
  for (const directory of directories) {
    const root = await orUndefined(() => Deno.realPath(directory));
    if (root !== undefined && (real === root || real.startsWith(withSlash(root)))) return real;
  }
  return undefined;
}

/** Resolves links; a last component that does not exist yet stays as it is. */
async function realPathOf(path: string): Promise<string | undefined> {
  const whole = await orUndefined(() => Deno.realPath(path));
  if (whole !== undefined) return whole;
  // A dangling link would be followed by whoever creates the file.
  if (await orUndefined(() => Deno.lstat(path)) !== undefined) return undefined;
  const name = path.replace(/[/\\]+$/, "").split(/[/\\]/).at(-1) ?? "";
  if (name === "" || name === "." || name === ".." || name !== path.split(/[/\\]/).at(-1)) {
    return undefined;
  }
  const folder = await orUndefined(() => Deno.realPath(parentDir(path)));
  return folder === undefined ? undefined : `${withSlash(folder)}${name}`;
}

function withSlash(folder: string): string {
  const slash = Deno.build.os === "windows" ? "\\" : "/";
  return /[/\\]$/.test(folder) ? folder : `${folder}${slash}`;
}

async function orUndefined<T>(look: () => Promise<T>): Promise<T | undefined> {
  try {
    return await look();
  } catch (error) {
    const missing = error instanceof Deno.errors.NotFound ||
      error instanceof Deno.errors.NotADirectory || error instanceof Deno.errors.PermissionDenied;
    if (missing) return undefined;
    throw error;
  }
}

async function describe(path: string, signal: AbortSignal) {
  const name = path.split(/[/\\]/).at(-1) ?? path;
  using file = await openRegular(path);
  const digest = streamDigest();
  const piece = new Uint8Array(PIECE_BYTES);
  let sizeBytes = 0;
  for (;;) {
    signal.throwIfAborted();
    const count = await file.read(piece);
    if (count === null) break;
    sizeBytes += count;
    digest.update(piece.subarray(0, count));
  }
  const contentType = contentTypeOfName(name) ?? "application/octet-stream";
  return { sizeBytes, sha256: digest.sha256(), contentType, name };
}

/** Opens a file for reading. @throws GumError `INVALID_ARGS` when it is none. */
export async function openRegular(path: string): Promise<Deno.FsFile> {
  try {
    // Opening a named pipe would wait for a writer, so look first.
    if ((await Deno.stat(path)).isFile) return await Deno.open(path, { read: true });
  } catch (cause) {
    const why = cause instanceof Deno.errors.NotFound ? "does not exist" : "cannot be read";
    throw unreadable(path, why, cause);
  }
  throw unreadable(path, "is not a file");
}

function unreadable(path: string, why: string, cause?: unknown): GumError {
  return new GumError("INVALID_ARGS", {
    message: `${path} ${why}`,
    details: {
      field: "upload",
      reason: "source_unreadable",
      missing: [],
      unknown: [],
      type_errors: [],
    },
    userMessage: `The file to upload ${why}.`,
    suggestion: "Check the path.",
    cause,
  });
}
