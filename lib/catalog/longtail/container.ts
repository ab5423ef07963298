/**
 * A file of compressed chunks: `GUMP`, version byte, then the LEB128 length of a JSON directory,
 * the directory, the chunks. Offsets count from the end of the directory.
 */

import { GumError } from "../../errors/mod.ts";
import { type ByteCursor, readVarint, writeVarint } from "../search/postings.ts";
import { inflate } from "./inflate.ts";
import type { PackFile, PackSource } from "./types.ts";

const MAGIC = [0x47, 0x55, 0x4d, 0x50, 1];

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
export function encodeContainer(chunks: readonly ChunkInput[]): Uint8Array<ArrayBuffer> {
  let offset = 0;
  const rows = chunks.map(({ key, last, packed, plain }): DirectoryRow => {
    const row: DirectoryRow = [key, last === key ? "" : last, offset, packed.length, plain];
    offset += packed.length;
    return row;
  });
  const directory = new TextEncoder().encode(JSON.stringify(rows));
  const head = [...MAGIC];
  writeVarint(head, directory.length);
  const bytes = new Uint8Array(head.length + directory.length + offset);
  bytes.set(head);
  bytes.set(directory, head.length);
  let at = head.length + directory.length;
  for (const { packed } of chunks) {
    bytes.set(packed, at);
    at += packed.length;
  }
  return bytes;
}

/** A container whose directory was read. */
export interface Container {
  readonly rows: readonly DirectoryRow[];
  /** Text of a chunk. */
  text(row: DirectoryRow): string;
}

const HEAD_BYTES = 10;

/** Opens a container; only its directory is read. @throws GumError `CATALOG_SCHEMA_UNSUPPORTED` */
export function openContainer(source: PackSource, file: PackFile): Container {
  const head = source.range(file, { offset: 0, length: HEAD_BYTES });
  if (MAGIC.some((byte, at) => head[at] !== byte)) throw damaged(file, "another format");
  const cursor: ByteCursor = { bytes: head, at: MAGIC.length };
  const length = readVarint(cursor);
  const directory = source.range(file, { offset: cursor.at, length });
  const rows: DirectoryRow[] = JSON.parse(new TextDecoder().decode(directory));
  const base = cursor.at + length;
  return {
    rows,
    text([, , offset, packed, plain]) {
      const bytes = source.range(file, { offset: base + offset, length: packed });
      try {
        return new TextDecoder().decode(inflate(bytes, plain));
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
