/** The archive form that Windows opens by itself, as deterministic as the other one. */

import type { ArchiveEntry } from "./tar.ts";

/** 2020-01-01 00:00, in the format's own notation. */
const DATE = (2020 - 1980) << 9 | 1 << 5 | 1;
const MADE_BY_UNIX = 3 << 8 | 20;

/** A zip archive; the entries come in the order given. */
export async function zip(entries: readonly ArchiveEntry[]): Promise<Uint8Array<ArrayBuffer>> {
  const parts: BlobPart[] = [];
  const directory: BlobPart[] = [];
  let offset = 0;
  let directorySize = 0;
  for (const { name, bytes, executable } of entries) {
    const stream = new Blob([new Uint8Array(bytes)]).stream()
      .pipeThrough(new CompressionStream("deflate-raw"));
    const packed = new Uint8Array(await new Response(stream).arrayBuffer());
    const path = new TextEncoder().encode(name);
    const common = fields([
      [20, 2], // version needed
      [0x800, 2], // names are UTF-8
      [8, 2], // deflate
      [0, 2], // time
      [DATE, 2],
      [crc32(bytes), 4],
      [packed.length, 4],
      [bytes.length, 4],
      [path.length, 2],
      [0, 2], // extra field
    ]);
    parts.push(fields([[0x04034b50, 4]]), common, path, packed);
    const mode = executable ? 0o100755 : 0o100644;
    directory.push(
      fields([[0x02014b50, 4], [MADE_BY_UNIX, 2]]),
      common,
      // comment, disk, internal and external attributes, where the entry begins
      fields([[0, 2], [0, 2], [0, 2], [mode * 0x10000, 4], [offset, 4]]),
      path,
    );
    offset += 4 + common.length + path.length + packed.length;
    directorySize += 6 + common.length + 14 + path.length;
  }
  const end = fields([
    [0x06054b50, 4],
    [0, 2],
    [0, 2],
    [entries.length, 2],
    [entries.length, 2],
    [directorySize, 4],
    [offset, 4],
    [0, 2],
  ]);
  return new Uint8Array(await new Blob([...parts, ...directory, end]).arrayBuffer());
}

/** Little-endian numbers one after the other, each with its width in bytes. */
function fields(values: readonly (readonly [number, 2 | 4])[]): Uint8Array<ArrayBuffer> {
  const out = new Uint8Array(values.reduce((sum, [, width]) => sum + width, 0));
  const view = new DataView(out.buffer);
  let at = 0;
  for (const [value, width] of values) {
    if (width === 2) view.setUint16(at, value, true);
    else view.setUint32(at, value, true);
    at += width;
  }
  return out;
}

const CRC_TABLE = Uint32Array.from({ length: 256 }, (_, index) => {
  let value = index;
  for (let bit = 0; bit < 8; bit++) value = value & 1 ? 0xedb88320 ^ value >>> 1 : value >>> 1;
  return value;
});

function crc32(bytes: Uint8Array): number {
  let crc = 0xffffffff;
  for (const byte of bytes) crc = (CRC_TABLE[(crc ^ byte) & 0xff] ?? 0) ^ crc >>> 8;
  return (crc ^ 0xffffffff) >>> 0;
}
