/** Reading a gzip-compressed tar archive as a stream. */

import { ENTRY_LIMIT } from "../limits.ts";
import { unreadableArchive, unsafeEntry } from "./archive_entry.ts";
import type { EntrySink } from "./archive_entry.ts";

const BLOCK = 512;
/** Extended headers are names and numbers; more than this is not one. */
const HEADER_LIMIT = 64 * 1024;
/** Each entry may have a few extended headers of its own. */
const MOST_HEADERS = 4 * ENTRY_LIMIT;
const SPACE = 0x20;
const NEWLINE = 0x0a;
const decoder = new TextDecoder();

/** Unpacks the archive at `path` into a sink. */
export async function readTarGz(path: string, sink: EntrySink): Promise<void> {
  const file = await Deno.open(path, { read: true });
  const source = byteSource(
    file.readable.pipeThrough(new DecompressionStream("gzip")).getReader(),
  );
  try {
    await readEntries(source, sink);
  } catch (error) {
    // The decompressor says TypeError for anything that is not gzip.
    if (error instanceof TypeError) throw unreadableArchive("not a gzip stream", error);
    throw error;
  } finally {
    await source.close();
  }
}

interface ByteSource {
  /** Exactly `count` bytes; undefined at a clean end. */
  take(count: number): Promise<Uint8Array | undefined>;
  /** `count` bytes in pieces. */
  pieces(count: number): AsyncGenerator<Uint8Array>;
  close(): Promise<void>;
}

function byteSource(reader: ReadableStreamDefaultReader<Uint8Array>): ByteSource {
  let held: Uint8Array = new Uint8Array();
  const more = async (): Promise<boolean> => {
    const { value, done } = await reader.read();
    if (done) return false;
    held = value;
    return true;
  };
  async function* pieces(count: number): AsyncGenerator<Uint8Array> {
    let left = count;
    while (left > 0) {
      if (held.length === 0) {
        if (!await more()) throw unreadableArchive("it ends in the middle");
        continue;
      }
      const piece = held.subarray(0, left);
      held = held.subarray(piece.length);
      left -= piece.length;
      yield piece;
    }
  }
  return {
    pieces,
    async take(count) {
      while (held.length === 0) if (!await more()) return undefined;
      const whole = new Uint8Array(count);
      let at = 0;
      for await (const piece of pieces(count)) {
        whole.set(piece, at);
        at += piece.length;
      }
      return whole;
    },
    async close() {
      // Cancelling closes the file behind the decompressor as well.
      await reader.cancel().catch(() => {/* it failed before; that failure is already told */});
    },
  };
}

interface Extended {
  path?: string;
  size?: number;
}

async function readEntries(source: ByteSource, sink: EntrySink): Promise<void> {
  let extended: Extended = {};
  for (let headers = 0;; headers++) {
    const header = await source.take(BLOCK);
    if (header === undefined || header.every((byte) => byte === 0)) return;
    // Extended headers write nothing, so only this keeps a bomb of them from going on for ever.
    if (headers > MOST_HEADERS) throw unreadableArchive("it has too many headers");
    checkSum(header);
    const type = String.fromCharCode(header[156] ?? 0);
    const size = extended.size ?? numberField(header.subarray(124, 136));
    const name = extended.path ?? headerName(header);
    const padding = (BLOCK - size % BLOCK) % BLOCK;
    if (type === "x" || type === "L") {
      const header = await headerBytes(source, size);
      extended = type === "L"
        ? { ...extended, path: fieldText(header) }
        : { ...extended, ...paxRecords(header) };
    } else if (type === "g") {
      await headerBytes(source, size);
    } else {
      await writeEntry(sink, { type, name, pieces: source.pieces(size), size });
      extended = {};
    }
    for await (const _ of source.pieces(padding)) { /* blocks are padded to their size */ }
  }
}

async function writeEntry(
  sink: EntrySink,
  entry: { type: string; name: string; size: number; pieces: AsyncGenerator<Uint8Array> },
): Promise<void> {
  const { type, name, size, pieces } = entry;
  if (type === "5") {
    if (size !== 0) throw unsafeEntry(name, "a directory with content");
    return await sink.directory(name);
  }
  if (type === "1" || type === "2") throw unsafeEntry(name, "is a link");
  if (type !== "0" && type !== "\0") throw unsafeEntry(name, "is no plain file");
  await sink.file(name, pieces);
}

async function headerBytes(source: ByteSource, size: number): Promise<Uint8Array> {
  if (size > HEADER_LIMIT) throw unreadableArchive("an extended header is too large");
  return size === 0 ? new Uint8Array() : await source.take(size) ?? new Uint8Array();
}

/** Records of the form `<length> <key>=<value>\n`; the length counts bytes, itself included. */
function paxRecords(header: Uint8Array): Extended {
  const found: Extended = {};
  for (let at = 0; at < header.length && header[at] !== 0;) {
    const space = header.indexOf(SPACE, at);
    const size = space < 0 ? 0 : plainNumber(decoder.decode(header.subarray(at, space)));
    const end = at + size;
    if (space < 0 || end > header.length || end <= space + 1 || header[end - 1] !== NEWLINE) {
      throw unreadableArchive("an extended header is damaged");
    }
    const record = decoder.decode(header.subarray(space + 1, end - 1));
    const equals = record.indexOf("=");
    const value = record.slice(equals + 1);
    switch (record.slice(0, Math.max(equals, 0))) {
      case "path":
        found.path = value;
        break;
      case "size":
        found.size = plainNumber(value);
        break;
      case "linkpath":
        throw unsafeEntry(value, "is a link");
    }
    at = end;
  }
  return found;
}

function plainNumber(text: string): number {
  if (!/^[0-9]{1,15}$/.test(text)) throw unreadableArchive("a size is not a number");
  return Number(text);
}

function checkSum(header: Uint8Array): void {
  const stated = numberField(header.subarray(148, 156));
  const sum = header.reduce(
    (total, byte, index) => total + (index >= 148 && index < 156 ? 32 : byte),
    0,
  );
  if (sum !== stated) throw unreadableArchive("a header is damaged");
}

function numberField(field: Uint8Array): number {
  if (((field[0] ?? 0) & 0x80) !== 0) {
    // The base-256 form of large numbers.
    const value = field.subarray(1).reduce((total, byte) => total * 256 + byte, 0);
    if (!Number.isSafeInteger(value)) throw unreadableArchive("a number is too large");
    return value;
  }
  const text = fieldText(field).trim();
  if (text === "") return 0;
  if (!/^[0-7]+$/.test(text)) throw unreadableArchive("a number is damaged");
  return Number.parseInt(text, 8);
}

function headerName(header: Uint8Array): string {
  const name = fieldText(header.subarray(0, 100));
  const isUstar = fieldText(header.subarray(257, 262)) === "ustar";
  const prefix = isUstar ? fieldText(header.subarray(345, 500)) : "";
  return prefix === "" ? name : `${prefix}/${name}`;
}

function fieldText(field: Uint8Array): string {
  const end = field.indexOf(0);
  return new TextDecoder().decode(end < 0 ? field : field.subarray(0, end));
}
