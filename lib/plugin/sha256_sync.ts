/**
 * SHA-256 of small documents where the caller cannot wait. Web Crypto only answers later, and
 * Node's module costs more at start-up than everything that asks for this.
 */

const K = Uint32Array.from(firstPrimes(64), (prime) => fraction(Math.cbrt(prime)));
const H = Uint32Array.from(firstPrimes(8), (prime) => fraction(Math.sqrt(prime)));

function firstPrimes(count: number): number[] {
  const primes: number[] = [];
  for (let candidate = 2; primes.length < count; candidate++) {
    if (primes.every((prime) => candidate % prime !== 0)) primes.push(candidate);
  }
  return primes;
}

/** The first 32 bits after the point. */
function fraction(value: number): number {
  return Math.floor((value % 1) * 2 ** 32);
}

/** Lowercase hex SHA-256. */
export function sha256HexSync(bytes: Uint8Array): string {
  const length = (bytes.length + 9 + 63) & ~63;
  const padded = new Uint8Array(length);
  padded.set(bytes);
  padded[bytes.length] = 0x80;
  const view = new DataView(padded.buffer);
  view.setUint32(length - 8, Math.floor(bytes.length / 2 ** 29));
  view.setUint32(length - 4, bytes.length << 3);
  const state = H.slice();
  const words = new Uint32Array(64);
  for (let block = 0; block < length; block += 64) {
    for (let index = 0; index < 16; index++) words[index] = view.getUint32(block + index * 4);
    compress(state, words);
  }
  const digest = new DataView(new ArrayBuffer(32));
  state.forEach((word, index) => digest.setUint32(index * 4, word));
  return new Uint8Array(digest.buffer).toHex();
}

function compress(state: Uint32Array, words: Uint32Array): void {
  const at = (list: Uint32Array, index: number) => list[index] as number; // indices are in range
  const rotate = (word: number, by: number) => (word >>> by) | (word << (32 - by));
  for (let index = 16; index < 64; index++) {
    const early = at(words, index - 15);
    const late = at(words, index - 2);
    const s0 = rotate(early, 7) ^ rotate(early, 18) ^ (early >>> 3);
    const s1 = rotate(late, 17) ^ rotate(late, 19) ^ (late >>> 10);
    words[index] = at(words, index - 16) + s0 + at(words, index - 7) + s1;
  }
  let [a, b, c, d, e, f, g, h] = state as unknown as [
    number,
    number,
    number,
    number,
    number,
    number,
    number,
    number,
  ];
  for (let index = 0; index < 64; index++) {
    const s1 = rotate(e, 6) ^ rotate(e, 11) ^ rotate(e, 25);
    const choice = (e & f) ^ (~e & g);
    const t1 = (h + s1 + choice + at(K, index) + at(words, index)) | 0;
    const s0 = rotate(a, 2) ^ rotate(a, 13) ^ rotate(a, 22);
    const majority = (a & b) ^ (a & c) ^ (b & c);
    [h, g, f, e, d, c, b, a] = [g, f, e, (d + t1) | 0, c, b, a, (t1 + s0 + majority) | 0];
  }
  [a, b, c, d, e, f, g, h].forEach((word, index) => state[index] = at(state, index) + word);
}
