/** How long artifacts are kept and which date folders count (spec 03 §3.14). */

import { isAbsent } from "../files/mod.ts";

const HOUR_MS = 3_600_000;
const DAY_MS = 24 * HOUR_MS;
const DATE_FOLDER = /^[0-9]{4}-[0-9]{2}-[0-9]{2}$/;

/** Hours, when nothing is configured. */
export const DEFAULT_RETENTION_HOURS = 24;
/** Fewest and most hours. */
const RETENTION_HOURS_RANGE = { min: 1, max: 720 } as const;

/** Milliseconds of a retention in hours, forced into the allowed range. */
export function retentionMs(hours: number): number {
  const { min, max } = RETENTION_HOURS_RANGE;
  return Math.min(max, Math.max(min, hours)) * HOUR_MS;
}

/** The UTC date folder of an instant. */
export function dateFolder(milliseconds: number): string {
  return new Date(milliseconds).toISOString().slice(0, 10);
}

/** The date folders that may hold a live artifact, newest first. */
export function windowFolders(now: number, retention: number): string[] {
  const days = Math.ceil(retention / DAY_MS) + 1;
  return Array.from({ length: days }, (_, back) => dateFolder(now - back * DAY_MS));
}

/** Removes the date folders older than the window; what another process removed first is fine. */
export async function pruneFolders(
  teeDirectory: string,
  options: { now: number; retention: number },
): Promise<void> {
  const oldest = windowFolders(options.now, options.retention).at(-1) ?? "";
  for (const name of await folderNames(teeDirectory)) {
    if (!DATE_FOLDER.test(name) || name >= oldest) continue;
    try {
      await Deno.remove(`${teeDirectory}/${name}`, { recursive: true });
    } catch (error) {
      if (!(error instanceof Deno.errors.NotFound)) throw error;
    }
  }
}

/** Names of the folders in a folder; none when it is not there. */
export async function folderNames(path: string): Promise<string[]> {
  const names: string[] = [];
  try {
    for await (const entry of Deno.readDir(path)) if (entry.isDirectory) names.push(entry.name);
  } catch (error) {
    if (isAbsent(error)) return [];
    throw error;
  }
  return names;
}
