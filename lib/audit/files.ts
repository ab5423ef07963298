/** The files of an audit log: the live one, archives, lock and sentinel (spec 07 §2.1, §3.19). */

/** Name of the live file. */
export const LIVE_FILE = "audit.jsonl";
/** Name of the file that says the last write failed. */
export const SENTINEL_FILE = "audit.broken";
/** Name of the rotation lock. */
export const LOCK_FILE = "audit.jsonl.lock";

const ARCHIVE = /^audit\.([0-9]{4}-[0-9]{2}-[0-9]{2}T[0-9]{6}Z)(?:\.([0-9]+))?\.jsonl$/;

/** Size, inode and times of a file; undefined when there is none. */
export function fileFacts(path: string): Deno.FileInfo | undefined {
  try {
    return Deno.statSync(path);
  } catch (error) {
    if (error instanceof Deno.errors.NotFound) return undefined;
    throw error;
  }
}

/** Archive names of a directory, oldest first: by stamp, then by counter as a number. */
export function archiveNames(directory: string): string[] {
  const found: { name: string; stamp: string; counter: number }[] = [];
  let entries: Iterable<Deno.DirEntry>;
  try {
    entries = [...Deno.readDirSync(directory)];
  } catch (error) {
    if (error instanceof Deno.errors.NotFound) return [];
    throw error;
  }
  for (const { name } of entries) {
    const match = ARCHIVE.exec(name);
    if (match !== null) found.push({ name, stamp: match[1] ?? "", counter: Number(match[2] ?? 0) });
  }
  return found
    .sort((left, right) =>
      left.stamp === right.stamp ? left.counter - right.counter : left.stamp < right.stamp ? -1 : 1
    )
    .map(({ name }) => name);
}

/**
 * A name for an archive made now that sorts after every other one: of the same second, or of a
 * later one when the clock was set back, for else the newest rows would count as the oldest.
 */
export function nextArchiveName(directory: string, now: number): string {
  const stamp = new Date(now).toISOString().replace(/\.[0-9]{3}Z$/, "Z").replaceAll(":", "");
  const [, latest = "", counter = "0"] = ARCHIVE.exec(archiveNames(directory).at(-1) ?? "") ?? [];
  if (latest < stamp) return `audit.${stamp}.jsonl`;
  // Not the first free number: a lower one may be free because it was pruned.
  return `audit.${latest}.${Number(counter) + 1}.jsonl`;
}

/** Removes archives until the newest `keep` are left. Other files are never touched. */
export function pruneArchives(directory: string, keep: number): void {
  const names = archiveNames(directory);
  for (const name of names.slice(0, Math.max(0, names.length - keep))) {
    try {
      Deno.removeSync(`${directory}/${name}`);
    } catch (error) {
      if (!(error instanceof Deno.errors.NotFound)) throw error;
    }
  }
}

const FIRST_LINE_BYTES = 4_096;

/** When the live file began: the time of its first row, else the file's, else now. */
export function beganAt(path: string, options: { info: Deno.FileInfo; now: number }): number {
  try {
    using file = Deno.openSync(path, { read: true });
    const bytes = new Uint8Array(FIRST_LINE_BYTES);
    const count = file.readSync(bytes) ?? 0;
    const [line = ""] = new TextDecoder().decode(bytes.subarray(0, count)).split("\n");
    const stamp = /"ts":"([^"]+)"/.exec(line)?.[1];
    const time = stamp === undefined ? NaN : Date.parse(stamp);
    if (Number.isFinite(time)) return time;
  } catch (error) {
    if (!(error instanceof Deno.errors.NotFound)) throw error;
  }
  return options.info.mtime?.getTime() ?? options.now;
}
