/** The text of a client's file without what GUM did to it. */

import type { AgentTarget } from "./clients.ts";
import { changesNothing, exactOriginal, type FileChange, looseOriginal } from "./restore.ts";
import { isBare, saysTheSame, withEarlierEntry, withoutServer } from "./server_entry.ts";

/**
 * Byte for byte what it was while nobody else has touched the file. Otherwise GUM's entry alone
 * goes, or gives way to the one it replaced, and everything that was written since stays.
 *
 * @returns `removed` when there was no file, and nothing of anybody else's is in it now.
 */
export async function textBefore(
  text: string,
  known: { target: AgentTarget; change: FileChange | undefined },
): Promise<string | "removed"> {
  const { target, change } = known;
  if (change === undefined) return withoutServer(text, target);
  if (changesNothing(change)) return text;
  const exact = change.digest === undefined ? undefined : await exactOriginal(text, change);
  if (exact !== undefined) return exact;
  const without = change.entry === undefined
    ? withoutServer(text, target)
    : withEarlierEntry(text, { target, entry: change.entry });
  // Undoing by text keeps the blanks of old, but may glue together what was written around it.
  const loose = looseOriginal(text, change);
  if (loose === "removed") return loose;
  if (loose !== undefined) {
    // An object that was empty before gum came may be there, too.
    const sound = [without, withoutServer(text, target, { keepParent: true })];
    if (sound.some((one) => saysTheSame([loose, one], target))) return loose;
  }
  return change.created && without !== text && isBare(without, target) ? "removed" : without;
}
