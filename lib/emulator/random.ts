/** Seeded randomness of the emulated world. Not for secrets. */

import type { SeededRandom } from "./service.ts";

/** 32-bit hash of a text (FNV-1a with a final avalanche). */
export function hash32(text: string, basis = 0x811c9dc5): number {
  let hash = basis >>> 0;
  for (let index = 0; index < text.length; index++) {
    hash ^= text.charCodeAt(index);
    hash = Math.imul(hash, 0x01000193);
  }
  hash ^= hash >>> 16;
  hash = Math.imul(hash, 0x85ebca6b);
  hash ^= hash >>> 13;
  hash = Math.imul(hash, 0xc2b2ae35);
  return (hash ^ (hash >>> 16)) >>> 0;
}

/** `length` lowercase hex characters that depend on nothing but `text`. */
export function hashHex(text: string, length: number): string {
  let digits = "";
  for (let round = 0; digits.length < length; round++) {
    digits += hash32(text, 0x811c9dc5 ^ Math.imul(round + 1, 0x9e3779b1)).toString(16)
      .padStart(8, "0");
  }
  return digits.slice(0, length);
}

/**
 * A deterministic generator: the same `seed` and `name` give the same sequence on every machine.
 * Forks are keyed by name, never by how often the parent was asked, so parts stay independent.
 */
export function seededRandom(seed: number, name = "world"): SeededRandom {
  const key = `${seed}/${name}`;
  let a = hash32(key, 0x12345678);
  let b = hash32(key, 0x9abcdef0);
  let c = hash32(key, 0x0f1e2d3c);
  let counter = 1;
  // sfc32: small, fast and well mixed after a few rounds.
  const next32 = (): number => {
    const sum = (((a + b) >>> 0) + counter) >>> 0;
    counter = (counter + 1) >>> 0;
    a = (b ^ (b >>> 9)) >>> 0;
    b = (c + (c << 3)) >>> 0;
    c = ((c << 21) | (c >>> 11)) >>> 0;
    c = (c + sum) >>> 0;
    return sum;
  };
  for (let round = 0; round < 12; round++) next32();
  const next = (): number => next32() / 0x1_0000_0000;
  const int = (min: number, max: number): number => min + Math.floor(next() * (max - min + 1));
  return {
    next,
    int,
    pick<T>(items: readonly T[]): T {
      if (items.length === 0) throw new RangeError("cannot pick from an empty list");
      return items[int(0, items.length - 1)] as T;
    },
    hex(length: number): string {
      let digits = "";
      while (digits.length < length) digits += next32().toString(16).padStart(8, "0");
      return digits.slice(0, length);
    },
    fork: (child: string) => seededRandom(seed, `${name}/${child}`),
  };
}
