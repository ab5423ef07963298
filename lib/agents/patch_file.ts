/** Changing a client's file under a lock, so that nobody's edit is lost (spec 08 §4.8 step 5). */

import { FileLockTimeout, parentDir, withFileLock, writeFileAtomic } from "../files/mod.ts";

/** How long another holder of the lock is waited for. */
const LOCK_WAIT_MS = 30_000;

/** What changing a file did. */
export interface PatchOutcome {
  /** Undefined when the file was not there. */
  before: string | undefined;
  /** Undefined when the file was removed. */
  after: string | undefined;
  /** The file itself, symbolic links followed. */
  path: string;
}

/** The lock beside a file: `settings.json` has `settings.lock`. */
function lockPathOf(path: string): string {
  const name = path.slice(path.lastIndexOf("/") + 1);
  const dot = name.lastIndexOf(".");
  return `${path.slice(0, path.length - name.length)}${dot > 0 ? name.slice(0, dot) : name}.lock`;
}

/** Bytes of a file; undefined when there is none. */
export async function readIfPresent(path: string): Promise<Uint8Array | undefined> {
  try {
    return await Deno.readFile(path);
  } catch (error) {
    if (error instanceof Deno.errors.NotFound) return undefined;
    throw error;
  }
}

/** Text of a file; undefined when there is none. @throws Error when it is no text */
export async function readTextIfPresent(path: string): Promise<string | undefined> {
  const bytes = await readIfPresent(path);
  if (bytes === undefined) return undefined;
  try {
    return new TextDecoder("utf-8", { fatal: true, ignoreBOM: true }).decode(bytes);
  } catch (error) {
    if (error instanceof TypeError) throw new Error(`${path} is not UTF-8 text`, { cause: error });
    throw error;
  }
}

/** Options of {@link patchFile}. */
export interface PatchOptions {
  lockWaitMs?: number;
  signal?: AbortSignal;
  /** Another lock than the one beside the file. */
  lock?: string;
  /** Runs before the lock is given back, whether or not something was written. */
  finish?: () => Promise<void>;
}

/**
 * Takes the lock, reads the file again, and writes what `merge` makes of it: atomically, with the
 * mode it had, 0600 when it is new. A result of undefined removes the file; an equal one writes
 * nothing. What `merge` notes down of the change it notes before the change is made.
 *
 * @throws Error naming the lock when somebody else holds it all the time.
 */
export async function patchFile(
  path: string,
  merge: (before: string | undefined) => string | undefined | Promise<string | undefined>,
  options: PatchOptions = {},
): Promise<PatchOutcome> {
  await Deno.mkdir(parentDir(path), { recursive: true, mode: 0o700 });
  const lock = options.lock ?? lockPathOf(path);
  await Deno.mkdir(parentDir(lock), { recursive: true, mode: 0o700 });
  const timeoutMs = options.lockWaitMs ?? LOCK_WAIT_MS;
  try {
    return await withFileLock(lock, { timeoutMs, signal: options.signal }, async () => {
      const real = await realPathOf(path);
      await removeLeftovers(real);
      const before = await readTextIfPresent(real);
      const after = await merge(before);
      if (after === undefined && before !== undefined) await Deno.remove(real);
      else if (after !== undefined && after !== before) {
        const mode = before === undefined ? 0o600 : (await Deno.stat(real)).mode ?? 0o600;
        await writeFileAtomic(real, new TextEncoder().encode(after), { mode: mode & 0o777 });
        // The mode given at creation passes through the umask.
        if (Deno.build.os !== "windows") await Deno.chmod(real, mode & 0o777);
      }
      await options.finish?.();
      return { before, after, path: real };
    });
  } catch (error) {
    if (!(error instanceof FileLockTimeout)) throw error;
    throw new Error(
      `${lock} is held by another process; ${path} was not changed. Try again when it is done.`,
      { cause: error },
    );
  }
}

/** Temporary files of writers that were killed; whoever writes now waits for the lock. */
async function removeLeftovers(path: string): Promise<void> {
  const folder = parentDir(path);
  const name = path.slice(folder.length).replace(/^\//, "");
  for await (const entry of Deno.readDir(folder)) {
    const rest = entry.name.startsWith(`${name}.`) ? entry.name.slice(name.length) : "";
    if (entry.isFile && /^\.[0-9a-f]{12}\.tmp$/.test(rest)) {
      await Deno.remove(`${folder}/${entry.name}`);
    }
  }
}

async function realPathOf(path: string): Promise<string> {
  try {
    return await Deno.realPath(path);
  } catch (error) {
    if (error instanceof Deno.errors.NotFound) return path;
    throw error;
  }
}
