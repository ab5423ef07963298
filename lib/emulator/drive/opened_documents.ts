/** The documents of one editor: each is made when it is first opened, then edited in memory. */

import type { RevisedDocument } from "./batch_update.ts";
import type { NativeFile, NativeFiles, NativeKind } from "./native_files.ts";
import { notFound } from "./requests.ts";

/** What an editor keeps of its files. */
export interface OpenedDocuments<Document> {
  /** The file in Drive. @throws EmulatedError 404. */
  fileOf(id: string): NativeFile;
  /** @throws EmulatedError 404. */
  open(id: string): Document;
  /** The document if somebody opened it already. */
  known(id: string): Document | undefined;
}

/** Keeps the documents of one kind; a copy starts as its source is when it is first opened. */
export function openedDocuments<Document extends RevisedDocument>(
  native: NativeFiles,
  { kind, make }: { kind: NativeKind; make: (file: NativeFile) => Document },
): OpenedDocuments<Document> {
  const opened = new Map<string, Document>();
  const fileOf = (id: string): NativeFile => {
    const file = native.find(id);
    if (file?.kind !== kind) throw notFound("Requested entity was not found.");
    return file;
  };
  const open = (id: string): Document => {
    const file = fileOf(id);
    const known = opened.get(id);
    if (known !== undefined) return known;
    const source = file.copyOf === undefined ? undefined : native.find(file.copyOf);
    const made = source === undefined
      ? make(file)
      : { ...structuredClone(open(source.id)), id, revision: 1 };
    opened.set(id, made);
    return made;
  };
  return { fileOf, open, known: (id) => opened.get(id) };
}
