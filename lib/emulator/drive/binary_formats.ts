/** Small writers of the binary formats that the emulated Drive holds: PNG and ZIP, both uncompressed. */

import { concatBytes, utf8 } from "../encoding.ts";
import type { SeededRandom } from "../service.ts";

const CRC_TABLE = Uint32Array.from({ length: 256 }, (_, byte) => {
  let value = byte;
  for (let bit = 0; bit < 8; bit++) value = value & 1 ? 0xedb88320 ^ (value >>> 1) : value >>> 1;
  return value >>> 0;
});

/** CRC-32 as PNG and ZIP use it. */
export function crc32(bytes: Uint8Array): number {
  let crc = 0xffffffff;
  for (const byte of bytes) crc = (CRC_TABLE[(crc ^ byte) & 0xff] as number) ^ (crc >>> 8);
  return (crc ^ 0xffffffff) >>> 0;
}

function bigEndian(value: number): Uint8Array {
  return new Uint8Array([value >>> 24, value >>> 16, value >>> 8, value]);
}

function littleEndian(value: number, bytes: 2 | 4): Uint8Array {
  return new Uint8Array([value, value >>> 8, value >>> 16, value >>> 24]).subarray(0, bytes);
}

/** An RGB image of random stripes. */
export function pngImage(
  { width, height, random }: { width: number; height: number; random: SeededRandom },
): Uint8Array {
  const raw = new Uint8Array(height * (1 + width * 3));
  const base = [random.int(0, 255), random.int(0, 255), random.int(0, 255)] as const;
  for (let y = 0; y < height; y++) {
    for (let x = 0; x < width; x++) {
      const at = y * (1 + width * 3) + 1 + x * 3;
      for (let channel = 0; channel < 3; channel++) {
        raw[at + channel] = (base[channel as 0 | 1 | 2] + x * (channel + 1) + y * 2) & 0xff;
      }
    }
  }
  return concatBytes([
    new Uint8Array([0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a]),
    chunk(
      "IHDR",
      concatBytes([bigEndian(width), bigEndian(height), new Uint8Array([8, 2, 0, 0, 0])]),
    ),
    chunk("IDAT", zlibStored(raw)),
    chunk("IEND", new Uint8Array()),
  ]);
}

function chunk(type: string, body: Uint8Array): Uint8Array {
  const tagged = concatBytes([utf8(type), body]);
  return concatBytes([bigEndian(body.length), tagged, bigEndian(crc32(tagged))]);
}

/** A zlib stream of stored blocks. */
function zlibStored(raw: Uint8Array): Uint8Array {
  const parts: Uint8Array[] = [new Uint8Array([0x78, 0x01])];
  for (let at = 0; at < raw.length; at += 65_535) {
    const block = raw.subarray(at, at + 65_535);
    const last = at + 65_535 >= raw.length ? 1 : 0;
    parts.push(
      new Uint8Array([last]),
      littleEndian(block.length, 2),
      littleEndian(~block.length, 2),
      block,
    );
  }
  let a = 1, b = 0;
  for (const byte of raw) {
    a = (a + byte) % 65_521;
    b = (b + a) % 65_521;
  }
  parts.push(bigEndian(((b << 16) | a) >>> 0));
  return concatBytes(parts);
}

/** A ZIP archive of stored entries. */
export function zipArchive(entries: readonly { name: string; bytes: Uint8Array }[]): Uint8Array {
  const parts: Uint8Array[] = [];
  const directory: Uint8Array[] = [];
  let offset = 0;
  for (const { name, bytes } of entries) {
    const title = utf8(name);
    const common = concatBytes([
      littleEndian(20, 2),
      littleEndian(0x0800, 2),
      littleEndian(0, 2),
      littleEndian(0, 2),
      littleEndian(0x21, 2),
      littleEndian(crc32(bytes), 4),
      littleEndian(bytes.length, 4),
      littleEndian(bytes.length, 4),
      littleEndian(title.length, 2),
      littleEndian(0, 2),
    ]);
    const local = concatBytes([littleEndian(0x04034b50, 4), common, title, bytes]);
    directory.push(concatBytes([
      littleEndian(0x02014b50, 4),
      littleEndian(20, 2),
      common,
      littleEndian(0, 2),
      littleEndian(0, 4),
      littleEndian(0, 2),
      littleEndian(0, 4),
      littleEndian(offset, 4),
      title,
    ]));
    parts.push(local);
    offset += local.length;
  }
  const central = concatBytes(directory);
  return concatBytes([
    ...parts,
    central,
    littleEndian(0x06054b50, 4),
    littleEndian(0, 4),
    littleEndian(entries.length, 2),
    littleEndian(entries.length, 2),
    littleEndian(central.length, 4),
    littleEndian(offset, 4),
    littleEndian(0, 2),
  ]);
}
