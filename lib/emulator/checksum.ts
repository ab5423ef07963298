/** Checksums that Google's media services report. Neither is used for security. */

const MD5_SHIFTS = [7, 12, 17, 22, 5, 9, 14, 20, 4, 11, 16, 23, 6, 10, 15, 21];
const MD5_SINES = Uint32Array.from(
  { length: 64 },
  (_, index) => Math.floor(Math.abs(Math.sin(index + 1)) * 2 ** 32),
);

/** MD5 of bytes (Web Crypto has none). */
export function md5(bytes: Uint8Array): Uint8Array<ArrayBuffer> {
  const padded = new Uint8Array(((bytes.length + 8) >> 6) * 64 + 64);
  padded.set(bytes);
  padded[bytes.length] = 0x80;
  const view = new DataView(padded.buffer);
  view.setUint32(padded.length - 8, (bytes.length * 8) >>> 0, true);
  view.setUint32(padded.length - 4, Math.floor(bytes.length / 2 ** 29), true);
  let [a0, b0, c0, d0] = [0x67452301, 0xefcdab89, 0x98badcfe, 0x10325476];
  const words = new Uint32Array(16);
  for (let block = 0; block < padded.length; block += 64) {
    for (let index = 0; index < 16; index++) words[index] = view.getUint32(block + index * 4, true);
    let [a, b, c, d] = [a0, b0, c0, d0];
    for (let step = 0; step < 64; step++) {
      const round = step >> 4;
      const [mixed, word] = round === 0
        ? [(b & c) | (~b & d), step]
        : round === 1
        ? [(d & b) | (~d & c), (5 * step + 1) & 15]
        : round === 2
        ? [b ^ c ^ d, (3 * step + 5) & 15]
        : [c ^ (b | ~d), (7 * step) & 15];
      const sum = (a + mixed + (MD5_SINES[step] as number) + (words[word] as number)) >>> 0;
      const shift = MD5_SHIFTS[round * 4 + (step & 3)] as number;
      [a, d, c, b] = [d, c, b, (b + ((sum << shift) | (sum >>> (32 - shift)))) >>> 0];
    }
    a0 = (a0 + a) >>> 0;
    b0 = (b0 + b) >>> 0;
    c0 = (c0 + c) >>> 0;
    d0 = (d0 + d) >>> 0;
  }
  const digest = new Uint8Array(16);
  const out = new DataView(digest.buffer);
  for (const [index, word] of [a0, b0, c0, d0].entries()) out.setUint32(index * 4, word, true);
  return digest;
}

let crcTable: Uint32Array | undefined;

/** CRC-32C (Castagnoli), big-endian, as `X-Goog-Hash` carries it. */
export function crc32c(bytes: Uint8Array): Uint8Array<ArrayBuffer> {
  crcTable ??= Uint32Array.from({ length: 256 }, (_, index) => {
    let value = index;
    for (let bit = 0; bit < 8; bit++) value = value & 1 ? (value >>> 1) ^ 0x82f63b78 : value >>> 1;
    return value >>> 0;
  });
  let crc = 0xffffffff;
  for (const byte of bytes) crc = (crc >>> 8) ^ (crcTable[(crc ^ byte) & 0xff] as number);
  const digest = new Uint8Array(4);
  new DataView(digest.buffer).setUint32(0, (crc ^ 0xffffffff) >>> 0);
  return digest;
}
