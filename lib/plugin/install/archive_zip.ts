/** Reading a zip archive through its central directory, in the 32-bit form and the 64-bit one. */

import { ENTRY_LIMIT } from "../limits.ts";
import { type EntrySink, unreadableArchive, unsafeEntry } from "./archive_entry.ts";

const END_SIGNATURE = 0x06054b50;
const CENTRAL_SIGNATURE = 0x02014b50;
const LOCAL_SIGNATURE = 0x04034b50;
const WIDE_END_SIGNATURE = 0x06064b50;
const WIDE_LOCATOR_SIGNATURE = 0x07064b50;
const WIDE_EXTRA = 0x0001;
/** A field that says "look for the number in its 64-bit place". */
const ELSEWHERE_16 = 0xffff;
const ELSEWHERE_32 = 0xffffffff;
const LOCATOR_SIZE = 20;
const WIDE_END_SIZE = 56;
const END_SIZE = 22;
const LONGEST_COMMENT = 0xffff;
const DIRECTORY_LIMIT = 64 * 1024 * 1024;
const CHUNK = 64 * 1024;

interface ZipEntry {
  name: string;
  method: number;
  crc: number;
  packed: number;
  size: number;
  offset: number;
}

/** Unpacks the archive at `path` into a sink. */
export async function readZip(path: string, sink: EntrySink): Promise<void> {
  using file = await Deno.open(path, { read: true });
  const { size } = await file.stat();
  for (const entry of await centralDirectory(file, size)) {
    if (entry.name.endsWith("/")) {
      if (entry.size !== 0) throw unsafeEntry(entry.name, "a directory with content");
      await sink.directory(entry.name);
    } else await sink.file(entry.name, contentOf(file, entry));
  }
}

async function centralDirectory(file: Deno.FsFile, size: number): Promise<ZipEntry[]> {
  const tailSize = Math.min(size, END_SIZE + LONGEST_COMMENT);
  const tail = await readAt(file, { offset: size - tailSize, count: tailSize });
  const view = viewOf(tail);
  let end = tailSize - END_SIZE;
  while (end >= 0 && view.getUint32(end, true) !== END_SIGNATURE) end--;
  if (end < 0) throw unreadableArchive("it has no directory");
  const narrow = {
    count: view.getUint16(end + 10, true),
    bytes: view.getUint32(end + 12, true),
    offset: view.getUint32(end + 16, true),
  };
  const isWide = narrow.count === ELSEWHERE_16 || narrow.bytes === ELSEWHERE_32 ||
    narrow.offset === ELSEWHERE_32;
  const { count, bytes, offset } = isWide
    ? await wideDirectory(file, { size, end: size - tailSize + end })
    : narrow;
  if (count > ENTRY_LIMIT) throw unsafeEntry("", `more than ${ENTRY_LIMIT} entries`);
  if (bytes > DIRECTORY_LIMIT || offset + bytes > size) {
    throw unreadableArchive("its directory is damaged");
  }
  return directoryEntries(await readAt(file, { offset, count: bytes }), count);
}

interface DirectoryPlace {
  count: number;
  bytes: number;
  offset: number;
}

/** The 64-bit end record, found through the locator that stands right before the 32-bit one. */
async function wideDirectory(
  file: Deno.FsFile,
  { size, end }: { size: number; end: number },
): Promise<DirectoryPlace> {
  const damaged = () => unreadableArchive("its 64-bit directory is damaged");
  if (end < LOCATOR_SIZE) throw damaged();
  const locator = viewOf(await readAt(file, { offset: end - LOCATOR_SIZE, count: LOCATOR_SIZE }));
  const at = wideNumber(locator, 8);
  if (
    locator.getUint32(0, true) !== WIDE_LOCATOR_SIGNATURE || at === undefined ||
    at + WIDE_END_SIZE > size
  ) throw damaged();
  const record = viewOf(await readAt(file, { offset: at, count: WIDE_END_SIZE }));
  const [count, bytes, offset] = [32, 40, 48].map((field) => wideNumber(record, field));
  if (
    record.getUint32(0, true) !== WIDE_END_SIGNATURE || count === undefined ||
    bytes === undefined || offset === undefined
  ) throw damaged();
  return { count, bytes, offset };
}

/** A 64-bit number; undefined beyond what any archive within the limits could hold. */
function wideNumber(view: DataView, at: number): number | undefined {
  const number = view.getBigUint64(at, true);
  return number > BigInt(Number.MAX_SAFE_INTEGER) ? undefined : Number(number);
}

function directoryEntries(directory: Uint8Array, count: number): ZipEntry[] {
  const view = viewOf(directory);
  const entries: ZipEntry[] = [];
  let at = 0;
  for (let index = 0; index < count; index++) {
    if (at + 46 > directory.length || view.getUint32(at, true) !== CENTRAL_SIGNATURE) {
      throw unreadableArchive("its directory is damaged");
    }
    const flags = view.getUint16(at + 8, true);
    const nameLength = view.getUint16(at + 28, true);
    const extraLength = view.getUint16(at + 30, true);
    const extras = extraLength + view.getUint16(at + 32, true);
    const name = new TextDecoder().decode(directory.subarray(at + 46, at + 46 + nameLength));
    const extraStart = at + 46 + nameLength;
    if ((flags & 0x41) !== 0) throw unsafeEntry(name, "is encrypted");
    // The upper half of the external attributes holds Unix mode bits, when there are any.
    const kind = (view.getUint32(at + 38, true) >>> 16) & 0o170000;
    if (kind === 0o120000) throw unsafeEntry(name, "is a link");
    if (kind !== 0 && kind !== 0o100000 && kind !== 0o040000) {
      throw unsafeEntry(name, "is no plain file");
    }
    entries.push({
      name,
      method: view.getUint16(at + 10, true),
      crc: view.getUint32(at + 16, true),
      ...widened({
        size: view.getUint32(at + 24, true),
        packed: view.getUint32(at + 20, true),
        offset: view.getUint32(at + 42, true),
      }, directory.subarray(extraStart, extraStart + extraLength)),
    });
    at += 46 + nameLength + extras;
  }
  return entries;
}

/** The numbers of an entry, with those that did not fit 32 bits taken from its 64-bit field. */
function widened(
  narrow: Pick<ZipEntry, "size" | "packed" | "offset">,
  extra: Uint8Array,
): Pick<ZipEntry, "size" | "packed" | "offset"> {
  const missing = (["size", "packed", "offset"] as const)
    .filter((name) => narrow[name] === ELSEWHERE_32);
  if (missing.length === 0) return narrow;
  const view = viewOf(extra);
  for (let at = 0; at + 4 <= extra.length;) {
    const length = view.getUint16(at + 2, true);
    const next = at + 4 + length;
    if (view.getUint16(at, true) === WIDE_EXTRA) {
      if (length < missing.length * 8 || next > extra.length) break;
      // Only what is missing is there, in this order.
      const found = missing.map((name, index) => [name, wideNumber(view, at + 4 + index * 8)]);
      if (found.some(([, number]) => number === undefined)) break;
      return { ...narrow, ...Object.fromEntries(found) };
    }
    at = next;
  }
  throw unreadableArchive("the 64-bit numbers of an entry are damaged");
}

async function* contentOf(file: Deno.FsFile, entry: ZipEntry): AsyncGenerator<Uint8Array> {
  const local = viewOf(await readAt(file, { offset: entry.offset, count: 30 }));
  if (local.getUint32(0, true) !== LOCAL_SIGNATURE) {
    throw unreadableArchive(`${entry.name} is not where the directory says`);
  }
  const start = entry.offset + 30 + local.getUint16(26, true) + local.getUint16(28, true);
  const packed = packedPieces(file, { start, count: entry.packed });
  let pieces: AsyncIterable<Uint8Array>;
  if (entry.method === 0) pieces = packed;
  else if (entry.method === 8) {
    pieces = ReadableStream.from(packed).pipeThrough(new DecompressionStream("deflate-raw"));
  } else throw unsafeEntry(entry.name, `compression method ${entry.method} is not read`);
  let crc = 0xffffffff;
  let size = 0;
  try {
    for await (const piece of pieces) {
      size += piece.length;
      if (size > entry.size) throw unsafeEntry(entry.name, "is larger than the directory says");
      crc = crc32(crc, piece);
      yield piece;
    }
  } catch (error) {
    if (error instanceof TypeError) {
      throw unreadableArchive(`${entry.name} is damaged`, error);
    }
    throw error;
  }
  if (size !== entry.size || (crc ^ 0xffffffff) >>> 0 !== entry.crc) {
    throw unreadableArchive(`${entry.name} is damaged`);
  }
}

async function* packedPieces(
  file: Deno.FsFile,
  { start, count }: { start: number; count: number },
): AsyncGenerator<Uint8Array<ArrayBuffer>> {
  for (let done = 0; done < count;) {
    const piece = await readAt(file, {
      offset: start + done,
      count: Math.min(CHUNK, count - done),
    });
    done += piece.length;
    yield piece;
  }
}

async function readAt(
  file: Deno.FsFile,
  { offset, count }: { offset: number; count: number },
): Promise<Uint8Array<ArrayBuffer>> {
  await file.seek(offset, Deno.SeekMode.Start);
  const bytes = new Uint8Array(count);
  for (let at = 0; at < count;) {
    const read = await file.read(bytes.subarray(at));
    if (read === null) throw unreadableArchive("it ends in the middle");
    at += read;
  }
  return bytes;
}

function viewOf(bytes: Uint8Array): DataView {
  return new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
}

const CRC_TABLE = Uint32Array.from({ length: 256 }, (_, index) => {
  let value = index;
  for (let bit = 0; bit < 8; bit++) value = value & 1 ? 0xedb88320 ^ (value >>> 1) : value >>> 1;
  return value >>> 0;
});

function crc32(start: number, bytes: Uint8Array): number {
  let crc = start;
  for (const byte of bytes) crc = (CRC_TABLE[(crc ^ byte) & 0xff] ?? 0) ^ (crc >>> 8);
  return crc >>> 0;
}
