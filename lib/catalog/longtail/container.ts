/**
 * A file of compressed chunks: `GUMP`, version byte, the LEB128 lengths of a JSON directory and of
 * a dictionary, then both, then the chunks. Offsets count from the end of the dictionary, which
 * every chunk was compressed with.
 */

import { GumError } from "../../errors/mod.ts";
import { type ByteCursor, readVarint, writeVarint } from "../search/postings.ts";
import { inflate } from "./inflate.ts";
import type { PackFile, PackSource, Renames } from "./types.ts";

const MAGIC = [0x47, 0x55, 0x4d, 0x50, 2];

/** Key, last contained operation id (or the key again), offset, compressed and plain length. */
export type DirectoryRow = [
  key: string,
  last: string,
  offset: number,
  length: number,
  plain: number,
];

/** One chunk before it is written. */
export interface ChunkInput {
  key: string;
  last: string;
  /** Already compressed (raw deflate). */
  packed: Uint8Array;
  plain: number;
}

/** Bytes of a container. */
export function encodeContainer(
  chunks: readonly ChunkInput[],
  { dictionary, renames = {} }: { dictionary: Uint8Array; renames?: Renames },
): Uint8Array<ArrayBuffer> {
  let offset = 0;
  const rows = chunks.map(({ key, last, packed, plain }): DirectoryRow => {
    const row: DirectoryRow = [key, last === key ? "" : last, offset, packed.length, plain];
    offset += packed.length;
    return row;
  });
  const content: Directory = { rows, renames };
  const directory = new TextEncoder().encode(JSON.stringify(content));
  const head = [...MAGIC];
  writeVarint(head, directory.length);
  writeVarint(head, dictionary.length);
  const bytes = new Uint8Array(head.length + directory.length + dictionary.length + offset);
  let at = 0;
  for (const part of [head, directory, dictionary, ...chunks.map(({ packed }) => packed)]) {
    bytes.set(part, at);
    at += part.length;
  }
  return bytes;
}

interface Directory {
  rows: readonly DirectoryRow[];
  renames: Renames;
}

/** A container whose directory was read. */
export interface Container extends Readonly<Directory> {
  /** Text of a chunk. */
  text(row: DirectoryRow): string;
}

const HEAD_BYTES = MAGIC.length + 2 * 5;

/** Opens a container; only its directory is read, and with the first chunk the dictionary. @throws GumError `CATALOG_SCHEMA_UNSUPPORTED` */
export function openContainer(source: PackSource, file: PackFile): Container {
  const head = source.range(file, { offset: 0, length: HEAD_BYTES });
  if (MAGIC.some((byte, at) => head[at] !== byte)) throw damaged(file, "another format");
  const cursor: ByteCursor = { bytes: head, at: MAGIC.length };
  const [length, dictionaryLength] = [readVarint(cursor), readVarint(cursor)];
  const directory = source.range(file, { offset: cursor.at, length });
  const { rows, renames }: Partial<Directory> = JSON.parse(new TextDecoder().decode(directory));
  if (rows === undefined || renames === undefined) {
    throw damaged(file, "its directory lacks a part");
  }
  const dictionaryAt = cursor.at + length;
  const base = dictionaryAt + dictionaryLength;
  let dictionary: Uint8Array | undefined;
  return {
    rows,
    renames,
    text([, , offset, packed, plain]) {
      const bytes = source.range(file, { offset: base + offset, length: packed });
      dictionary ??= source.range(file, { offset: dictionaryAt, length: dictionaryLength });
      try {
        return new TextDecoder().decode(inflate(bytes, { size: plain, dictionary }));
      } catch (cause) {
        throw damaged(file, "a chunk cannot be read", cause);
      }
    },
  };
}

function damaged(file: string, reason: string, cause?: unknown): GumError {
  return new GumError("CATALOG_SCHEMA_UNSUPPORTED", {
    message: `the long-tail file ${file} is unusable: ${reason}`,
    details: { file, reason },
    userMessage: "The catalog of further Google APIs that came with this build is unusable.",
    suggestion: "Install GUM again, or set catalog.long_tail = off.",
    cause,
  });
}
