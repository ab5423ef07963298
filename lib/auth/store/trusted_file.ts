/** Reading files that are trusted for what they hold: keys, passphrases, the vault (spec 05 §3.1). */

import { closeSync, constants, fchmodSync, fstatSync, openSync, readSync } from "node:fs";

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
export function readTrustedFile(path: string, options: TrustedFileOptions): Uint8Array {
  const descriptor = openPlain(path);
  try {
    const stat = fstatSync(descriptor);
    if (!stat.isFile()) throw new UntrustedFile(path, "not a regular file");
    if (Deno.build.os !== "windows") {
      const owner = ownUserId();
      if (owner !== undefined && stat.uid !== owner) {
        throw new UntrustedFile(path, "owned by someone else");
      }
      if ((stat.mode & 0o077) !== 0) {
        if (options.looseMode === "refuse") throw new UntrustedFile(path, "readable by others");
        fchmodSync(descriptor, 0o600);
        options.onTightened?.();
      }
    }
    if (stat.size > options.limit) throw new UntrustedFile(path, "too large");
    return readAll(descriptor, { path, limit: Math.min(options.limit, stat.size + 4096) });
  } finally {
    closeSync(descriptor);
  }
}

function openPlain(path: string): number {
  // Opening a pipe must not wait for its writer.
  const flags = constants.O_RDONLY | (constants.O_NOFOLLOW ?? 0) | (constants.O_NONBLOCK ?? 0);
  try {
    return openSync(path, flags);
  } catch (error) {
    const code = error instanceof Error && "code" in error ? error.code : undefined;
    if (code === "ELOOP") throw new UntrustedFile(path, "symbolic link");
    if (code === "ENOENT") throw new Deno.errors.NotFound(`${path} is not there`);
    throw error;
  }
}

function readAll(descriptor: number, file: { path: string; limit: number }): Uint8Array {
  const buffer = new Uint8Array(file.limit + 1);
  let length = 0;
  while (length < buffer.length) {
    const count = readSync(descriptor, buffer, length, buffer.length - length, null);
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
