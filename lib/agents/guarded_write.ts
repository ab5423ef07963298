/** Writing a file of GUM's own into a folder that belongs to a person (spec 08 §4.9). */

import { parentDir, writeFileAtomic } from "../files/mod.ts";

/**
 * Checks that nothing on the way to `path` below `base` leads elsewhere.
 *
 * @throws Error naming the symbolic link, the directory, or the file that is in the way.
 * @returns whether a file is there already.
 */
export async function checkTarget(path: string, base: string): Promise<boolean> {
  // Application data may lie elsewhere than home; then its own folder is where the checks begin.
  const start = path.startsWith(`${base}/`) ? base : parentDir(parentDir(path));
  const below = path.slice(start.length + 1).split("/");
  let at = start;
  for (const [index, name] of below.entries()) {
    at += `/${name}`;
    const facts = await lstat(at);
    if (facts === undefined) return false;
    if (facts.isSymlink) throw new Error(`${at} is a symbolic link; gum does not write through it`);
    const isLast = index === below.length - 1;
    if (isLast && facts.isDirectory) throw new Error(`${at} is a directory, not a file`);
    if (!isLast && !facts.isDirectory) throw new Error(`${at} is a file where a folder is needed`);
  }
  return true;
}

async function lstat(path: string): Promise<Deno.FileInfo | undefined> {
  try {
    return await Deno.lstat(path);
  } catch (error) {
    if (error instanceof Deno.errors.NotFound) return undefined;
    throw error;
  }
}

/** Writes a checked file: parents 0700, the file 0600, atomically. */
export async function writeChecked(path: string, text: string): Promise<void> {
  await Deno.mkdir(parentDir(path), { recursive: true, mode: 0o700 });
  await writeFileAtomic(path, new TextEncoder().encode(text), { mode: 0o600 });
}
