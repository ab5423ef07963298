/** Reading files that are trusted for what they hold: keys, passphrases, the vault (spec 05 §3.1). */

/** Loaded when a file is read: most commands never do. */
type FileSystem = typeof import("node:fs");

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
  const fs = await import("node:fs");
  const named = nameStat(fs, path);
  const descriptor = openPlain(fs, path);
  try {
    const stat = fs.fstatSync(descriptor);
    if (stat.dev !== named.dev || stat.ino !== named.ino) {
      throw new UntrustedFile(path, "symbolic link");
    }
    if (!stat.isFile()) throw new UntrustedFile(path, "not a regular file");
    if (Deno.build.os !== "windows") {
      const owner = ownUserId();
      if (owner !== undefined && stat.uid !== owner) {
        throw new UntrustedFile(path, "owned by someone else");
      }
      if ((stat.mode & 0o077) !== 0) {
        if (options.looseMode === "refuse") throw new UntrustedFile(path, "readable by others");
        fs.fchmodSync(descriptor, 0o600);
        options.onTightened?.();
      }
    }
    if (stat.size > options.limit) throw new UntrustedFile(path, "too large");
    return readAll(fs, { descriptor, path, limit: Math.min(options.limit, stat.size + 4096) });
  } finally {
    fs.closeSync(descriptor);
  }
}

// The runtime resolves links before it opens a file unless all permissions are granted, so
// `O_NOFOLLOW` alone does not hold: what was opened must also be what the name itself stands for.
function nameStat({ lstatSync }: FileSystem, path: string): { dev: number; ino: number } {
  let stat: ReturnType<FileSystem["lstatSync"]>;
  try {
    stat = lstatSync(path);
  } catch (error) {
    throw notFound(path, error);
  }
  if (stat === undefined) throw new Deno.errors.NotFound(`${path} is not there`);
  if (stat.isSymbolicLink()) throw new UntrustedFile(path, "symbolic link");
  return { dev: Number(stat.dev), ino: Number(stat.ino) };
}

function notFound(path: string, error: unknown): unknown {
  const code = error instanceof Error && "code" in error ? error.code : undefined;
  return code === "ENOENT" ? new Deno.errors.NotFound(`${path} is not there`) : error;
}

function openPlain({ constants, openSync }: FileSystem, path: string): number {
  // Opening a pipe must not wait for its writer.
  const flags = constants.O_RDONLY | (constants.O_NOFOLLOW ?? 0) | (constants.O_NONBLOCK ?? 0);
  try {
    return openSync(path, flags);
  } catch (error) {
    const code = error instanceof Error && "code" in error ? error.code : undefined;
    if (code === "ELOOP") throw new UntrustedFile(path, "symbolic link");
    throw notFound(path, error);
  }
}

function readAll(
  { readSync }: FileSystem,
  file: { descriptor: number; path: string; limit: number },
): Uint8Array {
  const buffer = new Uint8Array(file.limit + 1);
  let length = 0;
  while (length < buffer.length) {
    const count = readSync(file.descriptor, buffer, length, buffer.length - length, null);
    if (count === 0) break;
    length += count;
  }
  if (length > file.limit) throw new UntrustedFile(file.path, "too large");
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
