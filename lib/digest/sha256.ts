/**
 * SHA-256 without leaving the thread (FIPS 180-4). The platform's own digest runs in a pool of
 * threads: for a text of a few hundred bytes the way there and back costs many times the hash, and
 * a call needs several of them before its request can leave.
 */

/** First 32 bits of the fractional parts of a root of each of the first primes. */
function fractions(count: number, exponent: number): Uint32Array {
  const words = new Uint32Array(count);
  let found = 0;
  for (let candidate = 2; found < count; candidate++) {
    let isPrime = true;
    for (let divisor = 2; divisor * divisor <= candidate; divisor++) {
      if (candidate % divisor === 0) isPrime = false;
    }
    if (!isPrime) continue;
    const root = candidate ** exponent;
    words[found++] = (root - Math.floor(root)) * 2 ** 32;
  }
  return words;
}

/** Made with the first hash: start-up imports this and seldom hashes. */
let constants: { start: Uint32Array; round: Uint32Array } | undefined;
const BLOCK = 64;

/** Message with its end mark and its length in bits, in whole blocks. */
function padded(bytes: Uint8Array): DataView {
  const length = Math.ceil((bytes.length + 9) / BLOCK) * BLOCK;
  const message = new Uint8Array(length);
  message.set(bytes);
  message[bytes.length] = 0x80;
  const view = new DataView(message.buffer);
  view.setUint32(length - 8, Math.floor(bytes.length / 2 ** 29));
  view.setUint32(length - 4, bytes.length << 3);
  return view;
}

function rotated(word: number, by: number): number {
  return word >>> by | word << 32 - by;
}

/** A short message's code under a key (RFC 2104). */
export function hmacSha256(key: Uint8Array, message: Uint8Array): Uint8Array {
  const block = new Uint8Array(BLOCK);
  block.set(key.length > BLOCK ? sha256(key) : key);
  const inner = sha256(joined(block.map((byte) => byte ^ 0x36), message));
  return sha256(joined(block.map((byte) => byte ^ 0x5c), inner));
}

function joined(first: Uint8Array, second: Uint8Array): Uint8Array {
  const whole = new Uint8Array(first.length + second.length);
  whole.set(first);
  whole.set(second, first.length);
  return whole;
}

/** The digest of a short message. */
export function sha256(bytes: Uint8Array): Uint8Array {
  constants ??= { start: fractions(8, 1 / 2), round: fractions(64, 1 / 3) };
  const message = padded(bytes);
  const state = Uint32Array.from(constants.start);
  const words = new Int32Array(64);
  for (let block = 0; block < message.byteLength; block += BLOCK) {
    for (let t = 0; t < 16; t++) words[t] = message.getInt32(block + t * 4);
    for (let t = 16; t < 64; t++) {
      const early = words[t - 15] ?? 0;
      const late = words[t - 2] ?? 0;
      const mixed = (rotated(early, 7) ^ rotated(early, 18) ^ early >>> 3) +
        (rotated(late, 17) ^ rotated(late, 19) ^ late >>> 10);
      words[t] = mixed + (words[t - 16] ?? 0) + (words[t - 7] ?? 0);
    }
    mixIn(state, { words, round: constants.round });
  }
  const digest = new DataView(new ArrayBuffer(32));
  state.forEach((word, index) => digest.setUint32(index * 4, word));
  return new Uint8Array(digest.buffer);
}

function mixIn(
  state: Uint32Array,
  { words, round }: { words: Int32Array; round: Uint32Array },
): void {
  let [a = 0, b = 0, c = 0, d = 0, e = 0, f = 0, g = 0, h = 0] = state;
  for (let t = 0; t < 64; t++) {
    const chosen = e & f ^ ~e & g;
    const first = h + (rotated(e, 6) ^ rotated(e, 11) ^ rotated(e, 25)) + chosen +
        (round[t] ?? 0) + (words[t] ?? 0) | 0;
    const majority = a & b ^ a & c ^ b & c;
    const second = (rotated(a, 2) ^ rotated(a, 13) ^ rotated(a, 22)) + majority | 0;
    h = g;
    g = f;
    f = e;
    e = d + first | 0;
    d = c;
    c = b;
    b = a;
    a = first + second | 0;
  }
  const rounds = [a, b, c, d, e, f, g, h];
  rounds.forEach((word, index) => state[index] = (state[index] ?? 0) + word);
}
