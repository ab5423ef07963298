/**
 * Plugins that wait for a restart become active with the next command, whatever it is
 * (spec 06 §3.10, 08 §3.2). Called by `main.ts` before it gives up the right to write.
 */

import { promotePending } from "../lib/plugin/activation/mod.ts";
import { earlyProfile } from "./early_profile.ts";
import type { CommandHost } from "./types.ts";

/** Words and flags after which nothing of the profile is touched. */
const UNTOUCHED = new Set(["--help", "-h", "--version"]);

/**
 * Activates what waits and returns the names. Never fails and never creates a file: with nothing
 * pending it looks at one file and is done.
 *
 * @param word The command word, when there is one; hidden commands skip activation.
 */
export async function promoteAtStart(
  host: Pick<CommandHost, "argv" | "environment" | "factories">,
  word: string | undefined,
): Promise<string[]> {
  const { argv, environment, factories } = host;
  if (word === undefined || word.startsWith("__")) return [];
  if (argv.some((given) => UNTOUCHED.has(given))) return [];
  const data = earlyProfile({ argv, environment })?.own.data;
  if (data === undefined) return [];
  return await promotePending({ data }, { clock: factories.clock });
}
