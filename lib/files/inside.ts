/** Whether a path lies in a directory. */

import { isAbsent } from "./absent/mod.ts";

/**
 * True when a path, its links resolved already, is one of the directories or lies below one. A
 * directory that does not exist holds nothing.
 */
export async function liesInOneOf(
  real: string,
  directories: readonly string[],
): Promise<boolean> {
  for (const directory of directories) {
    let root: string;
    try {
      root = await Deno.realPath(directory);
    } catch (error) {
      if (isAbsent(error)) continue;
      throw error;
    }
    const slash = Deno.build.os === "windows" ? "\\" : "/";
    if (real === root || real.startsWith(root.endsWith(slash) ? root : root + slash)) return true;
  }
  return false;
}
