/** Reading files that are trusted for what they hold: keys, passphrases, the vault (spec 05 §3.1). */

/** Why such a file is refused. */
export type TrustProblem =
  | "symbolic link"
  | "not a regular file"
  | "owned by someone else"
  | "readable by others"
  | "too large";

/** The file is there and must not be used. */
export class UntrustedFile extends Error {
  constructor(readonly path: string, readonly problem: TrustProblem) {
    super(`${path} is refused: ${problem}`);
    this.name = "UntrustedFile";
  }
}

/** Options of {@link readTrustedFile}. */
export interface TrustedFileOptions {
  limit: number;
  /** What happens when others may read or write it. */
  looseMode: "refuse" | "tighten";
  /** Called after a loose mode was tightened. */
  onTightened?: () => void;
}

/**
 * The bytes of a private file of this user, opened without following a link.
 *
 * @throws UntrustedFile; Deno.errors.NotFound and other system errors pass.
 */
export async function readTrustedFile(
  path: string,
  options: TrustedFileOptions,
): Promise<Uint8Array> {
  const named = Deno.lstatSync(path);
  if (named.isSymlink) throw new UntrustedFile(path, "symbolic link");
  // Before it is opened, too: opening a pipe waits for its writer.
  if (!named.isFile) throw new UntrustedFile(path, "not a regular file");
  using file = Deno.openSync(path, { read: true });
  const stat = file.statSync();
  // Opening follows links, so what was opened must be what the name itself stands for.
  if (stat.dev !== named.dev || stat.ino !== named.ino) {
    throw new UntrustedFile(path, "symbolic link");
  }
  if (!stat.isFile) throw new UntrustedFile(path, "not a regular file");
  if (Deno.build.os !== "windows") {
    const owner = ownUserId();
    if (owner !== undefined && stat.uid !== owner) {
      throw new UntrustedFile(path, "owned by someone else");
    }
    if (((stat.mode ?? 0) & 0o077) !== 0) {
      if (options.looseMode === "refuse") throw new UntrustedFile(path, "readable by others");
      await tighten(path, { dev: stat.dev, ino: stat.ino });
      options.onTightened?.();
    }
  }
  if (stat.size > options.limit) throw new UntrustedFile(path, "too large");
  return readAll(file, { path, limit: Math.min(options.limit, stat.size + 4096) });
}

/** Takes the mode of the opened file back. Node's module is slow to load, and hardly ever needed. */
async function tighten(path: string, opened: { dev: number; ino: number | null }): Promise<void> {
  const fs = await import("node:fs");
  // By descriptor: the name could stand for something else by now.
  const descriptor = fs.openSync(path, fs.constants.O_RDONLY | (fs.constants.O_NONBLOCK ?? 0));
  try {
    const { dev, ino } = fs.fstatSync(descriptor);
    if (dev !== opened.dev || ino !== opened.ino) throw new UntrustedFile(path, "symbolic link");
    try {
      fs.fchmodSync(descriptor, 0o600);
    } catch {
      // As on a file system that is mounted for reading only.
      throw new UntrustedFile(path, "readable by others");
    }
  } finally {
    fs.closeSync(descriptor);
  }
}

function readAll(file: Deno.FsFile, { path, limit }: { path: string; limit: number }): Uint8Array {
  const buffer = new Uint8Array(limit + 1);
  let length = 0;
  while (length < buffer.length) {
    const count = file.readSync(buffer.subarray(length));
    if (count === null || count === 0) break;
    length += count;
  }
  if (length > limit) throw new UntrustedFile(path, "too large");
  return buffer.slice(0, length);
}

/** Undefined where this process may not ask, as in a build without that permission. */
function ownUserId(): number | undefined {
  try {
    return Deno.uid() ?? undefined;
  } catch (error) {
    if (error instanceof Deno.errors.NotCapable) return undefined;
    throw error;
  }
}
