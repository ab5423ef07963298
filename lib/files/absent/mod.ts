/** What it means that a file cannot be found. */

/**
 * Whether an error says that there is no such file. A path below a plain file names nothing either;
 * that nothing can be written there shows when somebody tries.
 */
export function isAbsent(error: unknown): boolean {
  return error instanceof Deno.errors.NotFound || error instanceof Deno.errors.NotADirectory;
}

/** Whether a path names anything, a dangling link included. Rejects when that cannot be told. */
export async function pathExists(path: string): Promise<boolean> {
  try {
    await Deno.lstat(path);
    return true;
  } catch (error) {
    if (error instanceof Deno.errors.NotFound) return false;
    throw error;
  }
}
