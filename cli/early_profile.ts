/** The account profile of a command line, read before the command's own flags are known. */

import { baseDirectories, profileDirectories, selectProfile } from "../lib/config/directories.ts";
import type { BaseDirectories } from "../lib/config/directories.ts";
import { isGumError } from "../lib/errors/mod.ts";
import type { CommandHost } from "./types.ts";

/** A profile and where its files are: `bases` without, `own` with `gum/<profile>`. */
export interface EarlyProfile {
  profileName: string;
  bases: BaseDirectories;
  own: BaseDirectories;
}

/**
 * The profile that the flag or the environment selects. Undefined for a bad name or without a home
 * directory: the command itself will say what is wrong.
 */
export function earlyProfile(
  { argv, environment }: Pick<CommandHost, "argv" | "environment">,
): EarlyProfile | undefined {
  try {
    const profileName = selectProfile({ flag: profileFlag(argv), environment });
    const bases = baseDirectories(environment);
    return { profileName, bases, own: profileDirectories(bases, profileName) };
  } catch (error) {
    if (isGumError(error)) return undefined;
    throw error;
  }
}

function profileFlag(argv: readonly string[]): string | undefined {
  for (const [at, word] of argv.entries()) {
    if (word === "--") return undefined;
    if (word === "--profile") return argv[at + 1];
    if (word.startsWith("--profile=")) return word.slice("--profile=".length);
  }
  return undefined;
}

/** Whether a file is there and may be looked at. */
export function fileExists(path: string): boolean {
  try {
    return Deno.statSync(path).isFile;
  } catch (error) {
    if (error instanceof Deno.errors.NotFound || error instanceof Deno.errors.NotCapable) {
      return false;
    }
    throw error;
  }
}
