/**
 * Whether files can be made in a directory, tried and undone. A face of its own: whoever asks only
 * this need not load everything that a profile keeps.
 *
 * @module
 */

/** Outcome of {@link tryWriting}. */
export type WritableOutcome = "writable" | "creatable";

/**
 * Makes and removes a probe file in the directory, or, while that does not exist, in the nearest
 * directory above it. Nothing stays behind.
 *
 * @param probe Name of the probe file.
 * @throws What the file system says when nothing can be made there.
 */
export async function tryWriting(directory: string, probe: string): Promise<WritableOutcome> {
  const { path, exists } = await nearestExisting(directory);
  const file = `${path}/${probe}-${crypto.getRandomValues(new Uint8Array(4)).toHex()}`;
  // As rows are appended: one byte is a matter of microseconds, which another thread is not.
  const made = Deno.openSync(file, { write: true, createNew: true, mode: 0o600 });
  try {
    // An empty file fits on a full disk; a byte does not.
    made.writeSync(new Uint8Array(1));
  } finally {
    made.close();
    Deno.removeSync(file);
  }
  return exists ? "writable" : "creatable";
}

async function nearestExisting(directory: string): Promise<{ path: string; exists: boolean }> {
  for (let path = directory;;) {
    try {
      await Deno.stat(path);
      return { path, exists: path === directory };
    } catch (error) {
      const cut = path.lastIndexOf("/");
      if (!(error instanceof Deno.errors.NotFound) || cut <= 0) throw error;
      path = path.slice(0, cut);
    }
  }
}
