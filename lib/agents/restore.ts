/** What GUM changed in other programs' files, kept so that it can be taken back byte for byte. */

import { ensurePrivateDir, withFileLock, writeFileAtomic } from "../files/mod.ts";
import { isJsonObject, type JsonValue, parseJson } from "../json/mod.ts";
import { editBetween, type TextEdit, undoEdit } from "./edits.ts";
import { readIfPresent } from "./patch_file.ts";

/** One changed file. */
export interface FileChange {
  path: string;
  /** The file did not exist before. */
  created: boolean;
  /** Between the text before the first change and the text after the latest. */
  edit: TextEdit;
}

const FILE_NAME = "client_files.json";
const LOCK_WAIT_MS = 30_000;

/** The changes recorded in a profile's data folder, by path. */
export async function recordedChanges(directory: string): Promise<Map<string, FileChange>> {
  const changes = new Map<string, FileChange>();
  const bytes = await readIfPresent(`${directory}/${FILE_NAME}`);
  if (bytes === undefined) return changes;
  let value: JsonValue;
  try {
    value = parseJson(new TextDecoder("utf-8", { fatal: true }).decode(bytes));
  } catch {
    // A damaged record only costs exactness: entries are then removed by their keys.
    return changes;
  }
  for (const row of Array.isArray(value) ? value : []) {
    const change = isJsonObject(row) ? readChange(row) : undefined;
    if (change !== undefined) changes.set(change.path, change);
  }
  return changes;
}

function readChange(row: Record<string, JsonValue>): FileChange | undefined {
  const { path, created, removed, inserted, offset } = row;
  return typeof path === "string" && typeof created === "boolean" &&
      typeof removed === "string" && typeof inserted === "string" && typeof offset === "number"
    ? { path, created, edit: { removed, inserted, offset } }
    : undefined;
}

/** Changes the record, one process at a time. */
export async function updateChanges(
  directory: string,
  update: (changes: Map<string, FileChange>) => void,
): Promise<void> {
  await ensurePrivateDir(directory);
  const lock = `${directory}/client_files.lock`;
  await withFileLock(lock, { timeoutMs: LOCK_WAIT_MS }, async () => {
    const changes = await recordedChanges(directory);
    update(changes);
    const rows = [...changes.values()].map(({ path, created, edit }) => ({
      path,
      created,
      ...edit,
    }));
    const bytes = new TextEncoder().encode(JSON.stringify(rows, null, 2) + "\n");
    await writeFileAtomic(`${directory}/${FILE_NAME}`, bytes);
  });
}

/**
 * The record after one more change: a second change of the same file is measured from the text
 * before the first, as far as that can still be told.
 */
export function changeOf(
  outcome: { path: string; before: string | undefined; after: string },
  earlier: FileChange | undefined,
): FileChange {
  const before = outcome.before ?? "";
  const original = earlier === undefined ? undefined : undoEdit(before, earlier.edit);
  return {
    path: outcome.path,
    created: original === undefined ? outcome.before === undefined : earlier?.created ?? false,
    edit: editBetween(original ?? before, outcome.after),
  };
}

/** The text before GUM's changes; `removed` when there was no file. Undefined: cannot be told. */
export function originalOf(text: string, change: FileChange): string | "removed" | undefined {
  const original = undoEdit(text, change.edit);
  if (original === undefined) return undefined;
  return change.created && original.trim() === "" ? "removed" : original;
}
