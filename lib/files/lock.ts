/** Exclusion between processes, by an advisory lock on a file. */

const FIRST_WAIT_MS = 5;
const LONGEST_WAIT_MS = 50;

/** The lock was held by someone else for the whole wait. */
export class FileLockTimeout extends Error {
  constructor(readonly path: string, readonly timeoutMs: number) {
    super(`the lock ${path} was not free within ${timeoutMs} ms`);
    this.name = "FileLockTimeout";
  }
}

/**
 * Runs `work` while holding the exclusive lock on `path` (created when missing, 0600, never
 * removed: removing it would let two holders in). The lock ends with the process that holds it.
 *
 * @throws FileLockTimeout when it is not free within `timeoutMs`.
 */
export async function withFileLock<T>(
  path: string,
  options: { timeoutMs: number; signal?: AbortSignal },
  work: () => Promise<T>,
): Promise<T> {
  using file = await Deno.open(path, { write: true, create: true, mode: 0o600 });
  const deadline = performance.now() + options.timeoutMs;
  let wait = FIRST_WAIT_MS;
  while (!await file.tryLock(true)) {
    options.signal?.throwIfAborted();
    if (performance.now() >= deadline) throw new FileLockTimeout(path, options.timeoutMs);
    const pause = wait;
    await new Promise((resume) => setTimeout(resume, pause));
    wait = Math.min(wait * 2, LONGEST_WAIT_MS);
  }
  try {
    return await work();
  } finally {
    await file.unlock();
  }
}
