/** What GUM changed in other programs' files, kept so that it can be taken back byte for byte. */

import { sha256Hex } from "../digest/mod.ts";
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
  /** SHA-256 of the text after the latest change: as long as it holds, undoing is exact. */
  digest?: string;
  /** The entry of the same name that was there before the first change, as it was written. */
  entry?: string;
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
  const { path, created, removed, inserted, offset, digest, entry } = row;
  return typeof path === "string" && typeof created === "boolean" &&
      typeof removed === "string" && typeof inserted === "string" && typeof offset === "number"
    ? {
      path,
      created,
      edit: { removed, inserted, offset },
      ...(typeof digest === "string" ? { digest } : {}),
      ...(typeof entry === "string" ? { entry } : {}),
    }
    : undefined;
}

/** Changes the record, one process at a time. */
async function updateChanges(
  directory: string,
  update: (changes: Map<string, FileChange>) => void,
): Promise<void> {
  await ensurePrivateDir(directory);
  const lock = `${directory}/client_files.lock`;
  await withFileLock(lock, { timeoutMs: LOCK_WAIT_MS }, async () => {
    const changes = await recordedChanges(directory);
    update(changes);
    const rows = [...changes.values()].map(({ edit, ...facts }) => ({ ...facts, ...edit }));
    const bytes = new TextEncoder().encode(JSON.stringify(rows, null, 2) + "\n");
    await writeFileAtomic(`${directory}/${FILE_NAME}`, bytes);
  });
}

/** Remembers the change of a file, so that it can be taken back. */
export async function rememberChange(
  directory: string,
  outcome: { path: string; before: string | undefined; after: string },
  options: { entry?: string; undo?: Undo } = {},
): Promise<void> {
  const { path, before, after } = outcome;
  const known = (await recordedChanges(directory)).get(path);
  const earlier = known !== undefined && changesNothing(known) ? undefined : known;
  const undo = options.undo ?? ((text, change) => exactOriginal(text, change));
  // A second change of the same file is measured from the text before the first.
  const original = earlier === undefined || before === undefined
    ? undefined
    : await undo(before, earlier);
  const first = original === undefined ? before : original === "removed" ? undefined : original;
  const entry = original === undefined ? options.entry : earlier?.entry;
  const change: FileChange = {
    path,
    created: first === undefined,
    edit: editBetween(first ?? "", after),
    digest: await sha256Hex(after),
    ...(entry === undefined ? {} : { entry }),
  };
  await updateChanges(directory, (changes) => changes.set(path, change));
}

/** Whether the record only says that all of it was there before GUM came. */
export function changesNothing({ created, edit }: FileChange): boolean {
  return !created && edit.removed === "" && edit.inserted === "";
}

/** Forgets the change of a file. */
export async function forgetChange(directory: string, path: string): Promise<void> {
  if (!(await recordedChanges(directory)).has(path)) return;
  await updateChanges(directory, (changes) => changes.delete(path));
}

/** What a file's text was before its recorded change; undefined when that cannot be told. */
type Undo = (
  text: string,
  change: FileChange,
) => string | "removed" | undefined | Promise<string | "removed" | undefined>;

/** The text before GUM's changes when nobody else has changed it since; `removed`: no file. */
export async function exactOriginal(
  text: string,
  change: FileChange,
): Promise<string | "removed" | undefined> {
  if (change.digest !== undefined) {
    if (change.digest !== await sha256Hex(text)) return undefined;
    const { offset, inserted, removed } = change.edit;
    return change.created
      ? "removed"
      : text.slice(0, offset) + removed + text.slice(offset + inserted.length);
  }
  return looseOriginal(text, change);
}

/** The same where others may have changed the text elsewhere; whether it makes sense is not asked. */
export function looseOriginal(text: string, change: FileChange): string | "removed" | undefined {
  const original = undoEdit(text, change.edit);
  if (original === undefined) return undefined;
  return change.created && original.trim() === "" ? "removed" : original;
}
